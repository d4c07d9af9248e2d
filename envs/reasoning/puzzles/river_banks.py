"""States, rules and shortest ways of river crossings, and random casts.

Left out: more than one boat, islands, and rules about who may share the boat.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, sample_of

Counts = tuple[int, ...]  # how many of each kind
State = tuple[Counts, bool]  # who is on the left bank, and whether the boat is there

OUTNUMBERED, CONFLICTS = "outnumbered", "conflicts"

PEOPLE = (
    "guard", "robber", "knight", "dragon", "sailor", "pirate", "wizard", "troll", "doctor",
    "patient", "teacher", "pupil", "hunter", "bear", "painter", "critic", "baker", "cook", "judge",
    "prince", "giant", "singer", "dancer", "monk", "ghost", "driver",
)  # fmt: skip
THINGS = (
    "wolf", "goat", "cabbage", "fox", "goose", "corn", "cat", "mouse", "cheese", "dog", "hen",
    "snake", "frog", "lamp", "oil", "rabbit",
)  # fmt: skip
MAX_PEOPLE, MAX_THINGS = 7, 7  # of each kind, in all
MAX_CASTS = 8  # drawn until one has a start as far from the goal as required


@dataclass(frozen=True)
class River:
    """A crossing problem without its start: everybody is to get to the right bank.

    Attributes:
        rule: `outnumbered`: on no bank may the second kind outnumber the first, if one of the first
            is there; at least one must row. `conflicts`: each kind is one thing, and some pairs may
            not be on a bank without the rower, who is always in the boat and not counted.
        totals: How many there are of each kind.
        capacity: How many the boat holds, without the rower of `conflicts`.
        pairs: The pairs that conflict.
    """

    rule: str
    totals: Counts
    capacity: int
    pairs: tuple[tuple[int, int], ...] = ()

    @staticmethod
    def of(data: Mapping[str, Any]) -> "River":
        """Read a river from the data of a problem."""
        pairs = tuple((a, b) for a, b in data["pairs"])
        return River(data["rule"], tuple(data["totals"]), data["capacity"], pairs)

    @cached_property
    def loads(self) -> tuple[Counts, ...]:
        """Return all loads of the boat, the small ones first."""
        least = 1 if self.rule == OUTNUMBERED else 0
        every = product(*(range(min(total, self.capacity) + 1) for total in self.totals))
        return tuple(sorted([x for x in every if least <= sum(x) <= self.capacity], key=sum))

    def bank(self, left: Counts, is_left: bool) -> Counts:
        """Return the counts on a bank."""
        if is_left:
            return left
        return tuple([total - n for total, n in zip(self.totals, left, strict=True)])

    def danger(self, state: State) -> tuple[bool, int, int] | None:
        """Return a bank (whether it is the left one) and two kinds that break the rule, or None."""
        left, boat_left = state
        if self.rule == CONFLICTS:
            alone = self.bank(left, not boat_left)
            for a, b in self.pairs:
                if alone[a] and alone[b]:
                    return not boat_left, a, b
            return None
        for is_left in (True, False):
            first, second = self.bank(left, is_left)
            if 0 < first < second:
                return is_left, 0, 1
        return None

    def cross(self, state: State, load: Counts) -> State | None:
        """Return the state after a crossing; None if the load is not on the boat's bank."""
        left, boat_left = state
        sign = -1 if boat_left else 1
        after = tuple([n + sign * x for n, x in zip(left, load, strict=True)])
        fits = all(0 <= n <= total for n, total in zip(after, self.totals, strict=True))
        return (after, not boat_left) if fits else None

    @property
    def goal(self) -> State:
        """Return the state in which all are on the right bank."""
        return (0,) * len(self.totals), False

    def steps(self, state: State) -> list[tuple[Counts, State]]:
        """Return the loads that lead to a state without danger, and these states."""
        found = [(load, self.cross(state, load)) for load in self.loads]
        return [(x, after) for x, after in found if after is not None and not self.danger(after)]


def distances(river: River) -> dict[State, int]:
    """Return the crossings to the goal from each state with a way; all can be taken back."""
    found, queue = {river.goal: 0}, [river.goal]
    for state in queue:
        for _, after in river.steps(state):
            if after not in found:
                found[after] = found[state] + 1
                queue.append(after)
    return found


def way_down(river: River, start: State, found: dict[State, int]) -> list[Counts]:
    """Return the loads of a shortest way, following the distances."""
    loads, state = [], start
    while state != river.goal:
        load, state = next(s for s in river.steps(state) if found[s[1]] == found[state] - 1)
        loads.append(load)
    return loads


class Cast(NamedTuple):
    """A river, what its kinds are called, and how far each state is from the goal."""

    river: River
    names: list[str]
    distances: dict[State, int]

    @property
    def reach(self) -> int:
        """Return the crossings from the farthest start."""
        return max(self.distances.values())


def draw_cast(rng: np.random.Generator, rule: str, size: int, crossings: int) -> Cast:
    """Draw a cast with a start `crossings` away, or of some the one with the longest way."""
    draw = _draw_groups if rule == OUTNUMBERED else _draw_things
    casts, best = 0, None
    while best is None or best.reach == 0 or (best.reach < crossings and casts < MAX_CASTS):
        river, names = draw(rng, size)
        cast = Cast(river, names, distances(river))
        casts += 1
        best = cast if best is None else max(best, cast, key=lambda found: found.reach)
    return best


def _draw_groups(rng: np.random.Generator, size: int) -> tuple[River, list[str]]:
    """Draw two groups, the second not larger than the first, and a boat for two to four."""
    names = sample_of(rng, PEOPLE, 2)
    first = draw_int(rng, 2, max(2, min(MAX_PEOPLE, size)))
    second = draw_int(rng, max(1, first - 2), first)
    return River(OUTNUMBERED, (first, second), draw_int(rng, 2, 2 + size // 3)), names


def _draw_things(rng: np.random.Generator, size: int) -> tuple[River, list[str]]:
    """Draw things, pairs of them that conflict, and a boat for one or two."""
    count = min(MAX_THINGS, size + 1)
    names = sample_of(rng, THINGS, count)
    pairs = list(combinations(range(count), 2))
    chosen = sorted(sample_of(rng, pairs, draw_int(rng, 2, count)))
    return River(CONFLICTS, (1,) * count, draw_int(rng, 1, 1 + count // 5), tuple(chosen)), names


def all_rivers(size: int) -> Iterator[River]:
    """Yield all rivers that `draw_cast` may draw; conflicts of the same kind come many times."""
    for first in range(2, max(2, min(MAX_PEOPLE, size)) + 1):
        for second, boat in product(range(max(1, first - 2), first + 1), range(2, 3 + size // 3)):
            yield River(OUTNUMBERED, (first, second), boat)
    count = min(MAX_THINGS, size + 1)
    pairs = list(combinations(range(count), 2))
    for number, boat in product(range(2, count + 1), range(1, 2 + count // 5)):
        for chosen in combinations(pairs, number):
            yield River(CONFLICTS, (1,) * count, boat, chosen)
