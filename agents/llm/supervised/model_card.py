"""Measurements of a language model on our tasks, and the model card with their results.

Left out: comparison with other agents, which is the benchmarks' job.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from zerogym.agents.llm.generation.protocol import Generator, Sampling
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.runner import Player, rollout

MAX_NEW_TOKENS = 48  # of one reply
_RESAMPLES = 2000


@dataclass(frozen=True)
class Measurement:
    """One row of the table: a task, and the number of its episodes."""

    env_id: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    episodes: int = 200


@dataclass(frozen=True)
class Result:
    """The result of a measurement.

    Attributes:
        returns: Return of each episode, (episodes,).
        readable: Share of episodes whose last reply was in the requested form.
    """

    task: Measurement
    deterministic: bool
    returns: np.ndarray
    readable: float

    @property
    def mean(self) -> float:
        """Mean return."""
        return float(self.returns.mean())

    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the mean return: the percentile bootstrap over episodes."""
        rng = np.random.default_rng(0)
        count = len(self.returns)
        draws = rng.integers(count, size=(_RESAMPLES, count))  # (R, N)
        low, high = np.percentile(self.returns[draws].mean(1), (2.5, 97.5))
        return float(low), float(high)


def measure(generator: Generator, task: Measurement, deterministic: bool, seed: int = 0) -> Result:
    """Play the episodes of a measurement; episode k has the seed `seed + k`."""
    sampling = Sampling(MAX_NEW_TOKENS, temperature=0.0 if deterministic else 1.0, seed=seed)
    seeds = range(seed, seed + task.episodes)
    with Environments(task.env_id, task.kwargs) as envs:
        played = rollout(envs, seeds, Player(generator, sampling))
    returns = np.array([trajectory.reward for trajectory in played])  # (episodes,)
    readable = float(np.mean([is_readable(trajectory.info) for trajectory in played]))
    return Result(task, deterministic, returns, readable)


def is_readable(info: Mapping[str, Any]) -> bool:
    """Return whether the reply was in the requested form: in tags, and a legal move."""
    return info.get("answer_format", "tag") == "tag" and not info.get("void_turn", False)


def table(results: Sequence[Result]) -> str:
    """Return the results as a Markdown table."""
    rows = [
        "| task | arguments | episodes | decoding | mean return [95 % interval] | readable |",
        "|---|---|---|---|---|---|",
    ]
    for result in results:
        low, high = result.interval()
        arguments = ", ".join(f"{key}={value!r}" for key, value in result.task.kwargs.items())
        rows.append(
            f"| {result.task.env_id} | {arguments} | {result.task.episodes} "
            f"| {'greedy' if result.deterministic else 'temperature 1'} "
            f"| {result.mean:.2f} [{low:.2f}, {high:.2f}] | {result.readable:.0%} |"
        )
    return "\n".join(rows)


def write_card(directory: Path, facts: Mapping[str, str], results: Sequence[Result]) -> Path:
    """Write `README.md` beside the weights: facts, the table, and what the model is not."""
    listed = "\n".join(f"- {key}: {value}" for key, value in facts.items())
    path = directory / "README.md"
    path.write_text(_CARD.format(facts=listed, table=table(results)), encoding="utf-8")
    return path


_CARD = """# The tiny model

A proof of the mechanism, not a reasoner: about a million parameters that have read nothing but
traces of our own tasks. It knows the forms of question and answer and some arithmetic on small
numbers, and it is left with much to gain on purpose, so that reinforcement learning on a laptop has
something to show. It understands no English beyond the prompts of these tasks. Traces of
calculations answer at once or write the steps down first; which of them pays, it has to find out.

{facts}

This file is written by that command, and the numbers below are measured by it.

## Measured

Problems of the test side where a task has sides; none of them is in the traces. Readable: share
of episodes whose last reply was in the asked form.

{table}
"""
