"""The skeleton of goal-conditioned agents: networks, an actor by weighted regression, the loop.

An agent defines the loss of its value and the advantage of a step towards a goal. The actor
maximises E[min(exp(alpha A), 100) log pi(a | s, g)] ("Advantage-Weighted Regression", 2019, arXiv
1910.00177), with the softmax of logits for discrete actions, and a normal distribution of variance
1 round its mean for continuous ones. A task with a reward but no goal is turned into one: the state
of the data with the highest reward, our choice.

Left out: pictures, and actors that follow the gradient of a value, as OGBench has them for
continuous actions.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import GoalConditionedSettings, Start
from zerogym.agents.zero_shot.data.tensor_dataset import TensorDataset, to_tensors
from zerogym.agents.zero_shot.methods.goal_conditioned.goals import (
    ACTOR_GOALS,
    VALUE_GOALS,
    Mixture,
    draw_goals,
)
from zerogym.agents.zero_shot.methods.model_files import SavedModel, read_model, write_model
from zerogym.agents.zero_shot.protocol import goal_and_reward
from zerogym.envs.control.core.tasks import Task

FORMAT = "zerogym goal-conditioned agent 1"
MOST_WEIGHT = 100.0  # of a step in the actor's loss


def mlp(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Return two hidden layers with layer norms and GELU."""
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.LayerNorm(hidden), nn.GELU(),
        nn.Linear(hidden, hidden), nn.LayerNorm(hidden), nn.GELU(),
        nn.Linear(hidden, outputs),
    )  # fmt: skip


def expectile_loss(difference: Tensor, expectile: float) -> Tensor:
    """Return |tau - 1(u < 0)| u^2 of each difference u."""
    weight = torch.where(difference < 0, 1 - expectile, expectile)
    return weight * difference.square()


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


class GoalConditioned(ABC):
    """A goal-conditioned agent; a `ZeroShotAgent` whose prompts are encoded goals (k,).

    Attributes:
        value_goals: The goals on which the value learns.
        targets: Names of networks of which a slow copy is kept, as `target_<name>`.
    """

    recurrent = False
    value_goals: ClassVar[Mixture] = VALUE_GOALS
    targets: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        settings: GoalConditionedSettings,
        samples: Dataset,
        actions: int,
        discrete: bool,
        seed: int,
    ) -> None:
        self.settings, self.samples, self.seed = settings, samples, seed
        self.actions, self.discrete, self.updates = actions, discrete, 0
        shown = samples.observations
        if shown.ndim != 2:
            raise ValueError(f"agent {settings.title()} needs vectors as observations")
        scale = shown.std(axis=0)
        self._middle = torch.as_tensor(shown.mean(axis=0), dtype=torch.float32)
        self._scale = torch.as_tensor(np.where(scale < 1e-6, 1.0, scale), dtype=torch.float32)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            size, hidden = shown.shape[1], settings.hidden
            self.nets = nn.ModuleDict({"actor": mlp(2 * size, hidden, actions)})
            self.nets.update(self.networks(size))
        self.slow = nn.ModuleDict({name: copy.deepcopy(self.nets[name]) for name in self.targets})
        self.slow.requires_grad_(False)
        self._adam = torch.optim.Adam(self.nets.parameters(), lr=settings.rate)
        self._data: tuple[Dataset, TensorDataset] | None = None

    @classmethod
    def start(cls, settings: GoalConditionedSettings, start: Start) -> Self:
        """Return a new agent."""
        return cls(settings, start.dataset, start.actions, start.discrete, start.seed)

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

    def losses(self, steps: Steps) -> tuple[Tensor, dict[str, float]]:
        """Return the sum of both losses, and the metrics."""
        value = self.value_loss(steps)
        with torch.no_grad():
            advantage = self.advantage(steps)  # (n,)
            weight = (self.settings.alpha * advantage).exp().clamp(max=MOST_WEIGHT)
        actor = -(weight * self.log_prob(steps.states, steps.actions, steps.actor_goals)).mean()
        name = self.settings.title()
        metrics = {"value_loss": value, "actor_loss": actor, "advantage": advantage.mean()}
        return value + actor, {f"{name}/{key}": found.item() for key, found in metrics.items()}

    def learn(self, dataset: Dataset, updates: int) -> Mapping[str, Any]:
        """Take `updates` steps; return the metrics of the last.

        The draws of an update depend on the seed and on its number only.

        Raises:
            ValueError: If the data are of another shape.
        """
        given, own = dataset.observations.shape[1:], self.samples.observations.shape[1:]
        if given != own:
            raise ValueError(f"data of another environment: observations {given}, not {own}")
        if self._data is None or self._data[0] is not dataset:
            self._data = (dataset, to_tensors(dataset, self._encode, exact=False))
        metrics: dict[str, float] = {}
        for _ in range(updates):
            loss, metrics = self.losses(self.draw(self._data[1]))
            self._adam.zero_grad(set_to_none=True)
            loss.backward()
            self._adam.step()
            with torch.no_grad():
                for name, slow in self.slow.items():
                    for old, new in zip(
                        slow.parameters(), self.nets[name].parameters(), strict=True
                    ):
                        old.lerp_(new, self.settings.tau)
            self.updates += 1
        return metrics

    def generator(self, *parts: int) -> torch.Generator:
        """Return the random numbers of the next update, or of a part of it."""
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
            known = samples or self.samples
            named = Task(getattr(reward, "__name__", "reward"), "", reward)
            labels = np.asarray(known.rewards(named), dtype=np.float64)
            if labels.shape != (len(known),) or not np.isfinite(labels).all():
                raise ValueError("a reward must be a finite number for each transition")
            if labels.min() == labels.max():
                raise ValueError(f"the reward is {labels[0]:g} everywhere in the data: no task")
            goal = known.next_observations[int(labels.argmax())]
        point = np.asarray(goal, dtype=np.float32)
        if point.shape != self.samples.observations.shape[1:] or not np.isfinite(point).all():
            raise ValueError(
                f"a goal is an observation {self.samples.observations.shape[1:]}, got {point.shape}"
            )
        return point

    @torch.no_grad()
    def predict(
        self, observations: ArrayLike, prompt: Any, state: Any = None, episode_start: Any = None
    ) -> tuple[NDArray[Any], Any]:
        """Return the most likely actions, (B,) or (B, m), for observations (B, k)."""
        given, size = np.asarray(observations, dtype=np.float32), len(self._middle)
        if given.ndim != 2 or given.shape[1] != size:
            raise ValueError(f"observations must be (B, {size}), got {given.shape}")
        rows = self._encode(torch.as_tensor(given))
        goals = self._encode(torch.as_tensor(np.asarray(prompt, dtype=np.float32))).expand_as(rows)
        out = self.nets["actor"](torch.cat([rows, self.heading(rows, goals)], -1))
        return (out.argmax(-1) if self.discrete else out.clamp(-1, 1)).numpy(), state

    def heading(self, states: Tensor, goals: Tensor) -> Tensor:
        """Return the part of the actor's input beside the state (n, k); the goal (n, k) itself."""
        return goals

    def check_env(self, env: gym.Env[Any, Any]) -> None:
        """Refuse an environment of other observations or actions."""
        space = env.action_space
        actions = getattr(space, "n", None) if self.discrete else (space.shape or (None,))[0]
        shape = self.samples.observations.shape[1:]
        if (env.observation_space.shape, actions) != (shape, self.actions):
            raise ValueError(
                f"the model is for observations {shape} and {self.actions} actions; {env} has "
                f"{env.observation_space} and {space}"
            )

    def save(self, path: Path | str) -> None:
        """Write a model directory; the settings last."""
        tensors = {f"nets.{name}": value for name, value in self.nets.state_dict().items()}
        tensors |= {f"slow.{name}": value for name, value in self.slow.state_dict().items()}
        for row, moments in self._adam.state_dict()["state"].items():
            tensors |= {f"adam.{row}.{key}": value for key, value in moments.items()}
        write_model(
            path, FORMAT, self.settings, self.samples, tensors, actions=self.actions,
            discrete=self.discrete, seed=self.seed, updates=self.updates,
        )  # fmt: skip

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read what `save` wrote.

        Raises:
            NotAModel: If the directory is none, or damaged.
        """
        return read_model(path, FORMAT, cls._of)

    @classmethod
    def _of(cls, saved: SavedModel) -> Self:
        facts = saved.facts
        sizes = facts["actions"], facts["discrete"], facts["seed"]
        model = cls(saved.settings, saved.samples, *sizes)
        model._load_tensors(saved.tensors)
        model.updates = int(facts["updates"])
        return model

    def _load_tensors(self, tensors: Mapping[str, Tensor]) -> None:
        parts: dict[str, dict[str, Tensor]] = {"nets": {}, "slow": {}, "adam": {}}
        for name, value in tensors.items():
            kind, _, rest = name.partition(".")
            parts[kind][rest] = value
        self.nets.load_state_dict(parts["nets"])
        self.slow.load_state_dict(parts["slow"])
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in parts["adam"].items():
            row, _, key = name.partition(".")
            state.setdefault(int(row), {})[key] = value
        groups = self._adam.state_dict()["param_groups"]
        self._adam.load_state_dict({"state": state, "param_groups": groups})

    def _encode(self, observations: Tensor) -> Tensor:
        return (observations - self._middle) / self._scale
