"""Who stands on which bank: the states, rules and shortest ways of river crossings.

Left out: more than one boat, islands, and rules about who may share the boat.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

Counts = tuple[int, ...]  # how many of each kind
State = tuple[Counts, bool]  # who is on the left bank, and whether the boat is there

OUTNUMBERED, CONFLICTS = "outnumbered", "conflicts"


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
        """From the data of a problem."""
        pairs = tuple((a, b) for a, b in data["pairs"])
        return River(data["rule"], tuple(data["totals"]), data["capacity"], pairs)

    @cached_property
    def loads(self) -> tuple[Counts, ...]:
        """All loads of the boat, the small ones first."""
        least = 1 if self.rule == OUTNUMBERED else 0
        every = product(*(range(min(total, self.capacity) + 1) for total in self.totals))
        return tuple(sorted([x for x in every if least <= sum(x) <= self.capacity], key=sum))

    def bank(self, left: Counts, is_left: bool) -> Counts:
        """Who is on a bank."""
        if is_left:
            return left
        return tuple([total - n for total, n in zip(self.totals, left, strict=True)])

    def danger(self, state: State) -> tuple[bool, int, int] | None:
        """A bank (whether it is the left one) where two kinds must not be as they are, or None."""
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
        """The state after a crossing; None if the load is not on the boat's bank."""
        left, boat_left = state
        if boat_left:
            after = tuple([n - x for n, x in zip(left, load, strict=True)])
        else:
            after = tuple([n + x for n, x in zip(left, load, strict=True)])
        fits = all(0 <= n <= total for n, total in zip(after, self.totals, strict=True))
        return (after, not boat_left) if fits else None

    @property
    def goal(self) -> State:
        """All on the right bank."""
        return (0,) * len(self.totals), False

    def steps(self, state: State) -> list[tuple[Counts, State]]:
        """Loads that lead to a state without danger, and these states."""
        found = [(load, self.cross(state, load)) for load in self.loads]
        return [(x, after) for x, after in found if after is not None and not self.danger(after)]


def distances(river: River) -> dict[State, int]:
    """Crossings to the goal from each state that has a way; crossings can be taken back."""
    found, frontier = {river.goal: 0}, [river.goal]
    while frontier:
        following = []
        for state in frontier:
            for _, after in river.steps(state):
                if after not in found:
                    found[after] = found[state] + 1
                    following.append(after)
        frontier = following
    return found


def way_down(river: River, start: State, found: dict[State, int]) -> list[Counts]:
    """Loads of a shortest way, following the distances."""
    loads, state = [], start
    while state != river.goal:
        load, state = next(s for s in river.steps(state) if found[s[1]] == found[state] - 1)
        loads.append(load)
    return loads


def shortest_way(river: River, start: State) -> list[Counts]:
    """Loads of a shortest way, breadth first from the start."""
    parents: dict[State, tuple[State, Counts] | None] = {start: None}
    queue = [start]
    for state in queue:
        if state == river.goal:
            break
        for load, after in river.steps(state):
            if after not in parents:
                parents[after] = state, load
                queue.append(after)
    loads, state = [], river.goal
    while (step := parents[state]) is not None:
        state, load = step
        loads.append(load)
    return loads[::-1]
