"""Measures of an evaluation with several samples a problem, and of two on the same problems.

Means are over problems, and so are the intervals, by `estimates.py`: a bootstrap, or the posterior
of a share where each problem has a plain 0 or 1. Samples in which a tool failed by itself do not
count; a problem with fewer than k others is left out at that k. The interval of a difference is
over pairs, because both models had the same problems.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import numpy as np

from zerogym.agents.llm.sample_measures import answer_entropy, max_at_k, pass_at_k
from zerogym.agents.llm.sampled_problem import SampledProblem
from zerogym.benchmarks.results.estimates import RESAMPLES, Estimate, Floats, Returns, interval
from zerogym.benchmarks.results.estimates import mean_draws as draws_of
from zerogym.benchmarks.results.outcome_log import Outcomes
from zerogym.benchmarks.results.paired import joint_draws
from zerogym.benchmarks.results.support import SupportChange, support_change

Problems = Sequence[SampledProblem]


@dataclass(frozen=True)
class AtK:
    """Measures at one k.

    Attributes:
        k: Samples of which the best counts.
        problems: How many have k samples that count.
        passed: pass@k; None where the environment reports no success.
        best: max@k of the rewards.
    """

    k: int
    problems: int
    passed: Estimate | None
    best: Estimate


@dataclass(frozen=True)
class Difference:
    """The second model minus the first at one k.

    Attributes:
        k: Samples of which the best counts.
        problems: How many have k samples that count of both.
        values: Of both: pass@k, or max@k where the environment reports no success.
        difference: Of the second from the first, with its paired interval.
    """

    k: int
    problems: int
    values: tuple[float, float]
    difference: Estimate


@dataclass(frozen=True)
class OutcomeComparison:
    """Two evaluations on the problems that they have in common.

    Attributes:
        problems: How many.
        support: Of correct samples, at `threshold`; None where the environment reports no success.
        threshold: A problem is in a model's support if its share of correct samples is above it.
        differences: At each k.
        entropies: Mean entropy of the answers of both, in nats.
    """

    problems: int
    support: SupportChange | None
    threshold: float
    differences: tuple[Difference, ...]
    entropies: tuple[float, float]


def measures(problems: Problems, ks: Sequence[int], seed: int = 0) -> list[AtK]:
    """Return the measures at each k; those that no problem has enough samples for are left out."""
    known = reports_success(problems)
    rows = []
    for k in ks:
        if counted := [each for each in problems if len(each.counted) >= k]:
            passed = _mean(counted, k, True, seed) if known else None
            rows.append(AtK(k, len(counted), passed, _mean(counted, k, False, seed)))
    return rows


def mean_entropy(problems: Problems) -> float:
    """Return the mean entropy of the answers to a problem, in nats; NaN if no sample counts."""
    answers = [[each.answers[place] for place in each.counted] for each in problems]
    return fmean([answer_entropy(own) for own in answers if own] or [np.nan])


def mean_token_entropy(problems: Problems) -> float | None:
    """Return the mean over problems of their `token_entropy`; None if no problem has one."""
    known = [each.token_entropy for each in problems if each.token_entropy is not None]
    return fmean(known) if known else None


def reports_success(problems: Problems) -> bool:
    """Return whether the environment says of any sample that it was correct or not."""
    return any(outcome is not None for each in problems for outcome in each.correct)


def compare_outcomes(
    first: Outcomes, second: Outcomes, ks: Sequence[int], threshold: float = 0.0, seed: int = 0
) -> OutcomeComparison:
    """Return the differences of a second evaluation from a first.

    Raises:
        ValueError: If they are of other problems or numbers of samples.
    """
    a, b = _common(first, second)
    known = reports_success(a) and reports_success(b)
    support = None
    if known:
        both = [(x, y) for x, y in zip(a, b, strict=True) if x.counted and y.counted]
        shares = [(_share(x), _share(y)) for x, y in both]
        support = support_change([x for x, _ in shares], [y for _, y in shares], threshold)
    rows = [_difference(a, b, k, known, seed) for k in ks]
    return OutcomeComparison(
        len(a), support, threshold, tuple(row for row in rows if row is not None),
        (mean_entropy(a), mean_entropy(b)),
    )  # fmt: skip


def check_comparable(first: Mapping[str, Any], second: Mapping[str, Any]) -> None:
    """Check the first lines of two logs.

    Raises:
        ValueError: If they are of other environments or numbers of samples.
    """
    for name in ("env", "env_kwargs", "samples"):
        one, other = first.get(name), second.get(name)
        if one != other:
            raise ValueError(f"the evaluations differ in {name}: {one!r} and {other!r}")


def _common(first: Outcomes, second: Outcomes) -> tuple[Problems, Problems]:
    """Return the problems of the seeds that two evaluations have in common."""
    check_comparable(first.about, second.about)
    a, b = ({each.seed: each for each in own.problems} for own in (first, second))
    seeds = [seed for seed in a if seed in b]
    if not seeds:
        raise ValueError("the evaluations have no seed of a problem in common")
    if changed := [seed for seed in seeds if a[seed].key != b[seed].key]:
        raise ValueError(
            f"seed {changed[0]} is another problem in the second evaluation: were they made by "
            "different versions?"
        )
    return [a[seed] for seed in seeds], [b[seed] for seed in seeds]


def _difference(
    first: Problems, second: Problems, k: int, known: bool, seed: int
) -> Difference | None:
    pairs = [
        pair
        for pair in zip(first, second, strict=True)
        if min(len(pair[0].counted), len(pair[1].counted)) >= k
    ]
    if not pairs:
        return None
    a, b = (_returns(own, k, known) for own in zip(*pairs, strict=True))
    drawn = joint_draws(a, b, RESAMPLES, np.random.default_rng(seed))
    return Difference(
        k, len(pairs), (a.mean, b.mean), _estimate(b.mean - a.mean, drawn[1] - drawn[0], len(pairs))
    )


def _mean(problems: Problems, k: int, known: bool, seed: int) -> Estimate:
    values = _returns(problems, k, known)
    # The same problems are drawn for all measures: equal ones have equal intervals.
    [draws] = draws_of([values], RESAMPLES, np.random.default_rng(seed))
    return _estimate(values.mean, draws, len(problems))


def _estimate(value: float, draws: Floats, problems: int) -> Estimate:
    """Return a mean with an interval that holds it; one problem fixes none."""
    if problems == 1:
        return Estimate(value, np.nan, np.nan)
    low, high = interval(draws)
    return Estimate(value, min(low, value), max(high, value))


def _returns(problems: Problems, k: int, known: bool) -> Returns:
    """Return pass@k of each problem, or max@k."""
    values = tuple(
        pass_at_k(len(each.counted), _correct(each), k)
        if known
        else max_at_k([score for score in each.scores if score is not None], k)
        for each in problems
    )
    return Returns(values, tuple(each.seed for each in problems))


def _share(problem: SampledProblem) -> float:
    return _correct(problem) / len(problem.counted)


def _correct(problem: SampledProblem) -> int:
    # An episode that was cut before its first info has failed.
    return sum(problem.correct[place] is True for place in problem.counted)
