"""Propositional entailment: does a conclusion follow from premises?

Entailment is decided by truth tables when a problem is drawn, and by search for a counterexample
(clauses and DPLL) when it is solved. Left out: proofs as answers, inconsistent premises.
"""

from collections import Counter
from collections.abc import Mapping
from functools import reduce
from operator import and_

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.listings import parse_yes_no
from zerogym.envs.reasoning.logic.clauses import clauses_of, satisfy
from zerogym.envs.reasoning.logic.formulas import (
    SYMBOLS,
    Formula,
    closing_cases,
    names_of,
    parse_formula,
    table,
    tables_of,
    without_order,
    write,
)
from zerogym.envs.reasoning.renaming import key_up_to_names

MAX_LEVEL = 6
LETTERS = "abcdefghijkmnpqrstuwxyz"  # without l, o and v, which look like 1, 0 and "or"
TRIES = 3  # fillings of one shape, and other places for the letters of each, until one has a twin
NOTATION = "Read ~ as not, & as and, | as or, -> as if ... then, <-> as if and only if."


class PropositionalEntailmentEnv(ReasoningEnv):
    """Say whether a conclusion follows from premises, all of them propositional formulas.

    Description:
        The conclusion follows if it is true in every case in which all premises are true. Formulas
        are drawn and kept only if they have a twin with the other answer, which differs in where
        the letters are that are not in the conclusion. One of the two is then posed with equal
        chance; both are on the same side of the split. So neither length, operators, negations nor
        what is said of the conclusion's letters tell the answer. Each letter comes as often in the
        twin. The premises are consistent, and no premise is enough alone.

    Answer:
        Yes or no.

    Reward:
        1 if the answer is right, else 0. Any constant answer scores 1/2.

    Difficulty:
        At 0 three premises of one operator each, with at most three letters, and a conclusion about
        one of these: of fewer premises none has such a twin. At difficulty d, up to 6, `2 + d`
        premises with at most `3 + d` letters (a fractional part is the chance of one more of both),
        from 2 on also of two operators, from 4 on of three, and a conclusion of at most one.

    Example:
        >>> env = PropositionalEntailmentEnv(difficulty=0)
        >>> print(env.reset(seed=3)[0])
        Read ~ as not, & as and, | as or, -> as if ... then, <-> as if and only if.
        Premises:
        1. r <-> ~y
        2. ~(y <-> ~q)
        3. ~y & r
        Conclusion: ~q
        Does the conclusion follow from the premises? Answer yes or no.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>yes</answer>")[1]
        1.0

    Source:
        Our choice of shapes and of the balance. Truth tables: "Tractatus Logico-Philosophicus"
        (1921); entailment as a task for networks: "Can Neural Networks Understand Logical
        Entailment?" (2018, arXiv 1802.08535), which also pairs problems so that shape tells
        nothing.
    """

    binary = ("",)
    read = staticmethod(parse_yes_no)
    unreadable = "The answer is neither yes nor no."

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw shapes until one has a filling with a twin, and take one of the two."""
        level = round_randomly(rng, min(difficulty, MAX_LEVEL))
        letters = sorted(sample_of(rng, LETTERS, 3 + level))
        follows = bool(rng.random() < 0.5)
        longest = 1 + min(level // 2, 2)
        while True:
            shapes = [_shape(rng, draw_int(rng, 1, longest)) for _ in range(max(3, 2 + level))]
            shapes.append(_shape(rng, draw_int(rng, 0, 1)))  # of the conclusion
            pair = _fill_both_ways(rng, shapes, letters)
            if pair is not None:
                break
        *premises, conclusion = pair[follows]
        listed = [write(premise) for premise in premises]
        lines = [f"{number}. {text}" for number, text in enumerate(listed, 1)]
        goal = write(conclusion)
        return Problem(
            prompt=f"{NOTATION}\nPremises:\n" + "\n".join(lines) + f"\nConclusion: {goal}\n"
            "Does the conclusion follow from the premises? Answer yes or no.",
            answer="yes" if follows else "no",
            solution=_work_out(premises, conclusion),
            distractors=("no" if follows else "yes", "it cannot be decided"),
            data={"premises": listed, "conclusion": goal},
            canonical=f"{', '.join(sorted(listed))} / {goal}",
        )

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return what a problem and its twin share, up to letters and order.

        That are the conclusion, the premises without the letters that are not in it, and how often
        each of these letters comes.
        """
        goal = parse_formula(problem.data["conclusion"])
        premises = [parse_formula(text) for text in problem.data["premises"]]
        named = names_of([goal])
        counts = Counter(filter(str.isalpha, "".join(problem.data["premises"])))
        shown = {letter: "one" if count == 1 else "some" for letter, count in counts.items()}
        shown |= {letter: letter for letter in named}
        masked = [without_order(_renamed(premise, shown)) for premise in premises]
        others = sorted(counts[letter] for letter in counts if letter not in named)
        return f"{others} {key_up_to_names([*masked, ('so', without_order(goal))], named)}"

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search for a case with true premises and a false conclusion."""
        formulas = [parse_formula(text) for text in problem.data["premises"]]
        formulas.append(("not", parse_formula(problem.data["conclusion"])))
        return "yes" if satisfy(clauses_of(formulas)[0]) is None else "no"


def _shape(rng: np.random.Generator, operators: int) -> Formula:
    if operators == 0:
        return ("not", "") if rng.random() < 0.3 else ""
    left = draw_int(rng, 0, operators - 1)
    parts = _shape(rng, left), _shape(rng, operators - 1 - left)
    formula = (pick(rng, tuple(SYMBOLS)), *parts)
    return ("not", formula) if rng.random() < 0.1 else formula


def _renamed(formula: Formula, names: Mapping[str, str]) -> Formula:
    if isinstance(formula, str):
        return names[formula]
    return (str(formula[0]), *(_renamed(part, names) for part in formula[1:]))


def _fill(shape: Formula, letters: list[str]) -> Formula:
    """The shape with the next letters of a list, which are taken from its end."""
    if isinstance(shape, str):
        return letters.pop()
    return (str(shape[0]), *(_fill(part, letters) for part in shape[1:]))


def _fill_both_ways(
    rng: np.random.Generator, shapes: list[Formula], letters: list[str]
) -> tuple[list[Formula], list[Formula]] | None:
    """A filling whose conclusion does not follow, and its twin, in which it does.

    The two differ in where the letters are that are not in the conclusion; each comes as often in
    both. None if a draw gave none.
    """
    tables, full = tables_of(letters)
    *premise_shapes, goal_shape = shapes
    sizes = [_leaves(shape) for shape in premise_shapes]

    def follows(filling: list[str], conclusion: Formula) -> bool | None:
        """None for a filling that is not to be posed."""
        rest = filling[::-1]
        premises = [_fill(shape, rest) for shape in premise_shapes]
        if len(set(premises)) < len(premises) or any(
            len(names_of([premise])) < size for premise, size in zip(premises, sizes, strict=True)
        ):
            return None
        premise_tables = [table(premise, tables, full) for premise in premises]
        wrong = full ^ table(conclusion, tables, full)
        rows = reduce(and_, premise_tables)
        if rows == 0 or any(one & wrong == 0 for one in premise_tables):
            return None
        return rows & wrong == 0

    for _ in range(TRIES):
        filling = [letter for size in sizes for letter in sample_of(rng, letters, size)]
        used = list(dict.fromkeys(filling))
        conclusion = _fill(goal_shape, sample_of(rng, used, len(used)))
        named = names_of([conclusion])
        free = [
            n for n, letter in enumerate(filling)
            if letter not in named and filling.count(letter) > 1
        ]  # fmt: skip
        if len({filling[n] for n in free}) < 2:
            continue
        verdict = follows(filling, conclusion)
        for _ in range(TRIES if verdict is not None else 0):
            twin = list(filling)
            for n, letter in zip(free, shuffled(rng, [filling[n] for n in free]), strict=True):
                twin[n] = letter
            if follows(twin, conclusion) is (not verdict):
                pair = []
                for one in (filling, twin):
                    rest = one[::-1]
                    pair.append([*(_fill(shape, rest) for shape in premise_shapes), conclusion])
                return (pair[1], pair[0]) if verdict else (pair[0], pair[1])
    return None


def _leaves(shape: Formula) -> int:
    return 1 if isinstance(shape, str) else sum(map(_leaves, shape[1:]))


def _work_out(premises: list[Formula], conclusion: Formula) -> str:
    """A counterexample, or the cases in which a premise is false or the conclusion true."""
    names = sorted(names_of([*premises, conclusion]))
    tables, full = tables_of(names)
    premise_tables = [table(premise, tables, full) for premise in premises]
    goal = table(conclusion, tables, full)
    against = reduce(and_, premise_tables, full ^ goal)
    if against:
        row = against.bit_length() - 1
        values = ("true" if row >> place & 1 else "false" for place in range(len(names)))
        case = ", ".join(map("{} = {}".format, names, values))
        return f"Take {case}.\nEvery premise is true, and the conclusion is false.\nSo: no"
    reasons = [("the conclusion is true", goal)]
    reasons += [(f"premise {n} is false", full ^ one) for n, one in enumerate(premise_tables, 1)]
    return "\n".join(["Case by case:", *closing_cases(names, reasons), "So: yes"])
