"""The subject of an audit: an id with arguments, its episodes and the candidates that play them."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal
from urllib.parse import parse_qsl

import gymnasium as gym
import numpy as np

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.core import TaskEnv
from zerogym.envs.lookup import reward_free
from zerogym.envs.plugins import ensure_registered
from zerogym.envs.registry import TASKS
from zerogym.envs.tools.sandbox import Sandbox
from zerogym.errors import NoOracle, NoSnapshot, SandboxUnavailable, UnknownName, ZerogymError

MAX_TURNS = 60  # of one episode; longer ones count as they stand

Reply = Callable[[gym.Env[Any, Any], int], Any]


class NotAuditable(ZerogymError):
    """The environment cannot be audited; the message names the reason."""


@dataclass(frozen=True)
class Subject:
    """A Gymnasium id and the arguments it is made with (JSON values)."""

    id: str
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> "Subject":
        """From `module:Namespace/Name-v0?argument=value&...`; values are JSON, else texts.

        Example:
            >>> Subject.parse("zerogym/Countdown-v0?difficulty=2").kwargs
            {'difficulty': 2}
        """
        name, _, query = text.partition("?")
        return cls(name, {key: _value(value) for key, value in parse_qsl(query)})

    def __str__(self) -> str:
        query = "&".join(f"{key}={value}" for key, value in self.kwargs.items())
        return f"{self.id}?{query}" if query else self.id

    def to_json(self) -> str:
        """For other processes."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Subject":
        """The inverse of `to_json`."""
        return cls(**json.loads(text))

    def make(self, **extra: Any) -> gym.Env[Any, Any]:
        """Make the environment, with more arguments.

        Raises:
            NotAuditable: If there is no such id or its actions are not texts.
        """
        try:
            ensure_registered(self.id)
            given = {**reward_free(self.id), **self.kwargs, **extra}
            env = gym.make(self.id, disable_env_checker=True, **given)
        except (gym.error.Error, ModuleNotFoundError) as error:
            raise NotAuditable(f"{self}: {error}") from None
        if not isinstance(env.action_space, gym.spaces.Text):
            raise NotAuditable(f"{self}: the audit is for text actions, not {env.action_space}")
        return env

    def sandbox_missing(self) -> str:
        """Return the reason why the sandbox of a task cannot run here; empty if it can."""
        if not any(task.id == self.id and "sandbox" in task.tags for task in TASKS):
            return ""
        try:
            Sandbox(level=self.kwargs.get("level", "strong"))
        except SandboxUnavailable as error:
            return f"{error}"
        return ""

    def takes(self, argument: str, value: Any) -> bool:
        """Return True if the environment can be made with this argument."""
        try:
            self.make(**{argument: value})
        except (TypeError, ValueError):
            return False
        return True


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def text_tasks(family: str) -> list[Subject]:
    """Our registered tasks of a family with a text view, without bridges to other suites."""
    found = []
    for task in TASKS:
        if task.family != family or "bridge" in task.tags:
            continue
        for kwargs in ({}, {"view": "text"}):
            try:
                Subject(task.id, kwargs).make()
            except (NotAuditable, TypeError, UnknownName):  # no such view
                continue
            except SandboxUnavailable:
                pass  # a finding of the audit itself
            found.append(Subject(task.id, kwargs))
            break
    return found


def has_answers(env: gym.Env[Any, Any]) -> bool:
    """Return True if an environment poses problems with right answers; games and mazes do not.

    A foreign environment is assumed to do so.
    """
    return not isinstance(env.unwrapped, TaskEnv) or hasattr(env.unwrapped, "split")


def own_reply(env: gym.Env[Any, Any]) -> str | None:
    """The environment's own right reply now, from `oracle_action()`; None if it offers none."""
    oracle_action = getattr(env.unwrapped, "oracle_action", None)
    try:
        return None if oracle_action is None else str(oracle_action())
    except NoOracle:
        return None


def own_answer(env: gym.Env[Any, Any]) -> str | None:
    """The environment's reply that answers at once: `answer_action()` if it has one.

    An environment whose oracle first calls tools has it, so that answers can be compared without
    the tools; of all others this is `own_reply`.
    """
    answer = getattr(env.unwrapped, "answer_action", None)
    return own_reply(env) if answer is None else str(answer())


_INSIDE = re.compile(r"\A(.*<answer>)(.*)(</answer>.*)\Z", re.DOTALL)


def inside(reply: str) -> tuple[str, str, str]:
    """Split a reply into the part before the answer, the answer, and the part behind it."""
    match = _INSIDE.match(reply)
    return (match[1], match[2], match[3]) if match else ("", reply, "")


@dataclass(frozen=True)
class Outcome:
    """The end of an episode: its return, and its last info."""

    total: float
    info: Mapping[str, Any]
    turns: int

    @property
    def score(self) -> float:
        """The quality of the last reply if `info` has it, else the return."""
        return float(self.info.get("score", self.total))


def finish(env: gym.Env[Any, Any], reply: Reply) -> Outcome:
    """Continue the running episode to its end."""
    total = 0.0
    info: Mapping[str, Any] = {}
    for turn in range(MAX_TURNS):
        _, reward, terminated, truncated, info = env.step(reply(env, turn))
        total += float(reward)
        if terminated or truncated:
            return Outcome(total, info, turn + 1)
    return Outcome(total, info, MAX_TURNS)


class ProblemSet:
    """A set of problems that many candidates can play.

    Uses `get_state` / `set_state` where the environment has them, else resets with the seed.
    """

    def __init__(self, subject: Subject, seeds: range) -> None:
        self.env = subject.make()
        self.seeds = seeds
        self.infos: list[Mapping[str, Any]] = []
        self.own: list[str | None] = []
        self._states: list[Any] | None = [] if hasattr(self.env.unwrapped, "set_state") else None
        for seed in seeds:
            _, info = self.env.reset(seed=seed)
            self.infos.append(info)
            self.own.append(own_answer(self.env))
            try:
                if self._states is not None:
                    self._states.append(self.env.unwrapped.get_state())  # type: ignore[attr-defined]
            except NoSnapshot:
                self._states = None

    def __len__(self) -> int:
        return len(self.seeds)

    def score(self, index: int, reply: Reply) -> float:
        """The score of a candidate in one problem."""
        if self._states is None:
            self.env.reset(seed=self.seeds[index])
            return finish(self.env, reply).score
        task = self.env.unwrapped
        task.set_state(self._states[index])  # type: ignore[attr-defined]
        return finish(task, reply).score

    def scores(self, reply: Reply) -> list[float]:
        """The scores of a candidate in all problems."""
        return [self.score(index, reply) for index in range(len(self))]


def always(text: str) -> Reply:
    """The candidate with one constant reply."""
    return lambda env, turn: text


def oracle(env: gym.Env[Any, Any], turn: int) -> str:
    """The candidate that plays the environment's own reply."""
    return own_reply(env) or ""


def seeded_candidate(seed: int) -> Reply:
    """A candidate whose replies depend on `seed` and turn only."""
    rng = np.random.default_rng(seed)

    def reply(env: gym.Env[Any, Any], turn: int) -> str:
        draw = getattr(env.unwrapped, "random_action", None)
        return str(draw(rng)) if draw else ("1", "yes", "a b", "[]")[(seed + turn) % 4]

    return reply


Status = Literal["pass", "fail", "skip"]


@dataclass(frozen=True)
class Finding:
    """The result of a check.

    Attributes:
        check: Its name.
        status: `skip` where the environment offers nothing to check.
        says: One line for people.
        measured: The numbers (JSON values).
    """

    check: str
    status: Status
    says: str
    measured: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Size:
    """Sample sizes; the defaults take a few seconds for a fast environment.

    Attributes:
        problems: For own and wrong answers.
        shortlist: Problems on which all constant answers are compared.
        constants: Constant answers compared.
        floor: Fresh problems on which the best few are measured.
        stream: Problems drawn from each seed, for overlaps and duplicates.
        side: Problems drawn from each split.
        episodes: Compared in each way of determinism.
        levels: Difficulties.
        per_level: Problems for each of them.
        seconds: CPU time for each rate.
        learnt: Problems from which a classifier learns.
        judged: Fresh problems that it answers.
    """

    problems: int = 60
    shortlist: int = 120
    constants: int = 120
    floor: int = 400
    stream: int = 400
    side: int = 2000
    episodes: int = 6
    levels: tuple[float, ...] = (0.0, 1.0, 2.0, 4.0)
    per_level: int = 20
    seconds: float = 0.5
    learnt: int = 3000
    judged: int = 1500


QUICK = Size(30, 40, 50, 250, 150, 300, 4, (0.0, 1.0, 2.0, 4.0), 12, 0.15, 600, 400)
