"""Minimal deterministic finite automata (DFA) of LTLf formulas.

The parts of `&` and `|` are translated separately and combined as a product, as in "Compositional
Approach to Translating LTLf/LDLf into Deterministic Finite Automata" (2021, ICAPS): their
obligations would multiply. Equivalent states are merged by Moore's refinement, so that formulas
with the same meaning have the same table. Left out: sets of events as decision diagrams; each set
has a column.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.temporal import ltlf

MAX_EVENTS = 10  # the tables have a column for each set of events
MAX_STATES = 1000
MAX_ENTRIES = 2**18  # states times sets of events
MAX_WORK = 5_000  # for one part: states, times their alternatives and sets of events that matter

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class DFA:
    """A deterministic finite automaton; state 0 is the one before the first moment.

    Attributes:
        events: The E names, sorted.
        next_state: (N, 2**E) the next states, by state and set of events.
        holds: (N,) True where the formula holds if the episode ends there.
    """

    events: tuple[str, ...]
    next_state: Ints
    holds: Flags

    @property
    def over(self) -> Flags:
        """(N,): the absorbing states."""
        own = np.arange(len(self.next_state))[:, None]
        return np.asarray((self.next_state == own).all(axis=1))


def dfa_of(formula: ltlf.Formula, text: str) -> DFA:
    """Return the minimal automaton of a formula.

    Args:
        formula: The parsed formula.
        text: Its text, for errors.

    Raises:
        ValueError: If it has no events or more than `MAX_EVENTS`, or if it is too large.
    """
    check_events(sorted(ltlf.names(formula)))
    return _automaton(formula, text)


def sets_of(events: Sequence[str]) -> list[frozenset[str]]:
    """Return all sets of events, in the order of their numbers."""
    return [
        frozenset(event for i, event in enumerate(events) if number >> i & 1)
        for number in range(2 ** len(events))
    ]


def check_events(events: Sequence[str]) -> None:
    """Refuse names that occur twice, no events, and too many.

    Raises:
        ValueError: In each of these cases.
    """
    if len(set(events)) != len(events):
        raise ValueError(f"events must have different names, got {list(events)}")
    if not 1 <= len(events) <= MAX_EVENTS:
        raise ValueError(f"a machine has 1 to {MAX_EVENTS} events, got {len(events)}")


def _automaton(formula: ltlf.Formula, text: str) -> DFA:
    if formula.kind not in ("&", "|"):
        return _minimal(_by_progression(formula, text))
    one, other = (_automaton(part, text) for part in formula.parts)
    return _minimal(_product(one, other, formula.kind, text))


def _by_progression(formula: ltlf.Formula, text: str) -> DFA:
    """Return the automaton whose states are the duties of progression."""
    events = tuple(sorted(ltlf.names(formula)))
    known: dict[ltlf.Duties, int] = {ltlf.start(formula): 0}
    table: list[Ints] = []
    work = 0
    for duties in (order := list(known)):  # grows while it is read
        read = sorted(ltlf.relevant(duties))
        work += 2 ** len(read) * max(1, len(duties))
        if work > MAX_WORK:
            raise ValueError(f"the machine of {text!r} takes over {MAX_WORK} steps to make")
        row = []
        for holding in sets_of(read):
            after = ltlf.progress(duties, holding)
            if after not in known:
                _check_size(len(known) + 1, len(events), text)
                known[after] = len(known)
                order.append(after)
            row.append(known[after])
        table.append(np.array(row)[_numbers(read, events)])
    holds = np.array([ltlf.satisfied(duties) for duties in order])
    return DFA(events, np.array(table, dtype=np.int64), holds)


def _product(one: DFA, other: DFA, kind: str, text: str) -> DFA:
    """Return the automaton of both (`&`) or either (`|`), with the reachable pairs as states."""
    events = tuple(sorted({*one.events, *other.events}))
    width = len(other.next_state)
    first = one.next_state[:, _numbers(one.events, events)] * width
    second = other.next_state[:, _numbers(other.events, events)]
    known, rows = {0: 0}, []
    for pair in (order := [0]):  # grows while it is read
        after = first[pair // width] + second[pair % width]
        for new in np.unique(after).tolist():
            if new not in known:
                _check_size(len(known) + 1, len(events), text)
                known[new] = len(known)
                order.append(new)
        rows.append(after)
    number = np.zeros(len(one.next_state) * width, dtype=np.int64)
    number[order] = np.arange(len(order))
    pairs = np.array(order)
    first_holds, second_holds = one.holds[pairs // width], other.holds[pairs % width]
    holds = first_holds & second_holds if kind == "&" else first_holds | second_holds
    return DFA(events, number[np.array(rows)], holds)


def _minimal(table: DFA) -> DFA:
    """Merge equivalent states, and number them in the order in which they are reached."""
    kind = table.holds.astype(np.int64)
    count = 0
    while count < (found := len(np.unique(kind))):
        count = found
        rows = np.concatenate([kind[:, None], kind[table.next_state]], axis=1)
        names: dict[bytes, int] = {}
        kind = np.array([names.setdefault(row.tobytes(), len(names)) for row in rows])
    order, firsts = [int(kind[0])], {int(k): i for i, k in reversed(list(enumerate(kind)))}
    for one in order:  # grows while it is read
        after = kind[table.next_state[firsts[one]]]
        values, places = np.unique(after, return_index=True)
        order += [v for v in values[np.argsort(places)].tolist() if v not in order]
    number = np.zeros(len(names), dtype=np.int64)
    number[order] = np.arange(len(order))
    kept = [firsts[one] for one in order]
    return DFA(table.events, number[kind[table.next_state[kept]]], table.holds[kept])


def _numbers(some: Sequence[str], events: Sequence[str]) -> Ints:
    """Return for each set of events the number of its intersection with `some`; (2**E,)."""
    sets, found = np.arange(2 ** len(events)), np.zeros(2 ** len(events), dtype=np.int64)
    for place, event in enumerate(some):
        found |= (sets >> events.index(event) & 1) << place
    return found


def _check_size(states: int, events: int, text: str) -> None:
    most = min(MAX_STATES, MAX_ENTRIES >> events)
    if states > most:
        raise ValueError(f"the machine of {text!r} has over {most} states")
