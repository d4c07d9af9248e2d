"""Safety as a budget that an episode may spend: `CostBudget`.

After "Saute RL: Almost Surely Safe Reinforcement Learning Using State Augmentation" (2022, arXiv
2202.06558): what is left joins the observation, and once it is spent the task pays no more. Any
agent then learns to keep within the budget. Left out: its discounting of costs.
"""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from zerogym.envs.control.core.features import of_transitions
from zerogym.wrappers import snapshots
from zerogym.wrappers.arguments import as_number, check_function, number, shown
from zerogym.wrappers.vectors import Vector, longer, vector_space, world_columns

Cost = Callable[..., Any]
SKIPS = ("RepeatAction", "MaxAndSkipObservation")  # Gymnasium's, of which not all have the first
ROUNDING = 1e-9  # of the budget: 0.3 is three times 0.1, whatever their sum is in binary


class CostBudget(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """What is left of a budget of costs joins the observation; when it is spent, so is the reward.

    Observations are the world's (n,) and the share of the budget that is left, in [0, 1]; float32
    (n + 1,). `info["cost"]` is the cost of the step, `info["cost_left"]` what is left (negative
    when overspent), `info["unsafe"]` whether the budget is overspent.

    Args:
        env: A world whose observations are vectors.
        budget: Sum of costs that an episode may have, > 0.
        cost: A function of `(obs, action, next_obs)` or `(features, action)` that returns costs
            (B,), >= 0, of the world's own observations and of the action that is given here; None
            takes `info["cost"]`, the world's or that of another `CostBudget` inside.
        unsafe_reward: Paid instead of the world's reward while the budget is overspent.

    Raises:
        TypeError: If the observations are no vectors; if `cost` is given and a wrapper inside
            changes what is seen: sensors that fail go outside; or if a wrapper inside repeats
            actions: it tells the last of their costs only, and goes outside, too.
        ValueError: If the budget is not positive, or in a step if there is no cost.

    Example:
        >>> import zerogym
        >>> world = gym.make("zerogym/CartPole-v0", task="balance")
        >>> env = CostBudget(world, 2.0, lambda features, action: features["position"] > 0.5)
        >>> env.reset(seed=0)[0].shape
        (6,)
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        budget: float,
        cost: Cost | None = None,
        unsafe_reward: float = 0.0,
    ) -> None:
        RecordConstructorArgs.__init__(self, budget=budget, cost=cost, unsafe_reward=unsafe_reward)
        gym.Wrapper.__init__(self, env)
        if not 0 < as_number(budget) < np.inf:
            raise ValueError(f"CostBudget: budget must be a number > 0, got {shown(budget)}")
        self.budget = self._left = as_number(budget)
        self.unsafe_reward = number(unsafe_reward, "CostBudget: unsafe_reward")
        check_function(cost, "CostBudget: cost")
        _check_single_steps(env)
        measures = getattr(env.unwrapped, "measures", {})
        self._cost = None if cost is None else of_transitions(cost, measures)
        space = vector_space(env, "CostBudget")
        self._columns = 0 if cost is None else world_columns(env, "CostBudget")
        self.observation_space = longer(space, [0.0], [1.0])
        self._obs: Vector = np.zeros(space.shape, dtype=np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Vector, dict[str, Any]]:
        """Start an episode with the whole budget."""
        obs, info = self.env.reset(seed=seed, options=options)
        self._obs, self._left = np.asarray(obs, dtype=np.float32), self.budget
        return self._observation(), info | {"cost_left": self._left}

    def step(self, action: Any) -> tuple[Vector, Any, bool, bool, dict[str, Any]]:
        """One step of the world, and what it costs."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        after = np.asarray(obs, dtype=np.float32)
        spent = self._spent(action, after, info)
        self._obs, self._left = after, self._left - spent
        unsafe = self._left < -ROUNDING * self.budget
        told = {"cost": spent, "cost_left": self._left, "unsafe": unsafe}
        paid = self.unsafe_reward if unsafe else reward
        return self._observation(), paid, terminated, truncated, info | told

    def get_state(self) -> dict[str, Any]:
        """A snapshot of the world and of what is left."""
        inside = snapshots.get_state(self.env)
        return {"env": inside, "left": self._left, "obs": np.copy(self._obs)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot; it can be used any number of times."""
        snapshots.set_state(self.env, state["env"])
        self._left, self._obs = state["left"], np.copy(state["obs"])

    def _spent(self, action: Any, after: Vector, info: dict[str, Any]) -> float:
        if self._cost is not None:
            given = np.asarray(action, dtype=np.float32)[None]
            seen = (one[None, : self._columns] for one in (self._obs, after))
            spent = float(np.asarray(self._cost(next(seen), given, next(seen))).item())
        elif "cost" in info:
            spent = float(info["cost"])
        else:
            raise ValueError("CostBudget: the world has no info['cost']; give a function `cost`")
        if not 0 <= spent < np.inf:
            raise ValueError(f"CostBudget: a cost must be a number >= 0, got {spent}")
        return spent

    def _observation(self) -> Vector:
        share = np.float32(max(self._left, 0.0) / self.budget)
        return np.append(self._obs, share).astype(np.float32)


def _check_single_steps(env: gym.Env[Any, Any]) -> None:
    while isinstance(env, gym.Wrapper):
        if (name := type(env).__name__) in SKIPS:
            raise TypeError(
                f"CostBudget: of the steps that {name} makes at once only the last tells its cost; "
                f"put the budget inside: {name}(CostBudget(env, ...), ...)"
            )
        env = env.env
