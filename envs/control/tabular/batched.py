"""Many copies of one finite world, stepped together by look-up, in NumPy or in torch on any device.

A step is one index into two tables: where it leads and what it pays. An episode that ends begins
anew in the same step. Left out: more than one task in a batch (`Task.relabel` pays others, and
`entered` with the states before tells all that they need), and texts.
"""

from typing import Any, NamedTuple

import numpy as np

from zerogym.envs.control.core.arrays import Array, Library, check_batch
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.mdp import TabularMDP
from zerogym.errors import require

INTEGERS = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")


class Steps(NamedTuple):
    """What one step of each world brought; a row each.

    Attributes:
        entered: Integers (n,): the states after the step, before an episode began anew.
        rewards: float64 (n,).
        terminated: bool (n,).
        truncated: bool (n,).
    """

    entered: Array
    rewards: Array
    terminated: Array
    truncated: Array


class BatchedTabular:
    """`n` copies of a finite world with one task; made by `env.unwrapped.batched(n)`.

    Args:
        world: The states, and what may follow.
        n: How many copies.
        task: What pays; None pays 0.
        horizon: Steps after which an episode is truncated.
        ends_at_goal: End an episode when a goal task reaches its goal.
        library: Whose arrays are returned and taken.
        device: Where torch's tensors are; None is torch's default.

    Attributes:
        states: Integers (n,): where each copy is.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> worlds = gym.make("zerogym/FourRooms-v0", task="goal_1_2").unwrapped.batched(3)
        >>> states = worlds.reset(starts=np.array([0, 0, 1]))
        >>> steps = worlds.step(np.array([2, 3, 0]))  # right, down, stay
        >>> steps.entered.tolist(), steps.rewards.tolist()
        ([1, 6, 1], [1.0, 0.0, 1.0])
    """

    def __init__(
        self,
        world: TabularMDP,
        n: int,
        task: Task | None,
        horizon: int,
        ends_at_goal: bool = False,
        library: Library = "numpy",
        device: str | None = None,
    ) -> None:
        check_batch(n, library, device)
        self.world, self.n, self.task, self.horizon = world, n, task, horizon
        self._device, self._torch = device, None
        if library == "torch":
            self._torch = require("torch", "control", "batched worlds of torch")
        self._states, self._actions, self._outcomes = world.outcomes.shape
        self._following = self._array(world.outcomes.ravel())
        self._rewards = self._array(world.reward_table(task).ravel())
        flat = (self._states * self._actions, self._outcomes - 1)
        self._thresholds = self._array(world.thresholds.reshape(flat))
        self._starts = self._array(np.array(world.starts))
        self._seen = self._array(world.observations)
        ends = np.isin(np.arange(self._states), list(world.terminal))
        if ends_at_goal:
            ends |= world.on_goal(task)
        self._ends, self._may_end = self._array(ends), bool(ends.any())
        self.states: Array = None

    def reset(self, seed: int | None = None, starts: Array | None = None) -> Array:
        """Begin all episodes anew.

        Args:
            seed: Of all chance from here on; None draws one.
            starts: Integers (n,) in which to begin, instead of a draw.

        Returns:
            The states, integers (n,).

        Raises:
            ValueError: If the starts are not n states.
        """
        if self._torch is None:
            self._rng: Any = np.random.default_rng(seed)
        else:
            self._rng = self._torch.Generator(self._device or self._torch.get_default_device())
            self._rng.seed() if seed is None else self._rng.manual_seed(seed)
        if starts is None:
            self.states = self._deal(self.n)
        else:
            every = self._array(np.arange(self._states))  # the caller's array stays the caller's
            self.states = every[self._checked(starts, self._states, "starts")]
        self._turns = self._array(np.zeros(self.n, dtype=np.int64))
        return self.states

    def step(self, actions: Array) -> Steps:
        """One action in each world.

        Args:
            actions: Integers (n,), of this batch's library.

        Returns:
            What came of it, in new arrays; `states` are already those of new episodes where one
            is over.

        Raises:
            ValueError: If there are not n actions.
            RuntimeError: If no episode has begun.
        """
        if self.states is None:
            raise RuntimeError("no episode has begun: call reset()")
        made = self._checked(actions, self._actions, "actions")
        index = self.states * self._actions + made
        if self._outcomes > 1:
            drawn = (self._uniform(self.n)[:, None] >= self._thresholds[index]).sum(1)
            index = index * self._outcomes + drawn
        entered, rewards = self._following[index], self._rewards[index]
        # Without ends there is nothing to look up: no state is below 0.
        terminated = self._ends[entered] if self._may_end else entered < 0
        self._turns = self._turns + 1
        truncated = (self._turns >= self.horizon) & ~terminated
        over = terminated | truncated
        self.states = entered
        if over.any():
            self._begin_anew(over)
        return Steps(entered, rewards, terminated, truncated)

    def observe(self) -> Array:
        """What is seen in the present states: float32 (n, k)."""
        return self._seen[self.states]

    def random_actions(self) -> Array:
        """Actions, equally likely: integers (n,)."""
        return self._integers(self._actions, self.n)

    def _begin_anew(self, over: Array) -> None:
        self.states, self._turns = self.states + 0, self._turns * ~over
        self.states[over] = self._deal(int(over.sum()))

    def _deal(self, count: int) -> Array:
        return self._starts[self._integers(len(self._starts), count)]

    def _checked(self, given: Array, count: int, name: str) -> Array:
        """n integers from 0 to count - 1, as int64: in a shorter type `count` may not fit."""
        found = self._array(given)
        kind = str(found.dtype).rpartition(".")[2]
        fits = tuple(found.shape) == (self.n,) and kind in INTEGERS
        if fits and kind != "int64":
            found = found.astype(np.int64) if self._torch is None else found.long()
        if not fits or bool(((found < 0) | (found >= count)).any()):
            raise ValueError(
                f"{name} must be {self.n} integers from 0 to {count - 1}, got {str(given)[:60]}"
            )
        return found

    def _array(self, values: Any) -> Array:
        if self._torch is None:
            return np.asarray(values)
        if isinstance(values, np.ndarray):
            values = values.copy()  # torch does not take what must not be written to
        return self._torch.as_tensor(values, device=self._device)

    def _uniform(self, count: int) -> Array:
        if self._torch is None:
            return self._rng.random(count)
        kind = {"dtype": self._torch.float64, "device": self._device}
        return self._torch.rand(count, generator=self._rng, **kind)

    def _integers(self, high: int, count: int) -> Array:
        if self._torch is None:
            return self._rng.integers(high, size=count)
        return self._torch.randint(high, (count,), generator=self._rng, device=self._device)
