"""The tasks on which a run is evaluated."""

from collections.abc import Mapping
from typing import Any

from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.evaluation import evaluation_envs
from zerogym.agents.llm.rollout.prompt import TaskSpec
from zerogym.agents.llm.rollout.rollout_env import ONLY_SEAT

Seats = dict[str, Environments]  # by seat


def evaluated_tasks(config: GRPOConfig, trained: Mapping[str, TaskSpec]) -> dict[str, Seats]:
    """Return the environments in which a run is evaluated, by the name of the task and the seat.

    They are plain: they pose the problems of the test side, without the wrappers, hints and forms
    of the training. By default there is one for each task that is trained on, inside
    `eval_wrappers`; `eval_tasks` has others in their place, whose `split` is kept where it is set.

    Args:
        config: The settings of the run.
        trained: The tasks of the training by name.

    Raises:
        NotHeldOut: If a task has no test side.
    """
    opponent = config.eval_opponent
    given: Mapping[str, Any] = config.eval_tasks
    if not given:
        plain = {name: Environments(task.env, task.kwargs) for name, task in trained.items()}
        return {
            name: evaluation_envs(envs, opponent, config.eval_wrappers)
            for name, envs in plain.items()
        }
    tasks = {}
    for name, task in given.items():
        kwargs, wrappers = task.get("kwargs", {}), task.get("wrappers", {})
        envs = Environments(task["env"], kwargs)
        if "split" in kwargs:
            tasks[name] = {ONLY_SEAT: Environments(task["env"], kwargs, wrappers)}
        else:
            tasks[name] = evaluation_envs(envs, opponent, wrappers)
    return tasks
