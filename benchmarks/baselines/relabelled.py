"""Random actions in bodies, played once for all tasks: there a task changes only the reward.

Starts and physics of MuJoCo bodies do not depend on the task, and neither do random actions, so the
same episodes would be simulated for each of twenty tasks. Here they are simulated without one and
relabelled; a test compares that with playing.
"""

from collections.abc import Sequence

import gymnasium as gym
import numpy as np

from zerogym.agents.baselines.random_and_oracle import RandomPolicy
from zerogym.envs.control.core.tasks import Batch, Task


class RandomEpisodes:
    """Episodes of random actions in a reward-free world, simulated on first use.

    Args:
        id: Of the world.
        seeds: Of the episodes.
    """

    def __init__(self, id: str, seeds: Sequence[int]) -> None:
        self.id, self.seeds = id, list(seeds)
        self._episodes: list[Batch] = []

    def returns(self, task: Task) -> list[float]:
        """Return the return of each episode under a task."""
        if not self._episodes:
            self._play()
        return [float(task.relabel(*episode).sum()) for episode in self._episodes]

    def _play(self) -> None:
        env = gym.make(self.id, task=None)
        policy = RandomPolicy([env])  # one generator for all episodes, as where they are played
        for seed in self.seeds:
            visited, made, over = [env.reset(seed=seed)[0]], [], False
            while not over:
                (action,), _ = policy.predict([visited[-1]])
                observation, _, terminated, truncated, _ = env.step(action)
                visited.append(observation)
                made.append(action)
                over = terminated or truncated
            rows = np.stack(visited)  # (T + 1, n)
            self._episodes.append((rows[:-1], np.stack(made), rows[1:]))
        env.close()
