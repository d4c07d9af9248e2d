"""Rejection sampling: fine-tuning on the best of recorded episodes.

"RAFT: Reward rAnked FineTuning for Generative Foundation Model Alignment" (2023, arXiv 2304.06767)
keeps the best reply to each prompt; "Scaling Relationship on Learning Mathematical Reasoning with
Large Language Models" (2023, arXiv 2308.01825) all that are right and different: `per_problem`.
The recorded ids are the data, so the model must have the tokenizer of the one that played.
Left out: rounds of both (play again with `zerogym train llm --steps 1 --keep-rollouts true`, or
any other way that writes trajectories), a penalty for moving away from the start.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.models.loading import load_model, save_model
from zerogym.agents.settings import check_types
from zerogym.agents.trajectory import Trajectory, read_jsonl

Progress = Callable[[Mapping[str, float]], None]


@describe_fields
@dataclass(frozen=True)
class RejectionConfig:
    """Settings of a run.

    Raises:
        TypeError: If a value is of another type than its field.
        ValueError: If a number is out of its range, or no file is named.
    """

    rollouts: tuple[str, ...] = ()  # files of trajectories (JSON lines), or folders of such files
    model: str = "tiny"  # what `load_model` takes: a name, a directory, a hub id
    out: str = "runs/rejection"  # directory of the final model
    least_reward: float = 1.0  # of an episode that is kept
    per_problem: int = 1  # most episodes that are kept of a problem, the best; 0: all
    steps: int = 100  # optimiser steps
    batch_tokens: int = 2048  # of one step, padding included
    lr: float = 1e-4  # peak learning rate of AdamW
    device: str = "auto"  # auto, cpu, cuda
    seed: int = 0  # of the order of the episodes, >= 0

    def __post_init__(self) -> None:
        check_types(self)
        for name, low in (("per_problem", 0), ("steps", 1), ("batch_tokens", 1), ("seed", 0)):
            if getattr(self, name) < low:
                raise ValueError(f"{name} must be at least {low}, got {getattr(self, name)!r}")
        if not self.lr > 0:
            raise ValueError(f"lr must be above 0, got {self.lr!r}")
        if not self.rollouts:
            raise ValueError("rollouts names no file of trajectories")


@dataclass(frozen=True)
class RejectionResult:
    """The number of episodes that were kept, of how many, and the directory of the model."""

    episodes: int
    of: int
    model: Path


def rejection_sampling(
    config: RejectionConfig, on_progress: Progress | None = None
) -> RejectionResult:
    """Keep the best episodes of files, fine-tune a model on them and write it to `out/model`.

    Raises:
        FileExistsError: If there is a model already.
        FileNotFoundError: If there are no such files.
        ValueError: If no episode is good enough, or their tokens are those of another model.
        ModelNotFound: If there is no such model.
    """
    target = Path(config.out) / "model"
    if target.exists():
        raise FileExistsError(f"{target} exists: choose another out")
    recorded = [item for name in config.rollouts for item in _read(Path(name))]
    kept = best(recorded, config.least_reward, config.per_problem)
    if not kept:
        most = max((item.reward for item in recorded), default=float("nan"))
        raise ValueError(
            f"none of {len(recorded)} episodes has a return of {config.least_reward:g} or more; "
            f"the best {most:g}"
        )
    model, tokenizer = load_model(config.model, config.device, "float32")
    from zerogym.agents.llm.supervised.sft import Encoded, SFTConfig, fine_tune

    flats = [part for item in kept for part in item.flatten().contexts()]
    if max(max(flat.ids) for flat in flats) >= model.config.vocab_size:
        raise ValueError(f"the episodes have tokens that {config.model!r} does not have")
    settings = SFTConfig(
        steps=config.steps, batch_tokens=config.batch_tokens, learning_rate=config.lr,
        warmup=config.steps // 10, seed=config.seed,
    )  # fmt: skip
    show = on_progress or (lambda metrics: None)
    data = [Encoded(flat.ids, flat.mask) for flat in flats]
    fine_tune(model, data, settings, lambda step, metrics: show({"step": step, **metrics}))
    return RejectionResult(len(kept), len(recorded), save_model(model, tokenizer, target))


def best(recorded: Iterable[Trajectory], least: float, per_problem: int) -> list[Trajectory]:
    """Return episodes with at least this return, of each problem the best with different replies.

    A problem is an environment, its arguments and its seed. Of equal returns the earlier is first.
    """
    problems: dict[tuple[str, str, int, str], list[Trajectory]] = defaultdict(list)
    for item in recorded:
        if item.counts and item.turns and item.reward >= least:
            arguments = json.dumps(dict(item.kwargs), sort_keys=True)
            problems[item.env, arguments, item.seed, item.seat].append(item)
    kept = []
    for own in problems.values():
        different: dict[tuple[tuple[int, ...], ...], Trajectory] = {}
        for item in sorted(own, key=lambda item: -item.reward):
            different.setdefault(tuple(turn.action_ids for turn in item.turns), item)
        kept += list(different.values())[: per_problem or None]
    return kept


def _read(path: Path) -> Iterable[Trajectory]:
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    if not files:
        raise FileNotFoundError(f"{path} holds no .jsonl file of trajectories")
    return (item for file in files for item in read_jsonl(file))
