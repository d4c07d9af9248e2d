"""The base of neural agents of the table: batches, Adam, slow copies, files.

A subclass defines its networks and `losses`; `learn`, `save` and `load` are the same for all, so
that the difference of two files is the difference of two papers. Left out: continuous actions.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import Start
from zerogym.agents.zero_shot.data.tensor_dataset import Batch, TensorDataset, to_tensors
from zerogym.agents.zero_shot.methods.model_files import SavedModel, read_model, write_model
from zerogym.envs.control.core.tasks import Task

FORMAT = "zerogym zero-shot agent 1"
SAMPLES = 10_000  # transitions kept for the inference from rewards
STATE = ("exp_avg", "exp_avg_sq", "step")  # of Adam, for each parameter

Metrics = dict[str, Tensor]


class Learner(nn.Module, ABC):
    """An agent of networks for discrete actions.

    Args:
        settings: Of the table; has `lr`, `tau` and `batch_size`.
        samples: Transitions of the training data, on which rewards are evaluated.
        actions: A.
        seed: Of the weights and the batches.
    """

    recurrent = False
    slow: ClassVar[Mapping[str, str]] = {}  # names of networks: those of their slow copies

    def __init__(self, settings: Any, samples: Dataset, actions: int, seed: int) -> None:
        super().__init__()
        self.settings, self.samples, self.actions = settings, samples, actions
        self.observation = samples.observations.shape[1]  # k
        self.updates = 0
        self.generator = torch.Generator().manual_seed(seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.build()
        for name, net in self.slow.items():
            self.add_module(name, copy.deepcopy(getattr(self, net)).requires_grad_(False))
        self.learnt = [each for each in self.parameters() if each.requires_grad]
        self.adam = torch.optim.Adam(self.learnt, settings.lr)

    @classmethod
    def start(cls, settings: Any, start: Start) -> Self:
        """Return a new agent.

        Raises:
            ValueError: If actions are continuous or observations are no vectors.
        """
        name = settings.title()
        if not start.discrete:
            raise ValueError(f"agent {name} needs discrete actions")
        if start.dataset.observations.ndim != 2:
            raise ValueError(f"agent {name} needs vectors as observations")
        return cls(settings, start.dataset.take(SAMPLES, start.seed), start.actions, start.seed)

    @abstractmethod
    def build(self) -> None:
        """Make the networks."""

    @abstractmethod
    def losses(self, data: TensorDataset, batch: Batch) -> tuple[Tensor, Metrics]:
        """Return the loss of all networks on a batch, and metrics."""

    # Learning.

    def learn(self, dataset: Dataset, updates: int) -> Mapping[str, Tensor]:
        """Take gradient steps; see `ZeroShotAgent.learn`."""
        shape = dataset.observations.shape
        if shape[1:] != (self.observation,) or dataset.actions.ndim != 1:
            raise ValueError(
                f"the model is for observations of {self.observation} numbers and discrete "
                f"actions; the data have {shape[1:]} and {dataset.actions.shape[1:]}"
            )
        data, metrics = to_tensors(dataset, nn.Identity(), exact=False), Metrics()
        for _ in range(updates):
            rows = self.integers(len(dataset), self.settings.batch_size)
            batch = Batch(*(column[rows] for column in data.transitions))
            loss, metrics = self.losses(data, batch)
            self.adam.zero_grad()
            loss.backward()
            self.adam.step()
            with torch.no_grad():
                for slow, net in self.slow.items():
                    pairs = zip(
                        getattr(self, slow).parameters(),
                        getattr(self, net).parameters(),
                        strict=True,
                    )
                    for mine, its in pairs:
                        mine.lerp_(its, self.settings.tau)
            self.updates += 1
        return metrics

    def integers(self, high: int, *shape: int) -> Tensor:
        """Draw whole numbers below `high`."""
        return torch.randint(high, shape, generator=self.generator)

    def normal(self, *shape: int) -> Tensor:
        """Draw standard normal numbers."""
        return torch.randn(shape, generator=self.generator)

    def uniform(self, *shape: int) -> Tensor:
        """Draw numbers in [0, 1)."""
        return torch.rand(shape, generator=self.generator)

    def later(self, data: TensorDataset, batch: Batch, gamma: float) -> Tensor:
        """Return states a geometric number of steps later in the same episodes, (n, k)."""
        ahead = torch.empty(len(batch.row)).geometric_(1 - gamma, generator=self.generator).long()
        rows = torch.minimum(batch.row + ahead - 1, batch.last)
        return data.transitions.next_features[rows]

    # Acting.

    def rows_of(self, observations: ArrayLike, what: str = "observations") -> Tensor:
        """Return observations (B, k) as a tensor; ValueError if they are none."""
        rows = np.asarray(observations, dtype=np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.observation or not np.isfinite(rows).all():
            raise ValueError(
                f"{what} must be finite numbers (B, {self.observation}), got shape {rows.shape}"
            )
        return torch.as_tensor(rows)

    def labels_of(self, reward: Any, samples: Dataset | None) -> tuple[Dataset, Tensor]:
        """Return the samples of an inference and their rewards (N,).

        Raises:
            ValueError: If the reward is misshapen, not finite, or zero everywhere.
        """
        given = self.samples if samples is None else samples
        named = Task(getattr(reward, "__name__", "reward"), "", reward)
        labels = torch.as_tensor(np.asarray(given.rewards(named)), dtype=torch.float32)
        if not labels.any():
            raise ValueError("the reward is zero on every sample, so it defines no task")
        return given, labels

    def check_env(self, env: gym.Env[Any, Any]) -> None:
        """Refuse an environment of other observations or actions."""
        found = env.observation_space.shape, getattr(env.action_space, "n", None)
        if found != ((self.observation,), self.actions):
            raise ValueError(
                f"the model is for observations of {self.observation} numbers and {self.actions} "
                f"discrete actions; {env} has {env.observation_space} and {env.action_space}"
            )

    # Files.

    def save(self, path: Path | str) -> None:
        """Write a model directory with the state of the learner; the settings last."""
        tensors = {f"net.{name}": value for name, value in self.state_dict().items()}
        tensors["generator"] = self.generator.get_state()
        tensors["updates"] = torch.tensor(self.updates)
        for number, parameter in enumerate(self.learnt):
            for name, value in self.adam.state.get(parameter, {}).items():
                tensors[f"adam.{number}.{name}"] = value
        write_model(path, FORMAT, self.settings, self.samples, tensors, actions=self.actions)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read what `save` wrote; training continues exactly.

        Raises:
            NotAModel: If the directory is none, or damaged.
        """
        return read_model(path, FORMAT, cls._of)

    @classmethod
    def _of(cls, saved: SavedModel) -> Self:
        model = cls(saved.settings, saved.samples, saved.facts["actions"], 0)
        tensors = saved.tensors
        weights = {n[4:]: value for n, value in tensors.items() if n.startswith("net.")}
        model.load_state_dict(weights)
        model.updates = int(tensors["updates"])
        model.generator.set_state(tensors["generator"])
        for number, parameter in enumerate(model.learnt if model.updates else ()):
            state = {name: tensors.get(f"adam.{number}.{name}") for name in STATE}
            if state["step"] is not None:  # else it has had no gradient yet
                model.adam.state[parameter] = state
        return model


def mlp(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Return a network of two hidden layers."""
    return nn.Sequential(
        nn.Linear(inputs, hidden),
        nn.LayerNorm(hidden),
        nn.Tanh(),
        nn.Linear(hidden, hidden),
        nn.ReLU(),
        nn.Linear(hidden, outputs),
    )


def expectile_loss(advantage: Tensor, error: Tensor, expectile: float) -> Tensor:
    """Return the mean of |expectile - 1(advantage < 0)| error^2, (n,) to ()."""
    weight = torch.where(advantage >= 0, expectile, 1 - expectile)
    return (weight * error.square()).mean()


def chosen(values: Tensor, index: Tensor) -> Tensor:
    """Return the entries of dimension 1 at an index (n,); (n, A, ...) to (n, ...)."""
    return values[torch.arange(len(index)), index]


def as_actions(scores: Tensor) -> NDArray[Any]:
    """Return the best action of each row; (B, A) to (B,)."""
    found: NDArray[Any] = scores.argmax(-1).numpy()
    return found
