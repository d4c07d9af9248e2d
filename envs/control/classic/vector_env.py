"""Many worlds of classic control as one Gymnasium `VectorEnv`, in NumPy.

    envs = gym.make_vec("zerogym/CartPole-v0", num_envs=64)

See `control/core/vector_env.py` for what is the same in all worlds.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.classic.base import ClassicEnv
from zerogym.envs.control.core.vector_env import ControlVectorEnv, Flags, Floats


class ClassicVectorEnv(ControlVectorEnv[ClassicEnv]):
    """`num_envs` worlds of one kind, each in its own episode; arguments as of `ControlVectorEnv`.

    Example:
        >>> import gymnasium as gym, numpy as np, zerogym
        >>> envs = gym.make_vec("zerogym/CartPole-v0", num_envs=3)
        >>> observations, infos = envs.reset(seed=0)
        >>> observations, rewards, terminations, truncations, infos = envs.step(np.zeros((3, 1)))
        >>> observations.shape, rewards
        ((3, 5), array([1., 1., 1.]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        size = len(self._one.states(np.zeros((1, len(self._one.bounds))))[0])
        self._states = np.zeros((self.num_envs, size))
        self._constants: dict[str, Any] = {}

    def _advance(self, actions: Floats, ended: Flags) -> Floats:
        pushes = actions[:, 0].astype(np.float64)
        self._states = self._one.advance(self._states, pushes, self._constants)
        return self._one.observations(self._states)

    def _at_goal(self, observations: Floats, goal: NDArray[Any]) -> Flags:
        return self._one._at_goal(observations, goal)

    def _started(self, row: int) -> None:
        self._states[row] = self.worlds[row]._episode.state

    def _regroup(self) -> None:
        super()._regroup()
        contexts = [world.context for world in self.worlds]
        self._constants = {
            name: value
            if all(each[name] == value for each in contexts)
            else np.array([each[name] for each in contexts])
            for name, value in contexts[0].items()
        }


# Entry points of the registry: Gymnasium does not pass a vector environment its id.
acrobot, cart_pole, mountain_car, pendulum = (
    partial(ClassicVectorEnv, f"zerogym/{name}-v0")
    for name in ("Acrobot", "CartPole", "MountainCar", "Pendulum")
)
