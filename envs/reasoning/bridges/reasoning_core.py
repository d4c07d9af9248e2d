"""The tasks of reasoning_core as environments.

Left out: its distractors and its balanced batches.
"""

import random
from collections import OrderedDict
from typing import Any

import numpy as np

from zerogym.envs.problems import check_difficulty
from zerogym.envs.reasoning.bridges.core import BridgeEnv
from zerogym.envs.splits import Split
from zerogym.errors import UnknownName, require

KEPT = 64  # drawn examples that can still be scored without drawing them again


class ReasoningCoreEnv(BridgeEnv):
    """A task of the reasoning_core suite, its scorer behind a guard.

    Description:
        Any of its tasks by name. That suite has no seeds: guarded, the global generators of a
        child process are seeded before each draw, which makes most tasks repeatable, and questions
        are split between train and test by a hash. Some tasks need its extra `gen` as well.

    Difficulty:
        The suite's level, a whole number; a fractional part is the chance of one more.

    Arguments:
        task: Name of the task, for example `arithmetics`.
        difficulty: The level, a number from 0 to 1e9.
        guarded: False runs the suite in this process, seeding the global generators only at
            `reset(seed=...)`. For audits only.

    Example:
        >>> env = ReasoningCoreEnv("arithmetics")

    Source:
        "Reasoning Core: A Scalable RL Environment for LLM Symbolic Reasoning" (2025, arXiv
        2509.18083).
    """

    library = "reasoning_core"
    extra = "reasoning-core"
    module = __name__

    def __init__(
        self,
        task: str = "arithmetics",
        difficulty: float = 0.0,
        split: Split = "train",
        guarded: bool = True,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(split, guarded, render_mode)
        level = check_difficulty(difficulty)
        if isinstance(level, tuple):
            raise ValueError(f"difficulty must be one number here, got {difficulty!r}")
        self.task, self.level = task, level

    def _source(self) -> list[Any]:
        return [self.task, self.level, self.guarded]


_drawn: OrderedDict[tuple[str, float, int, int], Any] = OrderedDict()


def draw(task: str, level: float, guarded: bool, seed: int, index: int) -> dict[str, str]:
    """An example's prompt and answer; seeds the global generators, unguarded at index 0 only.

    Raises:
        MissingExtra: If reasoning_core is not installed.
        UnknownName: If it has no such task.
    """
    suite = require("reasoning_core", "reasoning-core", "zerogym/ReasoningCore-v0")
    if task not in suite.list_tasks():
        raise UnknownName("reasoning_core task", task, sorted(suite.list_tasks()))
    if guarded or index == 0:
        random.seed(seed)
        np.random.seed(seed % 2**32)  # noqa: NPY002 (what the suite draws from)
    whole = int(level) + int(random.Random(seed).random() < level % 1)  # its tasks want integers
    example = suite.get_task(task).generate_example(level=whole)
    _drawn[task, level, seed, index] = example
    while len(_drawn) > KEPT:
        _drawn.popitem(last=False)
    return {"question": str(example.prompt), "answer": str(example.answer)}


def score(task: str, level: float, guarded: bool, seed: int, index: int, answer: str) -> float:
    """Score an answer with the suite's scorer; an example not kept is drawn again."""
    key = (task, level, seed, index)
    if key not in _drawn:
        draw(task, level, guarded, seed, index)
    suite = require("reasoning_core", "reasoning-core", "zerogym/ReasoningCore-v0")
    return float(suite.get_task(task).score_answer(answer, _drawn[key]))
