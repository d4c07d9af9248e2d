"""The table of advantages, what an estimator of them does, and the check of what it returns."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from zerogym.agents.llm.algorithms.batch import Batch, Floats, Places, Sample, Weights
from zerogym.agents.parts import Part, Table, errors_of
from zerogym.errors import PartFailed

SIGNALS = ("entropy", "reference", "values")  # numbers of own tokens that a learner can compute


class Advantage(Part):
    """An estimator of advantages: the weight of each of the policy's own tokens.

    A part declares what it needs, and the learner computes no more than that.

    Attributes:
        signals: Names of numbers of each own token in `Sample.signals`: `entropy` of the policy,
            the log-probability under the `reference` model, `values` of a critic.
        uses_equal_groups: Whether a group has weights although its rewards are all equal.
        minimum_group: Least number of episodes of a problem.
        critic: Whether a value head is trained; then it is a `ValueAdvantage`.
    """

    signals: ClassVar[tuple[str, ...]] = ()
    uses_equal_groups: ClassVar[bool] = False
    minimum_group: ClassVar[int] = 2
    critic: ClassVar[bool] = False

    @classmethod
    def fault(cls) -> str:
        """Return which signal no learner computes, in words; empty if there is none."""
        for name in cls.signals:
            if name not in SIGNALS:
                known = ", ".join(SIGNALS)
                return f"declares the signal {name!r}, which no learner computes: there are {known}"
        if "values" in cls.signals and not cls.critic:
            return "declares values without a critic: it must be a subclass of ValueAdvantage"
        return ""

    def needs(self) -> list[str]:
        """Return the signals, the critic and the group size that it needs, in words."""
        needed = [f"the signal {name!r} of each token" for name in self.signals]
        if self.critic:
            needed.append("a value head")
        return [*needed, f"groups of at least {self.minimum_group}"]

    @abstractmethod
    def __call__(self, batch: Batch) -> Weights:
        """Return the weight of each own token of each episode of each group.

        One number for an episode stands for all of its tokens.
        """


class ValueAdvantage(Advantage):
    """An estimator that compares returns with the values of a value head, which it trains.

    Attributes:
        detached: Whether the values train their head alone, and not the model below it.
        gamma: A setting of its subclasses: the discount per step.
    """

    signals = ("values",)
    uses_equal_groups = True
    minimum_group = 1
    critic = True
    detached: ClassVar[bool] = False
    gamma: float

    def steps(self, sample: Sample) -> Places:
        """Return the own tokens with which the steps of an episode begin (S,), the first one first.

        A step is what the value of a state counts: by default each token is one. Only the values
        before these tokens are trained.
        """
        return np.arange(sample.tokens)

    def step_rewards(self, sample: Sample) -> Floats:
        """Return the reward of each step of an episode (S,), the sum of its tokens'."""
        steps = self.steps(sample)
        return np.add.reduceat(sample.token_rewards, steps) if len(steps) else np.zeros(0)

    @abstractmethod
    def estimate(self, batch: Batch) -> tuple[list[Floats], list[Floats]]:
        """Return advantages (T,) and targets of the values (T,) of all episodes, in order.

        Targets count at the first token of a step alone.
        """

    def __call__(self, batch: Batch) -> Weights:
        """Return the advantages of `estimate`."""
        return batch.grouped(self.estimate(batch)[0])


ADVANTAGES: Table[Advantage] = Table(
    "advantage", Advantage, "zerogym.agents.llm.algorithms.advantages"
)
advantage = ADVANTAGES.register


def weigh(part: Advantage, batch: Batch) -> list[Floats]:
    """Return the weights (T,) of the own tokens of all episodes, in order.

    Raises:
        PartFailed: If the part raises, or returns other shapes, or numbers that are not finite
            although all rewards are.
    """
    with errors_of(part):
        weights = [[np.asarray(own, dtype=np.float64) for own in group] for group in part(batch)]
    sizes, found = ([len(group) for group in groups] for groups in (batch.groups, weights))
    if sizes != found:
        raise PartFailed(f"{part.title()} weighed {found!r:.60} episodes of {sizes!r:.60}")
    return _checked(part, [own for group in weights for own in group], batch)


def estimated(part: ValueAdvantage, batch: Batch) -> tuple[list[Floats], list[Floats]]:
    """Return advantages (T,) and targets of values (T,) of all episodes, in order; as `weigh`."""
    with errors_of(part):
        advantages, targets = (
            [np.asarray(own, dtype=np.float64) for own in numbers]
            for numbers in part.estimate(batch)
        )
    return _checked(part, advantages, batch), _checked(part, targets, batch)


def _checked(part: Advantage, weights: list[Floats], batch: Batch) -> list[Floats]:
    """Return numbers of each own token; one number of an episode stands for all of its tokens."""
    samples = batch.samples
    for own, sample in zip(weights, samples, strict=True):
        if own.shape not in ((), (sample.tokens,)):
            raise PartFailed(
                f"{part.title()} returned weights of shape {own.shape} for an episode of "
                f"{sample.tokens} tokens"
            )
    finite = all(np.isfinite(own).all() for own in weights)
    if not finite and all(np.isfinite(sample.total) for sample in samples):
        raise PartFailed(f"{part.title()} returned weights that are not finite")
    return [
        own if own.shape else np.full(sample.tokens, own)
        for own, sample in zip(weights, samples, strict=True)
    ]
