"""The tasks of an evaluation: plain, of the test side, apart from those of the training."""

from typing import Any

import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.small_runs import Digits, registered
from zerogym.agents.llm.algorithms.prompts.cog_drift import CogDrift
from zerogym.agents.llm.algorithms.prompts.mixture import Mixture
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.evaluation import NotHeldOut
from zerogym.agents.llm.rollout.rollout_env import RolloutEnv
from zerogym.agents.llm.training.evaluated_tasks import evaluated_tasks

CALCULATION, COUNTING = "zerogym/RandomCalculation-v0", "zerogym/Counting-v0"
SUMS = {"env": COUNTING, "kwargs": {"difficulty": 2}, "wrappers": {"PrefixHint": {}}}


def tasks_of(**settings: Any) -> dict[str, Environments]:
    config = GRPOConfig(env=CALCULATION, env_kwargs={"difficulty": 1}, **settings)
    found = evaluated_tasks(config, config.source.task_specs(config.task))
    return {name: envs for name, seats in found.items() for envs in seats.values()}


def begun(envs: Environments) -> RolloutEnv:
    env = envs.take()
    env.reset(4)
    return env


def test_each_task_of_a_mixture_is_evaluated_on_its_test_side_without_wrappers() -> None:
    found = tasks_of(prompts=Mixture(tasks={"sums": SUMS}, own=1.0))
    assert {name: envs.task.env for name, envs in found.items()} == {
        "sums": COUNTING, "": CALCULATION,
    }  # fmt: skip
    for envs in found.values():
        assert envs.wrappers == {} and begun(envs).info("")["split"] == "test"
        envs.close()


def test_the_forms_of_a_curriculum_are_not_evaluated() -> None:
    [envs] = tasks_of(prompts=CogDrift(size=2)).values()
    env = begun(envs)
    assert "letter" not in env.observation() and "form" not in env.info("")
    envs.close()


def test_tasks_of_ones_own_take_the_place_of_the_trained_ones() -> None:
    easy = {"env": COUNTING, "kwargs": {"difficulty": 0, "split": "train"}}
    found = tasks_of(eval_tasks={"hinted": SUMS, "easy": easy})
    splits = {name: begun(envs).info("")["split"] for name, envs in found.items()}
    assert splits == {"hinted": "test", "easy": "train"}  # a split that is typed is kept
    assert list(found["hinted"].wrappers) == ["PrefixHint"]
    for envs in found.values():
        envs.close()


class OnlyTrain(Digits):
    """Poses training problems only, and says so."""

    def __init__(self, **others: Any) -> None:
        super().__init__()

    def reset(self, **given: Any) -> Any:
        return super().reset(**given)[0], {"split": "train"}


def test_a_task_without_a_test_side_is_refused_and_not_evaluated_on_its_problems() -> None:
    with registered("tests/OnlyTrain-v0", OnlyTrain):
        for settings in (
            {"prompts": Mixture(tasks={"a": {"env": "tests/OnlyTrain-v0"}})},
            {"eval_tasks": {"a": {"env": "tests/OnlyTrain-v0"}}},
        ):
            with pytest.raises(NotHeldOut, match="poses problems of the split 'train'"):
                tasks_of(**settings)


@pytest.mark.parametrize(
    ("task", "says"),
    [
        ({"kwargs": {}}, r"eval_tasks 'a' must be \{\"env\": ID"),
        ({"env": COUNTING, "wrapers": {}}, "'wrapers'.*mean 'wrappers'"),
        ({"env": COUNTING, "wrappers": {"PrefixHnt": {}}}, "'PrefixHnt'.*mean 'PrefixHint'"),
    ],
)
def test_a_wrong_task_is_one_line(task: dict[str, Any], says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        GRPOConfig(eval_tasks={"a": task})
