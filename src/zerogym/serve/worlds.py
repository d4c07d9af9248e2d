"""The worlds of a server: an id with its arguments, made as text."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.errors import UnknownArgument


class NoTextView(ValueError):
    """An environment takes or gives something else than texts."""


@dataclass(frozen=True)
class World:
    """An environment that a server makes for each of its sessions.

    Attributes:
        id: The registered id; it imports nothing.
        arguments: Arguments of the environment.
    """

    id: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The last part of the id, under which the server has the world's paths."""
        return self.id.rpartition("/")[2]

    def make(self) -> gym.Env[str, str]:
        """Make the environment, of several views the text view.

        Raises:
            NoTextView: If its actions or observations are no texts.
            UnknownArgument, ValueError: If it does not take the arguments.
        """
        try:
            env = gym.make(self.id, **{"view": "text", **self.arguments}, disable_env_checker=True)
        except (TypeError, ValueError) as error:
            if "view" in self.arguments or "view" not in str(error):
                raise _shortened(error) from None
            env = gym.make(self.id, **self.arguments, disable_env_checker=True)
        for what, space in (("actions", env.action_space), ("observations", env.observation_space)):
            if not isinstance(space, gym.spaces.Text):
                env.close()
                raise NoTextView(f"{self.id} is not served: its {what} are no texts, but {space}")
        return env

    def check(self) -> None:
        """Make the environment once, so that what is wrong with it is known before a client comes.

        Raises:
            NoTextView, UnknownArgument, ValueError: As `make`.
        """
        self.make().close()


def _shortened(error: Exception) -> Exception:
    """Return an error of `gymnasium.make` without the place that Gymnasium appends."""
    text = str(error).partition(" was raised from")[0]
    return UnknownArgument(text) if isinstance(error, UnknownArgument) else type(error)(text)


def as_json(value: Any) -> Any:
    """Return what JSON can hold of a value: arrays become lists, numbers without end None.

    Example:
        >>> as_json({"mask": np.array([1, 0], np.int8), "score": np.float32(0.5), "x": math.inf})
        {'mask': [1, 0], 'score': 0.5, 'x': None}
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, np.ndarray | np.generic):
        return as_json(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): as_json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(each) for each in value]
    return str(value)


def dumped(value: Any) -> str:
    """Write a JSON value in ASCII, so that any text can be sent, lone surrogates too."""
    return json.dumps(value, separators=(",", ":"))
