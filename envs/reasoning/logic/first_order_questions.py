"""The five questions about a drawn theory: text, answer, worked solution and typical mistakes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, pick, shuffled
from zerogym.envs.reasoning.logic.drawn_theories import (
    STATUSES,
    Theory,
    draw_statements,
    draw_theory,
)
from zerogym.envs.reasoning.logic.theories import (
    NOT,
    Atom,
    Rule,
    negated,
    say,
    say_rule,
    support,
)

MAX_STATUSES = 5  # in one problem; three or more, so that there are at least 27 answers
_VERDICTS = {
    "true": "this follows",
    "false": "its opposite follows",
    "unknown": "neither it nor its opposite follows",
}

Statement = Atom | Rule


def conjecture(rng: np.random.Generator, level: int) -> Problem:
    """Decide whether the goal, or its twin, follows."""
    theory = _theory(rng, level)
    follows = bool(rng.random() < 0.5)
    goal = theory.goal if follows else theory.twin
    answer = "yes" if follows else "no"
    statements: list[Statement] = [*theory.facts, *theory.rules]
    steps = _derivation(theory, goal) if follows else _why_not(theory, goal)
    return Problem(
        prompt=f"{_sentences(statements)}\nDoes this follow: {say(goal)}? Answer yes or no.",
        answer=answer,
        solution="\n".join([*steps, f"So: {answer}"]),
        distractors=("no" if follows else "yes", "it cannot be decided"),
        category="conjecture",
        data=_data(statements, [goal]),
        canonical=_canonical("conjecture", statements, say(goal)),
    )


def selection(rng: np.random.Generator, level: int) -> Problem:
    """Select the facts and rules that the goal needs."""
    theory = _theory(rng, level)
    statements: list[Statement] = shuffled(rng, [*theory.facts, *theory.rules])
    facts, rules, _ = support(theory.known, theory.goal)
    used: list[Statement] = [*facts, *rules]
    needed = sorted(statements.index(one) + 1 for one in used)
    return Problem(
        prompt=f"{_numbered(statements)}\nFrom these follows: {say(theory.goal)}.\nWhich of them "
        "are needed for it? Answer with the numbers of the smallest such set.",
        answer=_list(needed),
        solution="\n".join([*_derivation(theory, theory.goal, statements), _list(needed)]),
        distractors=_wrong_numbers(rng, needed, len(statements)),
        category="selection",
        data=_data(statements, [theory.goal]) | {"needed": needed},
        canonical=_canonical("selection", statements, say(theory.goal)),
    )


def evidence(rng: np.random.Generator, level: int) -> Problem:
    """Select the facts that show that the goal is true, or its negation false."""
    theory = _theory(rng, level)
    facts: list[Statement] = list(theory.facts)
    used, _, _ = support(theory.known, theory.goal)
    needed = sorted(facts.index(fact) + 1 for fact in used)
    is_true = bool(rng.random() < 0.5)
    claim = theory.goal if is_true else negated(theory.goal)
    verdict = "true" if is_true else "false"
    statements: list[Statement] = [*facts, *theory.rules]
    return Problem(
        prompt=f"Rules:\n{_sentences(theory.rules)}\nFacts:\n{_numbered(facts)}\n"
        f'Rules and facts show that "{say(claim)}" is {verdict}. Which facts are needed for this?\n'
        "Answer with the numbers of the smallest such set of facts.",
        answer=_list(needed),
        solution="\n".join([*_derivation(theory, theory.goal, facts), _list(needed)]),
        distractors=_wrong_numbers(rng, needed, len(facts)),
        category="evidence",
        data=_data(statements, [claim]) | {"needed": needed},
        canonical=_canonical("evidence", statements, say(claim)),
    )


def proof(rng: np.random.Generator, level: int) -> Problem:
    """Give the parents of each derived statement."""
    theory = _theory(rng, level)
    _, _, derived = support(theory.known, theory.goal)
    statements: list[Statement] = shuffled(rng, [*theory.facts, *theory.rules, *derived])
    steps = [(statements.index(one) + 1, _parents(theory, statements, one)) for one in derived]
    numbers = sorted(number for number, _ in steps)
    facts = [statements.index(fact) + 1 for fact in theory.facts]
    answer = _steps(steps)
    subject = "Statement" if len(numbers) == 1 else "Each of the statements"
    return Problem(
        prompt=f"{_numbered(statements)}\n{subject} {_list(numbers)} was derived from others by "
        "one use of one rule.\nGive for each of these its number, a colon, and the numbers of the "
        "rule and of the\nstatements that it was derived from, like 9: 8, 7; 10: 9, 6",
        answer=answer,
        solution="\n".join([*_derivation(theory, theory.goal, statements), answer]),
        distractors=_wrong_steps(rng, steps, facts),
        category="proof",
        data=_data(statements, [theory.goal]) | {"derived": numbers},
        canonical=_canonical("proof", statements, _list(numbers)),
    )


def status(rng: np.random.Generator, level: int) -> Problem:
    """Decide whether each of some statements is true, false or unknown."""
    statuses = [pick(rng, STATUSES) for _ in range(min(3 + level // 2, MAX_STATUSES))]
    goals = None
    while goals is None:  # the theory is redrawn, not the statuses: they stay equally likely
        theory = draw_theory(rng, 1 + level, 5 + level, _people(level))
        goals = draw_statements(rng, theory, statuses)
    statements: list[Statement] = [*theory.facts, *theory.rules]
    answer = ", ".join(statuses)
    steps = [
        f"{number}. {say(goal)}: {_VERDICTS[status]}"
        for number, (goal, status) in enumerate(zip(goals, statuses, strict=True), 1)
    ]
    return Problem(
        prompt=f"{_sentences(statements)}\nWhat about these?\n{_numbered(goals)}\nAnswer with "
        "true, false or unknown for each, in this order, separated by commas. Unknown means\n"
        "that neither it nor its opposite follows.",
        answer=answer,
        solution="\n".join([*_all_that_follows(theory), *steps, f"So: {answer}"]),
        distractors=_wrong_statuses(rng, statuses),
        category="status",
        data=_data(statements, goals),
        canonical=_canonical("status", statements, *map(say, goals)),
    )


QUESTIONS: dict[str, Callable[[np.random.Generator, int], Problem]] = {
    "conjecture": conjecture,
    "selection": selection,
    "proof": proof,
    "status": status,
    "evidence": evidence,
}


def _people(level: int) -> int:
    return 3 + min(level // 2, 2)


def _theory(rng: np.random.Generator, level: int) -> Theory:
    return draw_theory(rng, 1 + level, 2 + level, _people(level))


def _text(statement: Statement) -> str:
    return f"{say_rule(statement) if isinstance(statement, Rule) else say(statement)}."


def _sentences(statements: Sequence[Statement]) -> str:
    return "\n".join(map(_text, statements))


def _numbered(statements: Sequence[Statement]) -> str:
    return "\n".join(f"{number}. {_text(one)}" for number, one in enumerate(statements, 1))


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _data(statements: Sequence[Statement], goals: Sequence[Atom]) -> dict[str, Any]:
    return {
        "statements": [
            {"if": [list(part) for part in one.body], "then": list(one.head)}
            if isinstance(one, Rule)
            else {"fact": list(one)}
            for one in statements
        ],
        "goals": [list(goal) for goal in goals],
    }


def _canonical(category: str, statements: Sequence[Statement], *goals: str) -> str:
    return "\n".join([category, *sorted(map(_text, statements)), *goals])


def _derivation(theory: Theory, goal: Atom, statements: Sequence[Statement] = ()) -> list[str]:
    """One line for each use of a rule on the way to the goal, with numbers of what has one."""

    def named(one: Statement, text: str) -> str:
        return f"{text} ({statements.index(one) + 1})" if one in statements else text

    lines = []
    for atom in support(theory.known, goal)[2]:
        how = theory.known[atom]
        if how is not None:
            rule = named(how.rule, say_rule(how.rule))
            because = " and ".join(named(parent, say(parent)) for parent in how.parents)
            lines.append(f"{rule}. {because}. Therefore {named(atom, say(atom))}.")
    return lines


def _all_that_follows(theory: Theory) -> list[str]:
    """One line for everything that can be derived."""
    return [
        f"{say(atom)}, because {' and '.join(map(say, how.parents))}."
        for atom, how in theory.known.items()
        if how is not None
    ]


def _why_not(theory: Theory, twin: Atom) -> list[str]:
    lines = _all_that_follows(theory)
    if twin[0].startswith(NOT):
        return [*lines, f"If {say(negated(twin))}, none of this is contradicted."]
    return [*lines, f"{say(twin)}: this is not among it."]


def _parents(theory: Theory, statements: list[Statement], atom: Atom) -> list[int]:
    """Numbers of the rule and of the atoms that an atom was derived from."""
    how = theory.known[atom]
    parents: tuple[Statement, ...] = () if how is None else (how.rule, *how.parents)
    return [statements.index(one) + 1 for one in parents]


def _steps(steps: Sequence[tuple[int, list[int]]]) -> str:
    return "; ".join(f"{number}: {_list(parents)}" for number, parents in steps)


def _wrong_numbers(rng: np.random.Generator, needed: list[int], count: int) -> tuple[str, ...]:
    """List the needed numbers without one, with one too many, and all numbers."""
    left_out = pick(rng, needed)
    wrong = {_list([n for n in needed if n != left_out] or [0]): None}
    others = [number for number in range(1, count + 1) if number not in needed]
    wrong[_list(sorted([*needed, pick(rng, others)]))] = None
    wrong[_list(range(1, count + 1))] = None
    return tuple(wrong)


def _wrong_steps(
    rng: np.random.Generator, steps: list[tuple[int, list[int]]], facts: list[int]
) -> tuple[str, ...]:
    """Remove a parent of one step, or put a fact in the place of its rule."""
    place = draw_int(rng, 0, len(steps) - 1)
    number, (_, *parents) = steps[place]
    changed = (steps[place][1][:-1], [pick(rng, facts), *parents])
    return tuple(_steps([*steps[:place], (number, one), *steps[place + 1 :]]) for one in changed)


def _wrong_statuses(rng: np.random.Generator, statuses: list[str]) -> tuple[str, ...]:
    """Change one status; take what is not stated for false; call everything unknown."""
    place = draw_int(rng, 0, len(statuses) - 1)
    other = pick(rng, [status for status in STATUSES if status != statuses[place]])
    found = [[*statuses[:place], other, *statuses[place + 1 :]]]
    found.append(["false" if status == "unknown" else status for status in statuses])
    found.append(["unknown"] * len(statuses))
    return tuple(dict.fromkeys(", ".join(one) for one in found if one != statuses))
