"""Worlds to train in as their agent meets them: failing sensors, a history, changing physics.

`FBConfig.wrappers` names wrappers with their arguments, the innermost first:
`{"FlickeringObservation": {"probability": 0.5}}`. Tasks stay those of the world's own observation,
which data keep beside what the agent sees (`TrueStateRecorder`). The published axes of "Zero-Shot
Reinforcement Learning Under Partial Observability" (2025, arXiv 2506.15446) are the wrappers of
`partial_observation.py` and `ChangedDynamics`.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import FlattenObservation
from numpy.typing import NDArray

from zerogym import wrappers as own
from zerogym.errors import UnknownName

WRAPPERS: Mapping[str, type[gym.Wrapper[Any, Any, Any, Any]]] = {
    wrapper.__name__: wrapper
    for wrapper in (
        own.ActionDelay,
        own.ChangedDynamics,
        own.ContextSampler,
        own.ContextVisibility,
        own.FlickeringObservation,
        own.HiddenColumns,
        own.ImageView,
        own.MissingSensors,
        own.NoisyObservation,
        own.ObservationDelay,
        own.ObservationHistory,
        FlattenObservation,
    )
}


class TrueStateRecorder(gym.Wrapper[Any, Any, Any, Any]):
    """Remembers what the world itself shows, whatever wrappers around it make of that.

    Attributes:
        seen: The world's last observation, (k,).
    """

    seen: NDArray[Any]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        obs, info = self.env.reset(seed=seed, options=options)
        self.seen = np.asarray(obs)
        return obs, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """One step of the world."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.seen = np.asarray(obs)
        return obs, reward, terminated, truncated, info


def find_recorder(env: gym.Env[Any, Any]) -> TrueStateRecorder | None:
    """The witness inside a stack of wrappers; None if what is seen is the world's own."""
    while isinstance(env, gym.Wrapper):
        if isinstance(env, TrueStateRecorder):
            return env
        env = env.env
    return None


def make_wrapped_env(
    env: str,
    env_kwargs: Mapping[str, Any],
    wrappers: Mapping[str, Mapping[str, Any]],
    task: Any = None,
) -> gym.Env[Any, Any]:
    """A registered environment inside its wrappers; without any, that of `gym.make`.

    Args:
        env: Its id.
        env_kwargs: Its arguments.
        wrappers: Arguments by name of `WRAPPERS`, the innermost first.
        task: Of the environment; None for none.

    Raises:
        ValueError: If there is no such world, it refuses its arguments, or a wrapper does not fit
            or refuses its own; names them.
    """
    asked = {} if task is None else {"task": task}
    try:
        made: gym.Env[Any, Any] = gym.make(env, **env_kwargs, **asked)
    except (gym.error.Error, TypeError) as error:
        raise ValueError(f"{env} cannot be made: {error}") from None
    if not wrappers:
        return made
    made = TrueStateRecorder(made)
    for name, arguments in wrappers.items():
        try:
            made = WRAPPERS[name](made, **arguments)
        except (TypeError, ValueError) as error:
            made.close()
            raise ValueError(f"{name} does not fit {env}: {error}") from None
    return made


def task_names(env: gym.Env[Any, Any]) -> list[str]:
    """Return the names of an environment's tasks; none if it has no named tasks."""
    return list(getattr(env.unwrapped, "tasks", {}))


def check_wrappers(wrappers: Mapping[str, Any]) -> None:
    """Refuse what are no arguments by name of `WRAPPERS`.

    Raises:
        ValueError: It names what is wrong; an `UnknownName` if it is a name.
    """
    for name, arguments in wrappers.items():
        if name not in WRAPPERS:
            raise UnknownName("FBConfig.wrappers", name, list(WRAPPERS))
        if not isinstance(arguments, Mapping):
            raise ValueError(
                f"FBConfig.wrappers: {name} takes arguments by name, {arguments!r:.80}"
            )
