"""Delays between an agent and its world: `ActionDelay` and `ObservationDelay`, fixed or random.

As in "Reinforcement Learning with Random Delays" (2020, arXiv 2010.02966): each action and each
observation travels for a drawn number of steps, and the latest that has arrived counts; one that is
overtaken is lost. "NeoRL-2" (2025, arXiv 2503.19267) names delays among the troubles of real
plants. Rewards are not delayed. Gymnasium's `DelayObservation` has a
fixed delay and shows zeros until the first observation arrives; here that one is there at once.
"""

import copy
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from zerogym.wrappers.arguments import in_order, shown, whole
from zerogym.wrappers.core import Start, Step
from zerogym.wrappers.seeded import SeededWrapper
from zerogym.wrappers.vectors import longer, vector_space

Steps = int | tuple[int, int]


class _Delay(SeededWrapper):
    """The base of both: what is sent arrives some steps later.

    The memory has the `turn`, what is `waiting` (when it arrives, when it was sent, what it is),
    the latest that has `arrived` and when that was sent (`latest`).
    """

    def __init__(self, env: gym.Env[Any, Any], steps: Steps, **arguments: Any) -> None:
        super().__init__(env, steps=steps, **arguments)
        pair = steps if isinstance(steps, tuple | list) else (steps, steps)
        self.steps = in_order(pair, f"{type(self).__name__}: steps", whole, 0)

    def _exchange(self, content: Any, turn: int) -> Any:
        """Send something in a turn, and return the latest that has arrived by then."""
        memory = self._memory
        delay = int(self.rng.integers(self.steps[0], self.steps[1] + 1))
        memory["waiting"].append((turn + delay, turn, content))
        for arrives, sent, each in memory["waiting"]:
            if arrives <= turn and sent > memory["latest"]:
                memory["latest"], memory["arrived"] = sent, each
        memory["waiting"] = [one for one in memory["waiting"] if one[0] > turn]
        return copy.deepcopy(memory["arrived"])


class ActionDelay(_Delay):
    """Actions take effect some steps later; until the first arrives, `idle` is done.

    `info["done_action"]` is what the world did. With `show` the last actions join the observation,
    oldest first, which makes a world with a fixed delay a Markov decision process again.

    Args:
        env: A world.
        steps: The delay, or least and greatest delay, drawn evenly for each action.
        idle: Done before any action has arrived; None are zeros, for continuous actions.
        show: Add the actions that may still be on their way (the greatest delay, as many as that)
            to the observation, float32 (n + greatest delay * m,).

    Raises:
        TypeError: If `idle` is needed, or `show` is set where it cannot be.
        ValueError: If the delay is none, or in a step if the action is.

    Example:
        >>> import zerogym
        >>> env = ActionDelay(gym.make("zerogym/PointMaze-v0"), 1)
        >>> _ = env.reset(seed=0, options={"start": (0.5, 0.5)})
        >>> [round(float(env.step([1.0, 0.0])[0][0]), 1) for _ in range(2)]
        [0.5, 0.7]
    """

    def __init__(
        self, env: gym.Env[Any, Any], steps: Steps, idle: Any = None, show: bool = False
    ) -> None:
        super().__init__(env, steps, idle=idle, show=show)
        self.show = show
        space = env.action_space
        if idle is None:
            if not isinstance(space, spaces.Box):
                raise TypeError(f"ActionDelay: actions are {space}; give the one that is `idle`")
            idle = np.clip(np.zeros(space.shape, space.dtype), space.low, space.high)
        self._idle = self._checked(idle, "idle")
        if show:
            if not isinstance(space, spaces.Box) or len(space.shape) != 1:
                raise TypeError(f"ActionDelay shows actions that are vectors, not {space}")
            inside, times = vector_space(env, "ActionDelay"), self.steps[1]
            self.observation_space = longer(
                inside, list(np.tile(space.low, times)), list(np.tile(space.high, times))
            )

    def _begin(self, obs: Any, info: dict[str, Any]) -> Start:
        self._memory = {"turn": 0, "waiting": [], "latest": -1, "arrived": self._idle}
        self._memory["sent"] = [self._idle] * self.steps[1]
        return self._observation(obs), info

    def step(self, action: Any) -> Step:
        """Send an action, and do the latest that has arrived."""
        if self._memory is None:
            return self.env.step(action)  # the world raises: there was no reset
        given, memory = self._checked(action, "action"), self._memory
        done = self._exchange(given, memory["turn"])
        memory["turn"], memory["sent"] = memory["turn"] + 1, [*memory["sent"], given][1:]
        obs, reward, terminated, truncated, info = self.env.step(done)
        return self._observation(obs), reward, terminated, truncated, info | {"done_action": done}

    def _observation(self, obs: Any) -> Any:
        if not self.show:
            return obs
        space = self.env.action_space
        assert isinstance(space, spaces.Box)
        sent = [np.clip(one, space.low, space.high) for one in self._memory["sent"]]
        return np.concatenate([np.asarray(obs, np.float32), *sent]).astype(np.float32)

    def _checked(self, action: Any, what: str) -> Any:
        """Return an action that the world will take, which cuts off too large ones itself."""
        space = self.env.action_space
        if isinstance(space, spaces.Box):
            try:
                given = np.array(action, dtype=space.dtype)
            except (TypeError, ValueError, OverflowError):
                given = np.empty(0)
            good = given.shape == space.shape and bool(np.isfinite(given).all())
        else:
            given, good = copy.deepcopy(action), space.contains(action)
        if not good:
            raise ValueError(f"ActionDelay: {what} must be in {space}, got {shown(action)}")
        return given


class ObservationDelay(_Delay):
    """Observations arrive some steps later; the agent gets the latest that has arrived.

    `info["age"]` is its age in steps.

    Args:
        env: A world, with observations of any kind.
        steps: The delay, or least and greatest delay, drawn evenly for each observation.

    Raises:
        ValueError: If the delay is none.

    Example:
        >>> import zerogym
        >>> env = ObservationDelay(gym.make("zerogym/PointMaze-v0"), 1)
        >>> _ = env.reset(seed=0, options={"start": (0.5, 0.5)})
        >>> [round(float(env.step([1.0, 0.0])[0][0]), 1) for _ in range(2)]
        [0.5, 0.7]
    """

    changes_observations = True

    def __init__(self, env: gym.Env[Any, Any], steps: Steps) -> None:
        super().__init__(env, steps)

    def _begin(self, obs: Any, info: dict[str, Any]) -> Start:
        self._memory = {"turn": 0, "waiting": [], "latest": 0, "arrived": copy.deepcopy(obs)}
        return obs, info | {"age": 0}

    def step(self, action: Any) -> Step:
        """Step the world, and return the latest observation that has arrived."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        turn = self._memory["turn"] = self._memory["turn"] + 1
        arrived = self._exchange(copy.deepcopy(obs), turn)
        info = info | {"age": turn - self._memory["latest"]}
        return arrived, reward, terminated, truncated, info
