"""Checking answers that are yes or no."""

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.listings import parse_yes_no


def yes_no_fault(problem: Problem, answer: str) -> str:
    """Describe a wrong yes or no; empty if it is right."""
    said = parse_yes_no(answer)
    if said is None:
        return "The answer is not yes or no."
    return "" if said == (problem.answer == "yes") else "It is the other way round."
