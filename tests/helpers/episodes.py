"""The cases that the registry gives, and whole episodes of them as digests.

A case is an id with arguments: every view of a task, and for tasks whose reward is an argument
one named reward beside none. New tasks appear here without an edit.

    python tests/helpers/episodes.py      prints the digests of a few episodes of every case, as
    JSON
"""

import hashlib
import importlib.util
import inspect
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import gymnasium as gym
import numpy as np
from gymnasium.envs.registration import load_env_creator

import zerogym  # noqa: F401 (registers the ids)
from helpers.sandbox.attack_range import why_not_here
from zerogym.envs.core import TaskEnv
from zerogym.envs.lookup import reward_free
from zerogym.envs.registry import TASKS, Task

SEED = 7
WHY_NO_SANDBOX = why_not_here()
MAX_STEPS = 1000  # as many as the longest episode of this suite has
CUT = 100  # steps of the cases of worlds whose episodes are longer than `LONG`
LONG = 400


@dataclass(frozen=True)
class Case:
    """A task with arguments."""

    task: Task
    kwargs: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return " ".join([self.task.name, *(f"{k}={v}" for k, v in self.kwargs.items())])

    def make(self) -> gym.Env:
        """The environment as users get it."""
        return gym.make(self.task.id, **self.kwargs)

    def bare(self) -> TaskEnv[Any, Any]:
        """The environment without wrappers."""
        env = self.make().unwrapped
        assert isinstance(env, TaskEnv)
        return env

    @property
    def is_text(self) -> bool:
        """True if actions are strings."""
        return isinstance(self.bare().action_space, gym.spaces.Text)

    @property
    def has_reward(self) -> bool:
        """True if there is an oracle to follow.

        False for the reward-free control tasks, for games that are too large to be solved, and for
        bodies without a known best action.
        """
        env = self.bare()
        if not getattr(getattr(env, "game", None), "enumerable", True):
            return False
        if not getattr(env, "has_oracle", True):
            return False
        return getattr(env, "tasks", None) is None or self.kwargs.get("task") is not None


def all_cases() -> list[Case]:
    """Every case of the registry, in its order, of the tasks that can be played here."""
    return [case for task in TASKS if installed(task) for case in cases_of(task)]


def installed(task: Task) -> bool:
    """Return True if the library of a bridge, or the sandbox of a task, is there."""
    if "sandbox" in task.tags and WHY_NO_SANDBOX:
        return False
    library = getattr(load_env_creator(task.entry_point), "library", None)
    return library is None or importlib.util.find_spec(library) is not None


def cases_of(task: Task) -> list[Case]:
    """The views of a task, times no reward and one named reward."""
    env = Case(task).bare()
    names = getattr(env, "views", ("text", "numeric"))
    parameters = inspect.signature(type(env).__init__).parameters
    views = [{"view": view} for view in names] if "view" in parameters else [{}]
    if getattr(env, "horizon", 0) > LONG:
        views = [view | {"horizon": CUT} for view in views]
    named = getattr(env, "tasks", {})
    free: dict[str, Any] = reward_free(task.id)
    rewards = [free, *({"task": name} for name in list(named)[:1])]
    return [Case(task, view | reward) for view in views for reward in rewards]


def digest(observation: Any) -> str:
    """Hash of an observation, or of all that a step was: the bytes of arrays, types and shapes.

    Arrays are never printed: that takes most of the time of an episode, and rounds.
    """
    found = hashlib.sha256()

    def add(value: Any) -> None:
        if isinstance(value, dict):
            found.update(f"dict{len(value)}".encode())
            for key in sorted(value, key=str):
                found.update(f"{key}:".encode())
                add(value[key])
        elif isinstance(value, tuple | list):
            found.update(f"{type(value).__name__}{len(value)}".encode())
            for item in value:
                add(item)
        elif isinstance(value, np.ndarray) and value.dtype != object:
            found.update(f"{value.dtype}{value.shape}".encode() + value.tobytes())
        else:
            found.update(repr(value).encode("utf-8", "surrogatepass") + b";")

    add(observation)
    return found.hexdigest()


def play(
    env: gym.Env,
    *,
    policy: Literal["oracle", "random"] = "random",
    seed: int = SEED,
    options: dict[str, Any] | None = None,
) -> tuple[list[str], float, dict[str, Any]]:
    """One episode: a digest for each step, the return, and the last info."""
    observation, info = env.reset(seed=seed, options=options)
    trace, total, last = continue_episode(env, policy, np.random.default_rng(seed))
    return [digest((observation, info)), *trace], total, last


def outcome(env: gym.Env, policy: str, seed: int) -> tuple[float, dict[str, Any]]:
    """The return and the last info of what `play` plays, without its digests."""
    env.reset(seed=seed)
    total, info = 0.0, {}
    for _, step in steps(env, policy, np.random.default_rng((seed, 1))):
        total, info = total + float(step[1]), step[4]
    return total, info


def fingerprint(case: Case) -> list[str]:
    """Digests of the first episodes of a case; equal in every process."""
    env = case.make()
    return [step for seed in range(2) for step in play(env, seed=seed)[0]]


def continue_episode(
    env: gym.Env, policy: str, rng: np.random.Generator
) -> tuple[list[str], float, dict[str, Any]]:
    """Play on to the end from wherever the environment is; returns what `play` does."""
    trace: list[str] = []
    total, info = 0.0, {}
    for action, step in steps(env, policy, rng):
        total, info = total + float(step[1]), step[4]
        trace.append(digest((action, *step)))
    return trace, total, info


def steps(env: gym.Env, policy: str, rng: np.random.Generator) -> Iterator[tuple[Any, Any]]:
    """Actions and what `step` returned for them, until the episode ends."""
    task = env.unwrapped
    assert isinstance(task, TaskEnv)
    for _ in range(MAX_STEPS):
        action = task.oracle_action() if policy == "oracle" else task.random_action(rng)
        step = env.step(action)
        yield action, step
        if step[2] or step[3]:
            return
    raise AssertionError(f"the episode has not ended after {MAX_STEPS} steps")


if __name__ == "__main__":
    print(json.dumps({str(case): fingerprint(case) for case in all_cases()}))  # noqa: T201
