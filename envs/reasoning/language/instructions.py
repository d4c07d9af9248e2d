"""Instructions: write a text that obeys rules which a program can check.

Left out: whether the text is any good. Nothing here looks at sense, grammar or the theme, so rows
of random words can score 1; use it beside a reward for quality, not in place of one.
"""

from typing import Any

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly
from zerogym.envs.reasoning.language.text_rules import (
    KINDS,
    PINNING,
    describe,
    draw_rule,
    obeys,
)
from zerogym.envs.reasoning.language.text_writer import STARTS, write_text
from zerogym.envs.reasoning.language.texts import DEFINITIONS, Text
from zerogym.envs.reasoning.mistakes import wrong_among

MAX_RULES = 8
MAX_LEVEL = 10.0  # of the difficulty; beyond it nothing grows
TRIES = 60  # draws of further rules
THEMES = (
    "rain", "a garden", "the sea", "a journey", "winter", "a market", "music", "an old house",
    "bread", "a bridge", "trains", "the moon", "a library", "friendship", "mountains", "a dog",
    "school", "a letter", "the forest", "a holiday", "cooking", "a storm", "birds", "a secret",
)  # fmt: skip
_KINDS = tuple(KINDS)


class InstructionsEnv(ReasoningEnv):
    """Write a text that obeys all of some rules.

    Description:
        A theme and rules are drawn: numbers of words, sentences, paragraphs, bullet points, commas
        or marks; words and letters that must or must not occur, or how often; the first or last
        word, what sentences start with, an acrostic; case and quotation marks. 24 kinds in all.
        The rules never contradict each other: a text that obeys them was written first. **Neither
        the theme nor the quality of the text is checked**: senseless words in the right form score.

    Observation:
        Theme and rules, and what counts as word, sentence and paragraph, as text.

    Action:
        The reply as text; the answer is the text, which may have several lines, read from
        `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line.

    Reward:
        1 if all rules are obeyed, else 0: most rules are obeyed by almost any text, so that a
        share of them would reward any text.

    Difficulty:
        `1 + difficulty` rules (a fractional part is the chance of one more, at most 8) with
        parameters that grow a little. One rule always requires something that a text written
        without reading the question does not have: an exact number of words, the numbers of words
        of all sentences, the first or last word, or an acrostic.

    Example:
        >>> env = InstructionsEnv(difficulty=1)
        >>> print(env.reset(seed=3)[0])
        Write a text about a market that obeys all of these rules:
        - Its first word is "debt".
        - These words occur: beloved, loud.
        Words are separated by blanks, sentences end with '.', '!' or '?', paragraphs are separated
        by an empty line. Where a rule names a word or letter, upper and lower case are the same.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>Debt is not beloved. It is loud.</answer>")[1]
        1.0

    Source:
        "Instruction-Following Evaluation for Large Language Models" (2023, arXiv 2311.07911) made
        such rules a benchmark; "Tulu 3: Pushing Frontiers in Open Language Model Post-Training"
        (2024, arXiv 2411.15124) made them a reward. The kinds and their wording are our choice.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw rules one by one, each of which leaves a text that obeys all."""
        level = min(difficulty, MAX_LEVEL)
        count = min(MAX_RULES, 1 + round_randomly(rng, level))
        theme = pick(rng, THEMES)
        rules, answer = _draw_rules(rng, count, level)
        listed = [describe(rule) for rule in rules]
        lines = "\n".join(f"- {line}" for line in listed)
        return Problem(
            prompt=f"Write a text about {theme} that obeys all of these rules:\n{lines}\n"
            f"{DEFINITIONS}",
            answer=answer,
            solution=_solution(listed, answer),
            distractors=wrong_among(
                InstructionsEnv, {"rules": rules}, _careless_texts(theme, answer)
            ),
            data={"theme": theme, "rules": rules},
            canonical="\n".join(sorted(listed)),
        )

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Name the rules that are not obeyed."""
        text = Text(answer)
        broken = [describe(rule) for rule in problem.data["rules"] if not obeys(text, rule)]
        return f"The text does not obey: {' '.join(broken)}" if broken else ""

    @staticmethod
    def solve(problem: Problem) -> str:
        """Write a text from the rules, beginning elsewhere in the word list."""
        texts = (write_text(problem.data["rules"], start) for start in range(STARTS))
        return next(text for text in texts if text is not None)


def _draw_rules(
    rng: np.random.Generator, count: int, level: float
) -> tuple[list[dict[str, Any]], str]:
    """Draw rules, the first of which no text obeys by chance, and a text that obeys them."""
    start = draw_int(rng, 0, STARTS - 1)
    answer = None
    while answer is None:
        rules = [draw_rule(rng, pick(rng, PINNING), level)]
        answer = write_text(rules, start)
    taken = set(KINDS[rules[0]["kind"]].slots)
    for _ in range(TRIES):
        if len(rules) == count:
            break
        kind = pick(rng, _KINDS)
        if taken.isdisjoint(KINDS[kind].slots):
            rule = draw_rule(rng, kind, level)
            text = write_text([*rules, rule], start)
            if text is not None:
                rules.append(rule)
                answer = text
                taken.update(KINDS[kind].slots)
    return rules, answer


def _solution(listed: list[str], answer: str) -> str:
    """Return the rules, the numbers of words, and the text."""
    text = Text(answer)
    lengths = ", ".join(str(len(sentence)) for sentence in text.sentences)
    rules = "\n".join(f"{number}. {line}" for number, line in enumerate(listed, 1))
    return f"{rules}\nThe sentences get {lengths} words, in all {len(text.words)}.\n{answer}"


def _careless_texts(theme: str, answer: str) -> list[str]:
    """Write texts regardless of the rules, and the right one without its first or last word."""
    words = answer.split()
    return [
        "It is hard to do it.",  # too short, and no listed word first or last
        f"To write about {theme} is easy to do, so here I go: so it is.",
        " ".join(words[:-1]),
        " ".join(words[1:]),
        answer + " So it is.",
    ]
