"""Tasks of Inspect, from any text task with one reply an episode.

import inspect_ai
from zerogym.adapters.inspect_ai import task

logs = inspect_ai.eval(task("Countdown", 200, split="test"), model="openai/...")
"""

import importlib
from typing import Any

from zerogym.adapters.library import library
from zerogym.envs.lookup import full_id
from zerogym.export import rows, scorer


def task(env_id: str, n: int, seed: int = 0, **env_kwargs: Any) -> Any:
    """Return an `inspect_ai.Task` whose score is the reward of the reply, the task's own.

    Args:
        env_id: As in `zerogym.export.rows`, like `n`, `seed` and `env_kwargs`.
        n: How many problems.
        seed: Of the first problem.
        env_kwargs: Arguments of the environment.

    Raises:
        MissingExtra: If `inspect_ai` is not installed; else as `zerogym.export.rows`.
    """
    whole: Any = library("inspect_ai", "inspect-ai")
    scoring: Any = importlib.import_module("inspect_ai.scorer")
    data: Any = importlib.import_module("inspect_ai.dataset")
    score, table = scorer(env_id, **env_kwargs), rows(env_id, n, seed, **env_kwargs)

    @scoring.scorer(metrics=[scoring.mean(), scoring.stderr()])
    def reward() -> Any:
        async def judge(state: Any, target: Any) -> Any:
            return scoring.Score(value=score(state.metadata, state.output.completion))

        return judge

    samples = [
        data.Sample(row["prompt"], target=row["answer"] or "", metadata=row) for row in table
    ]
    name = full_id(env_id).partition("/")[2]
    return whole.Task(dataset=data.MemoryDataset(samples, name=name), scorer=reward(), name=name)
