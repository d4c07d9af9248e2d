"""Chances of small experiments, two ways: by counting (to pose and explain a problem) and by
following the experiment step by step (to solve it). The two share no code.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, factorial, prod


@dataclass(frozen=True)
class Weights:
    """Numbers of outcomes of equal weight that give each count.

    Attributes:
        least: The count that `ways[0]` belongs to.
        ways: Number of outcomes by count.
        total: All outcomes.
        meaning: What the total counts.
        terms: Each number of ways as a product, for worked solutions.
    """

    least: int
    ways: list[int]
    total: int
    meaning: str
    terms: list[str]

    def of(self, *spans: list[int] | str | None) -> int:
        """Outcomes whose count is in all the ranges `[first, last]`; None is no restriction."""
        return sum(self.ways[place] for place in self._places(spans))

    def explain(self, *spans: list[int] | str | None) -> str:
        """The sum behind `of`, term by term."""
        return " + ".join(self.terms[place] for place in self._places(spans)) or "0"

    def _places(self, spans: Sequence[list[int] | str | None]) -> range:
        ranges = [span for span in spans if isinstance(span, list)]
        low = max([0, *(span[0] - self.least for span in ranges)])
        high = min([len(self.ways) - 1, *(span[1] - self.least for span in ranges)])
        return range(low, high + 1)


def total_weights(dice: list[int]) -> Weights:
    """The totals of dice, by inclusion and exclusion over the dice that show too much."""
    count, most = len(dice), sum(dice)
    excess: dict[int, int] = defaultdict(int)
    for size in range(count + 1):
        for chosen in combinations(dice, size):
            excess[sum(chosen)] += -1 if size % 2 else 1
    ways = [
        sum(
            sign * comb(total - shift - 1, count - 1)
            for shift, sign in excess.items()
            if total - shift >= count
        )
        for total in range(count, most + 1)
    ]
    meaning = " * ".join(map(str, dice))
    return Weights(count, ways, prod(dice), meaning, [str(way) for way in ways])


def success_weights(good: int, other: int, draws: int, replace: bool, first: int) -> Weights:
    """Good outcomes in some draws of which the first `first` are known to be good."""
    rest = draws - first
    ways, terms = [], []
    if replace:
        for hits in range(rest + 1):
            ways.append(comb(rest, hits) * good**hits * other ** (rest - hits))
            terms.append(f"C({rest},{hits}) * {good}^{hits} * {other}^{rest - hits}")
        total, meaning = (good + other) ** rest, f"{good + other}^{rest}"
    else:
        good -= first
        for hits in range(rest + 1):
            ways.append(comb(good, hits) * comb(other, rest - hits))
            terms.append(f"C({good},{hits}) * C({other},{rest - hits})")
        total, meaning = comb(good + other, rest), f"C({good + other},{rest})"
    return Weights(first, ways, total, meaning, terms)


def colour_weights(balls: list[int], draws: int, replace: bool, event: str) -> Weights:
    """Draws of one colour (`same`), or of as many colours as draws (`different`)."""
    size = sum(balls)
    if event == "same":
        ways = [n**draws if replace else comb(n, draws) for n in balls]
        terms = [f"{n}^{draws}" if replace else f"C({n},{draws})" for n in balls]
    else:
        chosen = list(combinations(balls, draws))
        orders = factorial(draws) if replace else 1
        ways = [orders * prod(group) for group in chosen]
        terms = [" * ".join(map(str, [orders, *group])) for group in chosen]
    if replace:
        return Weights(0, ways, size**draws, f"{size}^{draws}", terms)
    return Weights(0, ways, comb(size, draws), f"C({size},{draws})", terms)


def chance_of_total(dice: list[int], event: list[int], given: list[int] | None) -> Fraction:
    """Roll one die after the other; the chance of every total so far is kept."""
    chances = {0: Fraction(1)}
    for sides in dice:
        after: dict[int, Fraction] = defaultdict(Fraction)
        for total, chance in chances.items():
            for face in range(1, sides + 1):
                after[total + face] += chance / sides
        chances = after
    return _condition(chances, event, given)


def chance_of_successes(
    good: int,
    other: int,
    draws: int,
    replace: bool,
    first: int,
    event: list[int],
    given: list[int] | None,
) -> Fraction:
    """Draw one by one; the chance of every number of good outcomes so far is kept."""
    chances = {first: Fraction(1)}
    for drawn in range(first, draws):
        after: dict[int, Fraction] = defaultdict(Fraction)
        for hits, chance in chances.items():
            left = good if replace else good - hits
            all_left = good + other if replace else good + other - drawn
            if left > 0:
                after[hits + 1] += chance * Fraction(left, all_left)
            if left < all_left:
                after[hits] += chance * Fraction(all_left - left, all_left)
        chances = after
    return _condition(chances, event, given)


def chance_of_colours(balls: list[int], draws: int, replace: bool, event: str) -> Fraction:
    """Draw ball after ball, keeping what is left in the urn and the colours drawn."""

    def follow(left: list[int], drawn: list[int], number: int) -> Fraction:
        if number == 0:
            return Fraction(1)
        found = Fraction(0)
        for colour, count in enumerate(left):
            fits = colour not in drawn if event == "different" else drawn in ([], [colour])
            if not fits or count == 0:
                continue
            after = list(left)
            after[colour] -= 0 if replace else 1
            now = [*drawn, colour] if event == "different" else [colour]
            found += Fraction(count, sum(left)) * follow(after, now, number - 1)
        return found

    return follow(balls, [], draws)


def _condition(chances: dict[int, Fraction], event: list[int], given: list[int] | None) -> Fraction:
    """Chance of a range of counts, given another range."""
    low, high = given or (min(chances), max(chances))
    known = {count: chance for count, chance in chances.items() if low <= count <= high}
    part = sum((c for count, c in known.items() if event[0] <= count <= event[1]), Fraction(0))
    return part / sum(known.values())
