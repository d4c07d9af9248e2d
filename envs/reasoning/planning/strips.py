"""STRIPS: what actions need and change, executing a plan, and the shortest plan.

Atoms are tuples of strings, `("on", "a", "b")`. Left out: negative preconditions, types, costs,
and heuristics: the search is breadth first and meant for small problems.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

Atom = tuple[str, ...]
Pattern = tuple[str, tuple[int, ...]]  # a predicate, and which parameters it is about


@dataclass(frozen=True)
class Action:
    """An action with parameters: `needs` must hold, then `deletes` go and `adds` come."""

    name: str
    arity: int
    needs: tuple[Pattern, ...]
    adds: tuple[Pattern, ...]
    deletes: tuple[Pattern, ...]


@dataclass(frozen=True)
class Planning:
    """A planning problem: actions by name, objects, the atoms true at the start, and the goal."""

    actions: Mapping[str, Action]
    objects: Sequence[str]
    start: frozenset[Atom]
    goal: frozenset[Atom]


@dataclass(frozen=True)
class Step:
    """A grounded action: sets of atoms as bits of integers."""

    call: Atom
    needs: int
    adds: int
    deletes: int


def bind(pattern: Pattern, arguments: Sequence[str]) -> Atom:
    """Return the atom that a pattern becomes with arguments."""
    name, places = pattern
    if len(places) == 1:  # the most common case, worth a line: binding takes most of the time
        return name, arguments[places[0]]
    return (name, *[arguments[place] for place in places])


def written(atom: Atom) -> str:
    """Return an atom as PDDL writes it.

    Example:
        >>> written(("on", "a", "b"))
        '(on a b)'
    """
    return f"({' '.join(atom)})"


def fault(problem: Planning, plan: Sequence[Atom]) -> str:
    """Return the step of a plan that fails, and why, or that the goal is missed; empty if right."""
    state = set(problem.start)
    for number, call in enumerate(plan, start=1):
        action, arguments = problem.actions.get(call[0]), call[1:]
        where = f"Step {number}, {written(call)}:"
        if action is None:
            return f"{where} there is no such action."
        if len(arguments) != action.arity:
            return f"{where} it takes {action.arity} objects."
        unknown = [name for name in arguments if name not in problem.objects]
        if unknown:
            return f"{where} there is no object {unknown[0]}."
        missing = [atom for atom in bind_all(action.needs, arguments) if atom not in state]
        if missing:
            return f"{where} {written(missing[0])} does not hold."
        state.difference_update(bind_all(action.deletes, arguments))
        state.update(bind_all(action.adds, arguments))
    if problem.goal <= state:
        return ""
    return "Every step is possible, but the goal does not hold at the end."


def bind_all(patterns: Sequence[Pattern], arguments: Sequence[str]) -> list[Atom]:
    """Return the atoms that patterns become with arguments."""
    return [bind(pattern, arguments) for pattern in patterns]


class Grounded:
    """A planning problem with every action that could ever happen, over states as integers."""

    def __init__(self, problem: Planning) -> None:
        self._bits: dict[Atom, int] = {}
        self.start = self._mask(sorted(problem.start))
        self.steps: list[Step] = []
        self._ground(problem)
        self.goal = self._mask(sorted(problem.goal))
        self.atoms = list(self._bits)

    def _mask(self, atoms: Sequence[Atom]) -> int:
        found = 0
        for atom in atoms:
            found |= 1 << self._bits.setdefault(atom, len(self._bits))
        return found

    def _ground(self, problem: Planning) -> None:
        """Keep actions whose needs can come true if nothing is ever deleted."""
        waiting = [
            (action, arguments, bind_all(action.needs, arguments))
            for action in problem.actions.values()
            for arguments in product(problem.objects, repeat=action.arity)
        ]
        reachable = set(problem.start)
        before = -1
        while len(waiting) != before:
            before, later = len(waiting), []
            for candidate in waiting:
                action, arguments, needs = candidate
                if not reachable.issuperset(needs):
                    later.append(candidate)
                    continue
                adds = bind_all(action.adds, arguments)
                reachable.update(adds)
                masks = map(self._mask, (needs, adds, bind_all(action.deletes, arguments)))
                self.steps.append(Step((action.name, *arguments), *masks))
            waiting = later

    def levels(
        self, most: int, goal: int | None = None, depth: int | None = None
    ) -> tuple[list[list[int]], dict[int, tuple[int, Step]]]:
        """Return states by distance from the start: until one has the goal, a depth, or `most`.

        The last level may be incomplete. Also returns, for each state, the one before it and the
        step from there.
        """
        came: dict[int, tuple[int, Step]] = {}
        visited, levels = {self.start}, [[self.start]]
        rules = [(step.needs, step.adds, ~step.deletes, step) for step in self.steps]
        while levels[-1] and len(levels) - 1 != depth:
            following: list[int] = []
            for state in levels[-1]:
                if (goal is not None and state & goal == goal) or len(visited) > most:
                    return [*levels, following], came
                for needs, adds, kept, step in rules:
                    if state & needs == needs:
                        after = state & kept | adds
                        if after not in visited:
                            visited.add(after)
                            came[after] = state, step
                            following.append(after)
            levels.append(following)
        return levels, came

    def path(self, state: int, came: Mapping[int, tuple[int, Step]]) -> list[Atom]:
        """Return the calls that lead from the start to a state that `levels` has found."""
        calls = []
        while state != self.start:
            state, step = came[state]
            calls.append(step.call)
        return calls[::-1]


def shortest_plan(problem: Planning, most: int = 200_000) -> list[Atom] | None:
    """Return a plan with the fewest steps; None if there is none within `most` states."""
    grounded = Grounded(problem)
    levels, came = grounded.levels(most, grounded.goal)
    states = (state for level in levels for state in level)
    reached = (state for state in states if state & grounded.goal == grounded.goal)
    last = next(reached, None)
    return None if last is None else grounded.path(last, came)


def actions_as_data(actions: Sequence[Action]) -> list[list[Any]]:
    """Return actions as JSON values."""
    return [
        [
            a.name,
            a.arity,
            *([[p, list(at)] for p, at in part] for part in (a.needs, a.adds, a.deletes)),
        ]
        for a in actions
    ]


def actions_from_data(data: Sequence[Sequence[Any]]) -> dict[str, Action]:
    """Return actions by their names, from JSON values."""
    found = {}
    for name, arity, *parts in data:
        needs, adds, deletes = (tuple((p, tuple(at)) for p, at in part) for part in parts)
        found[name] = Action(name, arity, needs, adds, deletes)
    return found
