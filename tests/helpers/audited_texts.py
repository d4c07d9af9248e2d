"""Pairs of environments for the audit of texts: one with a fault, and its repaired twin."""

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv

KINDS = [f"{a}{b}" for a in ("bar", "cor", "dul", "fen", "gim") for b in ("ta", "ne", "lo", "su")]


class CueEnv(ReasoningEnv):
    """Decide whether a kind is in another; with the fault, `Some` before the first tells it."""

    def __init__(self, fault: bool = False, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.has_fault = fault

    def _sample(self, difficulty: float) -> Problem:
        first, second, *others = self.np_random.permutation(KINDS)[:6]
        is_so, cue = self.np_random.random(2) < (0.5, 0.5)
        if self.has_fault and self.np_random.random() < 0.6:
            cue = is_so
        lines = [f"{'Some' if cue else 'All'} {first} are {others[0]}."]
        for a, b in zip(others, [*others[1:], second], strict=True):
            lines.append(f"{'Some' if self.np_random.random() < 0.5 else 'All'} {a} are {b}.")
        order = self.np_random.permutation(len(lines))
        prompt = "\n".join([*(lines[n] for n in order), f"Is every {first} a {second}?"])
        return Problem(prompt, "yes" if is_so else "no")

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        raise NotImplementedError

    @staticmethod
    def solve(problem: Problem) -> str:
        return problem.answer

    @staticmethod
    def read(answer: str, /) -> str:
        return answer


class NamesEnv(CueEnv):
    """Name the heaviest of three. With the fault, names and order decide the side."""

    def _sample(self, difficulty: float) -> Problem:
        order = sorted(self.np_random.permutation(9)[:3])
        people = list(self.np_random.permutation(KINDS)[:3])
        scales = [int(weight) for weight in order]
        lines = [f"{a} is {x + y} kilos with {b}." for (a, x), (b, y) in _pairs(people, scales)]
        shuffled = [lines[n] for n in self.np_random.permutation(3)]
        key = "" if self.has_fault else str(scales)
        return Problem("\n".join([*shuffled, "Who is the heaviest?"]), people[2], canonical=key)


def _pairs(people: list[str], scales: list[int]) -> Iterator[Any]:
    items = list(zip(people, scales, strict=True))
    return zip(items, [*items[1:], items[0]], strict=True)


class FitsEnv(CueEnv):
    """Name a multiple of all numbers shown; with the fault, only the hidden one is right."""

    def _sample(self, difficulty: float) -> Problem:
        a, b, hidden = map(int, self.np_random.integers(2, 99, 3))
        data = {"right": [hidden] if self.has_fault else list(range(1, 200))}
        return Problem(f"Name a multiple of {a * b}: it is hidden.", str(a * b * hidden), data=data)

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        base = int(problem.prompt.split(":")[0].split()[-1])
        return "" if int(answer) / base in problem.data["right"] else "no"

    @staticmethod
    def fitting(problem: Problem) -> Iterator[str]:
        base = int(problem.prompt.split(":")[0].split()[-1])
        yield from (str(base * factor) for factor in range(1, 4))


class DigitsEnv(CueEnv):
    """Name the parity or the digit of a hidden thing; with the fault, 7 comes too often."""

    categories = ("parity", "digit")

    def _sample(self, difficulty: float) -> Problem:
        category = str(self.np_random.choice(self.categories, p=[0.7, 0.3]))
        number = int(self.np_random.integers(10))
        if category == "parity":
            return Problem(
                f"Thing {self.np_random.random()}", "yes" if number % 2 else "no", "", (), "parity"
            )
        if self.has_fault and self.np_random.random() < 0.35:
            number = 7
        return Problem(f"Thing {self.np_random.random()}", str(number), "", (), "digit")


for _env in (CueEnv, NamesEnv, FitsEnv, DigitsEnv):
    for _fault in (True, False):
        gym.register(
            f"Planted/{_env.__name__[:-3]}{'Fault' if _fault else ''}-v0",
            f"helpers.audited_texts:{_env.__name__}",
            kwargs={"fault": _fault},
        )
