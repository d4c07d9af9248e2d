"""Model-predictive control of MuJoCo bodies: plans in the simulator itself, for any reward.

Nothing is learned: many noisy copies of the present plan are simulated from the true state, weighed
by the exponential of their returns, and averaged. That is model predictive path integral control,
"Information Theoretic MPC for Model-Based Reinforcement Learning" (2017, Williams et al., ICRA),
in the sampling form that "Predictive Sampling: Real-time Behaviour Synthesis with MuJoCo" (2022,
arXiv 2212.00541) found strong on such bodies. Our choices: noise is held for `HOLD` steps, the
temperature is a share of the returns' standard deviation, two steps are made of each plan.

It knows more than an agent may (the simulator, the reward, constants that are hidden), so it is a
reference, not an agent to compare; with few samples it is no optimum either.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.mujoco.base import MujocoEnv
from zerogym.envs.control.mujoco.rollout import rollout

HORIZON = 40  # control steps that are looked ahead
HOLD = 4  # control steps for which a sample keeps its noise
MADE = 2  # control steps made of a plan before the next
NOISE = 0.7  # standard deviation of a sample's actions around the plan
TEMPERATURE = 0.2  # of the weights, in standard deviations of the samples' returns
BUDGET, FEWEST, MOST = 320, 32, 128  # simulator steps a control step looked ahead; samples

Plan = NDArray[np.float64]  # (HORIZON, A)


class PlannerPolicy:
    """Acts by planning in copies of the environments it is bound to.

    Args:
        envs: MuJoCo worlds of zerogym, in the order of the observations.
        task: What to plan for: whatever `gym.make(id, task=...)` takes.
        seed: Of the samples.

    Raises:
        TypeError: If an environment is no MuJoCo world.

    Example:
        >>> import gymnasium as gym, zerogym
        >>> env = gym.make("zerogym/Reacher-v0", task="spin")
        >>> planner = PlannerPolicy([env], "spin")
        >>> observation, _ = env.reset(seed=0)
        >>> (action,), _ = planner.predict([observation], episode_start=[True])
        >>> action.shape
        (2,)
    """

    def __init__(self, envs: Sequence[gym.Env[Any, Any]], task: Any, seed: int = 0) -> None:
        self.envs = list(envs)
        for env in self.envs:
            if not isinstance(env.unwrapped, MujocoEnv):
                raise TypeError(f"a planner needs a MuJoCo world of zerogym, got {env}")
        worlds: list[Any] = [env.unwrapped for env in self.envs]
        self.tasks: list[Task] = [world.task_of(task) for world in worlds]
        self._rng = np.random.default_rng(seed)

    def predict(
        self,
        observations: Any,
        state: list[tuple[Plan, int]] | None = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[list[NDArray[np.float32]], list[tuple[Plan, int]]]:
        """The first action of each plan; `state` holds plans and how old they are."""
        fresh = [True] * len(self.envs) if state is None else episode_start
        actions, plans = [], []
        for row, env in enumerate(self.envs):
            world: Any = env.unwrapped
            if state is None or (fresh is not None and fresh[row]):
                plan, age = np.zeros((HORIZON, world.model.nu)), 0
            else:
                plan, age = state[row]
            if age % MADE == 0:
                plan = self.improved(world, self.tasks[row], plan, observations[row])
            actions.append(plan[0].astype(np.float32))
            plans.append((np.concatenate([plan[1:], plan[-1:]]), age + 1))
        return actions, plans

    def improved(self, world: MujocoEnv, task: Task, plan: Plan, observation: Any) -> Plan:
        """One step of path integral control from the present state of a world."""
        count = int(np.clip(BUDGET // world.substeps, FEWEST, MOST))
        shape = (count, -(-HORIZON // HOLD), plan.shape[1])
        noise = np.repeat(self._rng.normal(0.0, NOISE, shape), HOLD, axis=1)[:, :HORIZON]
        noise[0] = 0.0  # the plan as it is
        tried = np.clip(plan + noise, -1.0, 1.0)  # (N, T, A)
        start = np.concatenate([world.data.qpos, world.data.qvel])
        try:
            _, after = rollout(world, tried, np.tile(start, (count, 1)), threads=1)  # (N, T, n)
        except FloatingPointError:
            return plan  # one of the samples broke the simulation
        first = np.broadcast_to(np.asarray(observation, np.float32), (count, 1, after.shape[2]))
        before = np.concatenate([first, after[:, :-1]], axis=1)
        columns = (before, tried.astype(np.float32), after)
        rewards = task.relabel(*(each.reshape(-1, each.shape[2]) for each in columns))
        returns = rewards.reshape(count, HORIZON).sum(axis=1, dtype=np.float64)
        spread = TEMPERATURE * returns.std() + 1e-9
        weights = np.exp((returns - returns.max()) / spread)
        return np.tensordot(weights / weights.sum(), tried, axes=1)
