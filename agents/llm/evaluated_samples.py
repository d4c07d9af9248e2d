"""Several samples of each evaluated problem: pass@k in the metrics, and a log of outcomes.

A log, `outcomes/step-000060.jsonl` in the directory of a run, is one of `zerogym eval`: of two
steps `zerogym eval LATER --against EARLIER` shows what training has done to pass@k and to the
support.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from zerogym.agents.atomic_files import write_text
from zerogym.agents.llm.sample_measures import answer_entropy, max_at_k, pass_at_k
from zerogym.agents.llm.sampled_problem import SampledProblem
from zerogym.agents.trajectory import Trajectory

FOLDER = "outcomes"


def problems_of(records: Sequence[Trajectory], samples: int) -> list[SampledProblem]:
    """Return the outcomes of each problem, of which `samples` episodes stand side by side."""
    starts = range(0, len(records), samples)
    return [SampledProblem.of(records[start : start + samples], whole=True) for start in starts]


def sample_metrics(problems: Sequence[SampledProblem], samples: int) -> dict[str, float]:
    """Return pass@k and max@k for k = 1, 2, 4, ... and `samples`, and entropies in nats.

    Means over problems; those with fewer than k samples that count are left out at that k, and
    pass@k where the environment reports no success.
    """
    found: dict[str, float] = {}
    ks = sorted({samples, *(2**i for i in range(samples.bit_length()))} - {0})
    for k in (k for k in ks if k <= samples):
        counted = [each for each in problems if len(each.counted) >= k]
        if not counted:
            continue
        if any(outcome is not None for each in counted for outcome in each.correct):
            rates = [pass_at_k(len(each.counted), _correct(each), k) for each in counted]
            found[f"pass@{k}"] = fmean(rates)
        best = [max_at_k([each.scores[i] or 0.0 for i in each.counted], k) for each in counted]
        found[f"max@{k}"] = fmean(best)
    answers = [[each.answers[i] for i in each.counted] for each in problems if each.counted]
    if answers:
        found["answer_entropy"] = fmean(map(answer_entropy, answers))
    if known := [each.token_entropy for each in problems if each.token_entropy is not None]:
        found["token_entropy"] = fmean(known)
    return found


def write_outcomes(
    out: Path, step: int, name: str, problems: Sequence[SampledProblem], about: Mapping[str, Any]
) -> Path:
    """Write the log of an evaluation.

    Args:
        out: The directory of the run.
        step: Steps before the evaluation.
        name: Of the evaluated task or seat, where there are several; else empty.
        problems: The outcomes.
        about: Its first line: `model`, `env`, `env_kwargs`, `samples`.
    """
    path = out / FOLDER / f"step-{step:06d}{name and '-'}{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"kind": "evaluation", **about}, *(each.record() for each in problems)]
    write_text(path, "".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def _correct(problem: SampledProblem) -> int:
    return sum(problem.correct[place] is True for place in problem.counted)
