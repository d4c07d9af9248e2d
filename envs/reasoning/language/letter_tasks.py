"""Letter tasks: count letters, write backwards, sort words, find and group anagrams.

Small models see tokens and not letters, which makes these hard for what they are. Left out: words
outside the shipped list, and anagrams to be found from scratch (an unlisted English word would be
right and could not be known).
"""

import re
from collections import Counter, defaultdict
from typing import cast

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import pick
from zerogym.envs.reasoning.language import letter_questions as questions
from zerogym.envs.reasoning.listings import parse_assignments, parse_words, plain
from zerogym.envs.reasoning.mistakes import swap_letters

MAX_LEVEL = 20.0  # of the difficulty; beyond it nothing grows
_DRAWS = {
    "count": questions.draw_count,
    "reverse": questions.draw_reverse,
    "sort": questions.draw_sort,
    "anagram": questions.draw_anagram,
    "group": questions.draw_group,
}
_BETWEEN_GROUPS = re.compile(r"\]\s*,?\s*\[|[;\n]")


class LetterTasksEnv(ReasoningEnv):
    """Answer a question about the letters of words.

    Description:
        Categories: `count` (how often each of some letters occurs in a text), `reverse` (write a
        text backwards), `sort` (words, in one of three orders), `anagram` (which of the given
        words is made of these letters) and `group` (put strings with the same letters together).
        Texts are common English words from a list that comes with the package.

    Action:
        The reply as text, read from `<answer>...</answer>`, else the last `\\boxed{...}`, else the
        last line. The question says the form: `a = 2, b = 0` for `count`, the text for `reverse`, a
        list for `sort`, a word for `anagram`, `ab, ba; cd` for `group` (any order of groups and in
        groups). Case does not matter.

    Reward:
        1 if all of the answer is right, else 0.

    Difficulty:
        Texts of `1 + difficulty` words (`count`, at most 30) or `1 + difficulty / 2` (`reverse`, at
        most 15), `2 + difficulty` letters to count (at most 8), `3 + 2 * difficulty` words to sort
        (at most 40), `4 + 4 * difficulty` to choose from (at most 20, sharing more letters),
        `2 + difficulty / 2` groups (at most 8), and longer words; a fractional part is the chance
        of one more.

    Example:
        >>> env = LetterTasksEnv(difficulty=0, category="count")
        >>> print(env.reset(seed=1)[0])
        How often does each of the letters a, s occur in "shape"?
        Answer in the form a = ..., s = ....
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>a = 1, s = 1</answer>")[1]
        1.0

    Source:
        Our choice of questions. That models miss the letters inside of tokens: "CUTE: Measuring
        LLMs' Understanding of Their Tokens" (2024, arXiv 2409.15452).
    """

    categories = tuple(_DRAWS)

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a category, then words for it."""
        category = pick(rng, LetterTasksEnv.categories)
        return _DRAWS[category](rng, min(difficulty, MAX_LEVEL))

    @staticmethod
    def solve(problem: Problem) -> str:
        """Count with a table, pop letters from the end, select the least word, compare tables."""
        data = problem.data
        if problem.category == "count":
            table = Counter(data["text"])
            return questions.write_counts({letter: table[letter] for letter in data["letters"]})
        if problem.category == "reverse":
            letters = list(data["text"])
            return "".join(letters.pop() for _ in range(len(letters)))
        if problem.category == "sort":
            return ", ".join(_select(list(data["words"]), data["order"]))
        if problem.category == "anagram":  # compare tables
            table = Counter(data["letters"])
            return next(word for word in data["candidates"] if Counter(word) == table)
        groups: dict[frozenset[tuple[str, int]], list[str]] = defaultdict(list)
        for string in data["strings"]:
            groups[frozenset(Counter(string).items())].append(string)
        return questions.write_groups(list(groups.values()))

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """Change a number where letters are counted, else exchange two letters."""
        slip = None if problem.category == "count" else swap_letters(problem.solution, rng)
        return slip or super().corrupt(problem, rng)

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Describe a wrong form, order, number, word or group."""
        data, given = problem.data, plain(answer)
        match problem.category:
            case "count":
                found, counts = parse_assignments(answer) or {}, data["counts"]
                if found.keys() != counts.keys():
                    return f"The answer must give a number for each of {', '.join(counts)}."
                wrong = sum(found[letter] != str(count) for letter, count in counts.items())
                return f"Wrong numbers: {wrong} of {len(counts)}." if wrong else ""
            case "reverse":
                fits = sorted(given) == sorted(data["text"])
                right, order = given == problem.answer, "The order is wrong."
                missing = "These are not the letters of the text."
            case "anagram":
                right, fits, order = given == problem.answer, False, ""
                lacks = "does not have exactly these letters, or is not listed."
                missing = f"{given[:20]!r} {lacks}"
            case "sort":
                words = parse_words(answer) or ()
                right, order = words == tuple(problem.answer.split(", ")), "The order is wrong."
                fits = Counter(words) == Counter(data["words"])
                missing = "These are not exactly the given words."
            case _:
                groups = _read_groups(answer) or []
                right, order = groups == _read_groups(problem.answer), "The groups are wrong."
                fits = Counter(s for group in groups for s in group) == Counter(data["strings"])
                missing = "These are not exactly the given strings."
        return "" if right else order if fits else missing


def _select(words: list[str], order: str) -> list[str]:
    """Sort by taking out the first of the rest, again and again."""
    found = []
    while words:
        first = max(words) if order == "reverse alphabetical" else min(words)
        if order == "length":
            least = min(map(len, words))
            first = min(word for word in words if len(word) == least)
        words.remove(first)
        found.append(first)
    return found


def _read_groups(answer: str) -> list[list[str]] | None:
    """Read groups in canonical order; None if one of them is no list of words."""
    parts = _BETWEEN_GROUPS.split(answer.strip().removesuffix(".").strip("[]"))
    groups = [parse_words(part) for part in parts if part.strip(" ,")]
    if None in groups:
        return None
    return sorted(sorted(cast(tuple[str, ...], group)) for group in groups)
