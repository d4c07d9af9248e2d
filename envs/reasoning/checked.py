"""Base of tasks whose answers are checked rule by rule: an answer that breaks none is right."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.listings import unnumbered


def listed_steps(answer: str) -> str:
    """Return steps of an answer separated by `, `: lower-cased, without numbers before them.

    Example:
        >>> listed_steps("1. Fill A\\n2. empty B; fill A")
        'fill a,empty b, fill a'
    """
    return " ".join(unnumbered(answer).casefold().replace("\n", ",").replace(";", ",").split())


def step_texts(listed: str) -> list[str]:
    """Return the steps between commas, without punctuation around them."""
    pieces = [piece.strip(" .[]()'\"`") for piece in listed.split(",")]
    return [piece for piece in pieces if piece]


class CheckedEnv(ReasoningEnv):
    """A task that scores 1 for every answer with which `fault` finds nothing wrong.

    Args:
        difficulty: A number >= 0, or a pair from which each episode draws uniformly.
        split: `train` or `test`; the two never share a problem.
        category: Draw only problems of this category; None draws all.
        max_attempts: Replies per problem.
        render_mode: None or `ansi`.
    """

    @staticmethod
    @abstractmethod
    def fault(problem: Problem, answer: str) -> str:
        """Return what is wrong with an answer, in words; empty if it is right."""

    @classmethod
    def score(cls, problem: Problem, answer: str) -> float:
        """Return 1 for any answer without fault."""
        return float(not cls.fault(problem, answer))

    @classmethod
    def explain(cls, problem: Problem, answer: str) -> str:
        """Return the first fault of an answer."""
        return cls.fault(problem, answer)

    @classmethod
    def wrong_among(cls, data: Mapping[str, Any], answers: Iterable[str]) -> tuple[str, ...]:
        """Return the answers that are wrong, each once; empty ones are left out."""
        problem = Problem("", "", data=data)
        return tuple(text for text in dict.fromkeys(answers) if text and cls.fault(problem, text))
