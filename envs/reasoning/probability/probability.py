"""Probability: dice, coins, urns and cards; the answer is an exact fraction.

Left out: continuous distributions, expectations, and events on the order of the outcomes other
than "the first ones were ...".
"""

import re
from fractions import Fraction

import numpy as np

from zerogym.envs.reasoning.answers import format_number, parse_number
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import pick, round_randomly
from zerogym.envs.reasoning.probability.chances import (
    chance_of_colours,
    chance_of_successes,
    chance_of_total,
)
from zerogym.envs.reasoning.probability.experiments import COLOURS, EXPERIMENTS
from zerogym.envs.reasoning.renaming import key_up_to_names


class ProbabilityEnv(ReasoningEnv):
    """Find the exact probability of an event.

    Description:
        Four kinds of experiment: the total of dice (`dice`), flips of a biased coin (`coins`),
        balls drawn from an urn with or without replacement (`urn`), and cards dealt from a deck
        (`cards`). From difficulty 2 on, half of the questions are conditional.

    Answer:
        A fraction or a decimal.

    Reward:
        1 if the value is exactly right (`0.33` is not `1/3`), else 0.

    Difficulty:
        `1 + difficulty` dice (at most 6), balls or cards, `2 + difficulty` flips (at most 8 of
        each); a fractional part is the chance of one more. From 2 on, conditions.

    Example:
        >>> env = ProbabilityEnv(difficulty=0, category="dice")
        >>> print(env.reset(seed=0)[0])
        A fair die with 11 sides, numbered from 1, is rolled.
        What is the probability that the result is exactly 6?
        Answer with an exact fraction or an exact decimal.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>1/11</answer>")[1]
        1.0

    Source:
        Textbook probability; the experiments and their sizes are our choice.
    """

    categories = ("dice", "coins", "urn", "cards")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw an experiment and an event that is neither impossible nor certain."""
        kind = pick(rng, ProbabilityEnv.categories)
        count = round_randomly(rng, min(difficulty, 100.0))
        conditional = rng.random() < 0.5 and difficulty >= 2
        return EXPERIMENTS[kind](rng, count, conditional)

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return the question up to the colours of an urn and their order."""
        held = re.search(r"colours: (.*?);", problem.prompt)
        if held is None:
            return problem.prompt
        balls = [("holds", *ball) for ball in re.findall(r"(\d+) (\w+)", held[1])]
        rest = re.findall(r"\w+", problem.prompt.replace(held[1], ""))
        return key_up_to_names([*balls, ("asks", *rest)], COLOURS)

    @staticmethod
    def solve(problem: Problem) -> str:
        """Follow the experiment step by step, keeping the chance of every state."""
        data = problem.data
        if "dice" in data:
            chance = chance_of_total(data["dice"], data["event"], data["given"])
        elif "colours" in data:
            chance = chance_of_colours(
                data["colours"], data["draws"], data["replace"], data["event"]
            )
        else:
            chance = chance_of_successes(
                data["good"], data["other"], data["draws"], data["replace"], data["first"],
                data["event"], data["given"],
            )  # fmt: skip
        return format_number(chance)

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Say whether the answer can be a probability."""
        value = parse_number(answer)
        if value is None:
            return "The answer is not a number."
        if value == Fraction(problem.answer):
            return ""
        return "The probability is wrong." if 0 <= value <= 1 else "This is no probability."
