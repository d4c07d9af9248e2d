"""The skeleton of goal-conditioned agents: networks, an actor by weighted regression, batches.

An agent defines the loss of its value and the advantage of a step towards a goal. The actor
maximises E[min(exp(alpha A), 100) log pi(a | s, g)] ("Advantage-Weighted Regression", 2019, arXiv
1910.00177), with the softmax of logits for discrete actions, and a normal distribution of variance
1 round its mean for continuous ones. A task with a reward but no goal is turned into one: the state
of the data with the highest reward, our choice.

Left out: pictures, and actors that follow the gradient of a value, as OGBench has them for
continuous actions.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.data.tensor_dataset import TensorDataset
from zerogym.agents.zero_shot.methods.goal_conditioned.goals import (
    ACTOR_GOALS,
    VALUE_GOALS,
    Mixture,
    draw_goals,
)
from zerogym.agents.zero_shot.methods.neural import Facts, Metrics, NeuralAgent
from zerogym.agents.zero_shot.protocol import check_prompt, goal_and_reward

MOST_WEIGHT = 100.0  # of a step in the actor's loss


def mlp(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Return two hidden layers with layer norms and GELU."""
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.LayerNorm(hidden), nn.GELU(),
        nn.Linear(hidden, hidden), nn.LayerNorm(hidden), nn.GELU(),
        nn.Linear(hidden, outputs),
    )  # fmt: skip


class Steps(NamedTuple):
    """n transitions with goals.

    Attributes:
        states: (n, k) before.
        actions: (n, m), one-hot if discrete.
        following: (n, k) after.
        goes_on: (n,) 0 where the step ended its episode.
        value_goals: (n, k) for the value.
        actor_goals: (n, k) for the actor.
        rows: (n,) places of the transitions in the data.
        waypoints: (n, k) states on the way to the actor's goals, for agents that learn to choose
            them; else None.
    """

    states: Tensor
    actions: Tensor
    following: Tensor
    goes_on: Tensor
    value_goals: Tensor
    actor_goals: Tensor
    rows: Tensor
    waypoints: Tensor | None = None


class GoalConditioned(NeuralAgent):
    """A goal-conditioned agent; a `ZeroShotAgent` whose prompts are goals (k,).

    Attributes:
        value_goals: The goals on which the value learns.
        targets: Names of networks of which a slow copy is kept.
    """

    form = "zerogym goal-conditioned agent 1"
    prefix = ""
    value_goals: ClassVar[Mixture] = VALUE_GOALS
    targets: ClassVar[tuple[str, ...]] = ()

    def build(self) -> None:
        """Make the actor, the other networks, their slow copies, and the scale of states."""
        shown, size = self.samples.observations, self.observation
        scale = shown.std(axis=0)
        self._middle = torch.as_tensor(shown.mean(axis=0), dtype=torch.float32)
        self._scale = torch.as_tensor(np.where(scale < 1e-6, 1.0, scale), dtype=torch.float32)
        self.nets = nn.ModuleDict({"actor": mlp(2 * size, self.settings.hidden, self.actions)})
        self.nets.update(self.networks(size))
        self.slow = nn.ModuleDict({name: self.slow_copy(self.nets[name]) for name in self.targets})

    @abstractmethod
    def networks(self, size: int) -> Mapping[str, nn.Module]:
        """Make the networks beside the actor, for states of this size."""

    @abstractmethod
    def value_loss(self, steps: Steps) -> Tensor:
        """Return the loss of the value, a number."""

    @abstractmethod
    def advantage(self, steps: Steps) -> Tensor:
        """Return the advantage (n,) of each step towards its actor's goal."""

    def log_prob(self, states: Tensor, actions: Tensor, goals: Tensor) -> Tensor:
        """Return log pi(a | s, g) (n,), up to a constant for continuous actions."""
        out = self.nets["actor"](torch.cat([states, goals], -1))  # (n, m)
        if self.discrete:
            return (out.log_softmax(-1) * actions).sum(-1)
        return -(out - actions).square().sum(-1) / 2

    def loss(self, data: TensorDataset) -> tuple[Tensor, Metrics]:
        """Return the loss on new transitions and goals, and metrics."""
        return self.losses(self.draw(data))

    def losses(self, steps: Steps) -> tuple[Tensor, Metrics]:
        """Return the sum of both losses, and the metrics."""
        value = self.value_loss(steps)
        with torch.no_grad():
            advantage = self.advantage(steps)  # (n,)
            weight = (self.settings.alpha * advantage).exp().clamp(max=MOST_WEIGHT)
        actor = -(weight * self.log_prob(steps.states, steps.actions, steps.actor_goals)).mean()
        name = self.settings.title()
        metrics = {"value_loss": value, "actor_loss": actor, "advantage": advantage.mean()}
        return value + actor, {f"{name}/{key}": found.detach() for key, found in metrics.items()}

    def generator(self, *parts: int) -> torch.Generator:
        """Return the random numbers of the next update, or of a part of it.

        They depend on the seed and on the number of the update only.
        """
        sequence = np.random.SeedSequence([self.seed, self.updates, *parts])
        mixed = sequence.generate_state(1, np.uint64)
        return torch.Generator().manual_seed(int(mixed[0] >> 1))

    def draw(self, data: TensorDataset) -> Steps:
        """Draw the transitions and goals of the next update."""
        generator = self.generator()
        columns, settings = data.transitions, self.settings
        rows = torch.randint(len(columns.row), (settings.batch_size,), generator=generator)
        actions = columns.actions[rows]
        if self.discrete:
            actions = nn.functional.one_hot(actions, self.actions)
        return Steps(
            columns.features[rows],
            actions.float(),
            columns.next_features[rows],
            columns.goes_on[rows],
            draw_goals(data, rows, self.value_goals, settings.gamma, generator),
            draw_goals(data, rows, ACTOR_GOALS, settings.gamma, generator),
            rows,
        )

    def infer(self, task: Any, samples: Dataset | None = None) -> NDArray[np.float32]:
        """Return the goal of a task, or of a reward the state of the data that has most of it.

        Raises:
            TypeError: If `task` is something else.
            ValueError: If the goal or the rewards are misshapen, or the reward is constant.
        """
        goal, reward = goal_and_reward(task)
        if reward is not None:
            known, labels = self.rewards_of(reward, samples)
            if labels.min() == labels.max():
                raise ValueError(f"the reward is {labels[0]:g} everywhere in the data: no task")
            goal = known.next_observations[int(labels.argmax())]
        point: NDArray[np.float32] = self.rows_of([goal], "a goal")[0].numpy()
        return point

    @torch.no_grad()
    def predict(
        self, observations: ArrayLike, prompt: Any, state: Any = None, episode_start: Any = None
    ) -> tuple[NDArray[Any], Any]:
        """Return the most likely actions, (B,) or (B, m), for observations (B, k)."""
        check_prompt(prompt, np.ndarray)
        rows = self.encode(self.rows_of(observations))
        goals = self.encode(self.rows_of([prompt], "a goal")).expand_as(rows)
        out = self.nets["actor"](torch.cat([rows, self.heading(rows, goals)], -1))
        return (out.argmax(-1) if self.discrete else out.clamp(-1, 1)).numpy(), state

    def heading(self, states: Tensor, goals: Tensor) -> Tensor:
        """Return the part of the actor's input beside the state (n, k); the goal (n, k) itself."""
        return goals

    def position(self) -> tuple[dict[str, Tensor], Facts]:
        """Return the seed and the number of updates: each update has its own random numbers."""
        return {}, {"discrete": self.discrete, "seed": self.seed, "updates": self.updates}

    def move_to(self, tensors: dict[str, Tensor], facts: Mapping[str, Any]) -> None:
        """Set the number of updates."""
        self.updates = int(facts["updates"])

    def encode(self, observations: Tensor) -> Tensor:
        """Return observations (n, k) with mean 0 and deviation 1 over the samples."""
        return (observations - self._middle) / self._scale
