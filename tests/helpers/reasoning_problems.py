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


def draw_problems(
    task: Task, *difficulties: float, count: int, category: str | None = None
) -> list[Problem]:
    """Draw some problems at each difficulty."""
    drawn = (draw(task, level, count, seed=1, category=category) for level in difficulties)
    return [problem for problems in drawn for problem in problems]


def check_fault(task: Task, problem: Problem, answer: str, fault: str) -> None:
    """Check that the fault of an answer contains some words; no words: that it is right."""
    found = task.fault(problem, answer)
    assert fault in found and bool(found) == bool(fault), found
    assert task.score(problem, answer) == float(not fault)
    assert not fault or fault in task.explain(problem, answer)


def disturbed(moves: str, rng: np.random.Generator) -> str:
    """Moves of which one is left out, changed or added, or none."""
    at, move = int(rng.integers(len(moves))), "UDLR"[int(rng.integers(4))]
    kind = int(rng.integers(4))
    if kind == 0:
        return moves[:at] + moves[at + 1 :] or move
    if kind == 1:
        return moves[:at] + move + moves[at + 1 :]
    return moves + move if kind == 2 else moves
