"""Scores of two agents on the same tasks, resampled together where they played the same seeds.

With the same seeds the luck of the problems cancels in the difference. Where every return is 0 or
1, the draws are those of a Dirichlet posterior over the four outcomes of a pair, with 1/4 of a
pseudo-count each: its marginals are the Jeffreys posteriors that `estimates.py` draws for a single
agent. A plain bootstrap would call the difference of two agents certain where all pairs agree.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from zerogym.benchmarks.results.estimates import (
    RESAMPLES,
    Estimate,
    Floats,
    Returns,
    interquartile_mean,
    interval,
    mean_draws,
    normalise,
)

PSEUDO_COUNT = 0.25  # of each outcome of a pair; Beta(k + 1/2, n - k + 1/2) for one agent


@dataclass(frozen=True)
class Scored:
    """Returns of one agent in one world.

    Attributes:
        own: Returns by variant.
        scale: Returns of the random policy and of the oracle by variant.
    """

    own: Mapping[str, Returns]
    scale: Mapping[str, tuple[Returns, Returns]]

    def score(self, name: str) -> float:
        """Return the normalised score in a variant; NaN where the scale has no length."""
        low, high = self.scale[name]
        return float(normalise(self.own[name].mean, low.mean, high.mean))


@dataclass(frozen=True)
class Pair:
    """The scores of two agents in one world.

    Attributes:
        values: Scores of both.
        draws: Draws of both, (resamples,) each; those of one place belong together.
        paired: Both played the same seeds.
        exact: Neither was sampled.
    """

    values: tuple[float, float]
    draws: tuple[Floats, Floats]
    paired: bool
    exact: bool

    @property
    def difference(self) -> Estimate:
        """The second minus the first."""
        ends = (np.nan, np.nan) if self.exact else interval(self.draws[1] - self.draws[0])
        return Estimate(self.values[1] - self.values[0], *ends)

    def estimate(self, place: int) -> Estimate:
        """Return the score of the first (0) or the second (1) alone."""
        ends = (np.nan, np.nan) if self.exact else interval(self.draws[place])
        return Estimate(self.values[place], *ends)

    @classmethod
    def over(cls, parts: Sequence["Pair"]) -> "Pair":
        """Return the interquartile means of several pairs, one a variant or a world."""
        values = [float(interquartile_mean([part.values[i] for part in parts])) for i in (0, 1)]
        draws = [interquartile_mean(np.stack([p.draws[i] for p in parts]), axis=0) for i in (0, 1)]
        exact = all(part.exact for part in parts)
        paired = not exact and all(part.paired or part.exact for part in parts)
        return cls((values[0], values[1]), (draws[0], draws[1]), paired, exact)


def pair_up(
    first: Scored, second: Scored, rng: np.random.Generator, resamples: int = RESAMPLES
) -> Pair | None:
    """Return the scores of two agents over the variants of a world; None if none has a scale."""
    names = [
        name
        for name in first.own
        if name in second.own and np.isfinite([first.score(name), second.score(name)]).all()
    ]
    if not names:
        return None
    return Pair.over([_of_variant(first, second, name, rng, resamples) for name in names])


def _of_variant(
    first: Scored, second: Scored, name: str, rng: np.random.Generator, resamples: int
) -> Pair:
    a, b = joint_draws(first.own[name], second.own[name], resamples, rng)
    ends = mean_draws(first.scale[name], resamples, rng)
    same = first.scale[name] == second.scale[name]
    later_ends = ends if same else mean_draws(second.scale[name], resamples, rng)
    return Pair(
        (first.score(name), second.score(name)),
        (normalise(a, *ends), normalise(b, *later_ends)),
        is_paired(first.own[name], second.own[name]),
        first.own[name].exact and second.own[name].exact,
    )


def is_paired(first: Returns, second: Returns) -> bool:
    """Return whether two agents played the same seeds in the same order."""
    both_sampled = not (first.exact or second.exact)
    return both_sampled and bool(first.seeds) and first.seeds == second.seeds


def joint_draws(
    first: Returns, second: Returns, resamples: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return draws of both means, (resamples,) each; those of one place belong together."""
    if not is_paired(first, second):
        (a,), (b,) = (mean_draws([item], resamples, rng) for item in (first, second))
        return a, b
    x, y = np.asarray(first.values), np.asarray(second.values)  # (n,) each
    if first.binary and second.binary:
        both, only_x, only_y = (x * y).sum(), (x * (1 - y)).sum(), ((1 - x) * y).sum()
        counts = np.array([both, only_x, only_y, len(x) - both - only_x - only_y])
        shares = rng.dirichlet(counts + PSEUDO_COUNT, size=resamples)  # (resamples, 4)
        return shares[:, 0] + shares[:, 1], shares[:, 0] + shares[:, 2]
    places = rng.integers(len(x), size=(resamples, len(x)))
    return x[places].mean(axis=1), y[places].mean(axis=1)
