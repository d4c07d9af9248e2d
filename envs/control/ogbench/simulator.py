"""OGBench's own simulation of a world, with all its chance drawn from one seed, and snapshots.

OGBench draws tasks and starts also from NumPy's global generator and from spaces without a seed.
Here the global one is seeded while its `reset` runs, and the state that random steps leave in the
simulator is cleared.
"""

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.ogbench.worlds import OGBenchSpec, Place
from zerogym.errors import require

# Read by OGBench between steps, but computed in the middle of MuJoCo's.
DERIVED = ("xpos", "xmat", "site_xpos", "site_xmat", "cfrc_ext", "sensordata")
ON_TABLE = ((0.25, 0.6), (-0.35, 0.35), (0.02, 0.35))  # m, where a cube may be
AT_REST = (1.0, 0.0, 0.0, 0.0)  # orientation


class OGBenchSimulator:
    """One world of OGBench.

    Args:
        world: Which one.
        needed_by: Named in the error if the package is missing.

    Attributes:
        theirs: OGBench's environment.
        starts: Places where the five tasks begin.
        goals: Places where they end, by name.
    """

    def __init__(self, world: OGBenchSpec, needed_by: str) -> None:
        self.world = world
        kind, _, size = world.name.partition("-")
        with _quietly(), _global_seed(0):
            self._mujoco = require("mujoco", "ogbench", needed_by)
            if world.is_maze:
                module = require("ogbench.locomaze.maze", "ogbench", needed_by)
                body = kind.removesuffix("maze")
                self.theirs = module.make_maze_env(
                    body, "maze", maze_type=size, add_noise_to_goal=False
                )
                self.goals = {i["task_name"]: i["goal_xy"] for i in self.theirs.task_infos}
            else:
                module = require("ogbench.manipspace.envs.cube_env", "ogbench", needed_by)
                self.theirs = module.CubeEnv(size, permute_blocks=False)
                self.theirs.reset(seed=0)  # only this builds the model
                self.goals = {i["task_name"]: i["goal_xyzs"] for i in self.theirs.task_infos}
            found = self.theirs.observation_space.shape, self.theirs.action_space.shape
        if found != ((world.observations,), (world.actions,)):
            raise ValueError(
                f"{needed_by}: this version of ogbench has other spaces for {world.name}: "
                f"{found[0]} and {found[1]}"
            )
        self.goals = {name: np.ravel(place).astype(float) for name, place in self.goals.items()}

    @property
    def observation(self) -> NDArray[np.float32]:
        """The present observation; (n,)."""
        ours = self.theirs
        found = ours.get_ob() if self.world.is_maze else ours.compute_observation()
        return np.asarray(found, dtype=np.float32)

    def reset(self, number: int, seed: int, place: Place | None) -> NDArray[np.float32]:
        """Return to the start of task `number` (from 0), or another place; the observation (n,)."""
        with _quietly(), _global_seed(seed):
            self.theirs.reset(seed=seed, options={"task_id": number + 1})
        self._pose(self.theirs.data.qpos, self.theirs.data.qvel, place)
        return self.observation

    def step(self, action: NDArray[np.float32]) -> NDArray[np.float32]:
        """Make a step; return the observation (n,)."""
        return np.asarray(self.theirs.step(action)[0], dtype=np.float32)

    def goal_observation(self, place: Place) -> NDArray[np.float32]:
        """Return the observation at rest with everything in its place; (n,)."""
        before, model = self.snapshot(), self.theirs.model
        qpos = np.array(model.qpos0)
        if not self.world.is_maze:
            qpos[self.theirs._arm_joint_ids] = self.theirs._home_qpos
        self._pose(qpos, np.zeros(model.nv), place)
        found = self.observation
        self.restore(before)
        return found

    def is_free(self, place: Place) -> bool:
        """Return whether things can be at a place."""
        if not self.world.is_maze:
            limits = np.array(ON_TABLE * self.world.things)
            return bool(((place >= limits[:, 0]) & (place <= limits[:, 1])).all())
        cells = self.theirs.maze_map
        if not np.isfinite(place).all() or (np.abs(place) > 1e6).any() or (place < -4).any():
            return False
        row, column = self.theirs.xy_to_ij(place)
        inside = row < cells.shape[0] and column < cells.shape[1]
        return bool(inside and cells[row, column] == 0)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Return the whole state of the simulator."""
        kind, data = self._mujoco.mjtState.mjSTATE_INTEGRATION, self.theirs.data
        state = np.empty(self._mujoco.mj_stateSize(self.theirs.model, kind))
        self._mujoco.mj_getState(self.theirs.model, data, state, kind)
        return {"state": state} | {name: getattr(data, name).copy() for name in DERIVED}

    def restore(self, snapshot: dict[str, NDArray[Any]]) -> None:
        """Go back to a snapshot."""
        kind, theirs = self._mujoco.mjtState.mjSTATE_INTEGRATION, self.theirs
        data, model = theirs.data, theirs.model
        self._mujoco.mj_resetData(model, data)
        self._mujoco.mj_setState(model, data, snapshot["state"], kind)
        self._mujoco.mj_forward(model, data)
        self._mujoco.mj_setState(model, data, snapshot["state"], kind)  # `mj_forward` has warmed up
        for name in DERIVED:
            getattr(data, name)[:] = snapshot[name]

    def _pose(self, qpos: NDArray[Any], qvel: NDArray[Any], place: Place | None) -> None:
        """Set a state without warm start; things at a place, or where they are."""
        data, model = self.theirs.data, self.theirs.model
        qpos, qvel = np.array(qpos), np.array(qvel)
        mocap = data.mocap_pos.copy(), data.mocap_quat.copy()
        self._mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = qpos, qvel
        data.mocap_pos[:], data.mocap_quat[:] = mocap
        if place is not None and self.world.is_maze:
            data.qpos[:2] = place
        elif place is not None:
            for cube, xyz in enumerate(np.reshape(place, (-1, 3))):
                data.joint(f"object_joint_{cube}").qpos[:] = (*xyz, *AT_REST)
        self._mujoco.mj_forward(model, data)
        if not self.world.is_maze:
            self.theirs.pre_step()  # its copy of the state before a step


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Suppress the warnings of other packages about each other."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _global_seed(seed: int) -> Iterator[None]:
    """Seed NumPy's global generator, and restore it afterwards."""
    before = np.random.get_state()  # noqa: NPY002 (what OGBench draws from)
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
