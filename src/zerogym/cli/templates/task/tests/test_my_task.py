"""The oracle is right, wrong answers are not, and a seed gives one problem."""

from typing import Any

import my_task  # noqa: F401  (registers the id)
import pytest

import zerogym


def make(**kwargs: Any) -> Any:
    return zerogym.make("my_task/MyTask-v0", **kwargs)


@pytest.mark.parametrize("difficulty", [0, 3])
def test_the_oracle_scores_and_wrong_answers_do_not(difficulty: float) -> None:
    env = make(difficulty=difficulty)
    for seed in range(20):
        env.reset(seed=seed)
        assert env.step(env.unwrapped.oracle_action())[1] == 1.0
        env.reset(seed=seed)
        assert env.step("<answer>-1</answer>")[1] == 0.0


def test_a_seed_gives_one_problem_and_the_splits_differ() -> None:
    prompts = [make().reset(seed=7)[0] for _ in range(2)]
    assert prompts[0] == prompts[1]
    assert make(split="test").reset(seed=7)[0] != prompts[0]


def test_an_answer_by_hand() -> None:
    env = make(difficulty=2)
    prompt, _ = env.reset(seed=0)
    digits = [int(letter) for letter in prompt.partition("?")[0] if letter.isdigit()]
    assert env.step(f"<answer>{sum(digits)}</answer>")[1] == 1.0
