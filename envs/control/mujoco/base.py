"""The base of MuJoCo environments: one body, any task, any constants, exact snapshots.

An environment is an MJCF file in `data/` and a subclass that defines its observation. Observations
hold the whole state but the place on the floor, so that features, rewards and goals are functions
of observations, and stored data are relabelled without the simulator. Left out: observations of
contact forces, termination when a body falls (that is the reward's matter).
"""

import copy
import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, Floats, Single, as_floats, box_action
from zerogym.envs.control.core.contexts import Constant
from zerogym.envs.control.core.env import DEFAULT, ContextEnv, ContextEpisode
from zerogym.envs.control.core.tasks import Batch
from zerogym.envs.control.mujoco.render import Renderer, renderer
from zerogym.errors import NoOracle, require

CONSTANTS: Mapping[str, Constant] = MappingProxyType(
    {
        "gravity": Constant(9.81, 1.0, 20.0, "gravity in m/s2", (6.0, 14.0)),
        "mass": Constant(1.0, 0.3, 3.0, "mass of every part, times its own", (0.6, 1.8)),
        "friction": Constant(1.0, 0.1, 3.0, "friction of every surface, times", (0.4, 2.0)),
        "gain": Constant(1.0, 0.3, 2.0, "strength of every motor, times its own", (0.6, 1.6)),
    }
)
MAX_STATE = 1e5  # m, radian, m/s, radian/s: beyond, a simulation has become unstable
MAX_PUSH = 1000.0  # newton along each axis
PROBES = 32  # made-up transitions on which a user's reward is tried
SLACK = 0.1  # by which the length of an observed direction may differ from 1


@dataclass(kw_only=True)
class Episode(ContextEpisode):
    """All that changes during an episode, besides the simulator's state."""

    pushed: bool = False  # a force acts during the next step


class MujocoEnv(ContextEnv):
    """A body in MuJoCo; subclasses define its observation, its starts and its tasks.

    Args:
        task: As of `ControlEnv`.
        horizon: Steps in an episode.
        render_mode: None or one of the class's modes.
        context: Values for some of the constants.

    Attributes:
        model: The compiled `mujoco.MjModel` with the constants of the episode.
        data: The `mujoco.MjData`.
        constants: The constants that can be varied; the ranges are our choice.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 40}  # noqa: RUF012
    library: ClassVar[str] = "mujoco"
    has_oracle: ClassVar[bool] = False
    file: ClassVar[str]  # in data/
    substeps: ClassVar[int]  # of the simulator in one step of the environment
    constants: Mapping[str, Constant] = CONSTANTS

    def __init__(
        self,
        task: Any = DEFAULT,
        horizon: int = 1000,
        render_mode: str | None = None,
        context: Mapping[str, float] | None = None,
    ) -> None:
        mujoco = require("mujoco", "control", self.name)
        self._pristine = copy.copy(compiled(self.file))
        self.model, self.data = self._pristine, mujoco.MjData(self._pristine)
        self._attach()
        self._compiled = {name: constant.default for name, constant in self.constants.items()}
        self._state_kind = self._mujoco.mjtState.mjSTATE_INTEGRATION
        size = self.observations(self._qpos[None], self._qvel[None]).shape[1]
        self.observation_space = spaces.Box(-MAX_STATE, MAX_STATE, (size,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (self.model.nu,), np.float32)
        super().__init__(task, context, horizon, render_mode)

    def _attach(self) -> None:
        """Set what belongs to this process and these data."""
        self._mujoco = require("mujoco", "control", self.name)
        self._mj_step = self._mujoco.mj_step
        self._qpos, self._qvel = self.data.qpos, self.data.qvel  # views of `data`
        self._ctrl = self.data.ctrl
        self._renderer: Renderer | None = None

    def __getstate__(self) -> dict[str, Any]:
        attached = ("_mujoco", "_mj_step", "_qpos", "_qvel", "_ctrl", "_renderer")
        return {name: value for name, value in vars(self).items() if name not in attached}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._attach()

    @property
    def velocities(self) -> tuple[int, ...]:
        """The columns of an observation that are speeds: the last, one for each of `qvel`."""
        size = len(self.observation_space.low)  # type: ignore[attr-defined]
        return tuple(range(size - self.model.nv, size))

    @abstractmethod
    def observations(self, qpos: NDArray[Any], qvel: NDArray[Any]) -> NDArray[np.float32]:
        """Return observations (B, n) of states (B, nq) and (B, nv)."""

    @abstractmethod
    def _observe(self, place: list[float], moving: list[float]) -> NDArray[np.float32]:
        """Return the observation (n,) of one `qpos` and `qvel`; faster than `observations`."""

    @abstractmethod
    def states(self, observations: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Invert `observations`, at the origin of the floor: (B, nq) and (B, nv).

        Raises:
            ValueError: If one is no observation of this environment.
        """

    @abstractmethod
    def _draw_start(self) -> None:
        """Draw a start from `self.np_random` into `self.data`, which is at its default."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Draw a start; `options` may pin `start` (an observation), `task` and `context`."""
        options, task, context = self._begin(seed, options)
        start = None
        if "start" in options:
            start = self.states(self._one_observation(options["start"], "start")[None])
        self._set_context(context)
        self._mujoco.mj_resetData(self.model, self.data)
        self._draw_start()  # always: a pinned start does not shift later draws
        if start is not None:
            self._mujoco.mj_resetData(self.model, self.data)
            self.data.qpos[:], self.data.qvel[:] = start[0][0], start[1][0]
        self._mujoco.mj_forward(self.model, self.data)
        self.data.time = 0.0
        observation = self._observe(self._qpos.tolist(), self._qvel.tolist())
        self._episode = Episode(task=task, context=context, observation=observation)
        return observation.copy(), self._info()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Move the body for one control interval.

        Raises:
            ValueError: If the action is not the right number of finite numbers.
            FloatingPointError: If the simulation has become unstable.
        """
        given = box_action(self.name, action, self.model.nu)
        episode: Episode = self._open_episode()
        task, before = episode.task, episode.observation
        self._ctrl[:] = given
        self._mj_step(self.model, self.data, self.substeps)
        if episode.pushed:
            self.data.xfrc_applied[:], episode.pushed = 0.0, False
        place, moving = self._qpos.tolist(), self._qvel.tolist()
        if not math.hypot(*place, *moving) < MAX_STATE:  # nor nan
            episode.over = True
            raise FloatingPointError(f"{self.name}: the simulation has become unstable")
        after, reward, on_goal = self._observe(place, moving), 0.0, False
        if task is not None:
            reward = task.reward_of(before, given, after)
            if task.goal is not None:
                on_goal = bool(self._at_goal(Single(after.tolist()), task.goal))
        terminated, truncated = self._count_step(on_goal)
        episode.observation = after
        return after.copy(), reward, terminated, truncated, self._info()

    def push(self, force: Any) -> None:
        """Apply a force to the torso during the next step: the channel of an adversary.

        As in "Robust Adversarial Reinforcement Learning" (2017, arXiv 1703.02702).

        Args:
            force: (x, y, z) in newton, in the frame of the world, each at most `MAX_PUSH`. The y
                component has no effect on a body that moves in a plane.

        Raises:
            ValueError: If it is not such a force.
        """
        episode: Episode = self._open_episode()
        newton = as_floats(force)
        if newton.shape != (3,) or not (np.abs(newton) <= MAX_PUSH).all():  # nan compares false
            raise ValueError(
                f"{self.name}: force must be three numbers in [-{MAX_PUSH:g}, {MAX_PUSH:g}], "
                f"got {str(force)[:60]}"
            )
        self.data.xfrc_applied[1, :3], episode.pushed = newton, True

    def get_state(self) -> dict[str, Any]:
        """Return a snapshot of episode, simulator and generator."""
        state = super().get_state()
        kind = self._state_kind
        physics = np.empty(self._mujoco.mj_stateSize(self.model, kind))
        self._mujoco.mj_getState(self.model, self.data, physics, kind)
        return state | {"physics": physics}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot; what follows is identical, any number of times."""
        super().set_state(state)
        self._set_context(self._episode.context)
        self._mujoco.mj_resetData(self.model, self.data)
        self._mujoco.mj_setState(self.model, self.data, state["physics"], self._state_kind)
        self._mujoco.mj_forward(self.model, self.data)  # changes nothing of the state

    def _picture(self, episode: Any) -> NDArray[np.uint8]:
        """Draw the body from the side, (240, 320, 3); see `render.py`."""
        if self._renderer is None:
            self._renderer = renderer(self._mujoco, self._pristine)
        for place in ("mj_kinematics", "mj_comPos", "mj_camlight"):  # changes nothing of the state
            getattr(self._mujoco, place)(self.model, self.data)
        return self._renderer.render(self.model, self.data)

    def close(self) -> None:
        """Free the renderer."""
        self._renderer = None

    def oracle_action(self) -> NDArray[np.float32]:
        """Raise `NoOracle`: the best action of a MuJoCo body is unknown."""
        raise NoOracle(f"{self.name}: nobody knows the best action of a MuJoCo body")

    def _at_goal(self, observations: Array, goal: NDArray[Any]) -> Array:
        """Return whether a goal is reached: (B,) of rows (B, n), or of a `Single`."""
        return False

    def _set_context(self, context: Mapping[str, float]) -> None:
        """Write the constants into the model; with default ones it is the model of the file."""
        if context == self._compiled:
            return
        self._compiled = dict(context)
        self.model = self._pristine
        if all(constant.default == context[name] for name, constant in self.constants.items()):
            return
        self.model = copy.copy(self._pristine)
        model = self.model
        if "gravity" in context:
            model.opt.gravity[2] = -context["gravity"]
        model.body_mass *= context["mass"]
        model.body_inertia *= context["mass"]
        model.geom_friction[:, 0] *= context.get("friction", 1.0)
        model.actuator_gear *= context["gain"]
        model.dof_damping *= context.get("damping", 1.0)
        self._mujoco.mj_setConst(model, self.data)

    def _rows(self, observations: Any, unit: slice | None = None) -> Floats:
        """Check observations (B, n), of which the columns `unit` have length 1.

        Raises:
            ValueError: If they have another shape, or one is no observation.
        """
        rows = np.asarray(observations, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1:] != self.observation_space.shape:
            raise ValueError(f"{self.name}: observations must be (B, n), got {rows.shape}")
        good = np.isfinite(rows).all(axis=1)
        if unit is not None:
            good &= np.abs(np.linalg.norm(rows[:, unit], axis=1) - 1.0) < SLACK
        if not good.all():
            why = "it is not finite"
            if unit is not None:
                why += f", or the length of columns {unit.start} to {unit.stop - 1} is not 1"
            row = np.array2string(rows[~good][0], precision=3)[:120]
            raise ValueError(f"{self.name}: {row} is no observation: {why}")
        return rows

    def _one_observation(self, given: Any, what: str) -> NDArray[np.float64]:
        values = as_floats(given)
        if values.shape != self.observation_space.shape or not np.isfinite(values).all():
            size = self.observation_space.shape[0]  # type: ignore[index]
            raise ValueError(
                f"{self.name}: {what} must be an observation of {size} finite numbers, "
                f"got {str(given)[:60]}"
            )
        return values

    def _transitions(self) -> Batch:
        rng = np.random.default_rng(0)
        qpos = self.model.qpos0 + rng.normal(0.0, 0.5, (2 * PROBES, self.model.nq))
        rows = self.observations(qpos, rng.normal(0.0, 1.0, (2 * PROBES, self.model.nv)))
        actions = rng.uniform(-1.0, 1.0, (PROBES, self.model.nu)).astype(np.float32)
        return rows[:PROBES], actions, rows[PROBES:]


@cache
def compiled(file: str) -> Any:
    """Return the `mujoco.MjModel` of a file in data/; not to be changed."""
    mujoco = require("mujoco", "control", "a MuJoCo environment")
    text = resources.files("zerogym.envs.control.mujoco").joinpath("data", file).read_text("utf-8")
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET  # `step` raises instead
    return model
