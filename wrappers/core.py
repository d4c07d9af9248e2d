"""The base of wrappers of text environments: names itself in specs, and is part of snapshots."""

import copy
from typing import Any, ClassVar

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from zerogym.envs.spaces import DEFAULT_MAX_LENGTH, Utf8Text
from zerogym.wrappers import snapshots


class TextWrapper(gym.Wrapper[Any, Any, str, str], RecordConstructorArgs):
    """Wraps an environment whose observations and actions are texts.

    A subclass keeps everything that changes during an episode in `self._turns` (any object that
    `copy.deepcopy` copies) and names in `needs` the methods it asks of the environment.

    Raises:
        TypeError: If `env` is no text environment, or lacks what the wrapper needs.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def __init__(self, env: gym.Env[Any, Any], **arguments: Any) -> None:
        RecordConstructorArgs.__init__(self, **arguments)
        gym.Wrapper.__init__(self, env)
        for space in (env.observation_space, env.action_space):
            if not isinstance(space, gym.spaces.Text):
                name = type(self).__name__
                raise TypeError(f"{name} needs a text environment, {env} has {space}")
        for method in self.needs:
            if not env.has_wrapper_attr(method):
                raise TypeError(f"{type(self).__name__} needs an environment with {method}()")
        self._turns: Any = None

    def get_state(self) -> dict[str, Any]:
        """A snapshot of the environment and of what this wrapper remembers."""
        inner = snapshots.get_state(self.env)
        return {"env": inner, "turns": copy.deepcopy(self._turns)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot."""
        snapshots.set_state(self.env, state["env"])
        self._turns = copy.deepcopy(state["turns"])

    def make_room(self) -> None:
        """Let observations be longer than the environment's own."""
        space = self.env.observation_space
        assert isinstance(space, gym.spaces.Text)
        self.observation_space = Utf8Text(max(DEFAULT_MAX_LENGTH, 2 * space.max_length))
