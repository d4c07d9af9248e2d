"""Sums of digits: a reasoning task."""

import gymnasium as gym
import numpy as np

from zerogym.envs.reasoning import Problem, ReasoningEnv, parse_integer


class MyTaskEnv(ReasoningEnv):
    """Add the digits of a number.

    Description:
        The digits are drawn from 1 to 9.

    Difficulty:
        The number has `2 + difficulty` digits.
    """

    read = staticmethod(parse_integer)  # the value of an answer; None where it has none
    unreadable = "The answer is not an integer."

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a number."""
        digits = rng.integers(1, 10, size=2 + int(difficulty)).tolist()
        return Problem(
            prompt=f"What is the sum of the digits of {''.join(map(str, digits))}?",
            answer=str(sum(digits)),
            solution=" + ".join(map(str, digits)) + f" = {sum(digits)}",
            distractors=(str(sum(digits) + 1), str(max(digits))),
            data={"digits": digits},
        )

    @staticmethod
    def solve(problem: Problem) -> str:
        """Add the digits."""
        return str(sum(problem.data["digits"]))


gym.register("my_task/MyTask-v0", entry_point="my_task:MyTaskEnv")
