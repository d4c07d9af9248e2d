"""Rows and scores for other trainers: the same problems and rewards as in the environment."""

import json
from typing import Any

import gymnasium as gym
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym import export
from zerogym.adapters.trl import reward_function
from zerogym.errors import UnknownName
from zerogym.export import OtherProblem, SeveralReplies, dataset, rows, scorer

TASKS = ["ChainSum", "Countdown", "KnightsKnaves", "Sudoku", "Blocksworld"]


@pytest.mark.parametrize("name", TASKS)
def test_rows_and_scores_are_those_of_the_environment(name: str) -> None:
    table, score = rows(name, 3, seed=5, difficulty=0.5), scorer(name, difficulty=0.5)
    assert json.loads(json.dumps(table)) == table
    env: Any = gym.make(f"zerogym/{name}-v0", difficulty=0.5)
    for number, row in enumerate(table):
        prompt, info = env.reset(seed=5 + number)
        assert (row["prompt"], row["split"]) == (prompt, info["split"] == "train" and "train")
        for reply in (f"<answer>{row['answer']}</answer>", "<answer>7</answer>", "", "\x00" * 9):
            env.reset(seed=5 + number)
            assert score(row, reply) == env.step(reply)[1]
        assert score(row, f"<answer>{row['answer']}</answer>") == 1.0


def test_a_problem_is_drawn_once_for_all_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    [row, other] = rows("Sudoku", 2)
    score, drawn = scorer("Sudoku"), []
    env: Any = score._env
    reset = env.reset
    monkeypatch.setattr(env, "reset", lambda **kw: drawn.append(kw["seed"]) or reset(**kw))
    assert [score(row, "x") for _ in range(3)] + [score(other, "x"), score(row, "x")] == [0.0] * 5
    assert drawn == [0, 1]
    monkeypatch.setattr(export, "KEPT", 1)  # the one used last stays
    score(rows("Sudoku", 1, seed=2)[0], "x")
    score(row, "x")
    assert drawn == [0, 1, 2]


def test_the_test_side_keeps_its_answers() -> None:
    [row] = rows("ChainSum", 1, split="test")
    assert row["answer"] is None and row["split"] == "test"
    assert json.loads(row["env_kwargs"]) == {"split": "test"}


def test_a_row_of_other_arguments_is_refused() -> None:
    [row] = rows("ChainSum", 1, difficulty=0)
    with pytest.raises(OtherProblem, match=r"seed 0 of zerogym/ChainSum-v0 with {} is not"):
        scorer("ChainSum")(row, "1")
    with pytest.raises(TypeError):
        scorer("ChainSum", difficulty=0)(row, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "n", "kind", "words"),
    [
        ("SQL", 1, SeveralReplies, "goes on after a reply"),
        ("CartPole", 1, TypeError, "observes no text"),
        ("CartPole-v1", 1, UnknownName, "no environment"),
        ("ALE/Pong-v5", 1, gym.error.Error, "ALE"),
        ("ChainSumm", 1, UnknownName, "Did you mean 'ChainSum'"),
        ("ChainSum", 0, ValueError, "n must be at least 1"),
    ],
)
def test_tasks_without_rows_are_one_line(
    name: str, n: int, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        rows(name, n)


def test_a_foreign_environment_has_no_rows() -> None:
    with pytest.raises(TypeError, match="no task with an oracle"):
        rows("gymnasium:CartPole-v1", 1)


def test_two_attempts_have_no_score_of_one_reply() -> None:
    score, [row] = scorer("ChainSum", max_attempts=2), rows("ChainSum", 1, max_attempts=2)
    assert score(row, f"<answer>{row['answer']}</answer>") == 1.0
    with pytest.raises(SeveralReplies):
        score(row, "<answer>none</answer>")


def test_datasets_and_rewards_of_trl() -> None:
    pytest.importorskip("datasets")
    table = dataset("ChainSum", 2, chat=True)
    plain = rows("ChainSum", 2)
    assert [row["prompt"][0]["content"] for row in table] == [row["prompt"] for row in plain]
    reward = reward_function("ChainSum")
    assert reward.__name__ == "ChainSum-v0"
    right = [
        [{"role": "assistant", "content": f"<answer>{row['answer']}</answer>"}] for row in plain
    ]
    columns = {name: table[name] for name in ("seed", "split", "env_id")}
    assert reward(prompts=table["prompt"], completions=right, **columns) == [1.0, 1.0]
    assert reward(prompts=table["prompt"], completions=right[::-1], **columns) == [0.0, 0.0]
