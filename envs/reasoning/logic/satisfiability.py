"""Satisfiability: an assignment, or clauses that cannot be true together.

Clauses are evaluated in truth tables when a problem is drawn and scored, and by search (DPLL) when
it is solved. Left out: instances for which tables would be too large.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache, reduce
from itertools import combinations, product
from operator import and_

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, picks, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.listings import parse_assignments, parse_integers
from zerogym.envs.reasoning.logic.clauses import Clause, satisfy
from zerogym.envs.reasoning.logic.formulas import closing_cases, columns
from zerogym.envs.reasoning.renaming import Bag, key_up_to_names

MAX_LEVEL = 6
LETTERS = "abcdefghijkmnpqrstuwxyz"  # without l, o and v, which look like 1, 0 and "or"
NOISE = 0.3  # weight of a clause that the hidden values break, in an unsatisfiable problem
# the chance to keep a clause with 1, 2, 3 literals true in the hidden values, by its length; at
# these a letter occurs on average as often with either sign, so counting signs tells nothing
KEPT = {2: (1.0, 0.0), 3: (1.0, 0.618, 0.382)}
OTHERWISE = """\
If that is impossible, answer `none:` and the numbers of some clauses that cannot all
be true together, but could be without any one of them."""
_TRUE, _FALSE = frozenset(("true", "1", "t", "yes")), frozenset(("false", "0", "f", "no"))


class SatisfiabilityEnv(ReasoningEnv):
    """Give values that make all clauses true, or clauses that cannot be true together.

    Description:
        Numbered clauses such as `a or not b or c`, about half of the time with a satisfying
        assignment (category `satisfiable`). If there is none (`unsatisfiable`) the answer must
        prove it: a smallest core, that is, clauses that cannot all be true, from which none can be
        left out. So saying "none" alone scores nothing. Any satisfying assignment and any such core
        is right. Both kinds have as many clauses, of nearly the same lengths. From difficulty 1 on
        clauses are drawn around hidden values such that each letter occurs about as often with
        `not` as without, so a vote of its occurrences does not find its value.

    Answer:
        A value for every letter, `a = true, b = false`, or `none: 1, 4, 5` with the numbers of a
        core.

    Reward:
        1 for a satisfying assignment of exactly the letters in the clauses, or for a core from
        which nothing can be left out; else 0.

    Difficulty:
        At 0 three letters and 7 clauses of two; from 1 on `5 + difficulty` letters (at most 11) and
        about `4.5` clauses a letter, of two or three letters, from 3 on mostly of three. At 1 these
        are 6 letters and 26 clauses. A fractional part is the chance of one level more. At 0 there
        are 142 problems up to letters and order (104 train, 38 test).

    Example:
        >>> env = SatisfiabilityEnv(difficulty=0)
        >>> print(env.reset(seed=4)[0])
        Make every clause true:
        1. not a or not e
        2. not a or not z
        3. not a or z
        4. e or not z
        5. not a or e
        6. not e or not z
        7. not e or z
        Answer with true or false for every letter: a = ..., e = ..., z = ...
        If that is impossible, answer `none:` and the numbers of some clauses that cannot all
        be true together, but could be without any one of them.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>a = false, e = false, z = false</answer>")[1]
        1.0

    Source:
        "Hard and Easy Distributions of SAT Problems" (1992), Mitchell, Selman and Levesque: random
        clauses at the ratio where half are satisfiable (here at difficulty 0). "Generating Hard
        Satisfiable Formulas by Hiding Solutions Deceptively" (2005, arXiv cs/0503044): the weights
        of clauses by their true literals. Cores as answers are our choice.
    """

    categories = ("satisfiable", "unsatisfiable")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw clauses until they have the drawn category."""
        level = round_randomly(rng, min(difficulty, MAX_LEVEL))
        letters = sorted(sample_of(rng, LETTERS, 5 + level if level else 3))
        category = pick(rng, SatisfiabilityEnv.categories)
        while True:
            clauses = _clauses(rng, level, 0.0 if category == "satisfiable" else NOISE)
            rows = _true_rows(clauses, len(letters))
            models = _all_of(rows, len(letters))
            if bool(models) == (category == "satisfiable"):
                break
        said = [
            " or ".join(letters[n - 1] if n > 0 else f"not {letters[-n - 1]}" for n in clause)
            for clause in clauses
        ]
        lines = [f"{number}. {text}" for number, text in enumerate(said, 1)]
        if models:
            answer = _assignment(letters, models.bit_length() - 1)
            core: list[int] = []
            solution = "\n".join([*_why_true(clauses, letters, models.bit_length() - 1), answer])
        else:
            core = _core(rng, rows, len(letters))
            answer = f"none: {', '.join(map(str, core))}"
            solution = "\n".join([*_why_false(clauses, core, letters), answer])
        wrong = draw_int(rng, 0, (1 << len(letters)) - 1)
        while models >> wrong & 1:
            wrong = draw_int(rng, 0, (1 << len(letters)) - 1)
        too_few = ", ".join(map(str, core[:-1] or (1, 2)))
        return Problem(
            prompt="\n".join(["Make every clause true:", *lines])
            + f"\nAnswer with true or false for every letter: {' = ..., '.join(letters)} = ...\n"
            + OTHERWISE,
            answer=answer,
            solution=solution,
            distractors=("none", f"none: {too_few}", _assignment(letters, wrong)),
            category=category,
            data={"letters": letters, "clauses": [list(clause) for clause in clauses]},
            canonical=" and ".join(sorted(said)),
        )

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the clauses up to letters and order."""
        clauses = [
            Bag(abs(n) if n > 0 else ("not", abs(n)) for n in clause)
            for clause in problem.data["clauses"]
        ]
        return key_up_to_names(clauses, range(1, len(problem.data["letters"]) + 1))

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search; if that fails, leave out clauses as long as the rest still fails."""
        letters = problem.data["letters"]
        clauses = {number: tuple(one) for number, one in enumerate(problem.data["clauses"], 1)}
        found = satisfy(clauses.values())
        if found is not None:
            row = sum(1 << index for index in range(len(letters)) if index + 1 in found)
            return _assignment(letters, row)
        for one in list(clauses):
            if satisfy([clause for number, clause in clauses.items() if number != one]) is None:
                del clauses[one]
        return f"none: {', '.join(map(str, clauses))}"

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Name the fault: form, a false clause, or why the clauses are no core."""
        letters, clauses = problem.data["letters"], problem.data["clauses"]
        text = answer.strip().casefold()
        if text.startswith("none"):
            listed = text[4:].lstrip(" :").removeprefix("clauses").removeprefix("clause")
            numbers = parse_integers(listed.lstrip(" :")) or ()
            if not numbers or len(set(numbers)) < len(numbers) or len(numbers) > len(clauses):
                return "After none, it does not list numbers of clauses, each once."
            if not all(1 <= number <= len(clauses) for number in numbers):
                return "There is no clause with such a number."
            return _core_fault([clauses[number - 1] for number in numbers], len(letters))
        given = parse_assignments(text.replace(" and ", " "))
        if given is None or given.keys() != set(letters):
            return "It does not give every letter one value."
        if not all(value in _TRUE or value in _FALSE for value in given.values()):
            return "Values are true and false."
        for number, clause in enumerate(clauses, 1):
            if not any((given[letters[abs(n) - 1]] in _TRUE) == (n > 0) for n in clause):
                return f"Clause {number} is false."
        return ""


def _clauses(rng: np.random.Generator, level: int, noise: float) -> list[Clause]:
    """Random clauses, none twice; from level 1 on around hidden values, which `noise` breaks."""
    found: dict[Clause, None] = {}
    if not level:  # about half of these draws are satisfiable
        while len(found) < 7:
            found[tuple(n * pick(rng, (1, -1)) for n in pick(rng, _choices(3, 2)))] = None
        return list(found)
    count, longer = 5 + level, min(1.0, 0.35 + 0.15 * level)
    hidden = [0, *picks(rng, (1, -1), count)]
    while len(found) < int((3.9 + longer) * count):
        size = 3 if rng.random() < longer else 2
        chosen = pick(rng, _choices(count, size))
        signs, true = pick(rng, _patterns(size, noise))
        if true == 1 or rng.random() < (KEPT[size][true - 1] if true else noise):
            found[tuple(n * hidden[n] * sign for n, sign in zip(chosen, signs, strict=True))] = None
    return list(found)


@cache
def _choices(count: int, size: int) -> tuple[Clause, ...]:
    """Return all sets of `size` variables, in order."""
    return tuple(combinations(range(1, count + 1), size))


@cache
def _patterns(size: int, noise: float) -> tuple[tuple[tuple[int, ...], int], ...]:
    """Signs of literals that agree (1) with the hidden values or not (-1), and how many agree."""
    found = ((signs, signs.count(1)) for signs in product((1, -1), repeat=size))
    return tuple((s, n) for s, n in found if (KEPT[size][n - 1] if n else noise))


def _true_rows(clauses: Sequence[Sequence[int]], count: int) -> list[int]:
    """For each clause, the rows of the truth table in which it is true."""
    tables = columns(count)
    full = (1 << (1 << count)) - 1
    rows = []
    for clause in clauses:
        true = 0
        for literal in clause:
            true |= tables[literal - 1] if literal > 0 else full ^ tables[-literal - 1]
        rows.append(true)
    return rows


def _all_of(rows: Sequence[int], count: int) -> int:
    """The rows in which all clauses are true."""
    return reduce(and_, rows, (1 << (1 << count)) - 1)


def _core(rng: np.random.Generator, rows: list[int], count: int) -> list[int]:
    """Numbers of clauses that cannot be true together, of which none can be left out."""
    kept = list(range(len(rows)))
    for one in shuffled(rng, kept):
        if not _all_of([rows[other] for other in kept if other != one], count):
            kept.remove(one)
    return [index + 1 for index in kept]


def _core_fault(clauses: Sequence[Sequence[int]], count: int) -> str:
    rows = _true_rows(clauses, count)
    if _all_of(rows, count):
        return "These clauses can all be true together."
    after = [(1 << (1 << count)) - 1]
    for row in reversed(rows):
        after.append(after[-1] & row)
    before = after[0]
    for row, rest in zip(rows, reversed(after[:-1]), strict=True):
        if not before & rest:
            return "These clauses cannot all be true, but neither can they without one of them."
        before &= row
    return ""


def _assignment(letters: list[str], row: int) -> str:
    values = ("true" if row >> index & 1 else "false" for index in range(len(letters)))
    return ", ".join(map("{} = {}".format, letters, values))


def _why_true(clauses: list[Clause], letters: list[str], row: int) -> list[str]:
    """For each clause, what makes it true."""
    lines = [f"Try {_assignment(letters, row)}."]
    for number, clause in enumerate(clauses, 1):
        true = next(n for n in clause if (row >> abs(n) - 1 & 1) == (n > 0))
        value = "true" if true > 0 else "false"
        lines.append(f"Clause {number} is true, because {letters[abs(true) - 1]} is {value}.")
    return lines


def _why_false(clauses: list[Clause], core: list[int], letters: list[str]) -> list[str]:
    """A case analysis over the letters of the core, the most frequent ones first."""
    chosen = [clauses[number - 1] for number in core]
    used = Counter(abs(literal) for clause in chosen for literal in clause)
    order = sorted(used, key=lambda variable: (-used[variable], variable))
    place = {variable: index for index, variable in enumerate(order, 1)}
    moved = [[place[abs(n)] if n > 0 else -place[abs(n)] for n in clause] for clause in chosen]
    full = (1 << (1 << len(order))) - 1
    reasons = [
        (f"clause {number} is false", full ^ row)
        for number, row in zip(core, _true_rows(moved, len(order)), strict=True)
    ]
    names = [letters[variable - 1] for variable in order]
    return [f"Clauses {', '.join(map(str, core))}, case by case:", *closing_cases(names, reasons)]
