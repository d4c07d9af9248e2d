"""Knights and knaves: find who lies, from what everybody says.

Claims are evaluated in truth tables over all assignments when a puzzle is drawn, and by search
(clauses and DPLL) when it is solved. Left out: people who may do both, several claims a person.
"""

from collections.abc import Sequence

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of
from zerogym.envs.reasoning.listings import MAX_LENGTH, parse_assignments, unnumbered
from zerogym.envs.reasoning.logic.clauses import clauses_of, satisfy
from zerogym.envs.reasoning.logic.formulas import (
    Formula,
    closing_cases,
    parse_formula,
    table,
    tables_of,
    without_order,
    write,
)
from zerogym.envs.reasoning.logic.words import NAMES
from zerogym.envs.reasoning.renaming import key_up_to_names

MAX_PEOPLE = 8
RULES = "On an island live knights, who always tell the truth, and knaves, who always lie."
_AGAINST, _FITS = "does not fit what", "fits all that is said"


class KnightsKnavesEnv(ReasoningEnv):
    """Find out who is a knight (always right) and who is a knave (always lying).

    Description:
        Each person says one thing about the others. Exactly one assignment fits all claims. Who is
        what is drawn first and uniformly, then claims that fit it, until no other assignment does.

    Answer:
        Everybody's kind, `Anna: knight, Ben: knave`, in any order. "Anna is a knight and Ben is a
        knave" is understood too.

    Reward:
        1 if everybody is named and rightly assigned, else 0.

    Difficulty:
        `2 + difficulty` people (a fractional part is the chance of one more, at most 8). From 2 on,
        claims join up to three people instead of two. At 0 there are 19 problems up to names and
        order (16 train, 3 test).

    Example:
        >>> env = KnightsKnavesEnv(difficulty=0)
        >>> print(env.reset(seed=3)[0])
        On an island live knights, who always tell the truth, and knaves, who always lie.
        You meet Zoe and Elsa.
        Zoe says: "Elsa is a knight."
        Elsa says: "Zoe and I are of the same kind."
        Who is what? Answer with everybody's name and kind, like this: Zoe: ..., Elsa: ....
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>Zoe: knight, Elsa: knight</answer>")[1]
        1.0

    Source:
        Puzzles of Raymond Smullyan, "What Is the Name of This Book?" (1978). As a test of language
        models: "On Memorization of Large Language Models in Logical Reasoning" (2024, arXiv
        2410.23123). The claims are our choice.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw who is what, then claims until nothing else fits."""
        people = round_randomly(rng, min(2 + difficulty, MAX_PEOPLE))
        names = sample_of(rng, NAMES, people)
        tables, full = tables_of(names)
        knights = draw_int(rng, 0, (1 << people) - 1)  # a bit for each person
        while True:
            claims = [_claim(rng, names, me, knights, difficulty >= 2) for me in range(people)]
            fits = full
            for name, (formula, _) in zip(names, claims, strict=True):
                fits &= full ^ tables[name] ^ table(formula, tables, full)
            if fits == 1 << knights:
                break
        answer = _roles(names, knights)
        wrong = (knights ^ 1 << draw_int(rng, 0, people - 1), knights ^ (1 << people) - 1)
        said = [f'{name} says: "{text}."' for name, (_, text) in zip(names, claims, strict=True)]
        return Problem(
            prompt=f"{RULES}\nYou meet {', '.join(names[:-1])} and {names[-1]}.\n"
            + "\n".join(said)
            + "\nWho is what? Answer "
            f"with everybody's name and kind, like this: {_listing(names, ['...'] * people)}.",
            answer=answer,
            solution=_work_out(names, [formula for formula, _ in claims], answer),
            distractors=tuple(_roles(names, row) for row in wrong),
            data={"names": names, "claims": [write(formula) for formula, _ in claims]},
            canonical="\n".join(sorted(said)),
        )

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return who says what up to names, order and the words of a claim."""
        names = problem.data["names"]
        claims = [without_order(parse_formula(claim)) for claim in problem.data["claims"]]
        return key_up_to_names(zip(names, claims, strict=True), names)

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search for an assignment in which who is a knight says what is true."""
        names = problem.data["names"]
        said = [
            ("iff", name, parse_formula(claim))
            for name, claim in zip(names, problem.data["claims"], strict=True)
        ]
        clauses, numbers = clauses_of(said)
        found = satisfy(clauses)
        if found is None:
            raise ValueError(f"no solution: {problem.prompt}")
        return _listing(names, [_role(numbers[name] in found) for name in names])

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Say whether the answer has the right form, and name a claim that contradicts it."""
        given = _read(answer)
        if given == _read(problem.answer):
            return ""
        names = problem.data["names"]
        if given is None or given.keys() != {name.casefold() for name in names}:
            return "The answer does not give everybody's kind."
        case = {name: int(given[name.casefold()] == "knight") for name in names}
        for name, claim in zip(names, problem.data["claims"], strict=True):
            if case[name] != table(parse_formula(claim), case, 1):
                kind = _role(case[name])
                return f"{name} would be a {kind}, which does not fit what {name} says."
        return "Kinds are knight and knave."

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """A case analysis that overlooks one contradiction."""
        lines = problem.solution.split("\n")
        wrong = pick(rng, [n for n, line in enumerate(lines) if _AGAINST in line])
        case = lines[wrong].partition(_AGAINST)[0]
        return "\n".join([*lines[:wrong], f"{case}{_FITS}"])


def _role(is_knight: int) -> str:
    return "knight" if is_knight else "knave"


def _listing(names: Sequence[str], roles: Sequence[str]) -> str:
    return ", ".join(f"{name}: {role}" for name, role in zip(names, roles, strict=True))


def _roles(names: Sequence[str], knights: int) -> str:
    return _listing(names, [_role(knights >> me & 1) for me in range(len(names))])


def _read(answer: str) -> dict[str, str] | None:
    """Everybody's kind, in lower case."""
    if len(answer) > MAX_LENGTH:
        return None
    text = unnumbered(answer).replace("**", "").casefold()
    text = text.replace(" a ", " ").replace(" and ", " ").replace(".\n", "\n")
    return parse_assignments(text)


def _claim(
    rng: np.random.Generator, names: list[str], me: int, knights: int, long: bool
) -> tuple[Formula, str]:
    """Draw a claim that this person can make, true if they are a knight, and its words."""
    while True:
        others = sample_of(rng, [name for name in names if name != names[me]], 2)
        formula, text = _statement(rng, names[me], others, long)
        case = {name: knights >> index & 1 for index, name in enumerate(names)}
        if table(formula, case, 1) == knights >> me & 1:
            return formula, text


def _statement(
    rng: np.random.Generator, me: str, others: list[str], long: bool
) -> tuple[Formula, str]:
    """A claim about one or two others, or about oneself and one other."""
    first, second = others[0], others[-1]
    if len(others) == 2 and long and rng.random() < 0.4:
        return _about_three(rng, me, first, second)
    if len(others) == 1 or rng.random() < 0.3:
        return _about_me_and(rng, me, first)
    if rng.random() < 0.25:
        return _is(rng, first)
    left, right = _is(rng, first), _is(rng, second)
    operator, words = pick(rng, _JOINED)
    return (operator, left[0], right[0]), words.format(left[1], right[1])


_JOINED = (
    ("and", "{} and {}"),
    ("or", "{}, or {}, or both"),
    ("implies", "If {}, then {}"),
    ("iff", "{} if and only if {}"),
)


def _is(rng: np.random.Generator, name: str) -> tuple[Formula, str]:
    if rng.random() < 0.5:
        return name, f"{name} is a knight"
    return ("not", name), f"{name} is a knave"


def _about_me_and(rng: np.random.Generator, me: str, other: str) -> tuple[Formula, str]:
    same: Formula = ("iff", me, other)
    both: Formula = ("and", me, other)
    none: Formula = ("and", ("not", me), ("not", other))
    claims: tuple[tuple[Formula, str], ...] = (
        (other, f"{other} is a knight"),
        (("not", other), f"{other} is a knave"),
        (same, f"{other} and I are of the same kind"),
        (("not", same), f"Exactly one of {other} and me is a knight"),
        (both, f"{other} and I are both knights"),
        (("not", both), f"At least one of {other} and me is a knave"),
        (("not", none), f"At least one of {other} and me is a knight"),
        (("implies", me, other), f"If I am a knight, then {other} is a knight"),
    )
    return pick(rng, claims)


def _about_three(rng: np.random.Generator, me: str, first: str, second: str) -> tuple[Formula, str]:
    us = f"{first}, {second} and me"
    any_two: Formula = ("or", ("and", first, second), ("and", me, ("or", first, second)))
    odd: Formula = ("iff", me, ("iff", first, second))
    claims: tuple[tuple[Formula, str], ...] = (
        (any_two, f"At least two of {us} are knights"),
        (("not", any_two), f"At least two of {us} are knaves"),
        (odd, f"The number of knights among {us} is odd"),
        (("not", odd), f"The number of knights among {us} is even"),
        (
            ("implies", first, ("iff", me, second)),
            f"If {first} is a knight, then {second} and I are of the same kind",
        ),
    )
    return pick(rng, claims)


def _work_out(names: list[str], claims: list[Formula], answer: str) -> str:
    """Each wrong case, and whom it contradicts."""
    tables, full = tables_of(names)
    reasons = []
    fits = full
    for name, claim in zip(names, claims, strict=True):
        fault = tables[name] ^ table(claim, tables, full)
        reasons.append((f"{_AGAINST} {name} says", fault))
        fits &= full ^ fault
    reasons.append((_FITS, fits))
    cases = "\n".join(closing_cases(names, reasons))
    cases = cases.replace("= true", "is a knight").replace("= false", "is a knave")
    return f"{cases}\nSo: {answer}"
