"""One step of improvement where nothing is finite: a fitted Q of the policy that made the data.

A network of state and action has an output for each task. Each output is regressed on r + gamma Q'
of the step that follows in the data, without a maximum (SARSA); Q' is a slow copy. The policy
does the action of the largest Q among some drawn ones. Ours: sizes and rates.
"""

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.models.networks import Standardised
from zerogym.envs.control.core.tasks import Task

HIDDEN, BATCH, RATE, TAU = 128, 256, 1e-3, 0.02
TRIES = 64  # actions among which the best is done


class FittedQ:
    """The Q of the data's policy for several tasks at once.

    Args:
        data: Walks with continuous actions, in order.
        tasks: Whose rewards are computed for the data.
        gamma: Discount a step, in [0, 1).
        seed: Of weights, batches and tried actions.

    Raises:
        ValueError: If no step of the data follows another.
    """

    def __init__(self, data: Dataset, tasks: Sequence[Task], gamma: float, seed: int) -> None:
        self.gamma, self.names = gamma, [task.name for task in tasks]
        self.generator = torch.Generator().manual_seed(seed)
        states = torch.as_tensor(data.observations, dtype=torch.float32)
        self.standardised = Standardised(states)
        pairs = torch.cat([self.standardised(states), torch.as_tensor(data.actions)], 1)
        followed = np.flatnonzero(data.ends()[:-1] > np.arange(len(data) - 1))
        if not len(followed):
            raise ValueError("a fitted Q needs walks of two steps or more")
        self.now, self.then = pairs[followed], pairs[followed + 1]
        rewards = np.stack([data.rewards(task)[followed] for task in tasks], 1)
        self.rewards = torch.as_tensor(rewards, dtype=torch.float32)  # (n, tasks)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.net = nn.Sequential(
                *(nn.Linear(pairs.shape[1], HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN)),
                *(nn.ReLU(), nn.Linear(HIDDEN, len(tasks))),
            )
        self.slow = deepcopy(self.net).requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.net.parameters(), RATE)
        self.actions = data.actions.shape[1]

    def learn(self, updates: int) -> None:
        """Train for a number of batches."""
        for _ in range(updates):
            rows = torch.randint(len(self.now), (BATCH,), generator=self.generator)
            aim = self.rewards[rows] + self.gamma * self.slow(self.then[rows])
            loss = (self.net(self.now[rows]) - aim).square().sum(1).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            with torch.no_grad():
                for slow, fast in zip(self.slow.parameters(), self.net.parameters(), strict=True):
                    slow.lerp_(fast, TAU)

    def greedy(self, task: Task) -> Callable[[Any], NDArray[np.float32]]:
        """Return the policy of a task: the best of `TRIES` uniform actions by Q, each step."""
        column = self.names.index(task.name)

        @torch.no_grad()
        def act(observation: Any) -> NDArray[np.float32]:
            tried = torch.rand(TRIES, self.actions, generator=self.generator) * 2 - 1
            state = self.standardised(torch.as_tensor(observation, dtype=torch.float32))
            pairs = torch.cat([state.expand(TRIES, -1), tried], 1)
            return tried[self.net(pairs)[:, column].argmax()].numpy()

        return act
