"""The bases of wrappers: they record their arguments for specs, and are part of snapshots."""

import copy
from typing import Any, ClassVar

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.spaces import DEFAULT_MAX_LENGTH, Utf8Text
from zerogym.wrappers import snapshots

Options = dict[str, Any] | None  # of `reset`
Start = tuple[Any, dict[str, Any]]  # that `reset` returns
Step = tuple[Any, Any, bool, bool, dict[str, Any]]  # that `step` returns


class StatefulWrapper(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Wraps an environment, and has exact snapshots.

    A subclass keeps everything that changes during an episode in `self._memory` (any object that
    `copy.deepcopy` copies).
    """

    def __init__(self, env: gym.Env[Any, Any], **arguments: Any) -> None:
        RecordConstructorArgs.__init__(self, **arguments)
        gym.Wrapper.__init__(self, env)
        self._memory: Any = None

    def get_state(self) -> dict[str, Any]:
        """Take a snapshot of the environment and of the memory of this wrapper."""
        return {"env": snapshots.get_state(self.env), "memory": copy.deepcopy(self._memory)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot; it can be used any number of times."""
        snapshots.set_state(self.env, state["env"])
        self._memory = copy.deepcopy(state["memory"])


class TextWrapper(StatefulWrapper):
    """Wraps an environment whose observations and actions are texts.

    A subclass lists in `needs` the methods that it calls of the environment.

    Raises:
        TypeError: If `env` is no text environment, or lacks what the wrapper needs.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def __init__(self, env: gym.Env[Any, Any], **arguments: Any) -> None:
        super().__init__(env, **arguments)
        for space in (env.observation_space, env.action_space):
            if not isinstance(space, gym.spaces.Text):
                name = type(self).__name__
                raise TypeError(f"{name} needs a text environment, {env} has {space}")
        for method in self.needs:
            if not env.has_wrapper_attr(method):
                raise TypeError(f"{type(self).__name__} needs an environment with {method}()")

    def allow_longer_observations(self) -> None:
        """Let observations be longer than the environment's own."""
        space = self.env.observation_space
        assert isinstance(space, gym.spaces.Text)
        self.observation_space = Utf8Text(max(DEFAULT_MAX_LENGTH, 2 * space.max_length))


def current_problem(env: gym.Env[Any, Any]) -> Problem:
    """Return the problem of the episode of a reasoning environment."""
    problem: Problem = env.unwrapped.get_state()["episode"].problem  # type: ignore[attr-defined]
    return problem
