"""Traces of oracles in our tasks, from which a small model learns the forms of replies.

A trace is one episode of a registered text environment in which `oracle_action` replies. Where a
problem has a worked solution, a part of the traces writes it down before the answer: the model then
has two ways to reply, the short one and the careful one, and reinforcement learning can find out
which has the higher reward. In a world with tools a part of the episodes may lack the last call,
likewise. Only the train side of a task is ever recorded.

Left out: traces of models, and filtering by outcome (the oracle is right by construction).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.envs.reasoning.core import Episode, ReasoningEnv


@dataclass(frozen=True)
class Source:
    """A task of which traces are recorded.

    Attributes:
        env_id: A registered text task.
        episodes: The number of traces.
        kwargs: Arguments of the environment.
        worked: Share of the traces that write the worked solution before the answer, in [0, 1].
        short: Share of the traces without the last call, which end in the answer `unknown`, in
            [0, 1]; for worlds with a plan of calls.
    """

    env_id: str
    episodes: int
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    worked: float = 0.0
    short: float = 0.0


@dataclass(frozen=True)
class Trace:
    """One episode: observations and the oracle's replies, turn by turn."""

    env_id: str
    turns: tuple[tuple[str, str], ...]

    @property
    def messages(self) -> list[dict[str, str]]:
        """The conversation as OpenAI-style messages."""
        return [
            {"role": role, "content": text}
            for turn in self.turns
            for role, text in zip(("user", "assistant"), turn, strict=True)
        ]


def record_all(sources: Sequence[Source], seed: int) -> list[Trace]:
    """Record the traces of every source, in order; equal arguments give equal traces."""
    seeds = np.random.SeedSequence(seed).spawn(len(sources))
    return [
        trace
        for source, own in zip(sources, seeds, strict=True)
        for trace in record(source, np.random.default_rng(own))
    ]


def record(source: Source, rng: np.random.Generator) -> Iterable[Trace]:
    """Record the oracle in one source's environment.

    Raises:
        ValueError: If the source has another split than `train`, is no text environment, or has no
            calls that could be left out.
    """
    if source.kwargs.get("split", "train") != "train":
        raise ValueError(f"{source.env_id}: traces are recorded on the train side only")
    env = gym.make(source.env_id, disable_env_checker=True, **source.kwargs)
    try:
        observation, _ = env.reset(seed=int(rng.integers(2**31)))
        if not isinstance(observation, str):
            raise ValueError(f"{source.env_id}: not a text environment with these arguments")
        if source.short and not hasattr(env.unwrapped, "short_plan_action"):
            raise ValueError(f"{source.env_id}: has no plan of calls, short must be 0")
        for _ in range(source.episodes):
            yield Trace(source.env_id, tuple(_play(env, observation, source, rng)))
            observation, _ = env.reset()
    finally:
        env.close()


def _play(
    env: gym.Env[str, str], observation: str, source: Source, rng: np.random.Generator
) -> Iterable[tuple[str, str]]:
    oracle: Any = env.unwrapped
    short = source.short > 0 and bool(rng.random() < source.short)
    over = False
    while not over:
        careful = bool(rng.random() < source.worked)
        reply = oracle.short_plan_action() if short else _reply(oracle, careful)
        yield observation, reply
        observation, _, terminated, truncated, _ = env.step(reply)
        over = terminated or truncated


def _reply(oracle: Any, careful: bool) -> str:
    """Return the oracle's reply; if careful, after the steps that lead to it."""
    reply: str = oracle.oracle_action()
    if not careful or not isinstance(oracle, ReasoningEnv):
        return reply
    episode: Episode = oracle.get_state()["episode"]
    solution = episode.problem.solution
    return f"{solution}\n{reply}" if solution else reply
