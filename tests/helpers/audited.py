"""Environments with one planted defect each, for the tests of the audit."""

import random
import time
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.spaces import Utf8Text

DEFECTS = (
    "Sound", "Eval", "Hang", "AnyAnswer", "Constant", "OwnAnswer", "Distractor", "GlobalRandom",
    "HashSeed", "Shared", "Shrinks", "Crash", "NoneCrash",
)  # fmt: skip


class PlantedEnv(ReasoningEnv):
    """Reverse a number; sound but for the named defect."""

    def __init__(self, defect: str = "Sound", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.defect = defect

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        number = "".join(str(int(rng.random() * 10)) for _ in range(5 + int(2 * difficulty)))
        return Problem(f"Reverse {number}.", number[::-1], number[::-1], (number + "1",))

    @staticmethod
    def score(problem: Problem, answer: str) -> float:
        return float(answer == problem.answer)

    @staticmethod
    def solve(problem: Problem) -> str:
        return problem.prompt.split()[1][-2::-1]

    def _judge(self, problem: Problem, answer: str) -> tuple[float, str]:
        if self.defect == "Eval":
            eval(answer[:100] or "0", {"__builtins__": {}})
        if self.defect == "Hang" and "9**9" in answer:
            time.sleep(60)
        if self.defect == "Crash" and "9**9" in answer:
            import os

            os._exit(3)
        if self.defect == "AnyAnswer" and answer:
            return 1.0, ""
        if self.defect == "Constant" and answer == "0" and problem.answer < "5":
            return 1.0, ""
        if self.defect == "OwnAnswer" and problem.answer < "2":
            return 0.5, ""
        if self.defect == "Distractor" and answer == problem.distractors[0]:
            return 1.0, ""
        return super()._judge(problem, answer)

    def step(self, action: Any) -> Any:
        if self.defect == "NoneCrash" and not isinstance(action, str):
            action.strip()
        if self.defect == "Shared":
            SHARED.append(action)
            observation, reward, *rest = super().step(action)
            return observation, reward / len(SHARED), *rest
        return super().step(action)

    def _sample(self, difficulty: float) -> Problem:
        if self.defect == "GlobalRandom":
            number = str(random.randrange(10**5, 10**6))
            return Problem(f"Reverse {number}.", number[::-1])
        if self.defect == "HashSeed":
            number = str(abs(hash(str(self.np_random.random()))))[:6]
            return Problem(f"Reverse {number}.", number[::-1])
        if self.defect == "Shrinks":
            return super()._sample(max(0, 4 - difficulty))
        return super()._sample(difficulty)


SHARED: list[Any] = []


class LeakEnv(gym.Env[str, str]):
    """Item i + 1 of seed s is item i of seed s + 1; no splits, no oracle."""

    def __init__(self) -> None:
        self.observation_space = self.action_space = Utf8Text(1000)
        self._next = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        super().reset(seed=seed)
        self._next = self._next + 1 if seed is None else seed
        number = int(np.random.default_rng(self._next).integers(10**6))
        return f"Say {number}.", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        return "", 0.0, True, False, {}


for _defect in DEFECTS:
    gym.register(f"Planted/{_defect}-v0", "helpers.audited:PlantedEnv", kwargs={"defect": _defect})
gym.register("Planted/Stream-v0", "helpers.audited:LeakEnv")
