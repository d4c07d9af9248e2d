"""Probe whether a model knows problems by heart: it continues the first part of each.

"Reasoning or Memorization? Unreliable Results of Reinforcement Learning Due to Data Contamination"
(2025, arXiv 2507.10532): with 60 % of a question alone, a model that has read it completes it and
gives the right answer. On problems that are generated nobody can. Left out: ROUGE-L, sampled
continuations.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from zerogym.agents.llm.generation.engines import load_generator
from zerogym.agents.llm.generation.protocol import Generator, Sampling
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.evaluation import outcome_of, wilson
from zerogym.agents.llm.rollout.rollout_env import ONLY_SEAT
from zerogym.agents.llm.sampled_evaluation import problem_arguments
from zerogym.envs.lookup import full_id

_ANSWER = 64  # tokens of an answer after the problem


@dataclass(frozen=True)
class PrefixProbe:
    """Outcome of n problems of which a model read the first part.

    Attributes:
        problems: n.
        completed: Share whose rest it wrote word by word: the partial-prompt completion rate.
        completed_interval: Its 95 % Wilson interval.
        answered: Share that it answered right: the partial-prompt answer accuracy.
        answered_interval: Its interval.
    """

    problems: int
    completed: float
    completed_interval: tuple[float, float]
    answered: float
    answered_interval: tuple[float, float]


def prefix_probe(
    model: Generator | str | os.PathLike[str],
    env_id: str,
    share: float = 0.6,
    episodes: int = 100,
    seed: int = 0,
    **env_kwargs: Any,
) -> PrefixProbe:
    """Let a model continue the first part of problems, greedily and without a chat template.

    What is hidden is the last part of the text by which problems differ; words that all of them
    begin or end with are known to every model that has read some. The text behind the completed
    problem is the answer; if the problem is not completed, all of the continuation is.

    Args:
        model: A name, folder or address, or an engine of `load_generator`.
        env_id: A text environment with one reply, in any spelling that `zerogym.make` takes.
        share: Share of the text that is shown, in (0, 1); cut at a space before it.
        episodes: How many problems, at least two; problem k is reset with `seed + k`.
        seed: Of the first problem.
        env_kwargs: Arguments of the environment; without a `split` the problems are those of the
            test side.

    Raises:
        ModelNotFound, UnknownName: If there is no such model or task.
        NoText: If the environment observes no text with these arguments.
        ValueError: If the share is out of range, there are too few problems, or nothing of a
            problem can be hidden.
    """
    if not 0 < share < 1:
        raise ValueError(f"share must be between 0 and 1, got {share!r}")
    if episodes < 2:
        raise ValueError(f"two problems at least show how they differ, got episodes={episodes!r}")
    env_id = full_id(env_id)
    kwargs = problem_arguments(env_id, env_kwargs)
    engine = model if isinstance(model, Generator) else load_generator(model)
    seeds = range(seed, seed + episodes)
    with Environments(env_id, kwargs) as envs:
        env = envs.take()
        problems = []
        for each in seeds:
            env.reset(each)
            problems.append(env.observation())
        cuts = hidden_parts(problems, share)
        written = _continued(engine, problems, cuts)
        completed, answered = 0, 0
        for each, problem, (start, end), text in zip(seeds, problems, cuts, written, strict=True):
            hidden, whole = re.escape(_joined(problem[start:end])), _joined(text)
            completed += re.match(rf"{hidden}(?!\w)", whole) is not None
            env.reset(each)
            env.act(whole.removeprefix(_joined(problem[start:])).strip())
            answered += bool(outcome_of(env.info(ONLY_SEAT)))
        envs.give_back(env)
    return PrefixProbe(
        episodes, completed / episodes, wilson(completed, episodes),
        answered / episodes, wilson(answered, episodes),
    )  # fmt: skip


def hidden_parts(problems: Sequence[str], share: float) -> list[tuple[int, int]]:
    """Return where the hidden part of each problem begins and ends.

    Args:
        problems: Texts, at least two.
        share: Share that is shown of what is between their common beginning and end.

    Raises:
        ValueError: If a problem has no space there, or all problems are equal.

    Example:
        >>> texts = ["Add 1 + 2 + 3 now.", "Add 4 + 5 now."]
        >>> [text[slice(*cut)] for text, cut in zip(texts, hidden_parts(texts, 0.6))]
        ['+ 3', '5']
    """
    begin = _shared(problems)
    tail = _shared([problem[begin:][::-1] for problem in problems])
    cuts = []
    for problem in problems:
        end = len(problem) - tail
        last = begin + int(share * (end - begin))
        space = problem.rfind(" ", max(0, begin - 1), last + 1)
        if space < 0 or space + 1 >= end:
            raise ValueError(f"nothing can be hidden of the problem {problem!r:.80}")
        cuts.append((space + 1, end))
    return cuts


def _shared(texts: Sequence[str]) -> int:
    """Return how many characters all texts begin with."""
    pairs = zip(min(texts), max(texts), strict=False)  # all others are between these two
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _continued(
    engine: Generator, problems: Sequence[str], cuts: Sequence[tuple[int, int]]
) -> list[str]:
    """Return what a model writes after the first part of each problem."""

    def ids(text: str) -> list[int]:
        return list(engine.tokenizer(text)["input_ids"])

    longest = max(len(ids(text[start:])) for text, (start, _) in zip(problems, cuts, strict=True))
    prompts = [ids(text[:start].rstrip()) for text, (start, _) in zip(problems, cuts, strict=True)]
    sampling = Sampling(longest + _ANSWER, temperature=0.0)
    return [completion.text for completion in engine.generate(prompts, sampling)]


def _joined(text: str) -> str:
    """Return the words with one space between them."""
    return " ".join(text.split())
