"""Tasks with a memory in any numeric world: a reward machine runs along.

See `zerogym.envs.control.temporal.reward_machines` for machines and their source. Left out: text
views, and worlds whose observations are no vectors.
"""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.features import of_transitions
from zerogym.envs.control.temporal.reward_machines import Ints, RewardMachine
from zerogym.wrappers.arguments import check_names
from zerogym.wrappers.core import Options, Start, StatefulWrapper, Step
from zerogym.wrappers.vectors import Vector, longer, vector_space, world_columns

Event = Callable[..., NDArray[np.bool_]]


class RewardMachineWrapper(StatefulWrapper):
    """The machine's reward replaces the world's, and its state joins the observation.

    Observations are the world's (n,) and the machine's state one-hot (N,), float32 (n + N,).
    `info["machine_state"]` is the state's number, `info["success"]` whether the rewards of the
    machine so far add up to something positive. The episode terminates when the task is over.

    Args:
        env: A world with vectors as observations.
        machine: See `zerogym.envs.control.temporal.reward_machines`.
        events: For each event of the machine a function of `(obs, action, next_obs)` or
            `(features, action)` that returns whether it holds, (B,) bool; None takes those of the
            world, its `events`.

    Raises:
        TypeError: If the observations are no vectors, or a wrapper inside changes them: sensors
            that fail go outside.
        UnknownName: If the world has no event of this name; names the nearest.
        ValueError: If an event has no function, or a function no event.

    Example:
        >>> import zerogym
        >>> from zerogym.envs.control.temporal.reward_machines import in_order
        >>> near = lambda x: lambda obs, action, next_obs: abs(next_obs[:, 0] - x) < 0.5
        >>> world = gym.make("zerogym/PointMaze-v0")
        >>> env = RewardMachineWrapper(world, in_order("a", "b"), {"a": near(0.5), "b": near(2.5)})
        >>> env.reset(seed=0)[0].shape
        (5,)
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        machine: RewardMachine,
        events: Mapping[str, Event] | None = None,
    ) -> None:
        super().__init__(env, machine=machine, events=None if events is None else dict(events))
        if events is None:
            known = getattr(env.unwrapped, "events", {})
            check_names("event", machine.events, known)
            events = {name: known[name] for name in machine.events}
        inside = vector_space(env, "RewardMachineWrapper")
        self._columns = world_columns(env, "RewardMachineWrapper")
        if set(events) != set(machine.events):
            raise ValueError(
                f"the machine has the events {sorted(machine.events)}, got {sorted(events)}"
            )
        measures = getattr(env.unwrapped, "measures", {})
        self.machine = machine
        self._events = {
            name: of_transitions(function, measures) for name, function in events.items()
        }
        self._states = np.eye(len(machine), dtype=np.float32)
        self.observation_space = longer(inside, [0.0] * len(machine), [1.0] * len(machine))

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode, with the machine in its initial state."""
        obs, info = self.env.reset(seed=seed, options=options)
        self._memory = {"state": self.machine.initial, "return": 0.0, "obs": obs}
        return self._observation(), info | self._info()

    def step(self, action: Any) -> Step:
        """Step the world and the machine."""
        obs, _, terminated, truncated, info = self.env.step(action)
        memory = self._memory
        before, after = (np.asarray(one)[None, : self._columns] for one in (memory["obs"], obs))
        label = int(self.label(before, np.asarray(action)[None], after)[0])
        memory["obs"] = obs
        memory["state"], reward = self.machine.step(memory["state"], label)
        memory["return"] += reward
        over = bool(self.machine.over[memory["state"]])
        return self._observation(), reward, terminated or over, truncated, info | self._info()

    def label(self, obs: Any, action: Any, next_obs: Any) -> Ints:
        """Return the sets of events of stored transitions of the world, for `machine.run`; (B,).

        Raises:
            ValueError: If an event does not return whether it holds, (B,) bool.
        """
        holds = {name: event(obs, action, next_obs) for name, event in self._events.items()}
        found = self.machine.label(holds)
        if found.shape != (len(next_obs),):
            raise ValueError(f"events of {len(next_obs)} transitions have shape {found.shape}")
        return found

    def _observation(self) -> Vector:
        obs = np.asarray(self._memory["obs"], dtype=np.float32)
        return np.concatenate([obs, self._states[self._memory["state"]]])

    def _info(self) -> dict[str, Any]:
        return {"machine_state": self._memory["state"], "success": self._memory["return"] > 0}
