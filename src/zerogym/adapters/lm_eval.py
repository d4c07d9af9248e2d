"""Tasks of lm-evaluation-harness, from any text task with one reply an episode.

import lm_eval
from zerogym.adapters.lm_eval import task

results = lm_eval.simple_evaluate(model="hf", model_args="pretrained=...",
                                  tasks=[task("Countdown", 200, split="test")])
"""

from typing import Any

from zerogym.adapters.library import library
from zerogym.envs.lookup import full_id
from zerogym.export import dataset, scorer


def task(env_id: str, n: int, seed: int = 0, max_tokens: int = 512, **env_kwargs: Any) -> Any:
    """Return a `ConfigurableTask` whose metric `reward` is the mean reward, the task's own.

    Args:
        env_id: As in `zerogym.export.dataset`, like `n`, `seed` and `env_kwargs`.
        n: How many problems.
        seed: Of the first problem.
        max_tokens: At which a reply is cut, in tokens.
        env_kwargs: Arguments of the environment.

    Raises:
        MissingExtra: If `lm_eval` is not installed; else as `zerogym.export.dataset`.
    """
    made: Any = library("lm_eval.api.task", "lm-eval")
    score, table = scorer(env_id, **env_kwargs), dataset(env_id, n, seed, **env_kwargs)
    config = {
        "task": full_id(env_id).partition("/")[2],
        "custom_dataset": lambda **_: {"test": table},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": lambda row: row["prompt"],
        "doc_to_target": lambda row: row["answer"] or "",
        "process_results": lambda row, replies: {"reward": score(row, replies[0])},
        "metric_list": [{"metric": "reward", "aggregation": "mean", "higher_is_better": True}],
        "generation_kwargs": {"until": [], "do_sample": False, "max_gen_toks": max_tokens},
    }
    return made.ConfigurableTask(config=config)
