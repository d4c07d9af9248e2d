"""Unanswerable: word problems of which half lack a fact; the right answer then names it.

Left out: rewards that weigh abstaining against error (risk and coverage), contradictory problems,
and questions whose answer nobody can know.
"""

import numpy as np

from zerogym.envs.reasoning.answers import parse_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import pick, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.listings import plain, without_unit
from zerogym.envs.reasoning.renaming import key_up_to_names
from zerogym.envs.reasoning.uncertainty.ledgers import (
    Ledger,
    draw_ledger,
    total,
    what_would_settle,
    work_out,
)

MAX_THINGS = 7
UNKNOWN = "unknown"


class UnanswerableEnv(ReasoningEnv):
    """Answer a word problem, or name the quantity that is missing.

    Description:
        A text gives rates and counts of several things, and the question is a sum of products. In
        every problem the same number of quantities is left out; in half of them one of these is
        needed, so that the question cannot be answered. Length and form do not show which half a
        problem belongs to. The prompt lists the names of all quantities in random order, among
        them those of up to 4 things that the text does not mention.

    Action:
        The reply as text. The answer is read from `<answer>...</answer>`, else the last
        `\\boxed{...}`, else the last line: a number, with or without the word that the question
        counts (`170 coins`), or `unknown: ` and the name of a quantity.

    Reward:
        1 for the right number, or, where there is none, for naming a quantity whose value would
        settle the question; else 0. `unknown` alone scores 0.

    Difficulty:
        `2 + difficulty` things (a fractional part is the chance of one more, at most 7), of which
        `1 + difficulty / 2` are in the question and as many quantities are left out (at most 3).
        From 1 on a third of the rates are given as a difference from another one.

    Example:
        >>> env = UnanswerableEnv(difficulty=0, category="unanswerable")
        >>> print(env.reset(seed=0)[0])
        Mia buys 10 books. Mia buys 11 pens. A book costs 3 coins.
        How many coins does Mia pay for the pens?
        Answer with the number. If it does not follow from what is told, answer with
        `unknown: ` and the name of a quantity that would have to be told.
        Quantities:
        number of rulers, number of books, price of a ruler,
        number of brushes, number of markers, price of a brush,
        price of a book, price of a folder, number of folders,
        price of a marker, number of pens, price of a pen.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>unknown: price of a pen</answer>")[1]
        1.0

    Source:
        Answering or recognising that one cannot, as in "Harnessing RLHF for Robust Unanswerability
        Recognition and Trustworthy Response Generation in LLMs" (SALU, 2025, arXiv 2507.16951).
        That a missing premise must be named is our choice, so that abstaining alone scores 0.
    """

    categories = ("answerable", "unanswerable")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a full ledger, then leave out facts, with or without a needed one."""
        category = pick(rng, UnanswerableEnv.categories)
        size = round_randomly(rng, min(2 + difficulty, float(MAX_THINGS)))
        half = round_randomly(rng, min(1 + difficulty / 2, 3.0))
        ledger = draw_ledger(rng, size, min(half, size - 1), 0.35 if difficulty >= 1 else 0.0)
        needed = ledger.needed
        spare = [name for name in ledger.own_values if name not in needed]
        omitted = sample_of(rng, spare, min(half, len(spare)))
        if category == "unanswerable":
            omitted[0] = pick(rng, needed)
        return _write(rng, ledger, omitted, category)

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Describe a wrong number, or a quantity that would not settle the question."""
        named = _named(answer)
        number = parse_number(without_unit(answer, (problem.data["unit"],)))
        if named is None and number is None:
            return "The answer is neither a number nor `unknown: ` and a quantity."
        if problem.category == "answerable":
            if named is not None:
                return "Nothing needed is missing."
            return "" if number == int(problem.answer) else "The number is wrong."
        if named is None:
            return "This number does not follow from what is told."
        settles = named in problem.data["accepted"]
        return "" if settles else "Knowing this would not settle the question."

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return facts and question up to the names of quantities, and order."""
        data = problem.data
        facts = [tuple(fact) for fact in data["facts"]]
        terms = [("sought", *pair) for pair in data["asked"]]
        names = {str(part) for fact in [*facts, *data["asked"]] for part in fact[:2]}
        return key_up_to_names([*facts, *terms], sorted(names))

    @staticmethod
    def solve(problem: Problem) -> str:
        """Work out all that follows from the facts; else try what would settle the question."""
        data = problem.data
        found = total(data["asked"], work_out(data["facts"], {}))
        return str(found) if found is not None else f"{UNKNOWN}: {what_would_settle(data)[0]}"


def _named(answer: str) -> str | None:
    """Return the quantity after `unknown`; None if the answer does not begin with this word."""
    text = plain(answer)
    if not text.startswith(UNKNOWN):
        return None
    return text.removeprefix(UNKNOWN).lstrip(" :-,").removeprefix("the ").strip("'\"` ")


def _write(rng: np.random.Generator, ledger: Ledger, omitted: list[str], category: str) -> Problem:
    """Write the problem as text and data."""
    given = [name for name in ledger.names if name not in omitted]
    listed = shuffled(rng, [*ledger.names, *ledger.others])
    facts = [ledger.facts[name][0] for name in given]
    sentences = shuffled(rng, [ledger.facts[name][1] for name in given])
    accepted: list[str] = []
    steps = []
    for name in [name for pair in ledger.terms for name in pair]:
        root = next(other for other in ledger.groups[name] if other in ledger.own_values)
        if root in omitted:
            accepted = [one for one in listed if one in ledger.groups[name]]
            steps.append(f"{name}: does not follow from what is told.")
        else:
            steps.append(f"{name}: {ledger.values[name]}")
    pairs = [[ledger.values[rate], ledger.values[count]] for rate, count in ledger.terms]
    number = sum(rate * count for rate, count in pairs)
    if category == "unanswerable":
        answer, other = f"{UNKNOWN}: {omitted[0]}", str(number)
        steps.append(f"So the answer is {answer}.")
    else:
        answer, other = str(number), f"{UNKNOWN}: {omitted[0]}"
        steps.append(f"{' + '.join(f'{r} * {c}' for r, c in pairs)} = {answer}")
    irrelevant = [name for name in ledger.names if name not in accepted]
    wrong = [str(number + 1), str(sum(map(sum, pairs))), UNKNOWN]
    wrong += [f"{UNKNOWN}: {name}" for name in (*omitted[1:], pick(rng, irrelevant))]
    wrong.append(other)
    lines = ",\n".join([", ".join(listed[start : start + 3]) for start in range(0, len(listed), 3)])
    return Problem(
        prompt=(
            f"{' '.join(sentences)}\n{ledger.question}\n"
            "Answer with the number. If it does not follow from what is told, answer with\n"
            f"`{UNKNOWN}: ` and the name of a quantity that would have to be told.\n"
            f"Quantities:\n{lines}."
        ),
        answer=answer,
        solution="\n".join(steps),
        distractors=tuple(w for w in dict.fromkeys(wrong) if w != answer)[-5:],
        category=category,
        data={
            "names": listed,
            "facts": facts,
            "asked": ledger.terms,
            "accepted": accepted,
            "unit": ledger.unit,
        },
        canonical=f"{sorted(map(str, facts))} {ledger.terms}",
    )
