"""Signal temporal logic: against the definition, moment by moment."""

from typing import Any

import numpy as np
import pytest
import torch

from zerogym.envs.control.core.features import Features
from zerogym.envs.control.temporal.stl import Always, Formula, Margin, Until, eventually

A = Margin(lambda f: f["a"])
B = Margin(lambda f: f["b"])


MEASURES = {"a": lambda obs: obs[:, 0], "b": lambda obs: obs[:, 1]}


def features(length: int, seed: int = 0) -> Features:
    values = np.random.default_rng(seed).normal(size=(length, 2))
    return Features(MEASURES, values)


def at(kind: str, f: Features, t: int, start: int, end: int) -> float:
    a, b = f["a"], f["b"]
    window = range(t + start, t + end + 1)
    match kind:
        case "always":
            return min(a[s] for s in window)
        case "eventually":
            return max(a[s] for s in window)
        case "until":
            return max(min(b[s], min(a[r] for r in range(t, s + 1))) for s in window)
        case _:
            return max(min(a[s], -b[s]) for s in window)


@pytest.mark.parametrize(("start", "end"), [(0, 0), (0, 3), (2, 2), (1, 4)])
@pytest.mark.parametrize("kind", ["always", "eventually", "until", "eventually a and not b"])
def test_robustness_is_that_of_the_definition(kind: str, start: int, end: int) -> None:
    formulas: dict[str, Formula] = {
        "always": Always(A, start, end),
        "eventually": eventually(A, start, end),
        "until": Until(A, B, start, end),
        "eventually a and not b": eventually(A & ~B, start, end),
    }
    f = features(12)
    found = formulas[kind].trace(f)
    assert len(found) == 12 - end
    expected = [at(kind, f, t, start, end) for t in range(12 - end)]
    np.testing.assert_array_equal(found, expected)


def test_operators_nest_and_look_as_far_ahead_as_needed() -> None:
    formula = Always(eventually(A, 0, 2), 0, 3) | B
    assert formula.horizon == 5
    f = features(6)
    a, b = f["a"], f["b"]
    expected = max(min(max(a[t : t + 3]) for t in range(4)), b[0])
    assert formula.robustness(f) == expected
    with pytest.raises(ValueError, match="formula's 5 steps"):
        formula.robustness(features(5))


def test_robustness_is_how_far_the_margins_may_move() -> None:
    f = features(12, seed=3)
    formula = Until(A, B, 1, 6) | Always(A, 0, 4)
    rho = formula.robustness(f)
    for share, kept in ((0.999, True), (1.001, False)):
        moved = np.stack([f["a"], f["b"]], axis=1) - share * rho
        found = formula.robustness(Features(MEASURES, moved))
        assert (np.sign(found) == np.sign(rho)) == kept


@pytest.mark.parametrize("window", [(-1, 2), (3, 2), (0.5, 2), (0, np.inf), (True, 2)])
def test_a_window_that_is_none_is_refused(window: tuple[Any, Any]) -> None:
    for make in (lambda: Always(A, *window), lambda: Until(A, B, *window)):
        with pytest.raises(ValueError, match="whole steps"):
            make()


@pytest.mark.parametrize("to", [np.asarray, torch.as_tensor])
@pytest.mark.parametrize(
    ("values", "match"),
    [
        ([0.5, np.nan, 1.0], "a margin is NaN"),
        (0.5, r"for each moment.* got shape \(\)"),
        ([True, False, True], "got shape \\(3,\\), .*bool"),
    ],
)
def test_what_is_no_margin_is_refused(to: Any, values: Any, match: str) -> None:
    formula = Always(~Margin(lambda f: to(values)), 0, 2)
    with pytest.raises(ValueError, match=match):
        formula.robustness(features(3))
