"""Play an offline agent in a world with its task: returns, and the costs that are reported."""

from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.core import Policy
from zerogym.agents.datasets.dataset import cost_of
from zerogym.agents.offline.agent import OfflineAgent
from zerogym.agents.offline.sequences.decision_transformer import DecisionTransformer
from zerogym.envs.control.core.tasks import Task


class CostRecorder(gym.Wrapper[Any, Any, Any, Any]):
    """Keep the cost `info["cost"]` of the last step, and that of each episode.

    Attributes:
        reported: Whether the last step reported a cost.
        costs: The sum of each episode, the running one last; steps without a cost add 0.

    Args:
        env: The environment.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        self.reported, self.costs, self._last = False, list[float](), 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        self.costs.append(0.0)
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Do one step."""
        found = self.env.step(action)
        self.reported, self._last = "cost" in found[4], float(cost_of(found[4]))
        self.costs[-1] += self._last
        return found

    def last_cost(self, *transition: Any) -> NDArray[np.float64]:
        """Return the cost of the last step (1,), as a function of its transition.

        Raises:
            ValueError: If the environment reported none, which a budget needs.
        """
        if not self.reported:
            raise ValueError(f"{self.env} reports no info['cost'], which a budget needs")
        return np.array([self._last])


class Playing(NamedTuple):
    """A policy, and the one environment that it can be played in.

    Attributes:
        policy: The policy.
        env: The environment; its recorder has the costs.
        target: The return that it is to reach; None if it takes none.
        budget: The cost that it may spend; None if it takes none.
    """

    policy: Policy
    env: CostRecorder
    target: float | None = None
    budget: float | None = None


def playing(
    agent: OfflineAgent | DecisionTransformer,
    env: gym.Env[Any, Any],
    task: Task,
    target: float | None = None,
    budget: float | None = None,
) -> Playing:
    """Return an agent as a policy of an environment, one episode after the other.

    Args:
        agent: The agent.
        env: Made with the task.
        task: Whose rewards are taken off the target.
        target: The return of an episode; None: the best of the data within the budget.
        budget: The cost of an episode; None: the least of the data, if the agent is constrained.

    Raises:
        ValueError: If the agent is of other sizes, or takes no target or no budget.
    """
    agent.check_env(env)
    recorder = CostRecorder(env)
    if isinstance(agent, OfflineAgent):
        if target is not None or budget is not None:
            raise ValueError(f"{agent.method.title()} takes no target and no budget")
        return Playing(agent, recorder)
    target, budget = agent.conditions(target, budget)
    costs = None if budget is None else recorder.last_cost
    return Playing(agent.policy(target, task, budget, costs), recorder, target, budget)
