"""Many MuJoCo bodies, each moved by one control step, on threads.

MuJoCo releases Python's lock while it steps a body, so Python's threads are enough. Its own
`rollout` needs none, but drops the warm start of the solver of contacts, so that single steps would
differ from `env.step` in their last bits. Bodies with the constants of the file share one model;
one with others has a copy of its own.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.mujoco.base import MAX_STATE, MujocoEnv
from zerogym.envs.processors import processors

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


class Bodies:
    """The simulators of environments of one kind.

    Args:
        worlds: B environments.
        threads: Number of threads; one is the caller's own. They change no bit. None is one for
            each processor, but one for bodies of a single simulator step, which takes less time
            than a thread needs for Python's lock.
    """

    def __init__(self, worlds: Sequence[MujocoEnv], threads: int | None) -> None:
        self.worlds, self._given = list(worlds), threads
        self._substeps, self._mj_step = self.worlds[0].substeps, self.worlds[0]._mj_step
        self._controls = [world.data.ctrl for world in self.worlds]  # views, as are the next two
        self._places = [world.data.qpos for world in self.worlds]
        self._speeds = [world.data.qvel for world in self.worlds]
        if threads is None:
            threads = 1 if self._substeps == 1 else processors()
        self._threads = min(threads, len(self.worlds))
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild: a copy has threads and views of its own."""
        return Bodies, (self.worlds, self._given)

    def step(self, actions: NDArray[np.float32], still: Flags) -> None:
        """Step all bodies but those that keep still.

        Args:
            actions: (B, A) in [-1, 1].
            still: (B,) the bodies that are left as they are.
        """
        for control, action in zip(self._controls, actions, strict=True):
            control[:] = action
        moved = self.worlds
        if still.any():
            moved = [world for world, stays in zip(moved, still, strict=True) if not stays]
        if self._pool is None:
            self._step_each(moved)
        else:
            parts = [moved[first :: self._threads] for first in range(self._threads)]
            running = [self._pool.submit(self._step_each, part) for part in parts]
            try:
                wait(running)
            finally:  # after Ctrl-C, too: a body that is being moved must not be touched
                wait(running)
            for each in running:
                each.result()

    def states(self) -> tuple[Floats, Floats]:
        """Return `qpos` and `qvel` of all: (B, nq) and (B, nv).

        Raises:
            FloatingPointError: If a simulation has become unstable.
        """
        count = len(self.worlds)  # joined and cut anew: `np.stack` takes four times as long
        places = np.concatenate(self._places).reshape(count, -1)
        speeds = np.concatenate(self._speeds).reshape(count, -1)
        with np.errstate(over="ignore"):
            far = ~((places**2).sum(axis=1) + (speeds**2).sum(axis=1) < MAX_STATE**2)  # or nan
        if far.any():
            name, row = self.worlds[0].name, int(far.argmax())
            raise FloatingPointError(f"{name}: the simulation of body {row} has become unstable")
        return places, speeds

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    def _step_each(self, worlds: Sequence[MujocoEnv]) -> None:
        mj_step, substeps = self._mj_step, self._substeps
        for world in worlds:
            mj_step(world.model, world.data, substeps)
