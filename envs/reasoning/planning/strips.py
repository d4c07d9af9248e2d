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
    """The atom that a pattern is, given arguments."""
    name, places = pattern
    if len(places) == 1:  # the most common case, worth a line: binding takes most of the time
        return name, arguments[places[0]]
    return (name, *[arguments[place] for place in places])


def written(atom: Atom) -> str:
    """As in PDDL.

    Example:
        >>> written(("on", "a", "b"))
        '(on a b)'
    """
    return f"({' '.join(atom)})"


def fault(problem: Planning, plan: Sequence[Atom]) -> str:
    """Which step of a plan fails, and why, or that the goal is missed; empty if it is right."""
    state = set(problem.start)
    for number, call in enumerate(plan, start=1):
        action, arguments = problem.actions.get(call[0]), call[1:]
        if action is None:
            return f"Step {number}, {written(call)}: there is no such action."
        if len(arguments) != action.arity:
            return f"Step {number}, {written(call)}: it takes {action.arity} objects."
        for name in arguments:
            if name not in problem.objects:
                return f"Step {number}, {written(call)}: there is no object {name}."
        for pattern in action.needs:
            atom = bind(pattern, arguments)
            if atom not in state:
                return f"Step {number}, {written(call)}: {written(atom)} does not hold."
        for pattern in action.deletes:
            state.discard(bind(pattern, arguments))
        for pattern in action.adds:
            state.add(bind(pattern, arguments))
    if problem.goal <= state:
        return ""
    return "Every step is possible, but the goal does not hold at the end."


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
            (action, arguments, [bind(pattern, arguments) for pattern in action.needs])
            for action in problem.actions.values()
            for arguments in product(problem.objects, repeat=action.arity)
        ]
        reachable = set(problem.start)
        progress = True
        while progress:
            progress, later = False, []
            for candidate in waiting:
                action, arguments, needs = candidate
                if not reachable.issuperset(needs):
                    later.append(candidate)
                    continue
                progress = True
                adds = [bind(pattern, arguments) for pattern in action.adds]
                deletes = [bind(pattern, arguments) for pattern in action.deletes]
                reachable.update(adds)
                masks = map(self._mask, (needs, adds, deletes))
                self.steps.append(Step((action.name, *arguments), *masks))
            waiting = later

    def levels(
        self, most: int, goal: int | None = None, depth: int | None = None
    ) -> tuple[list[list[int]], dict[int, tuple[int, Step]]]:
        """States by distance from the start: until one has the goal, or to a depth, or `most`.

        Then the last level is incomplete. Also, for each state, the one before it and the step
        from there.
        """
        came: dict[int, tuple[int, Step]] = {}
        seen, levels = {self.start}, [[self.start]]
        rules = [(step.needs, step.adds, ~step.deletes, step) for step in self.steps]
        while levels[-1] and len(levels) - 1 != depth:
            following: list[int] = []
            for state in levels[-1]:
                if (goal is not None and state & goal == goal) or len(seen) > most:
                    return [*levels, following], came
                for needs, adds, kept, step in rules:
                    if state & needs == needs:
                        after = state & kept | adds
                        if after not in seen:
                            seen.add(after)
                            came[after] = state, step
                            following.append(after)
            levels.append(following)
        return levels, came

    def path(self, state: int, came: Mapping[int, tuple[int, Step]]) -> list[Atom]:
        """The calls that lead from the start to a state that `levels` has found."""
        calls = []
        while state != self.start:
            state, step = came[state]
            calls.append(step.call)
        return calls[::-1]


def shortest_plan(problem: Planning, most: int = 200_000) -> list[Atom] | None:
    """A plan with the fewest steps; None if there is none, or none within `most` states."""
    grounded = Grounded(problem)
    levels, came = grounded.levels(most, grounded.goal)
    for level in levels:
        for state in level:
            if state & grounded.goal == grounded.goal:
                return grounded.path(state, came)
    return None


def actions_as_data(actions: Sequence[Action]) -> list[list[Any]]:
    """Actions as JSON values."""
    return [
        [a.name, a.arity, *([[p, list(at)] for p, at in part] for part in parts_of(a))]
        for a in actions
    ]


def parts_of(action: Action) -> tuple[tuple[Pattern, ...], ...]:
    """Needs, adds and deletes."""
    return action.needs, action.adds, action.deletes


def actions_from_data(data: Sequence[Sequence[Any]]) -> dict[str, Action]:
    """Back from JSON values, by name."""
    found = {}
    for name, arity, *parts in data:
        needs, adds, deletes = (tuple((p, tuple(at)) for p, at in part) for part in parts)
        found[name] = Action(name, arity, needs, adds, deletes)
    return found
