"""Unanswerable: word problems of which half lack a fact; the right answer then names it.

Left out: rewards that weigh abstaining against error (risk and coverage), contradictory problems,
and questions whose answer nobody can know.
"""

import numpy as np

from zerogym.envs.reasoning.answers import parse_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import pick, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.listings import plain, without_unit
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
        A text tells rates and counts of several things, and the question is a sum of products. In
        every problem the same number of quantities is left untold; in half of them one of these is
        needed, so that the question cannot be answered. Length and form do not tell which half a
        problem belongs to. The prompt lists the names of all quantities in random order, among
        them those of up to 4 things that the text does not speak of.

    Observation:
        The question as text.

    Action:
        The reply as text. The answer is read from `<answer>...</answer>`, else the last
        `\\boxed{...}`, else the last line: a number, with or without the word that the question
        counts (`170 coins`), or `unknown: ` and the name of a quantity.

    Reward:
        1 for the right number, or, where there is none, for naming a quantity whose value would
        settle the question; else 0. `unknown` alone earns nothing.

    Episode end:
        After a right reply, or `max_attempts` of them.

    Difficulty:
        `2 + difficulty` things (a fractional part is the chance of one more, at most 7), of which
        `1 + difficulty / 2` are asked for and as many quantities are untold (at most 3). From 1 on
        a third of the rates are told as a difference from another one.

    Arguments:
        `difficulty` (default 1), `split`, `category` (`answerable` or `unanswerable`),
        `max_attempts` (default 1), `render_mode`: see `ReasoningEnv`.

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
        That a missing premise must be named is our choice, so that abstaining always earns nothing
        by itself.
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
        number = min(half, len(spare))
        untold = sample_of(rng, spare, number)
        if category == "unanswerable":
            untold[0] = pick(rng, needed)
        return _write(rng, ledger, untold, category)

    @staticmethod
    def score(problem: Problem, answer: str) -> float:
        """1 for the number, or for a quantity that would settle the question."""
        if problem.category == "answerable":
            number = parse_number(without_unit(answer, (problem.data["unit"],)))
            return float(number == int(problem.answer))
        return float(_named(answer) in problem.data["accepted"])

    @staticmethod
    def solve(problem: Problem) -> str:
        """Work out all that follows from the facts; else try what would settle the question."""
        data = problem.data
        found = total(data["asked"], work_out(data["facts"], {}))
        return str(found) if found is not None else f"{UNKNOWN}: {what_would_settle(data)[0]}"

    @staticmethod
    def explain(problem: Problem, answer: str) -> str:
        """Says which kind of answer it is, and whether this kind is right."""
        named = _named(answer)
        number = parse_number(without_unit(answer, (problem.data["unit"],)))
        if named is None and number is None:
            return "The answer is neither a number nor `unknown: ` and a quantity."
        if problem.category == "answerable":
            return "The number is wrong." if named is None else "Nothing needed is missing."
        if named is None:
            return "This number does not follow from what is told."
        return "Knowing this would not settle the question."


def _named(answer: str) -> str | None:
    """The quantity after `unknown`; None if the answer does not begin with this word."""
    text = plain(answer)
    if not text.startswith(UNKNOWN):
        return None
    return text.removeprefix(UNKNOWN).lstrip(" :-,").removeprefix("the ").strip("'\"` ")


def _write(rng: np.random.Generator, ledger: Ledger, untold: list[str], category: str) -> Problem:
    """The problem as text and data."""
    told = [name for name in ledger.names if name not in untold]
    listed = shuffled(rng, [*ledger.names, *ledger.others])
    facts = [ledger.facts[name][0] for name in told]
    sentences = shuffled(rng, [ledger.facts[name][1] for name in told])
    accepted: list[str] = []
    steps = []
    for rate, count in ledger.asked:
        for name in (rate, count):
            root = next(other for other in ledger.groups[name] if other in ledger.own_values)
            if root in untold:
                accepted = [one for one in listed if one in ledger.groups[name]]
                steps.append(f"{name}: does not follow from what is told.")
            else:
                steps.append(f"{name}: {ledger.values[name]}")
    number = sum(rate * count for rate, count in _pairs(ledger))
    if category == "unanswerable":
        answer = f"{UNKNOWN}: {untold[0]}"
        steps.append(f"So the answer is {answer}.")
    else:
        answer = str(number)
        steps.append(f"{' + '.join(f'{r} * {c}' for r, c in _pairs(ledger))} = {answer}")
    irrelevant = [name for name in ledger.names if name not in accepted]
    wrong = [str(number + 1), str(sum(map(sum, _pairs(ledger)))), UNKNOWN]
    wrong += [f"{UNKNOWN}: {name}" for name in (*untold[1:], pick(rng, irrelevant))]
    wrong += [str(number)] if category == "unanswerable" else [f"{UNKNOWN}: {untold[0]}"]
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
        data={"names": listed, "facts": facts, "asked": ledger.asked, "accepted": accepted,
              "unit": ledger.unit},
        canonical=f"{sorted(map(str, facts))} {ledger.asked}",
    )  # fmt: skip


def _pairs(ledger: Ledger) -> list[list[int]]:
    return [[ledger.values[rate], ledger.values[count]] for rate, count in ledger.asked]
