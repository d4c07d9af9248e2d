"""Tasks with a memory in any numeric world: a reward machine runs along.

See `zerogym.envs.control.temporal.reward_machines` for machines and their source. Left out: text
views, and worlds whose observations are no vectors.
"""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from zerogym.envs.control.core.features import of_transitions
from zerogym.envs.control.temporal.reward_machines import Ints, RewardMachine
from zerogym.errors import UnknownName
from zerogym.wrappers import snapshots
from zerogym.wrappers.vectors import vector_space, world_columns

Event = Callable[..., NDArray[np.bool_]]


class RewardMachineWrapper(
    gym.Wrapper[NDArray[np.float32], Any, NDArray[np.float32], Any], gym.utils.RecordConstructorArgs
):
    """The machine pays instead of the world, and its state joins the observation.

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
        TypeError: If the observations are no vectors, or a wrapper inside changes what is seen:
            sensors that fail go outside.
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
        own = None if events is None else dict(events)
        gym.utils.RecordConstructorArgs.__init__(self, machine=machine, events=own)
        super().__init__(env)
        if events is None:
            events = _events_of(env, machine)
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
        low, high = (np.asarray(bound, dtype=np.float32) for bound in (inside.low, inside.high))
        rows = np.zeros(len(machine), dtype=np.float32)
        self.observation_space = spaces.Box(
            np.concatenate([low, rows]), np.concatenate([high, rows + 1]), dtype=np.float32
        )
        self._state, self._paid = machine.initial, 0.0
        self._obs: NDArray[Any] = np.zeros(inside.shape)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start an episode, with the machine in its initial state."""
        self._obs, info = self.env.reset(seed=seed, options=options)
        self._state, self._paid = self.machine.initial, 0.0
        return self._observation(), info | self._told()

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """One step of the world and of the machine."""
        obs, _, terminated, truncated, info = self.env.step(action)
        before, after = (np.asarray(one)[None, : self._columns] for one in (self._obs, obs))
        label = int(self.label(before, np.asarray(action)[None], after)[0])
        self._obs = obs
        self._state, reward = self.machine.step(self._state, label)
        self._paid += reward
        over = bool(self.machine.over[self._state])
        return self._observation(), reward, terminated or over, truncated, info | self._told()

    def label(self, obs: Any, action: Any, next_obs: Any) -> Ints:
        """The sets of events of stored transitions of the world, for `machine.run`; (B,).

        Raises:
            ValueError: If an event does not return whether it holds, (B,) bool.
        """
        holds = {name: event(obs, action, next_obs) for name, event in self._events.items()}
        found = self.machine.label(holds)
        if found.shape != (len(next_obs),):
            raise ValueError(f"events of {len(next_obs)} transitions have shape {found.shape}")
        return found

    def get_state(self) -> dict[str, Any]:
        """A snapshot of the world and the machine."""
        inside = snapshots.get_state(self.env)
        own = {"state": self._state, "paid": self._paid, "obs": np.copy(self._obs)}
        return {"env": inside, "machine": own}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot; it can be used any number of times."""
        snapshots.set_state(self.env, state["env"])
        own = state["machine"]
        self._state, self._paid, self._obs = own["state"], own["paid"], np.copy(own["obs"])

    def _observation(self) -> NDArray[np.float32]:
        parts = [np.asarray(self._obs, dtype=np.float32), self._states[self._state]]
        return np.concatenate(parts)

    def _told(self) -> dict[str, Any]:
        return {"machine_state": self._state, "success": self._paid > 0}


def _events_of(env: gym.Env[Any, Any], machine: RewardMachine) -> dict[str, Event]:
    """The world's own functions for the events of a machine."""
    known = getattr(env.unwrapped, "events", {})
    for name in machine.events:
        if name not in known:
            raise UnknownName("event", name, list(known))
    return {name: known[name] for name in machine.events}
