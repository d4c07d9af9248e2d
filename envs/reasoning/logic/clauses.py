"""Satisfiability by search: formulas as clauses, and the DPLL procedure.

The second method of the logic tasks, which decide by tables when they draw. A literal is a number
(variable n is n, its negation -n), a clause is a tuple of literals. Left out: clause learning,
watched literals; the problems have some hundred clauses at most.

Source:
    "A Machine Program for Theorem-Proving" (1962), Davis, Logemann and Loveland; the clauses are
    those of "On the Complexity of Derivation in Propositional Calculus" (1968), Tseitin.
"""

from collections.abc import Iterable, Sequence

from zerogym.envs.reasoning.logic.formulas import Formula, names_of

Clause = tuple[int, ...]


def clauses_of(formulas: Sequence[Formula]) -> tuple[list[Clause], dict[str, int]]:
    """Clauses that can be satisfied together if and only if all formulas can; and the names.

    Each inner formula gets a variable of its own, so the clauses are few.

    Example:
        >>> clauses, names = clauses_of(["p", ("not", "p")])
        >>> names, satisfy(clauses)
        ({'p': 1}, None)
    """
    names = {name: number for number, name in enumerate(names_of(formulas), 1)}
    clauses: list[Clause] = []
    last = len(names)

    def literal(formula: Formula) -> int:
        nonlocal last
        if isinstance(formula, str):
            return names[formula]
        left = literal(formula[1])
        if formula[0] == "not":
            return -left
        right = literal(formula[2])
        last += 1
        clauses.extend(_definition(str(formula[0]), last, left, right))
        return last

    for formula in formulas:
        clauses.append((literal(formula),))
    return clauses, names


def _definition(operator: str, new: int, left: int, right: int) -> list[Clause]:
    """Clauses that say: `new` is true if and only if the operator's result is."""
    if operator == "and":
        return [(-new, left), (-new, right), (new, -left, -right)]
    if operator == "or":
        return [(new, -left), (new, -right), (-new, left, right)]
    if operator == "implies":
        return [(new, left), (new, -right), (-new, -left, right)]
    signs = ((-1, -1, 1), (-1, 1, -1), (1, 1, 1), (1, -1, -1))
    return [(new * a, left * b, right * c) for a, b, c in signs]


def satisfy(clauses: Iterable[Clause]) -> set[int] | None:
    """Literals that satisfy every clause (variables that do not matter are left out), or None.

    Example:
        >>> sorted(satisfy([(1, 2), (-1,)]))
        [-1, 2]
    """
    return _search(list(clauses), set())


def _search(clauses: list[Clause], chosen: set[int]) -> set[int] | None:
    """Unit clauses first; then a literal of a shortest clause, both ways."""
    while clauses:
        shortest = min(clauses, key=len)
        if not shortest:
            return None
        if len(shortest) > 1:
            break
        chosen.add(shortest[0])
        clauses = _assume(clauses, shortest[0])
    if not clauses:
        return chosen
    for literal in (shortest[0], -shortest[0]):
        found = _search(_assume(clauses, literal), chosen | {literal})
        if found is not None:
            return found
    return None


def _assume(clauses: list[Clause], literal: int) -> list[Clause]:
    """The clauses that are left if a literal is true."""
    return [
        tuple(part for part in clause if part != -literal) if -literal in clause else clause
        for clause in clauses
        if literal not in clause
    ]
