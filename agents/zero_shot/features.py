"""The table of features, which say what B is, with their settings; no torch.

Forward-backward has none of these; every other name makes F the successor features of B. A user's
own features are a part that makes a `FeatureLoss` (`representations/representations.py`), named as
`"my_module:Name"` (`--features my_features:Mine --features.scale 2`). Networks are imported when
they are made, by their place, because those modules are above this one.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from zerogym.agents.parts import Part, Table, errors_of
from zerogym.envs.references import load_reference
from zerogym.errors import PartFailed

_LOSSES = "zerogym.agents.zero_shot.representations.feature_losses"
_SUCCESSOR = "Does Zero-Shot Reinforcement Learning Exist? (2022, arXiv 2209.14935)"


class Sizes(NamedTuple):
    """Sizes of the networks of features."""

    inputs: int  # numbers in an encoded observation, k
    dim: int  # d
    actions: int  # number of discrete actions, or of coordinates of a continuous one
    hidden: int  # width of hidden layers
    discrete: bool  # whether actions are one-hot


class Features(Part):
    """The kind of B: a measure, or features whose discounted sums F are.

    Attributes:
        fixed: Whether B keeps its initial weights.
        looks_ahead: Whether the loss needs states some steps later (`Step.later`).
        vectors: Whether its own networks read observations as they are, which must be vectors.
    """

    fixed: ClassVar[bool] = False
    looks_ahead: ClassVar[bool] = False
    vectors: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, sizes: Sizes) -> Any:
        """Return a new `FeatureLoss`: the loss of B and the networks that only it needs."""


FEATURES: Table[Features] = Table("features", Features, __name__)
features = FEATURES.register


@features("fb")
@dataclass(frozen=True)
class ForwardBackward(Features):
    """Learn F and B so that F'B is the measure of the states to come; B has no other loss."""

    source = "Learning One Representation to Optimize All Rewards (2021, arXiv 2103.07945)"

    def __call__(self, sizes: Sizes) -> Any:
        """Raise, because a measure has no features of its own."""
        raise TypeError("forward-backward has no loss of features")


@features("laplacian")
@dataclass(frozen=True)
class LaplacianFeatures(Features):
    """Take smooth and orthonormal features: the low eigenvectors of the graph Laplacian."""

    source = (
        "The Laplacian in RL: Learning Representations with Efficient Approximations (2018, arXiv "
        "1810.04586)"
    )

    def __call__(self, sizes: Sizes) -> Any:
        """Return the loss."""
        return load_reference(f"{_LOSSES}:Laplacian", "features")()


@features("icm")
@dataclass(frozen=True)
class InverseFeatures(Features):
    """Take features from which the action between two states can be read."""

    source = "Curiosity-driven Exploration by Self-supervised Prediction (2017, arXiv 1705.05363)"

    def __call__(self, sizes: Sizes) -> Any:
        """Return the loss and the network that reads the action."""
        _, dim, actions, hidden, discrete = sizes
        return load_reference(f"{_LOSSES}:InverseModel", "features")(dim, actions, hidden, discrete)


@features("latent")
@dataclass(frozen=True)
class LatentFeatures(Features):
    """Take features whose next value can be predicted from the action."""

    source = _SUCCESSOR

    def __call__(self, sizes: Sizes) -> Any:
        """Return the loss and the predicting network."""
        return load_reference(f"{_LOSSES}:Latent", "features")(
            sizes.dim, sizes.actions, sizes.hidden
        )


@features("contrastive")
@dataclass(frozen=True)
class ContrastiveFeatures(Features):
    """Take features that tell a later state of the same walk from those of other walks."""

    source = _SUCCESSOR
    looks_ahead = True
    vectors = True
    temperature: float = 0.1  # of the cosines, above 0 (our choice)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.temperature <= 0:
            raise ValueError(f"temperature must be above 0, got {self.temperature!r}")

    def __call__(self, sizes: Sizes) -> Any:
        """Return the loss and the network of later states."""
        return load_reference(f"{_LOSSES}:Contrastive", "features")(
            sizes.inputs, sizes.dim, self.temperature
        )


@features("svd")
@dataclass(frozen=True)
class LowRankFeatures(Features):
    """Take the singular vectors of the transition probabilities."""

    source = _SUCCESSOR
    vectors = True

    def __call__(self, sizes: Sizes) -> Any:
        """Return the loss and the network of states with actions."""
        inputs, dim, actions, hidden, _ = sizes
        return load_reference(f"{_LOSSES}:LowRank", "features")(inputs, actions, dim, hidden)


@features("byol_gamma")
@dataclass(frozen=True)
class GeometricLatentFeatures(Features):
    """Take orthonormal features whose value some steps later can be predicted."""

    source = (
        "Self-Predictive Representations for Combinatorial Generalization in Behavioral Cloning "
        "(2025, arXiv 2506.10137)"
    )
    looks_ahead = True

    def __call__(self, sizes: Sizes) -> Any:
        """Return the loss and the predicting networks."""
        return load_reference(f"{_LOSSES}:GeometricLatent", "features")(
            sizes.dim, sizes.actions, sizes.hidden
        )


@features("td_jepa")
@dataclass(frozen=True)
class SummedLatentFeatures(Features):
    """Take orthonormal features whose discounted sums they predict themselves."""

    source = (
        "TD-JEPA: Latent-predictive Representations for Zero-Shot Reinforcement Learning (2025, "
        "arXiv 2510.00739)"
    )

    def __call__(self, sizes: Sizes) -> Any:
        """Return the loss and the predicting network."""
        return load_reference(f"{_LOSSES}:SummedLatent", "features")(
            sizes.dim, sizes.actions, sizes.hidden
        )


@features("random")
@dataclass(frozen=True)
class RandomFeatures(Features):
    """Leave B at its initial weights."""

    source = _SUCCESSOR
    fixed = True

    def __call__(self, sizes: Sizes) -> Any:
        """Return no loss."""
        return load_reference(f"{_LOSSES}:FeatureLoss", "features")()


@features("identity")
@dataclass(frozen=True)
class IdentityFeatures(RandomFeatures):
    """Take the observation itself."""


def made(part: Features, sizes: Sizes, base: type[Any]) -> Any:
    """Return the new loss of features.

    Raises:
        PartFailed: If the part raises, or makes no instance of `base`.
    """
    with errors_of(part):
        loss = part(sizes)
    if not isinstance(loss, base):
        raise PartFailed(f"{part.title()} must make a {base.__name__}, got {loss!r:.60}")
    return loss
