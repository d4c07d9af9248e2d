"""The base of the discrete and the continuous agent: data, z, the update, optimisers, state.

A model (`model.py`) is what evaluation needs; an agent owns one, its target networks, the
optimisers and the random generator, and improves the model by `update(data)`. A representation
(`representations.py`) defines F and B: forward-backward, or successor features.
"""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, Self

import torch
from torch import Tensor, nn

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.algorithms.computing import (
    Draws,
    Replayed,
    compiled,
    find_device,
    products,
)
from zerogym.agents.zero_shot.algorithms.optimisers import Optimisers, below, follow, tau_scale
from zerogym.agents.zero_shot.algorithms.task_sampling import draw_tasks, z_of
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.data.histories import with_actions, with_histories
from zerogym.agents.zero_shot.data.tensor_dataset import Batch, TensorDataset, to_tensors
from zerogym.agents.zero_shot.features import Sizes, made
from zerogym.agents.zero_shot.models.architecture import Shape
from zerogym.agents.zero_shot.models.compatibility import check_data
from zerogym.agents.zero_shot.models.encoders import encoding_of
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.representations.conservative import Alpha, penalty_of
from zerogym.agents.zero_shot.representations.fb_losses import (
    Contrast,
    Metrics,
    batch_contrast,
    exact_contrast,
)
from zerogym.agents.zero_shot.representations.representations import (
    FeatureLoss,
    Measure,
    Representation,
    Step,
    SuccessorFeatures,
)

CRITIC = ("forward", "backward", "features", "alpha")  # trained by one loss
TARGETS = {"target_f": "model.forward_net", "target_b": "model.backward_net"}  # slow: quick


class FBAgent(ABC):
    """An agent of forward-backward kind or of successor features.

    Args:
        config: Settings.
        model: The networks to train.
        seed: Of batches, z and noise.
    """

    discrete: ClassVar[bool]
    target_forward: nn.Module

    def __init__(self, config: FBConfig, model: FBModel, seed: int = 0) -> None:
        self.config, self.device = config, find_device(config)
        self.model = model.to(self.device)
        self.target_forward = copy.deepcopy(model.forward_net).requires_grad_(False)
        self.target_backward = copy.deepcopy(model.backward_net).requires_grad_(False)
        self.negatives = batch_contrast(config.batch_size, self.device)
        self.generator = torch.Generator(self.device).manual_seed(seed)
        self.updates = 0
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.representation = self.make_representation().to(self.device)
        self.alpha = Alpha(config.alpha, config.penalty_target).to(self.device)
        trained = {name: (net.parameters(), rate) for name, (net, rate) in self.trained().items()}
        self.optimisers = Optimisers(trained, config)
        self.tau = torch.tensor(config.tau, device=self.device)  # a CUDA graph reads it from here
        self.losses: dict[str, Callable[..., tuple[Tensor, Metrics]]] = {
            "critic": compiled(self.critic_loss, config),
            "actor": compiled(self.actor_loss, config),
        }
        self._applied = Replayed(self.apply) if config.cuda_graph else self.apply

    @classmethod
    def create(cls, config: FBConfig, dataset: Dataset, actions: int) -> Self:
        """Return a fresh agent; `actions` is the number of actions or of their coordinates."""
        shape = cls.shape_for(config, dataset, actions)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            model = FBModel(shape, dataset.take(config.samples, config.seed))
        return cls(config, model, config.seed)

    @classmethod
    def shape_for(cls, config: FBConfig, dataset: Dataset, actions: int) -> Shape:
        """Return the sizes of the networks."""
        encoding = encoding_of(config, dataset)
        size = math.prod(dataset.observations.shape[1:])
        # Phi that is the observation itself has its dimensions.
        dim = (config.anchors or size) if config.features == "identity" else config.dim
        nets = (dim, config.hidden, config.heads, config.anchors, config.phi.title(), config.net)
        wide = config.hidden_backward if config.net == "wide" else 0
        noisy = config.flow_bc > 0 and not cls.discrete
        return Shape(size, actions, cls.discrete, *nets, wide, noisy, encoding, config.standardise)

    def make_representation(self) -> Representation:
        """Return what defines F and B: a measure, or successor features."""
        shape, phi = self.model.shape, self.config.phi
        if self.config.features == "fb":
            return Measure()
        sizes = Sizes(self.model.inputs, shape.dim, shape.actions, shape.hidden, shape.discrete)
        return SuccessorFeatures(made(phi, sizes, FeatureLoss))

    def draw(self, rows: int) -> Draws:
        """Draw all random numbers of an update on data of `rows` rows, in a fixed order."""
        n = self.config.batch_size
        goals = round(n * self.config.goal_share)
        drawn = {
            "rows": self._index(rows, n),
            "z": self.normal(n, self.model.shape.dim),
            "goals": self._index(rows, goals),
        }
        if self.representation.looks_ahead:
            steps = torch.empty(n, device=self.device)
            steps.geometric_(1 - self.config.gamma, generator=self.generator)
            drawn["ahead"] = steps.long()
        drawn |= draw_tasks(self.config, self.model.inputs, self.generator)
        return drawn | self.draw_noise()

    def _index(self, rows: int, count: int) -> Tensor:
        return torch.randint(rows, (count,), generator=self.generator, device=self.device)

    def normal(self, *shape: int) -> Tensor:
        """Draw standard normal numbers."""
        return torch.randn(shape, generator=self.generator, device=self.device)

    def uniform(self, *shape: int) -> Tensor:
        """Draw numbers in [0, 1)."""
        return torch.rand(shape, generator=self.generator, device=self.device)

    @abstractmethod
    def draw_noise(self) -> Draws:
        """Draw the random numbers of the policy, in a fixed order."""

    @abstractmethod
    def following(self, batch: Batch, z: Tensor, drawn: Draws) -> Tensor:
        """Return F at s' under pi_z by the target networks, (H, n, d); no gradient."""

    @abstractmethod
    def forward_of(self, batch: Batch, z: Tensor) -> Tensor:
        """Return F(s, a, z) at the actions of the data, (H, n, d)."""

    @abstractmethod
    def candidates_of(self, batch: Batch, z: Tensor, drawn: Draws) -> Tensor:
        """Return F(s, a, z) at the candidate actions of a conservative penalty, (H, n, C, d)."""

    @abstractmethod
    def coded(self, actions: Tensor) -> Tensor:
        """Encode actions as numbers for a network, (n, A)."""

    def actor_loss(self, batch: Batch, z: Tensor, drawn: Draws) -> tuple[Tensor, Metrics]:
        """Return the loss of the actor, if there is one."""
        raise TypeError(f"{type(self).__name__} has no actor: it is greedy in F'z")

    def update(self, data: TensorDataset) -> Metrics:
        """Take one gradient step of F and B, then one of the actor, on a random batch."""
        self.optimisers.set_rates(self.updates)
        self.tau.fill_(self.config.tau * tau_scale(self.updates, self.config))
        metrics = self._applied(data, self.draw(len(data.transitions.actions)))
        self.updates += 1
        return metrics

    def apply(self, data: TensorDataset, drawn: Draws) -> Metrics:
        """Take an update with these random numbers."""
        batch, z = self.sample(data, drawn), self.sample_z(data, drawn)
        loss, metrics = self.losses["critic"](data, batch, z, drawn)
        self.optimisers.step(loss, *CRITIC)
        if "actor" in self.optimisers.adam:
            metrics |= self.update_actor(batch, z, drawn)
        self.move_targets()
        return metrics

    def update_actor(self, batch: Batch, z: Tensor, drawn: Draws) -> Metrics:
        """Take one gradient step of the actor.

        F is frozen, so that gradients of its weights are not computed only to be discarded.
        """
        self.model.forward_net.requires_grad_(False)
        with products(self.config, self.device):
            loss, metrics = self.losses["actor"](batch, z, drawn)
        self.optimisers.step(loss, "actor")
        self.model.forward_net.requires_grad_(True)
        return metrics

    def critic_loss(
        self, data: TensorDataset, batch: Batch, z: Tensor, drawn: Draws
    ) -> tuple[Tensor, Metrics]:
        """Return the loss of F, B, phi's own networks and the penalty's weight."""
        points, contrast = self.contrast(batch, data)
        step = Step(
            config=self.config,
            z=z,
            here=batch.features,
            there=batch.next_features,
            later=self.later(batch, data, drawn),
            actions=self.coded(batch.actions),
            # Nothing is visited after a step that ended its episode.
            following=self._outputs(self.following, batch, z, drawn) * batch.goes_on[:, None],
            forward=self._outputs(self.forward_of, batch, z),
            points=points,
            contrast=contrast,
            backward=partial(self._outputs, self.model.backward_net),
            target_backward=partial(self._outputs, self.target_backward),
            goes_on=batch.goes_on,
        )
        loss, metrics = self.representation.loss(step)
        if self.config.conservative == "none":
            return loss, metrics
        candidates = self._outputs(self.candidates_of, batch, z, drawn)  # (H, n, C, d)
        penalty, weight = penalty_of(candidates, step), self.alpha().detach()
        metrics |= {"penalty/value": penalty.detach(), "penalty/alpha": weight}
        return loss + weight * penalty + self.alpha.loss(penalty), metrics

    def _outputs(self, net: Callable[..., Tensor], *inputs: Any) -> Tensor:
        """Return outputs of networks, in float32 whatever the precision of their products."""
        if self.config.precision != "bf16":
            return net(*inputs)
        with products(self.config, self.device):
            return net(*inputs).float()

    def learn(self, dataset: Dataset, updates: int) -> Metrics:
        """Take `updates` gradient steps; return the metrics of the last (empty if there is none).

        The learning rates follow `config.updates`, however the steps are split into calls.
        """
        data, metrics = self.to_tensors(dataset), Metrics()
        for _ in range(updates):
            metrics = self.update(data)
        return metrics

    # Parts of an update.

    def to_tensors(self, dataset: Dataset) -> TensorDataset:
        """Encode a dataset; ValueError if it is of another environment."""
        check_data(self.model.shape, dataset)
        data = to_tensors(dataset, self.model.encoder, self.config.exact, self.device)
        return with_actions(data, self.coded) if self.config.history > 1 else data

    def sample(self, data: TensorDataset, drawn: Draws) -> Batch:
        """Return a batch drawn with replacement."""
        return self.gather(data, drawn["rows"])

    def gather(self, data: TensorDataset, rows: Tensor) -> Batch:
        """Return the transitions at these rows (n,), with their histories where F is recurrent."""
        batch = Batch(*(column[rows] for column in data.transitions))
        if self.config.history > 1:
            return with_histories(batch, data.transitions, self.config.history)
        return batch

    @torch.no_grad()
    def sample_z(self, data: TensorDataset, drawn: Draws) -> Tensor:
        """Return z, (n, d); see `z_of`."""
        return z_of(self.config, self.model.backward_net, data, drawn)

    @torch.no_grad()
    def later(self, batch: Batch, data: TensorDataset, drawn: Draws) -> Tensor:
        """Return encoded states of the same walk, a geometric number of steps later; (n, k)."""
        if not self.representation.looks_ahead:
            return batch.features[:0]
        rows = torch.minimum(batch.row + drawn["ahead"] - 1, batch.last)
        return data.transitions.next_features[rows]

    def contrast(self, batch: Batch, data: TensorDataset) -> tuple[Tensor, Contrast]:
        """Return the points (m, k) at which the measure is compared, and their weights."""
        if self.config.exact:
            return data.states, exact_contrast(data.frequency, batch.next_state)
        return batch.next_features, self.negatives

    def move_targets(self) -> None:
        """Move the target networks by the fraction of this update towards the trained ones."""
        follow(self.target_forward, self.model.forward_net, self.tau)
        follow(self.target_backward, self.model.backward_net, self.tau)

    # Checkpoints.

    def tensors(self) -> dict[str, Tensor]:
        """Return everything that `load_tensors` needs to continue exactly."""
        found = {"updates": torch.tensor(self.updates), "generator": self.generator.get_state()}
        for name, net in self.networks().items():
            found |= {f"{name}.{key}": value for key, value in net.state_dict().items()}
        return found | self.optimisers.tensors()

    def load_tensors(self, found: dict[str, Tensor]) -> None:
        """Restore what `tensors` returned; KeyError or RuntimeError if it does not fit.

        A state of another kind of device continues with new random numbers.
        """
        self.updates = int(found["updates"])
        if found["generator"].shape == self.generator.get_state().shape:
            self.generator.set_state(found["generator"])
        else:
            self.generator.manual_seed(self.config.seed + self.updates)
        for name, net in self.networks().items():
            net.load_state_dict(below(f"{name}.", found))
        self.optimisers.load_tensors(found)

    def networks(self) -> dict[str, nn.Module]:
        """Return everything with parameters, by name."""
        return {
            "model": self.model,
            "target_f": self.target_forward,
            "target_b": self.target_backward,
            "representation": self.representation,
            "alpha": self.alpha,
        }

    def trained(self) -> dict[str, tuple[nn.Module, float]]:
        """Return the networks trained by gradients, with their learning rates."""
        config, model = self.config, self.model
        nets: dict[str, tuple[nn.Module, float]] = {
            "forward": (model.forward_net, config.lr_forward),
            "features": (self.representation, config.lr_backward),
        }
        if not config.phi.fixed:
            nets["backward"] = (model.backward_net, config.lr_backward)
        if model.actor is not None:
            nets["actor"] = (model.actor, config.lr_actor)
        if config.conservative != "none":
            nets["alpha"] = (self.alpha, config.lr_alpha)
        return nets
