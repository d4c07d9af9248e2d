"""The policies of a collection by name: random actions, an oracle's grades, intrinsic rewards.

An intrinsic reward is a part with settings that makes its networks, so that a user's own joins as
`"my_module:Name"` (`--policy my_rewards:Mine --policy.scale 2`); registering loads no torch.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from zerogym.agents.parts import Part, Table
from zerogym.agents.settings import check_at_least

if TYPE_CHECKING:
    from zerogym.agents.explore.rewards.base import Intrinsic, Shape


class CollectingPolicy(Part):
    """A policy that acts while data are collected.

    Attributes:
        graded: Whether it is an oracle, or an agent that is trained where there is none.
    """

    graded: ClassVar[bool] = False

    @classmethod
    def fault(cls) -> str:
        """Return that a policy of one's own is an intrinsic reward, in words; else empty."""
        known = cls.is_zerogyms() or issubclass(cls, IntrinsicReward)
        return "" if known else "must be a subclass of IntrinsicReward"


class IntrinsicReward(CollectingPolicy):
    """An intrinsic reward, which a policy learns to maximise as the data grow.

    Attributes:
        skilled: Whether the policy is conditioned on a skill, so that it learns from its own
            episodes only.
    """

    skilled: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, shape: Shape) -> Intrinsic:
        """Return the networks of the reward, with new weights.

        Args:
            shape: Sizes of observations, actions and hidden layers.
        """


POLICIES: Table[CollectingPolicy] = Table("policy", CollectingPolicy, __name__)
policy = POLICIES.register


@policy("random")
@dataclass(frozen=True)
class Random(CollectingPolicy):
    """Draw actions uniformly."""


@policy("expert")
@dataclass(frozen=True)
class Expert(CollectingPolicy):
    """Act as the oracle of a task that is drawn for each episode."""

    graded = True


@policy("play")
@dataclass(frozen=True)
class Play(Expert):
    """Act as the oracle, with a fifth of random actions."""


@policy("medium")
@dataclass(frozen=True)
class Medium(Expert):
    """Act as the oracle, with half of the actions at random."""


@policy("medium_replay")
@dataclass(frozen=True)
class MediumReplay(Expert):
    """Act as the oracle, with random actions that fall from all to half over the run."""


@policy("mixed")
@dataclass(frozen=True)
class Mixed(CollectingPolicy):
    """Alternate between the policies of `mix`, an episode each."""


@policy("rnd")
@dataclass(frozen=True)
class RNDReward(IntrinsicReward):
    """Reward the error of a network that is trained to copy a random one."""

    source = "Exploration by Random Network Distillation (2018, arXiv 1810.12894)"
    features: int = 64  # outputs of both networks; the paper has 512 for images

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, features=1)

    def __call__(self, shape: Shape) -> Intrinsic:
        """Return the networks of RND."""
        from zerogym.agents.explore.rewards.rnd import RND

        return RND(shape, self.features)


@policy("icm")
@dataclass(frozen=True)
class ICMReward(IntrinsicReward):
    """Reward the error of a forward model, in features of an inverse model."""

    source = "Curiosity-driven Exploration by Self-supervised Prediction (2017, arXiv 1705.05363)"
    features: int = 32  # numbers that stand for a state
    beta: float = 0.2  # share of the forward model's loss, in [0, 1]

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, features=1)
        if not 0 <= self.beta <= 1:
            raise ValueError(f"beta must be in [0, 1], got {self.beta!r}")

    def __call__(self, shape: Shape) -> Intrinsic:
        """Return the networks of ICM."""
        from zerogym.agents.explore.rewards.icm import ICM

        return ICM(shape, self.features, self.beta)


@policy("disagreement")
@dataclass(frozen=True)
class DisagreementReward(IntrinsicReward):
    """Reward transitions on which forward models differ."""

    source = "Self-Supervised Exploration via Disagreement (2019, arXiv 1906.04161)"
    models: int = 5  # in the ensemble, at least 2

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, models=2)

    def __call__(self, shape: Shape) -> Intrinsic:
        """Return the networks of the ensemble."""
        from zerogym.agents.explore.rewards.disagreement import Disagreement

        return Disagreement(shape, self.models)


@policy("max_info")
@dataclass(frozen=True)
class MaxInfoReward(DisagreementReward):
    """Reward the information that a transition gives about the dynamics."""

    source = (
        "MaxInfoRL: Boosting exploration in reinforcement learning through information gain "
        "maximization (2024, arXiv 2412.12098)"
    )
    noise: float = 0.01  # standard deviation of what no model can learn, above 0 (our choice)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.noise <= 0:
            raise ValueError(f"noise must be above 0, got {self.noise!r}")

    def __call__(self, shape: Shape) -> Intrinsic:
        """Return the networks of the ensemble."""
        from zerogym.agents.explore.rewards.max_info import MaxInfo

        return MaxInfo(shape, self.models, self.noise)


@policy("diayn")
@dataclass(frozen=True)
class DIAYNReward(IntrinsicReward):
    """Reward states from which a classifier recognises the skill."""

    source = "Diversity is All You Need (2018, arXiv 1802.06070)"
    skilled = True

    def __call__(self, shape: Shape) -> Intrinsic:
        """Return the classifier of skills."""
        from zerogym.agents.explore.rewards.diayn import DIAYN

        return DIAYN(shape)


@policy("aps")
@dataclass(frozen=True)
class APSReward(IntrinsicReward):
    """Reward new states along the direction of a skill."""

    source = "APS: Active Pretraining with Successor Features (2021, arXiv 2108.13956)"
    skilled = True

    def __call__(self, shape: Shape) -> Intrinsic:
        """Return the encoder of states."""
        from zerogym.agents.explore.rewards.aps import APS

        return APS(shape)


@policy("proto")
@dataclass(frozen=True)
class ProtoReward(IntrinsicReward):
    """Reward states that are far from others, in features of prototypes."""

    source = "Reinforcement Learning with Prototypical Representations (2021, arXiv 2102.11271)"

    def __call__(self, shape: Shape) -> Intrinsic:
        """Return the encoder and its prototypes."""
        from zerogym.agents.explore.rewards.proto import Proto

        return Proto(shape)
