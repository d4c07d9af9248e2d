"""The parts of a suite and the records of a run: plain frozen data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import gymnasium as gym

from zerogym.agents.core import Policy
from zerogym.envs.lookup import find_spec

View = Literal["text", "numeric"]
Measure = Literal["episodes", "game_tree"]
EXACT = -1  # in the place of a seed: the value was computed


@dataclass(frozen=True)
class Variant:
    """One task of a world: its scores are normalised on their own (a stratum).

    Attributes:
        name: Shown in the report: a goal, an opponent.
        kwargs: Arguments of the environment on top of the world's.
    """

    name: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class World:
    """One row of the table.

    Attributes:
        name: Title of the row; unique in its suite.
        env_id: Registered id.
        about: One line for the report.
        agents: Names of the agents that are evaluated here.
        episodes: Episodes a variant.
        kwargs: Arguments of the environment.
        variants: The tasks of the world.
        two_views: The constructor takes `view`, and each agent gets the one it reads.
        measure: `episodes` plays; `game_tree` computes the exact value of the policy's strategy.
        batch: Environments stepped together.
        reply_tokens: Most tokens of a language model's reply.
        stop: Texts that end a language model's reply.
        training_task: The task of agents that learn only one; None: the first variant.
        limits: Fewer episodes a variant for agents that are slow.
    """

    name: str
    env_id: str
    about: str
    agents: tuple[str, ...]
    episodes: int = 64
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    variants: tuple[Variant, ...] = (Variant("default"),)
    two_views: bool = False
    measure: Measure = "episodes"
    batch: int = 32
    reply_tokens: int = 48
    stop: tuple[str, ...] = ("</answer>",)
    training_task: Variant | None = None
    limits: Mapping[str, int] = field(default_factory=dict)

    @property
    def family(self) -> str:
        """The folder of the environment, read from its entry point."""
        entry = find_spec(self.env_id).entry_point
        parts = entry.split(".") if isinstance(entry, str) else []
        return parts[2] if len(parts) > 3 and parts[0] == "zerogym" else "other"

    def episodes_for(self, agent: str) -> int:
        return self.limits.get(agent, self.episodes)


PolicyMaker = Callable[[Sequence["gym.Env[Any, Any]"], Variant], Policy]


@dataclass(frozen=True)
class Curve:
    """A learning curve: `points` are (x, y) with their units in words."""

    name: str
    x: str
    y: str
    points: tuple[tuple[float, float], ...]


@dataclass
class ModelCache:
    """Models of a run: what one builder makes, another cell may use again.

    Attributes:
        directory: Trained models are kept here, so that a resumed run does not train again.
        seed: Seed of the whole run.
        report: Called with a short text when something long begins.
        keep_curve: Called with each learning curve.
        made: Models already in memory, by name.
    """

    directory: Path
    seed: int
    report: Callable[[str], None]
    keep_curve: Callable[[Curve], None]
    made: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Agent:
    """One column of the table.

    Attributes:
        name: Key in the worlds' `agents`.
        title: Column heading.
        about: What it was trained on, for the report.
        build: Makes the policies for a world; may train.
        view: Which view of a two-view world it reads.
        deterministic: Passed to `predict`.
        lane: Agents of one lane run in one process, in the suite's order.
        seconds: Rough time of one of its cells, for the estimate of the time left.
        trained_in: Ids of the environments that it learns in, where these are few and its scores
            elsewhere are transfer; empty if it learns in each world, or nowhere.
    """

    name: str
    title: str
    about: str
    build: Callable[[World, ModelCache], PolicyMaker]
    view: View = "numeric"
    deterministic: bool = True
    lane: str = "arrays"
    seconds: float = 2.0
    trained_in: tuple[str, ...] = ()


@dataclass(frozen=True)
class Suite:
    """Worlds, agents and which of them mark 0 and 1."""

    name: str
    worlds: tuple[World, ...]
    agents: tuple[Agent, ...]
    floor: str = "random"
    ceiling: str = "oracle"


@dataclass(frozen=True)
class Turn:
    """One line of a transcript: the role and its text."""

    role: str
    text: str


@dataclass(frozen=True)
class Episode:
    """The record of one episode.

    Attributes:
        variant: Name of the variant.
        seed: Seed of `reset`, or `EXACT`.
        value: Sum of rewards.
        length: Steps.
        score: The last `info["score"]`, where the environment reports one.
        success: The last `info["success"]`, where reported.
        transcript: The turns, for the first episodes of text worlds.
        path: Positions visited, for the first episodes of worlds in the plane.
        sandbox: The level of the sandbox that ran a model's code, where one did.
    """

    variant: str
    seed: int
    value: float
    length: int
    score: float | None = None
    success: bool | None = None
    transcript: tuple[Turn, ...] = ()
    path: tuple[tuple[float, float], ...] = ()
    sandbox: str | None = None
