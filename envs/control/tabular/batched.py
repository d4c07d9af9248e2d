"""Vectorised copies of one tabular MDP, in NumPy or in torch on any device.

A step is one index into two tables, of next states and rewards. An episode that ends is reset in
the same step. Left out: more than one task in a batch (`Task.relabel` computes other rewards from
the states before a step and `entered`), and texts.
"""

from typing import Any, NamedTuple

import numpy as np

from zerogym.envs.control.core.arrays import Array, Library, check_batch
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.mdp import TabularMDP
from zerogym.errors import require

INTEGERS = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")


class Steps(NamedTuple):
    """The results of one step; a row for each copy.

    Attributes:
        entered: Integers (n,): the states after the step, before a reset.
        rewards: float64 (n,).
        terminated: bool (n,).
        truncated: bool (n,).
    """

    entered: Array
    rewards: Array
    terminated: Array
    truncated: Array


class BatchedTabular:
    """`n` copies of a tabular MDP with one task; made by `env.unwrapped.batched(n)`.

    Args:
        mdp: The model.
        n: Number of copies.
        task: The task; None gives reward 0.
        horizon: Steps after which an episode is truncated.
        ends_at_goal: End an episode when a goal task reaches its goal.
        library: Array library of arguments and results.
        device: Device of torch's tensors; None is torch's default.

    Attributes:
        states: Integers (n,): the state of each copy.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> copies = gym.make("zerogym/FourRooms-v0", task="goal_1_2").unwrapped.batched(3)
        >>> states = copies.reset(starts=np.array([0, 0, 1]))
        >>> steps = copies.step(np.array([2, 3, 0]))  # right, down, stay
        >>> steps.entered.tolist(), steps.rewards.tolist()
        ([1, 6, 1], [1.0, 0.0, 1.0])
    """

    def __init__(
        self,
        mdp: TabularMDP,
        n: int,
        task: Task | None,
        horizon: int,
        ends_at_goal: bool = False,
        library: Library = "numpy",
        device: str | None = None,
    ) -> None:
        check_batch(n, library, device)
        self.mdp, self.n, self.task, self.horizon = mdp, n, task, horizon
        self._device, self._torch = device, None
        if library == "torch":
            self._torch = require("torch", "control", "batched environments of torch")
        self._states, self._actions, self._outcomes = mdp.outcomes.shape
        self._following = self._array(mdp.outcomes.ravel())
        self._rewards = self._array(mdp.reward_table(task).ravel())
        flat = (self._states * self._actions, self._outcomes - 1)
        self._thresholds = self._array(mdp.thresholds.reshape(flat))
        self._starts = self._array(np.array(mdp.starts))
        self._observations = self._array(mdp.observations)
        ends = np.isin(np.arange(self._states), list(mdp.terminal))
        if ends_at_goal:
            ends |= mdp.on_goal(task)
        self._ends, self._may_end = self._array(ends), bool(ends.any())
        self.states: Array = None

    def reset(self, seed: int | None = None, starts: Array | None = None) -> Array:
        """Begin all episodes.

        Args:
            seed: Seed of all random numbers from here on; None draws one.
            starts: Start states, integers (n,), instead of a draw.

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
            self.states = self._draw_starts(self.n)
        else:
            every = self._array(np.arange(self._states))  # a copy of the caller's array
            self.states = every[self._checked(starts, self._states, "starts")]
        self._turns = self._array(np.zeros(self.n, dtype=np.int64))
        return self.states

    def step(self, actions: Array) -> Steps:
        """Do one action in each copy.

        Args:
            actions: Integers (n,), of this batch's library.

        Returns:
            The results, in new arrays; `states` are already those of new episodes where one is
            over.

        Raises:
            ValueError: If there are not n actions.
            RuntimeError: If no episode has begun.
        """
        if self.states is None:
            raise RuntimeError("no episode has begun: call reset()")
        chosen = self._checked(actions, self._actions, "actions")
        index = self.states * self._actions + chosen
        if self._outcomes > 1:
            if self._torch is None:
                uniform = self._rng.random(self.n)
            else:
                kind = {"dtype": self._torch.float64, "device": self._device}
                uniform = self._torch.rand(self.n, generator=self._rng, **kind)
            drawn = (uniform[:, None] >= self._thresholds[index]).sum(1)
            index = index * self._outcomes + drawn
        entered, rewards = self._following[index], self._rewards[index]
        # Without terminal states the look-up is spared: no state is below 0.
        terminated = self._ends[entered] if self._may_end else entered < 0
        self._turns = self._turns + 1
        truncated = (self._turns >= self.horizon) & ~terminated
        over = terminated | truncated
        self.states = entered
        if over.any():
            self.states, self._turns = self.states + 0, self._turns * ~over
            self.states[over] = self._draw_starts(int(over.sum()))
        return Steps(entered, rewards, terminated, truncated)

    def observe(self) -> Array:
        """Return the observations of the present states: float32 (n, k)."""
        return self._observations[self.states]

    def random_actions(self) -> Array:
        """Return uniformly random actions: integers (n,)."""
        return self._integers(self._actions, self.n)

    def _draw_starts(self, count: int) -> Array:
        return self._starts[self._integers(len(self._starts), count)]

    def _checked(self, given: Array, count: int, name: str) -> Array:
        """Return n integers from 0 to count - 1 as int64: a shorter type may not hold `count`."""
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
            values = values.copy()  # torch does not accept read-only arrays
        return self._torch.as_tensor(values, device=self._device)

    def _integers(self, high: int, count: int) -> Array:
        if self._torch is None:
            return self._rng.integers(high, size=count)
        return self._torch.randint(high, (count,), generator=self._rng, device=self._device)
