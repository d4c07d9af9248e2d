"""Environments inside wrappers: failing sensors, a history, changing physics.

`FBConfig.wrappers` names wrappers with their arguments, the innermost first:
`{"FlickeringObservation": {"probability": 0.5}}`. Tasks stay functions of the environment's own
observation, which data keep beside the agent's (`TrueStateRecorder`). The published axes of
"Zero-Shot Reinforcement Learning Under Partial Observability" (2025, arXiv 2506.15446) are the
wrappers of `partial_observation.py` and `ChangedDynamics`.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.wrappers import FlattenObservation
from numpy.typing import NDArray

from zerogym import wrappers as own
from zerogym.envs.lookup import reward_free
from zerogym.envs.plugins import ensure_registered
from zerogym.errors import MissingExtra, UnknownName, ZerogymError
from zerogym.wrappers import by_name

WRAPPERS: by_name.Table = {
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


class EnvironmentNotMade(ZerogymError, ValueError):
    """The environment of a run or of data cannot be made here; the message names the reason."""


class TrueStateRecorder(gym.Wrapper[Any, Any, Any, Any]):
    """Record the environment's own observation below other wrappers.

    Attributes:
        observation: Its last observation, (k,).
    """

    observation: NDArray[Any]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        obs, info = self.env.reset(seed=seed, options=options)
        self.observation = np.asarray(obs)
        return obs, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Do one step."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        self.observation = np.asarray(obs)
        return obs, reward, terminated, truncated, info


def find_recorder(env: gym.Env[Any, Any]) -> TrueStateRecorder | None:
    """Return the recorder inside a stack of wrappers; None if there is none."""
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
    """Return a registered environment inside its wrappers; without any, that of `gym.make`.

    Args:
        env: Its id.
        env_kwargs: Its arguments.
        wrappers: Arguments by name of `WRAPPERS` or of `module:Class`, the innermost first.
        task: Its task; None for none.

    Raises:
        ValueError: If the environment or a wrapper does not exist, does not fit, or refuses its
            arguments; names it.
    """
    check_wrappers(wrappers)
    made = make_env(env, env_kwargs if task is None else {**env_kwargs, "task": task})
    if not wrappers:
        return made
    return by_name.wrap(TrueStateRecorder(made), wrappers, WRAPPERS, env)


def make_env(env: str, env_kwargs: Mapping[str, Any]) -> gym.Env[Any, Any]:
    """Return `gym.make(env, **env_kwargs)`, without a reward unless a task is among them.

    Raises:
        EnvironmentNotMade: If there is no such environment, or it refuses its arguments.
    """
    try:
        ensure_registered(env)
        return gym.make(env, **{**reward_free(env), **env_kwargs})
    except (MissingExtra, UnknownName):
        raise
    except (gym.error.Error, TypeError, ValueError, ImportError) as error:
        raise EnvironmentNotMade(f"{env} cannot be made: {error}") from None


def task_names(env: gym.Env[Any, Any]) -> list[str]:
    """Return the names of an environment's tasks; none if it has no named tasks."""
    return list(getattr(env.unwrapped, "tasks", {}))


def check_wrappers(wrappers: Mapping[str, Any]) -> None:
    """Raise unless these are arguments by name of `WRAPPERS` or of `module:Class`.

    Raises:
        ValueError: If not; an `UnknownName` for an unknown wrapper.
        TypeError: If they are no JSON values.
    """
    by_name.check_wrappers("FBConfig.wrappers", wrappers, WRAPPERS)
