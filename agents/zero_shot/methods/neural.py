"""The base of agents of networks: weights, Adam, slow copies, checks of data and worlds, files.

A family of agents defines how a batch is drawn; each of its papers the networks and the losses.
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
from zerogym.agents.zero_shot.data.tensor_dataset import TensorDataset, to_tensors
from zerogym.agents.zero_shot.methods.model_files import SavedModel, read_model, write_model
from zerogym.envs.control.core.tasks import Task

STATE = ("exp_avg", "exp_avg_sq", "step")  # of Adam, for each parameter

Metrics = dict[str, Tensor]
Facts = dict[str, int]


class NeuralAgent(nn.Module, ABC):
    """An agent that learns by gradients.

    Args:
        settings: Of the table; has `lr`, and `tau` where there are slow copies.
        samples: Transitions on which rewards are evaluated.
        actions: Number of discrete actions, or of coordinates of a continuous one.
        seed: Of the weights and the batches.
        discrete: Which of the two.

    Attributes:
        form: Name and version of the files.
        prefix: Of the names of weights in them.
    """

    recurrent = False
    form: ClassVar[str]
    prefix: ClassVar[str]

    def __init__(
        self, settings: Any, samples: Dataset, actions: int, seed: int, discrete: bool = True
    ) -> None:
        super().__init__()
        self.settings, self.samples, self.seed = settings, samples, seed
        self.actions, self.discrete, self.updates = actions, discrete, 0
        self.observation = samples.observations.shape[1]  # k
        self.pairs: list[tuple[nn.Module, nn.Module]] = []  # slow copies with their networks
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.build()
        self.learnt = [each for each in self.parameters() if each.requires_grad]
        self.adam = torch.optim.Adam(self.learnt, settings.lr, fused=True)

    @classmethod
    def start(cls, settings: Any, start: Start) -> Self:
        """Return a new agent.

        Raises:
            ValueError: If observations are no vectors.
        """
        if start.dataset.observations.ndim != 2:
            raise ValueError(f"agent {settings.title()} needs vectors as observations")
        return cls(settings, start.dataset, start.actions, start.seed, start.discrete)

    @abstractmethod
    def build(self) -> None:
        """Make the networks."""

    @abstractmethod
    def loss(self, data: TensorDataset) -> tuple[Tensor, Metrics]:
        """Draw the batch of the next update; return the loss of all networks on it, and metrics."""

    def slow_copy(self, net: nn.Module) -> nn.Module:
        """Return a copy that each update moves a part `tau` of the way to its network."""
        slow = copy.deepcopy(net).requires_grad_(False)
        self.pairs.append((slow, net))
        return slow

    # Learning.

    def learn(self, dataset: Dataset, updates: int) -> Mapping[str, Tensor]:
        """Take gradient steps; see `ZeroShotAgent.learn`."""
        data, metrics = self.tensors(dataset), Metrics()
        slow: list[Tensor] = [each for copied, _ in self.pairs for each in copied.parameters()]
        followed: list[Tensor] = [each for _, net in self.pairs for each in net.parameters()]
        for _ in range(updates):
            loss, metrics = self.loss(data)
            self.adam.zero_grad()
            loss.backward()
            self.adam.step()
            if slow:
                with torch.no_grad():  # one operation for all copies
                    torch._foreach_lerp_(slow, followed, self.settings.tau)
            self.updates += 1
        return metrics

    def tensors(self, dataset: Dataset) -> TensorDataset:
        """Return the data as tensors, encoded.

        Raises:
            ValueError: If they are of another environment.
        """
        shapes = dataset.observations.shape[1:], dataset.actions.shape[1:]
        if shapes != ((self.observation,), () if self.discrete else (self.actions,)):
            raise ValueError(
                f"data of another environment: {self._sizes()}; the data have observations "
                f"{shapes[0]} and actions {shapes[1]}"
            )
        if self.discrete and not 0 <= dataset.actions.min() <= dataset.actions.max() < self.actions:
            raise ValueError(
                f"data of another environment: {self._sizes()}; the data have actions "
                f"{dataset.actions.min()} to {dataset.actions.max()}"
            )
        return to_tensors(dataset, self.encode, exact=False)

    def encode(self, observations: Tensor) -> Tensor:
        """Return what networks see of observations (n, k); the observations themselves."""
        return observations

    # Acting.

    def rows_of(self, observations: ArrayLike, what: str = "observations") -> Tensor:
        """Return observations (B, k) as a tensor; ValueError if they are none."""
        rows = np.asarray(observations, dtype=np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.observation or not np.isfinite(rows).all():
            raise ValueError(
                f"{what} must be finite numbers (B, {self.observation}), got shape {rows.shape}"
            )
        return torch.as_tensor(rows)

    def rewards_of(
        self, reward: Any, samples: Dataset | None
    ) -> tuple[Dataset, NDArray[np.float64]]:
        """Return the samples of an inference and their rewards (N,).

        Raises:
            ValueError: If the reward is misshapen or not finite.
        """
        given = self.samples if samples is None else samples
        named = Task(getattr(reward, "__name__", "reward"), "", reward)
        return given, np.asarray(given.rewards(named), dtype=np.float64)

    def check_env(self, env: gym.Env[Any, Any]) -> None:
        """Refuse an environment of other observations or actions."""
        space = env.action_space
        actions = getattr(space, "n", None) if self.discrete else (space.shape or (None,))[0]
        if (env.observation_space.shape, actions) != ((self.observation,), self.actions):
            raise ValueError(f"{self._sizes()}; {env} has {env.observation_space} and {space}")

    def _sizes(self) -> str:
        actions = "discrete actions" if self.discrete else "coordinates of an action"
        return (
            f"the model is for observations of {self.observation} numbers and {self.actions} "
            f"{actions}"
        )

    # Files.

    def save(self, path: Path | str) -> None:
        """Write a model directory with the state of the learner; the settings last."""
        tensors, facts = self.position()
        for name, value in self.state_dict().items():
            tensors[f"{self.prefix}{name}"] = value
        for number, parameter in enumerate(self.learnt):
            for name, value in self.adam.state.get(parameter, {}).items():
                tensors[f"adam.{number}.{name}"] = value
        facts = {"actions": self.actions, **facts}
        write_model(path, self.form, self.settings, self.samples, tensors, **facts)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read what `save` wrote; training continues exactly.

        Raises:
            NotAModel: If the directory is none, or damaged.
        """
        return read_model(path, cls.form, cls._of)

    @classmethod
    def _of(cls, saved: SavedModel) -> Self:
        if cls is not saved.settings.model_class():
            raise ValueError(f"it is of the agent {saved.settings.title()}")
        facts, own = saved.facts, cls.prefix
        shape = facts["actions"], facts.get("seed", 0), facts.get("discrete", True)
        model = cls(saved.settings, saved.samples, *shape)
        tensors = dict(saved.tensors)
        for number, parameter in enumerate(model.learnt):
            state = {name: tensors.pop(f"adam.{number}.{name}", None) for name in STATE}
            if state["step"] is not None:  # else it has had no gradient yet
                model.adam.state[parameter] = state
        model.move_to(tensors, facts)
        model.load_state_dict({n.removeprefix(own): value for n, value in tensors.items()})
        return model

    @abstractmethod
    def position(self) -> tuple[dict[str, Tensor], Facts]:
        """Return tensors and numbers that say where the learner stands, beside its weights."""

    @abstractmethod
    def move_to(self, tensors: dict[str, Tensor], facts: Mapping[str, Any]) -> None:
        """Go where `position` said, and remove its tensors from those of a file."""
