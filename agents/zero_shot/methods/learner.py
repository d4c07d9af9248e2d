"""The base of agents for discrete actions whose randomness is one stream, saved with the model.

A subclass defines its networks and `losses`; all else is the same, so that the difference of two
files is the difference of two papers. Left out: continuous actions.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import Start
from zerogym.agents.zero_shot.data.tensor_dataset import Batch, TensorDataset
from zerogym.agents.zero_shot.methods.neural import Facts, Metrics, NeuralAgent


class Learner(NeuralAgent):
    """An agent of networks for discrete actions.

    Attributes:
        kept: Most transitions that are kept for inference.
    """

    form = "zerogym zero-shot agent 1"
    prefix = "net."
    kept: ClassVar[int] = 10_000

    def __init__(
        self, settings: Any, samples: Dataset, actions: int, seed: int, discrete: bool = True
    ) -> None:
        super().__init__(settings, samples, actions, seed, discrete)
        self.generator = torch.Generator().manual_seed(seed)

    @classmethod
    def start(cls, settings: Any, start: Start) -> Self:
        """Return a new agent.

        Raises:
            ValueError: If actions are continuous or observations are no vectors.
        """
        if not start.discrete:
            raise ValueError(f"agent {settings.title()} needs discrete actions")
        return super().start(
            settings, start._replace(dataset=start.dataset.take(cls.kept, start.seed))
        )

    @abstractmethod
    def losses(self, data: TensorDataset, batch: Batch) -> tuple[Tensor, Metrics]:
        """Return the loss of all networks on a batch, and metrics."""

    def loss(self, data: TensorDataset) -> tuple[Tensor, Metrics]:
        """Return the loss on transitions of which all are equally likely, and metrics."""
        rows = self.integers(len(data.transitions.row), self.settings.batch_size)
        return self.losses(data, Batch(*(column[rows] for column in data.transitions)))

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

    def labels_of(self, reward: Any, samples: Dataset | None) -> tuple[Dataset, Tensor]:
        """Return the samples of an inference and their rewards (N,).

        Raises:
            ValueError: If the reward is misshapen, not finite, or zero everywhere.
        """
        given, rewards = self.rewards_of(reward, samples)
        labels = torch.as_tensor(rewards, dtype=torch.float32)
        if not labels.any():
            raise ValueError("the reward is zero on every sample, so it defines no task")
        return given, labels

    def position(self) -> tuple[dict[str, Tensor], Facts]:
        """Return the state of the stream and the number of updates, as tensors."""
        return {"generator": self.generator.get_state(), "updates": torch.tensor(self.updates)}, {}

    def move_to(self, tensors: dict[str, Tensor], facts: Mapping[str, Any]) -> None:
        """Set both."""
        self.generator.set_state(tensors.pop("generator"))
        self.updates = int(tensors.pop("updates"))


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
