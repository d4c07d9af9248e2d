"""Propositional entailment: does a conclusion follow from premises?

Entailment is decided by truth tables when a problem is drawn, and by search for a counterexample
(clauses and DPLL) when it is solved. Left out: proofs as answers, inconsistent premises.
"""

from functools import reduce
from operator import and_

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of
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
TRIES = 16  # fillings of one shape, until it has given both answers
NOTATION = "Read ~ as not, & as and, | as or, -> as if ... then, <-> as if and only if."


class PropositionalEntailmentEnv(ReasoningEnv):
    """Say whether a conclusion follows from premises, all of them propositional formulas.

    Description:
        The conclusion follows if it is true in every case in which all premises are true. The
        shape of the formulas (operators, negations, brackets) is drawn first, and kept only if
        letters can be put in such that it follows, and such that it does not. One of the two is
        then posed with equal chance, so that neither length nor operators tell the answer. The
        premises are consistent, and from difficulty 1 on no premise is enough alone.

    Answer:
        Yes or no.

    Reward:
        1 if the answer is right, else 0. Any constant answer scores 1/2.

    Difficulty:
        `2 + difficulty` letters and premises (a fractional part is the chance of one more; at most
        8), of one operator each; from 2 on also of two, from 4 on of three. The conclusion has at
        most one operator.

    Example:
        >>> env = PropositionalEntailmentEnv(difficulty=0)
        >>> print(env.reset(seed=3)[0])
        Read ~ as not, & as and, | as or, -> as if ... then, <-> as if and only if.
        Premises:
        1. d -> ~r
        2. r -> d
        Conclusion: ~r
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
    balanced = True
    read = staticmethod(parse_yes_no)
    unreadable = "The answer is neither yes nor no."

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw shapes until one can be filled both ways, and take one of the fillings."""
        level = round_randomly(rng, min(difficulty, MAX_LEVEL))
        letters = sorted(sample_of(rng, LETTERS, 2 + level))
        follows = bool(rng.random() < 0.5)
        longest = 1 + min(level // 2, 2)
        while True:
            shapes = [_shape(rng, draw_int(rng, 1, longest)) for _ in range(2 + level)]
            shapes.append(_shape(rng, draw_int(rng, 0, 1)))  # of the conclusion
            pair = _fill_both_ways(rng, shapes, letters, level > 0)
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
        """Return premises and conclusion up to letters and order."""
        texts = [*problem.data["premises"], problem.data["conclusion"]]
        formulas = [parse_formula(text) for text in texts]
        *premises, goal = map(without_order, formulas)
        return key_up_to_names([*premises, ("so", goal)], names_of(formulas))

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


def _fill(shape: Formula, letters: list[str]) -> Formula:
    """The shape with the next letters of a list, which are taken from its end."""
    if isinstance(shape, str):
        return letters.pop()
    return (str(shape[0]), *(_fill(part, letters) for part in shape[1:]))


def _fill_both_ways(
    rng: np.random.Generator, shapes: list[Formula], letters: list[str], needs_two: bool
) -> tuple[list[Formula], list[Formula]] | None:
    """A filling whose conclusion does not follow, and one whose does; None if not found."""
    tables, full = tables_of(letters)
    found: list[list[Formula] | None] = [None, None]
    for _ in range(TRIES):
        premises = [_fill(shape, sample_of(rng, letters, len(letters))) for shape in shapes[:-1]]
        used = names_of(premises)
        if len(used) < 2:
            continue
        conclusion = _fill(shapes[-1], sample_of(rng, used, len(used)))
        premise_tables = [table(premise, tables, full) for premise in premises]
        wrong = full ^ table(conclusion, tables, full)
        rows = reduce(and_, premise_tables)
        if rows == 0 or len(set(premises)) < len(premises):
            continue
        if needs_two and any(one & wrong == 0 for one in premise_tables):
            continue
        follows = rows & wrong == 0
        found[follows] = found[follows] or [*premises, conclusion]
        if found[0] and found[1]:
            return found[0], found[1]
    return None


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
