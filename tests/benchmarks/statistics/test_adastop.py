"""AdaStop against its authors' package, by hand, and its error over many suites of equal agents."""

import numpy as np
import pytest

from zerogym.benchmarks.statistics.adastop import AdaStop

# The package (0.1.3) on the scores of `scores_of`, at alpha 0.025 as its quantiles are one-sided,
# with all permutations: whether it says `smaller` at the second look; at the first it goes on.
PEER = [2, 3, 4, 6, 7, 8, 9, 12, 13, 14, 17, 18, 19]


def scores_of(suite: int) -> dict[str, list[float]]:
    run = np.arange(8)
    first = ((run * 37 + suite * 11) % 53) / 53
    second = ((run * 29 + suite * 7) % 47) / 47 + (suite % 5) * 0.25
    return {"a": first.tolist(), "b": second.tolist()}


def test_decisions_are_those_of_the_authors_package() -> None:
    for suite in range(20):
        test, scores = AdaStop(["a", "b"], group=4, looks=2, alpha=0.05), scores_of(suite)
        first = test.look({name: own[:4] for name, own in scores.items()})
        assert first == {("a", "b"): "continue"}
        assert test.look(scores) == {("a", "b"): "smaller" if suite in PEER else "equal"}


def test_two_runs_each_by_hand() -> None:
    """Six permutations: |difference| is 8 twice, 2 twice and 0 twice, so 1/3 exceed 2."""
    scores = {"a": [5.0, 4.0], "b": [0.0, 1.0]}
    pair = ("a", "b")
    assert AdaStop("ab", group=2, looks=1, alpha=0.34).look(scores)[pair] == "larger"
    assert AdaStop("ab", group=2, looks=1, alpha=0.33).look(scores)[pair] == "equal"


def test_decided_agents_need_no_further_runs() -> None:
    rng = np.random.default_rng(1)
    low, twin, high = rng.normal(0, 0.1, 12), rng.normal(0, 0.1, 12), rng.normal(9, 0.1, 12)
    test = AdaStop(["low", "twin", "high"], group=6, looks=2, alpha=0.05)
    first = test.look({"low": low[:6], "twin": twin[:6], "high": high[:6]})
    assert first["low", "high"] == first["twin", "high"] == "smaller"
    assert test.undecided == ["low", "twin"]
    assert test.look({"low": low, "twin": twin})["low", "twin"] == "equal"
    with pytest.raises(RuntimeError, match="decided"):
        test.look({})


def test_wrong_numbers_of_runs_are_named() -> None:
    test = AdaStop(["a", "b"], group=3)
    with pytest.raises(ValueError, match="'b' needs 3 finite scores"):
        test.look({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"alpha in \(0, 1\)"):
        AdaStop(["a", "b"], alpha=1.0)
    with pytest.raises(ValueError, match="pairs of"):
        AdaStop(["a", "b"], pairs=[("a", "c")])


@pytest.mark.proof
@pytest.mark.parametrize("agents", [2, 4])
def test_equal_agents_are_rarely_called_different(agents: int) -> None:
    """2,000 suites: 5 % and five standard errors are 7.4 %; the package errs in about 12 %."""
    rng, wrong = np.random.default_rng(0), 0
    names = [str(number) for number in range(agents)]
    for suite in range(2000):
        scores = {name: rng.exponential(size=12) for name in names}
        test = AdaStop(names, group=4, looks=3, alpha=0.05, permutations=1000, seed=suite)
        while test.undecided:
            count = 4 * (test.looked + 1)
            test.look({name: own[:count] for name, own in scores.items()})
        wrong += bool({"larger", "smaller"} & set(test.decisions.values()))
    assert wrong / 2000 < 0.05 + 5 * np.sqrt(0.05 * 0.95 / 2000)
