"""Properties of the problems of every reasoning task, over registry and difficulties."""

import json
from collections import defaultdict
from functools import cache
from typing import cast

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.registry import TASKS, Task

REASONING = [task for task in TASKS if task.family == "reasoning" and "bridge" not in task.tags]
LEVELS = (0.0, 0.5, 1.0, 2.5, 4.0)
PROBLEMS = 3  # drawn at each difficulty; by the proof, ten times as many
CONSTANT_PROBLEMS = 200  # for the best constant answer
CHANCE = 0.1  # the most that one constant answer may score on average
BINARY_CHANCE = 0.6  # of two answers, balanced, with the noise of 200 draws

each_task = pytest.mark.parametrize("task", REASONING, ids=lambda task: task.name)


@cache
def made(name: str) -> ReasoningEnv:
    return cast(ReasoningEnv, gym.make(f"zerogym/{name}-v0").unwrapped)


def env_of(task: Task) -> ReasoningEnv:
    return made(task.name)


@cache
def sampled(name: str, difficulty: float, count: int) -> list[Problem]:
    rng = np.random.default_rng(12345)
    return [made(name).sample(rng, difficulty) for _ in range(count)]


def problems_of(task: Task, difficulty: float, count: int = PROBLEMS) -> list[Problem]:
    return sampled(task.name, difficulty, count)


def drawn(task: Task, count: int = PROBLEMS) -> list[Problem]:
    return [problem for level in LEVELS for problem in problems_of(task, level, count)]


@pytest.mark.parametrize("count", [PROBLEMS, pytest.param(10 * PROBLEMS, marks=pytest.mark.proof)])
@each_task
def test_the_solver_and_the_canonical_answer_score_one(task: Task, count: int) -> None:
    env = env_of(task)
    for problem in drawn(task, count):
        assert env.score(problem, env.solve(problem)) == 1.0, problem.prompt
        assert env.score(problem, problem.answer) == 1.0, problem.prompt
        assert env.score(problem, f" {problem.answer}\n") == 1.0, "blanks around it"


@each_task
def test_distractors_score_less(task: Task) -> None:
    env = env_of(task)
    for problem in drawn(task):
        assert problem.distractors, problem.prompt
        assert len(set(problem.distractors)) == len(problem.distractors)
        for distractor in problem.distractors:
            assert 0 <= env.score(problem, distractor) < 1, (problem.prompt, distractor)


@each_task
def test_the_worked_solution_holds_the_answer(task: Task) -> None:
    for problem in drawn(task):
        assert problem.answer in problem.solution, problem.prompt


@each_task
def test_a_corrupted_solution_is_not_a_beginning_of_the_right_one(task: Task) -> None:
    env, rng = env_of(task), np.random.default_rng(0)
    for problem in drawn(task):
        flawed = env.corrupt(problem, rng)
        assert flawed and not f"{problem.solution}\n".startswith(f"{flawed}\n"), flawed


@each_task
def test_a_draw_depends_on_the_generator_only(task: Task) -> None:
    again = [env_of(task).sample(np.random.default_rng(7), 1.0) for _ in range(2)]
    assert again[0] == again[1]


@each_task
def test_problems_are_plain_data(task: Task) -> None:
    env = env_of(task)
    for problem in drawn(task):
        assert json.loads(json.dumps(dict(problem.data))) == dict(problem.data)
        assert problem.category in (env.categories or ("",))
        assert len(problem.prompt) < env.max_observation // 2
        assert problem.prompt.isprintable() or "\n" in problem.prompt


@each_task
def test_every_category_is_drawn(task: Task) -> None:
    env = env_of(task)
    found = {problem.category for problem in problems_of(task, 1.0, 100)}
    assert found == set(env.categories or ("",))
    assert set(env.binary) <= found


@pytest.mark.proof
@each_task
def test_no_constant_answer_scores_much(task: Task) -> None:
    env = env_of(task)
    groups: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems_of(task, env.default_difficulty, CONSTANT_PROBLEMS):  # type: ignore[arg-type]
        groups[problem.category].append(problem)
    for category, problems in groups.items():
        if len(problems) < 50:
            rng = np.random.default_rng(1)
            while len(problems) < 50:
                problem = env.sample(rng, cast(float, env.default_difficulty))
                problems += [problem] if problem.category == category else []
        constants = {p.answer for p in problems}
        best = max(constants, key=lambda c: sum(env.score(p, c) for p in problems))
        mean = float(np.mean([env.score(p, best) for p in problems]))
        limit = BINARY_CHANCE if category in env.binary else CHANCE
        # three standard errors of a share measured on so few problems
        assert mean <= limit + 3 * (0.09 / len(problems)) ** 0.5, (category, best, mean)


@each_task
def test_the_hardest_problems_are_bounded(task: Task) -> None:
    env = env_of(task)
    for difficulty in (20.0, 1e9):
        problem = env.sample(np.random.default_rng(3), difficulty)
        assert env.score(problem, problem.answer) == 1.0
        assert len(problem.prompt) < env.max_observation
