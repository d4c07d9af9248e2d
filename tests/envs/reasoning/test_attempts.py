"""Several attempts at one problem, and what the base class offers to teachers."""

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.corruption import corrupt_number
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of, shuffled


class PartialEnv(ReasoningEnv):
    """Say a number; the score is its nearness to 10."""

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        return Problem("Say 10.", "10", canonical=str(rng.random()))

    @staticmethod
    def score(problem: Problem, answer: str) -> float:
        return max(0.0, 1 - abs(int(answer) - 10) / 10)

    @staticmethod
    def solve(problem: Problem) -> str:
        return "10"


def test_the_return_is_the_best_score() -> None:
    env = PartialEnv(max_attempts=4)
    env.reset(seed=0)
    steps = [env.step(reply) for reply in ("5", "2", "9", "7")]
    assert [step[1] for step in steps] == pytest.approx([0.5, 0.0, 0.4, 0.0])
    assert [step[4]["score"] for step in steps] == pytest.approx([0.5, 0.2, 0.9, 0.7])
    assert [step[2] for step in steps] == [False, False, False, True]


def test_a_right_answer_ends_the_attempts() -> None:
    env = gym.make("zerogym/RandomCalculation-v0", max_attempts=3)
    env.reset(seed=0)
    text, reward, ended, _, info = env.step("no idea")
    assert (text, reward, ended) == ("The answer is not a number. Try again.", 0.0, False)
    assert "answer" not in info and info["turn"] == 1
    text, reward, ended, _, info = env.step(env.unwrapped.oracle_action())  # type: ignore[attr-defined]
    assert (text, reward, ended) == ("Correct.", 1.0, True)
    assert info["answer"] and info["turn"] == 2


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", True, None])
def test_attempts_are_counted(wrong: object) -> None:
    with pytest.raises(ValueError, match="max_attempts"):
        gym.make("zerogym/Sudoku-v0", max_attempts=wrong)


def test_a_corrupted_solution_changes_one_number() -> None:
    solution = "2 + 3 = 5\n5 * 4 = 20\nso 20"
    lengths = set()
    for seed in range(100):
        flawed = corrupt_number(solution, np.random.default_rng(seed))
        assert flawed is not None
        lines, right = flawed.split("\n"), solution.split("\n")
        assert lines[:-1] == right[: len(lines) - 1]
        wrong, correct = lines[-1].split(), right[len(lines) - 1].split()
        assert wrong[:-1] == correct[:-1], "only the last number of the line"
        assert 1 <= abs(int(wrong[-1]) - int(correct[-1])) <= 9
        lengths.add(len(lines))
    assert lengths == {1, 2, 3}
    assert corrupt_number("no number here", np.random.default_rng(0)) is None


def test_distractors_in_the_required_form_are_wrong() -> None:
    env = gym.make("zerogym/NumberTheory-v0", max_attempts=10)
    env.reset(seed=1)
    offered = env.unwrapped.distractor_actions()  # type: ignore[attr-defined]
    assert len(offered) >= 2
    assert all(env.step(reply)[4]["score"] < 1 for reply in offered)


def test_draws_are_uniform_and_in_range() -> None:
    rng = np.random.default_rng(0)
    counts = np.bincount([draw_int(rng, 2, 6) for _ in range(5000)], minlength=7)
    assert counts[:2].sum() == 0 and counts[2:].min() > 900
    orders = [tuple(shuffled(rng, "abc")) for _ in range(6000)]
    assert min(orders.count(order) for order in set(orders)) > 850 and len(set(orders)) == 6
    assert {pick(rng, "xyz") for _ in range(100)} == set("xyz")
    assert len(set(sample_of(rng, range(10), 4))) == 4
    assert np.mean([round_randomly(rng, 2.3) for _ in range(5000)]) == pytest.approx(2.3, abs=0.03)
    assert {round_randomly(rng, 3.0) for _ in range(100)} == {3}
