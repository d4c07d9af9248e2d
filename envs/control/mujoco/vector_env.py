"""Many MuJoCo bodies as one Gymnasium `VectorEnv`.

    envs = gym.make_vec("zerogym/Walker-v0", num_envs=64, task="run")

See `control/core/vector_env.py` for what is the same in all worlds. Where all actions are known
beforehand, `rollout.py` is faster. Left out: pushes.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from numpy.typing import NDArray

from zerogym.envs.control.core.vector_env import ControlVectorEnv, Flags, Floats, check_count
from zerogym.envs.control.mujoco.base import MujocoEnv
from zerogym.envs.control.mujoco.threads import Bodies


class MujocoVectorEnv(ControlVectorEnv[MujocoEnv]):
    """`num_envs` bodies of one kind, each in its own episode.

    Args:
        id: Of the single environment.
        num_envs: Number of bodies.
        threads: Threads on which MuJoCo steps them, as of `Bodies`; they change no bit.
        context: Constants of all bodies, or a sequence of such mappings, one for each body.
        **kwargs: Of the single environment: `task`, `horizon`, `render_mode`.

    Raises:
        ValueError: If a number is not an integer >= 1, or the number of contexts is another.
        FloatingPointError: In `step`, if a simulation has become unstable.

    Example:
        >>> import gymnasium as gym, numpy as np, zerogym
        >>> envs = gym.make_vec("zerogym/Hopper-v0", num_envs=3, task="stand")
        >>> observations, infos = envs.reset(seed=0)
        >>> observations, rewards, terminations, truncations, infos = envs.step(np.zeros((3, 4)))
        >>> observations.shape, rewards.shape, infos["turn"]
        ((3, 14), (3,), array([1, 1, 1]))
    """

    def __init__(
        self,
        id: str,
        num_envs: int = 1,
        threads: int | None = None,
        context: Mapping[str, float] | Sequence[Mapping[str, float]] | None = None,
        **kwargs: Any,
    ) -> None:
        check_count("threads", 1 if threads is None else threads)
        super().__init__(id, num_envs, context, **kwargs)
        for world in self.worlds:  # one model for all stays in the processor's cache
            world.model = world._pristine = self._one.model
        self._bodies = Bodies(self.worlds, threads)

    def _advance(self, actions: Floats, ended: Flags) -> Floats:
        self._bodies.step(actions, ended)
        return self._one.observations(*self._bodies.states())

    def _at_goal(self, observations: Floats, goal: NDArray[Any]) -> Flags:
        return self._one._at_goal(observations, goal)

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads, and free the renderers."""
        self._bodies.close()
        super().close_extras(**kwargs)


# Entry points of the registry: Gymnasium does not pass a vector environment its id.
ant, cheetah, hopper, point_mass_maze, reacher, walker = (
    partial(MujocoVectorEnv, f"zerogym/{name}-v0")
    for name in ("Ant", "Cheetah", "Hopper", "PointMassMaze", "Reacher", "Walker")
)
