"""Adapters whose libraries are not installed with ours; `examples/text` runs them with those.

Here small stand-ins take the place of each library's classes, with the names and fields that the
adapter uses: what is tested is that prompts, rewards and ends are those of the task itself.
"""

import asyncio
import contextlib
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Generic, TypeVar

import pytest

import zerogym
from zerogym.adapters import inspect_ai, lm_eval, skyrl_gym, verifiers
from zerogym.adapters.library import TRIED, UntriedVersion
from zerogym.adapters.trl import environment_factory
from zerogym.errors import MissingExtra

A, B, C = TypeVar("A"), TypeVar("B"), TypeVar("C")


def install(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    """Put a module of these members, and its parents, in the place of a library."""
    for parent in (name.rsplit(".", k)[0] for k in range(name.count("."), 0, -1)):
        monkeypatch.setitem(sys.modules, parent, sys.modules.get(parent) or ModuleType(parent))
    module = ModuleType(name)
    vars(module).update(members)
    monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr("zerogym.adapters.library.version", TRIED.__getitem__)


@pytest.mark.parametrize(
    ("library", "adapt"),
    [
        ("skyrl_gym", lambda: skyrl_gym.environment("SQL")),
        ("lm_eval", lambda: lm_eval.task("ChainSum", 2)),
        ("inspect_ai", lambda: inspect_ai.task("ChainSum", 2)),
        ("verifiers", lambda: verifiers.ZerogymTaskset),
    ],
)
def test_a_missing_library_is_one_line(
    monkeypatch: pytest.MonkeyPatch, library: str, adapt: Any
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    verifiers._classes.cache_clear()
    package = library.replace("_", "-")
    with pytest.raises(MissingExtra, match=f"needs {library}: pip install {package}$"):
        adapt()


def test_another_version_is_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "skyrl_gym.envs.base_text_env", BaseTextEnv=object)
    skyrl_gym.environment("SQL")  # warnings are errors here
    monkeypatch.setattr("zerogym.adapters.library.version", lambda _: "0.4.9")
    skyrl_gym.environment("SQL")
    monkeypatch.setattr("zerogym.adapters.library.version", lambda _: "0.5.0")
    with pytest.warns(UntriedVersion, match=r"tried with skyrl-gym 0\.4\.0, this is 0\.5\.0$"):
        skyrl_gym.environment("SQL")


def test_the_tried_versions_are_those_of_the_page() -> None:
    record = json.loads((Path(__file__).parents[2] / "docs/compatibility.json").read_text())
    versions = {name: one for row in record.values() for name, one in row["versions"].items()}
    assert {name: versions[name] for name in TRIED} == TRIED


def test_skyrl_gym_has_the_prompts_rewards_and_end_of_the_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(monkeypatch, "skyrl_gym.envs.base_text_env", BaseTextEnv=object)
    theirs = skyrl_gym.environment("SQL", difficulty=1)(env_config=None, extras={"seed": 4})
    ours = zerogym.make("SQL", difficulty=1)
    prompt, _ = theirs.init([{"role": "user", "content": "replaced"}])
    assert prompt == [{"role": "user", "content": ours.reset(seed=4)[0]}]
    done, rewards = False, []
    while not done:
        action = ours.unwrapped.oracle_action()  # type: ignore[attr-defined]
        observation, reward, ended, cut, _ = ours.step(action)
        done = ended or cut
        found = theirs.step(action)
        expected = [] if done else [{"role": "user", "content": observation}]
        assert (found["observations"], found["done"]) == (expected, done)
        assert found["reward"] == reward
        rewards.append(reward)
    assert len(rewards) > 1 and rewards[-1] == 1.0


def test_lm_eval_scores_by_the_tasks_own_verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "lm_eval.api.task", ConfigurableTask=SimpleNamespace)
    config = lm_eval.task("ChainSum", 3, seed=7, difficulty=0).config
    table = config["custom_dataset"](metadata=None)["test"]
    assert [row["seed"] for row in table] == [7, 8, 9]
    assert config["task"] == "ChainSum-v0"
    for row in table:
        assert config["doc_to_text"](row) == row["prompt"]
        right = f"<answer>{row['answer']}</answer>"
        assert config["process_results"](row, [right]) == {"reward": 1.0}
        assert config["process_results"](row, ["no answer"]) == {"reward": 0.0}


def test_inspect_scores_by_the_tasks_own_verifier(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "inspect_ai", Task=SimpleNamespace)
    install(
        monkeypatch, "inspect_ai.scorer", mean=lambda: None, stderr=lambda: None,
        scorer=lambda metrics: lambda made: made, Score=SimpleNamespace,
    )  # fmt: skip
    install(
        monkeypatch, "inspect_ai.dataset", MemoryDataset=lambda samples, name: samples,
        Sample=lambda input, **rest: SimpleNamespace(input=input, **rest),
    )  # fmt: skip
    task = inspect_ai.task("ChainSum", 3, difficulty=0)
    for sample in task.dataset:
        for reply, value in ((f"<answer>{sample.target}</answer>", 1.0), ("7", 0.0)):
            output = SimpleNamespace(completion=reply)
            state = SimpleNamespace(metadata=sample.metadata, output=output)
            assert asyncio.run(task.scorer(state, None)).value == value


class _Config:
    def __init__(self, **values: Any) -> None:
        vars(self).update(values)


class _Task(Generic[A, B, C]):
    def __init__(self, data: Any, config: Any) -> None:
        self.data = data


class _Taskset(Generic[A, B]):
    def __init__(self, config: Any) -> None:
        self.config = config


class _Env(Generic[A]):
    pass


def test_verifiers_plays_the_task_of_a_row_and_records_its_reward(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(
        monkeypatch, "verifiers.v1", TasksetConfig=_Config, TaskData=_Config, EnvConfig=_Config,
        AgentConfig=_Config, Task=_Task, Taskset=_Taskset, Env=_Env, State=object,
        TaskConfig=object,
    )  # fmt: skip
    verifiers._classes.cache_clear()
    settings = _Config(
        environment="SQL", arguments={"difficulty": 1}, first_seed=3, count=2, task=None
    )
    tasks = list(verifiers.ZerogymTaskset(settings).load())
    assert [task.data.info["seed"] for task in tasks] == [3, 4]
    recorded, turns = [], []

    class Player:
        """The oracle, in the place of a model."""

        @contextlib.asynccontextmanager
        async def interaction(self, task: Any) -> Any:
            oracle = zerogym.make("SQL", difficulty=1)
            assert task.data.prompt == oracle.reset(seed=task.data.info["seed"])[0]
            shown = [None]

            async def turn(observation: Any = None) -> Any:
                assert observation == shown[-1]
                action = oracle.unwrapped.oracle_action()  # type: ignore[attr-defined]
                shown.append(oracle.step(action)[0])
                turns.append(observation)
                return SimpleNamespace(terminated=False, last_reply=action)

            def record_reward(name: str, value: float, weight: float) -> None:
                recorded.append(value)

            yield SimpleNamespace(turn=turn, trace=SimpleNamespace(record_reward=record_reward))

    for task in tasks:
        asyncio.run(verifiers.ZerogymEnv().run(task, SimpleNamespace(player=Player())))
    verifiers._classes.cache_clear()  # other tests may have the library itself
    assert recorded == [1.0, 1.0]
    assert len(turns) > 2


def test_an_environment_of_trl_sums_rewards_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    made = environment_factory("SQL", difficulty=1)
    assert made.__name__ == "SQL-v0"
    theirs, ours = made(), zerogym.make("SQL", difficulty=1)
    for seed in (4, 5):  # instances are reused
        assert theirs.reset(seed=seed, other="column") == ours.reset(seed=seed)[0]
        done = False
        while not done:
            assert theirs.get_reward() == 0
            action = ours.unwrapped.oracle_action()  # type: ignore[attr-defined]
            observation, _, ended, cut, _ = ours.step(action)
            done = ended or cut
            assert theirs.reply(action) == ("The episode is over." if done else observation)
        assert theirs.reply("more") == "The episode is over."
        assert theirs.get_reward() == 1.0
