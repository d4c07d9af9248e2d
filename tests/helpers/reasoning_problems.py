"""Problems of reasoning tasks, and the scores of answers to them."""

from collections.abc import Iterable, Iterator

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv

Task = type[ReasoningEnv]


def draw(
    task: Task, difficulty: float, count: int, *, seed: int = 0, category: str | None = None
) -> Iterator[Problem]:
    """Draw some problems, of one category if it is given."""
    rng = np.random.default_rng(seed)
    while count:
        problem = task.sample(rng, difficulty)
        if category in (None, problem.category):
            yield problem
            count -= 1


def check_scores(
    task: Task, problem: Problem, right: Iterable[str], wrong: Iterable[str] = ()
) -> None:
    """Check that every right answer scores 1, and every wrong one 0 with an explanation."""
    for answer in right:
        assert task.score(problem, answer) == 1, answer
    for answer in wrong:
        assert task.score(problem, answer) == 0, answer
        assert task.explain(problem, answer), answer
