"""verl's rows and rewards, which need no verl."""

import json
import runpy

import pytest

from zerogym.adapters import verl
from zerogym.export import OtherProblem, rows


def test_the_file_alone_rewards_right_replies_only() -> None:
    compute_score = runpy.run_path(verl.__file__)["compute_score"]  # as verl loads it
    table = [*verl.rows("ChainSum", 3, seed=5, difficulty=0), *verl.rows("Countdown", 2)]
    table = json.loads(json.dumps(table))  # plain values, which a Parquet file keeps
    for row in table:
        assert row["prompt"] == [{"role": "user", "content": row["extra_info"]["prompt"]}]
        given = (row["data_source"], row["reward_model"]["ground_truth"], row["extra_info"])
        right = f"<answer>{given[1]}</answer>"
        assert compute_score(given[0], right, given[1], given[2]) == 1.0
        assert compute_score(given[0], "<answer>no</answer>", given[1], given[2]) == 0.0
    assert [row["extra_info"]["seed"] for row in table] == [5, 6, 7, 0, 1]


def test_answers_of_the_held_out_side_are_not_in_its_rows() -> None:
    [row] = verl.rows("Countdown", 1, split="test")
    assert row["reward_model"]["ground_truth"] == ""
    assert row["extra_info"]["split"] == "test"
    [full] = rows("Countdown", 1, split="test")
    assert row["extra_info"]["prompt"] == full["prompt"]


def test_a_row_of_another_task_is_refused() -> None:
    [row] = verl.rows("ChainSum", 1, difficulty=0)
    other = row["extra_info"] | {"seed": 1}
    with pytest.raises(OtherProblem, match="seed 1 of zerogym/ChainSum-v0"):
        verl.compute_score(row["data_source"], "1", "", other)
