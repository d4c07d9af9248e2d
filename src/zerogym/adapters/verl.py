"""Data and rewards of verl, from any text task with one reply an episode; verl is not imported.

Data are Parquet files:

from datasets import Dataset
from zerogym.adapters.verl import rows

Dataset.from_list(rows("Countdown", 1000, split="train")).to_parquet("train.parquet")

The reward function is found by the path of this file:

FILE=$(python -c "import zerogym.adapters.verl as adapter; print(adapter.__file__)")
python -m verl.trainer.main_ppo data.train_files=train.parquet \\
    reward.custom_reward_function.path=$FILE \\
    reward.custom_reward_function.name=compute_score ...

The columns and the function's arguments are those of verl's pages "Prepare Data for Post-Training"
and "Implement Reward Function for Dataset" (before 0.9 the options have no `reward.` in front).
`examples/text/verl_data_and_reward.py` reads the rows with verl's dataset and has replies scored by
its reward manager; training, which needs a GPU, was not tried.
"""

import functools
import json
from collections.abc import Mapping
from typing import Any

from zerogym import export
from zerogym.export import Scorer


def rows(env_id: str, n: int, seed: int = 0, **env_kwargs: Any) -> list[dict[str, Any]]:
    """Return problems in verl's columns; arguments and errors as in `zerogym.export.rows`.

    Returns:
        Rows with `data_source` (the id), `prompt` (a conversation), `ability` (the category),
        `reward_model` and `extra_info`: what `compute_score` needs to find the problem again.
    """
    return [
        {
            "data_source": row["env_id"],
            "prompt": [{"role": "user", "content": row["prompt"]}],
            "ability": row["category"] or "",
            "reward_model": {"style": "rule", "ground_truth": row["answer"] or ""},
            "extra_info": {key: row[key] for key in ("prompt", "seed", "env_kwargs", "split")},
        }
        for row in export.rows(env_id, n, seed, **env_kwargs)
    ]


def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: Mapping[str, Any]
) -> float:
    """Return the reward of a reply, the task's own verifier's.

    Args:
        data_source: As in `rows`, like `extra_info`.
        solution_str: All that the model wrote.
        ground_truth: Not read: a verifier may know other right answers.
        extra_info: Of the row.

    Raises:
        OtherProblem: If the row is of another version of the task.
    """
    return _scorer(data_source, extra_info["env_kwargs"])(extra_info, solution_str)


@functools.cache
def _scorer(env_id: str, env_kwargs: str) -> Scorer:
    return Scorer(env_id, **json.loads(env_kwargs))
