"""Counting: how many arrangements, committees, paths, distributions or strings there are.

Questions are posed with a formula and solved by going through the cases step by step.
Left out: counting up to symmetry (necklaces, colourings) and partitions.
"""

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import pick, round_randomly
from zerogym.envs.reasoning.listings import without_unit
from zerogym.envs.reasoning.numerals import parse_integer
from zerogym.envs.reasoning.probability.counting_questions import QUESTIONS
from zerogym.envs.reasoning.probability.counting_steps import COUNTS
from zerogym.envs.reasoning.renaming import key_up_to_names, numbered_by_place

UNITS = ("ways", "way", "strings", "paths", "path", "committees")  # may stand behind the number


class CountingEnv(ReasoningEnv):
    """Count the ways in which something can be done.

    Description:
        Five kinds of question: arrangements of letters, some of them equal, under a rule
        (`arrangements`); committees under rules (`committees`); shortest paths in a grid with
        blocked crossings (`paths`); things put into boxes (`distributions`); strings that avoid
        a pattern (`strings`).

    Answer:
        An integer.

    Difficulty:
        All sizes grow by one with each step of difficulty (a fractional part is the chance of one
        more), at most by 8: letters (at most 16), people, sides of the grid and blocked crossings
        (at most 5), things and boxes, length of the string. Below 1 no rule is added to
        arrangements and committees.

    Example:
        >>> env = CountingEnv(difficulty=0, category="strings")
        >>> print(env.reset(seed=1)[0])
        Think of all strings of length 5 over the letters D, E.
        How many of them do not contain EE as consecutive letters?
        Answer with an integer.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>13</answer>")[1]
        1.0

    Source:
        Textbook combinatorics; the recurrence for strings that avoid a pattern is that of
        "String overlaps, pattern matching, and nontransitive games" (Guibas and Odlyzko, 1981).
        Kinds and sizes are our choice.
    """

    unreadable = "The answer is not a count."
    wrong = "The number is wrong."
    categories = ("arrangements", "committees", "paths", "distributions", "strings")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a kind of question and its numbers; the answer comes from a formula."""
        kind = pick(rng, CountingEnv.categories)
        level = round_randomly(rng, min(difficulty, 8.0))
        question = QUESTIONS[kind](rng, level)
        answer = question.answer
        numbers = [*question.wrong, answer + 1, 2 * answer]
        wrong = dict.fromkeys(n for n in numbers if 0 <= n != answer)
        return Problem(
            prompt=f"{question.text}\nAnswer with an integer.",
            answer=str(answer),
            solution="\n".join([*question.steps, f"The number is {answer}."]),
            distractors=tuple(str(n) for n in list(wrong)[:4]),
            category=kind,
            data={"kind": kind, **question.data},
            canonical=question.text,
        )

    @staticmethod
    def read(answer: str, /) -> int | None:
        """Read a number >= 0, with or without a unit."""
        value = parse_integer(without_unit(answer, UNITS))
        return None if value is None or value < 0 else value

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return a question up to letters, the order of shelves and the start of a path."""
        data = dict(problem.data)
        if data["kind"] == "arrangements":
            letters = [("letter", letter) for letter in data["letters"]]
            rule = (data["rule"], data["which"] if data["rule"] != "none" else "")
            return f"arrangements: {key_up_to_names([*letters, rule], set(data['letters']))}"
        if data["kind"] == "strings":
            pattern = numbered_by_place(data["pattern"], data["alphabet"])
            return f"strings {len(data['alphabet'])} {data['length']} {pattern}"
        if "sizes" in data:
            data["sizes"] = sorted(data["sizes"])
        return str(sorted(data.items()))

    @staticmethod
    def solve(problem: Problem) -> str:
        """Go through letters, people, crossings, things or symbols one at a time."""
        return str(COUNTS[problem.data["kind"]](problem.data))
