"""Safety as a budget that an episode may spend: `CostBudget`.

After "Saute RL: Almost Surely Safe Reinforcement Learning Using State Augmentation" (2022, arXiv
2202.06558): what is left joins the observation, and once it is spent the task has no reward any
more. Any agent then learns to keep within the budget. Left out: its discounting of costs.
"""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.envs.control.core.features import of_transitions
from zerogym.wrappers.arguments import as_number, check_function, number, shown
from zerogym.wrappers.core import Options, Start, StatefulWrapper, Step
from zerogym.wrappers.snapshots import layers
from zerogym.wrappers.vectors import Vector, longer, vector_space, world_columns

Cost = Callable[..., Any]
SKIPS = ("RepeatAction", "MaxAndSkipObservation")  # Gymnasium's, of which not all have the first
ROUNDING = 1e-9  # of the budget: 0.3 is three times 0.1, whatever their sum is in binary


class CostBudget(StatefulWrapper):
    """The rest of a budget of costs joins the observation; when it is spent, the reward ends.

    Observations are the world's (n,) and the share of the budget that is left, in [0, 1]; float32
    (n + 1,). `info["cost"]` is the cost of the step, `info["cost_left"]` what is left (negative
    when overspent), `info["unsafe"]` whether the budget is overspent.

    Args:
        env: A world whose observations are vectors.
        budget: Sum of costs that an episode may have, > 0.
        cost: A function of `(obs, action, next_obs)` or `(features, action)` that returns costs
            (B,), >= 0, of the world's own observations and of the action that is given here; None
            takes `info["cost"]`, the world's or that of another `CostBudget` inside.
        unsafe_reward: Replaces the world's reward while the budget is overspent.

    Raises:
        TypeError: If the observations are no vectors; if `cost` is given and a wrapper inside
            changes observations: sensors that fail go outside; or if a wrapper inside repeats
            actions: it reports the last of their costs only, and goes outside, too.
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
        super().__init__(env, budget=budget, cost=cost, unsafe_reward=unsafe_reward)
        if not 0 < as_number(budget) < np.inf:
            raise ValueError(f"CostBudget: budget must be a number > 0, got {shown(budget)}")
        self.budget = as_number(budget)
        self.unsafe_reward = number(unsafe_reward, "CostBudget: unsafe_reward")
        check_function(cost, "CostBudget: cost")
        for name in (type(layer).__name__ for layer in layers(env)):
            if name in SKIPS:
                raise TypeError(
                    f"CostBudget: of the steps that {name} makes at once only the last reports its "
                    f"cost; put the budget inside: {name}(CostBudget(env, ...), ...)"
                )
        measures = getattr(env.unwrapped, "measures", {})
        self._cost = None if cost is None else of_transitions(cost, measures)
        space = vector_space(env, "CostBudget")
        self._columns = 0 if cost is None else world_columns(env, "CostBudget")
        self.observation_space = longer(space, [0.0], [1.0])

    def reset(self, *, seed: int | None = None, options: Options = None) -> Start:
        """Start an episode with the whole budget."""
        obs, info = self.env.reset(seed=seed, options=options)
        self._memory = {"left": self.budget, "obs": np.asarray(obs, dtype=np.float32)}
        return self._observation(), info | {"cost_left": self.budget}

    def step(self, action: Any) -> Step:
        """Step the world, and count the cost of it."""
        obs, reward, terminated, truncated, info = self.env.step(action)
        after = np.asarray(obs, dtype=np.float32)
        spent = self._spent(action, after, info)
        left = self._memory["left"] - spent
        self._memory = {"left": left, "obs": after}
        unsafe = left < -ROUNDING * self.budget
        info = info | {"cost": spent, "cost_left": left, "unsafe": unsafe}
        reward = self.unsafe_reward if unsafe else reward
        return self._observation(), reward, terminated, truncated, info

    def _spent(self, action: Any, after: Vector, info: dict[str, Any]) -> float:
        if self._cost is not None:
            given = np.asarray(action, dtype=np.float32)[None]
            own, own_after = (one[None, : self._columns] for one in (self._memory["obs"], after))
            spent = float(np.asarray(self._cost(own, given, own_after)).item())
        elif "cost" in info:
            spent = float(info["cost"])
        else:
            raise ValueError("CostBudget: the world has no info['cost']; give a function `cost`")
        if not 0 <= spent < np.inf:
            raise ValueError(f"CostBudget: a cost must be a number >= 0, got {spent}")
        return spent

    def _observation(self) -> Vector:
        share = np.float32(max(self._memory["left"], 0.0) / self.budget)
        return np.append(self._memory["obs"], share).astype(np.float32)
