"""AdaStop: compare agents with as few training runs as needed.

"AdaStop: adaptive statistical testing for sound comparisons of Deep RL agents" (2023, arXiv
2306.10882). Groups of runs are added until all pairs are decided or the last look is reached.
The chance that any pair of equal agents is called different is at most `alpha`, whatever the
distribution of their scores: under the null hypothesis runs of two agents may be exchanged.

Left out: stopping early for equality (the authors' `beta`). The authors' package (0.1.3) compares
the absolute difference with quantiles of the signed one, so that its error is up to twice its
`alpha`; here both are absolute, as in the paper.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from zerogym.benchmarks.statistics.run_scores import Floats

Decision = Literal["larger", "smaller", "equal", "continue"]
Pair = tuple[str, str]


class AdaStop:
    """A sequential comparison of agents.

    Args:
        agents: Their names.
        group: Runs that each undecided agent adds before a look.
        looks: Most looks.
        alpha: Largest chance of calling any two equal agents different, in (0, 1).
        permutations: Sequences of permutations; all of them if there are no more.
        pairs: Pairs to compare; None: all.
        seed: Of the permutations.

    Raises:
        ValueError: If a number is out of range, or a pair has an unknown agent.

    Example:
        >>> test = AdaStop(["a", "b"], group=5, looks=2, alpha=0.05)
        >>> test.look({"a": [0.1, 0.2, 0.1, 0.0, 0.2], "b": [0.8, 0.9, 0.7, 0.9, 0.8]})
        {('a', 'b'): 'smaller'}
    """

    def __init__(
        self,
        agents: Sequence[str],
        group: int = 5,
        looks: int = 5,
        alpha: float = 0.05,
        permutations: int = 10_000,
        pairs: Sequence[Pair] | None = None,
        seed: int = 0,
    ) -> None:
        if min(group, looks, permutations) < 1 or not 0 < alpha < 1:
            raise ValueError(
                "AdaStop: group, looks, permutations must be at least 1, alpha in (0, 1), got "
                f"{group!r}, {looks!r}, {permutations!r} and {alpha!r}"
            )
        self.pairs = tuple(pairs or itertools.combinations(agents, 2))
        unknown = {name for pair in self.pairs for name in pair} - set(agents)
        if unknown or not self.pairs:
            raise ValueError(f"AdaStop: pairs of {list(agents)}, got {self.pairs!r}")
        self.group, self.looks, self.alpha = group, looks, alpha
        self.decisions: dict[Pair, Decision] = dict.fromkeys(self.pairs, "continue")
        self.looked = 0
        self._chosen = _permutations(group, looks, permutations, np.random.default_rng(seed))
        self._sums = np.zeros((len(self._chosen), len(self.pairs)))  # (sequences, pairs)
        self._inside = np.ones(len(self._chosen), bool)  # below all earlier boundaries
        self._spent = 0.0

    @property
    def undecided(self) -> list[str]:
        """Agents that need further runs."""
        names = (
            name for pair, said in self.decisions.items() if said == "continue" for name in pair
        )
        return list(dict.fromkeys(names))

    def look(self, scores: Mapping[str, Sequence[float]]) -> dict[Pair, Decision]:
        """Take a look after a further group of runs.

        Args:
            scores: All scores so far of the undecided agents, one a run, oldest first.

        Returns:
            For each pair whether the first is larger or smaller than the second, `continue`, or,
            after the last look, `equal`: no difference was found.

        Raises:
            ValueError: If an undecided agent has another number of runs than `group` times the
                look's number, or a score is not finite.
            RuntimeError: If all pairs are decided.
        """
        if not self.undecided:
            raise RuntimeError("AdaStop: all pairs are decided")
        count = self.group * (self.looked + 1)
        runs = {name: np.asarray(scores.get(name, ()), np.float64) for name in self.undecided}
        for name, own in runs.items():
            if own.shape != (count,) or not np.isfinite(own).all():
                raise ValueError(f"AdaStop: {name!r} needs {count} finite scores, got {own!r:.80}")
        active = [place for place, pair in enumerate(self.pairs) if self._open(pair)]
        observed = {}
        for place in active:
            first, second = (runs[name] for name in self.pairs[place])
            observed[place] = float(first.sum() - second.sum())
            block = np.concatenate([first[-self.group :], second[-self.group :]])
            taken = block[self._chosen[:, self.looked]].sum(axis=-1)  # (sequences,)
            self._sums[:, place] += 2 * taken - block.sum()  # of the first minus of the second
        self._decide(active, observed)
        self.looked += 1
        if self.looked == self.looks:
            self.decisions = {
                pair: "equal" if said == "continue" else said
                for pair, said in self.decisions.items()
            }
        return dict(self.decisions)

    def _open(self, pair: Pair) -> bool:
        return self.decisions[pair] == "continue"

    def _decide(self, active: list[int], observed: Mapping[int, float]) -> None:
        """Reject pairs step by step, the largest difference first."""
        budget = self.alpha * (self.looked + 1) / self.looks - self._spent
        while active:
            largest = np.abs(self._sums[:, active]).max(axis=1)  # (sequences,)
            boundary = _boundary(largest[self._inside], budget * len(largest))
            worst = max(active, key=lambda place: abs(observed[place]))
            if abs(observed[worst]) <= boundary:
                break
            self.decisions[self.pairs[worst]] = "larger" if observed[worst] > 0 else "smaller"
            active.remove(worst)
        outside = self._inside & (largest > boundary)
        self._spent += float(outside.sum()) / len(largest)
        self._inside &= ~outside


def _boundary(values: Floats, allowed: float) -> float:
    """Return the least value that at most so many exceed, with room for rounding."""
    most = math.floor(allowed + 1e-9)
    if most < 0 or not len(values):
        return math.inf
    return float(np.sort(values)[max(0, len(values) - 1 - most)]) * (1 + 1e-12)


def _permutations(
    group: int, looks: int, most: int, rng: np.random.Generator
) -> "np.ndarray[tuple[int, ...], np.dtype[np.int64]]":
    """Return which of the 2 group runs of each look count as the first agent's.

    The shape is (sequences, looks, group): all sequences if they are at most so many, else as many
    at random, the first as it was.
    """
    each = math.comb(2 * group, group)
    if each**looks <= most:
        choices = np.array(list(itertools.combinations(range(2 * group), group)))
        places = itertools.product(range(each), repeat=looks)
        return choices[np.array(list(places))]
    drawn = np.argsort(rng.random((most, looks, 2 * group)), axis=-1)[..., :group]
    drawn[0] = np.arange(group)
    return drawn
