"""Delays between an agent and its world: `ActionDelay` and `ObservationDelay`, fixed or random.

As in "Reinforcement Learning with Random Delays" (2020, arXiv 2010.02966): each action and each
observation travels for a drawn number of steps, and the latest that has arrived counts; one that is
overtaken is lost. "NeoRL-2" (2025, arXiv 2503.19267) names delays among the troubles of real
plants. Rewards are those of the step in which they are paid. Gymnasium's `DelayObservation` has a
fixed delay and shows zeros until the first observation arrives; here that one is there at once.
"""

import copy
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from zerogym.wrappers.arguments import shown, whole
from zerogym.wrappers.seeded import SeededWrapper
from zerogym.wrappers.vectors import longer, vector_space

Steps = int | tuple[int, int]


class ActionDelay(SeededWrapper):
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
        TypeError: If `idle` is needed, or `show` is asked for where it cannot be.
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
        super().__init__(env, steps=steps, idle=idle, show=show)
        self.steps, self.show = _range(steps, "ActionDelay"), show
        space = env.action_space
        if idle is None:
            if not isinstance(space, spaces.Box):
                raise TypeError(f"ActionDelay: actions are {space}; say which is `idle`")
            idle = np.clip(np.zeros(space.shape, space.dtype), space.low, space.high)
        self._idle = self._checked(idle, "idle")
        if show:
            if not isinstance(space, spaces.Box) or len(space.shape) != 1:
                raise TypeError(f"ActionDelay shows actions that are vectors, not {space}")
            inside, times = vector_space(env, "ActionDelay"), self.steps[1]
            self.observation_space = longer(
                inside, list(np.tile(space.low, times)), list(np.tile(space.high, times))
            )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; no action is on its way."""
        obs, info = self.env.reset(seed=seed, options=options)
        self.reseed(seed)
        sent = [self._idle] * self.steps[1]
        self._memory = {"turn": 0, "waiting": [], "latest": -1, "doing": self._idle, "sent": sent}
        return self._observation(obs), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Send an action, and do the latest that has arrived."""
        if self._memory is None:
            return self.env.step(action)  # the world says what was forgotten
        given, memory = self._checked(action, "action"), self._memory
        turn = memory["turn"]
        delay = int(self.rng.integers(self.steps[0], self.steps[1] + 1))
        memory["waiting"].append((turn + delay, turn, given))
        for arrives, sent, content in memory["waiting"]:
            if arrives <= turn and sent > memory["latest"]:
                memory["latest"], memory["doing"] = sent, content
        memory["waiting"] = [one for one in memory["waiting"] if one[0] > turn]
        memory["turn"], memory["sent"] = turn + 1, [*memory["sent"], given][1:]
        done = copy.copy(memory["doing"])
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
        """An action that the world will take when it arrives; too large ones it cuts off itself."""
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


class ObservationDelay(SeededWrapper):
    """Observations arrive some steps later, and the latest that has arrived is seen.

    `info["age"]` is how many steps ago it was true.

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
        super().__init__(env, steps=steps)
        self.steps = _range(steps, "ObservationDelay")

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; its first observation is there at once."""
        obs, info = self.env.reset(seed=seed, options=options)
        self.reseed(seed)
        self._memory = {"turn": 0, "waiting": [], "latest": 0, "seen": copy.deepcopy(obs)}
        return obs, info | {"age": 0}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """One step of the world, and what has arrived of the last ones."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        memory = self._memory
        turn = memory["turn"] = memory["turn"] + 1
        delay = int(self.rng.integers(self.steps[0], self.steps[1] + 1))
        memory["waiting"].append((turn + delay, turn, copy.deepcopy(obs)))
        for arrives, sent, content in memory["waiting"]:
            if arrives <= turn and sent > memory["latest"]:
                memory["latest"], memory["seen"] = sent, content
        memory["waiting"] = [one for one in memory["waiting"] if one[0] > turn]
        seen = copy.deepcopy(memory["seen"])
        return seen, reward, terminated, truncated, info | {"age": turn - memory["latest"]}


def _range(steps: Any, who: str) -> tuple[int, int]:
    """Least and greatest delay."""
    pair = tuple(steps) if isinstance(steps, (tuple, list)) else (steps, steps)
    if len(pair) != 2:
        raise ValueError(
            f"{who}: steps must be a whole number or (least, greatest), got {shown(steps)}"
        )
    least = whole(pair[0], f"{who}: steps", 0)
    return least, whole(pair[1], f"{who}: steps", least)
