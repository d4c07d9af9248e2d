"""PDDL: writing a domain and a problem, and reading a plan out of an answer.

Left out: everything beyond STRIPS (types, negation, costs, time); domains are only written here,
never read.
"""

import re
from collections.abc import Iterable, Sequence

from zerogym.envs.reasoning.listings import unnumbered
from zerogym.envs.reasoning.planning.strips import Action, Atom, bind_all, written

MAX_LENGTH = 4096  # characters of a plan
PLAN_FORMAT = "one action a line, in order, each as (name object ...)"

_CALL = re.compile(r"\(([^()]*)\)")
_COMMENT = re.compile(r";[^\n]*")
_BETWEEN = frozenset("0123456789 \t\r\n.,:-[]")  # numbers and separators around the brackets


def parse_plan(text: str) -> list[Atom] | None:
    """Return the actions of a plan, lower-cased; None if it is anything else.

    Lines may be numbered and end in a comment after `;`. Without any bracket, each line is an
    action.

    Example:
        >>> parse_plan("1. (PICK-UP a)\\n2. (stack a b) ; done")
        [('pick-up', 'a'), ('stack', 'a', 'b')]
        >>> parse_plan("first (pick-up a)") is None
        True
    """
    if len(text) > MAX_LENGTH:
        return None
    text = unnumbered(_COMMENT.sub("", text)).casefold()
    if "(" in text:
        if not _BETWEEN.issuperset(_CALL.sub("", text)):
            return None
        calls = _CALL.findall(text)
    else:
        calls = [line for line in text.split("\n") if line.strip()]
    plan = [tuple(call.split()) for call in calls]
    return plan if plan and all(plan) else None


def domain_text(name: str, predicates: Iterable[tuple[str, int]], actions: Iterable[Action]) -> str:
    """Return a STRIPS domain as PDDL."""
    declared = " ".join(written((p, *_variables(arity))) for p, arity in predicates)
    parts = [f"(define (domain {name})", f"  (:requirements :strips)\n  (:predicates {declared})"]
    return "\n".join([*parts, *map(_action_text, actions)]) + ")"


def problem_text(
    domain: str, objects: Sequence[str], start: Iterable[Atom], goal: Iterable[Atom]
) -> str:
    """Return a problem of a domain as PDDL."""
    return "\n".join(
        [
            f"(define (problem today) (:domain {domain})",
            f"  (:objects {' '.join(objects)})",
            f"  (:init {' '.join(map(written, start))})",
            f"  (:goal (and {' '.join(map(written, goal))})))",
        ]
    )


def _variables(count: int) -> tuple[str, ...]:
    return tuple(f"?{letter}" for letter in "xyzuvw"[:count])


def _action_text(action: Action) -> str:
    variables = _variables(action.arity)
    needs, adds, deletes = (
        [written(atom) for atom in bind_all(part, variables)]
        for part in (action.needs, action.adds, action.deletes)
    )
    effects = [*adds, *[f"(not {atom})" for atom in deletes]]
    return (
        f"  (:action {action.name} :parameters {written(variables)}\n"
        f"    :precondition (and {' '.join(needs)})\n"
        f"    :effect (and {' '.join(effects)}))"
    )
