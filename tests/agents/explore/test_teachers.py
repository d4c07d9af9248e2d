"""Experts of bodies that nobody knows how to move: trained first, kept, and better the longer."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.atomic_files import NotAModel
from zerogym.agents.datasets.stored import MANIFEST, load_dataset
from zerogym.agents.explore import teachers
from zerogym.agents.explore.collection import collect
from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.explore.run import Progress
from zerogym.errors import UnknownName

SHORT = CollectConfig(
    env="zerogym/Cheetah-v0",
    env_kwargs={"horizon": 50},
    policy="expert",
    tasks=("run", "rear"),
    teacher_steps=640,
    steps=400,
    shard_steps=100,
)


@pytest.fixture(autouse=True)
def short_rollouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment with episodes of 32 steps."""
    monkeypatch.setattr(teachers, "SETTINGS", {"ppo": {"n_steps": 4, "batch_size": 32}})


@pytest.mark.proof
def test_each_task_has_its_agent_and_a_stopped_run_goes_on_with_it(tmp_path: Path) -> None:
    given: list[Progress] = []
    whole = load_dataset(collect(SHORT, tmp_path / "whole", given.append))
    names = sorted(path.name for path in (tmp_path / "whole" / "teachers").iterdir())
    assert names == ["rear-ppo-640.safetensors", "run-ppo-640.safetensors"]
    assert any("teacher/steps" in progress.metrics for progress in given)
    tasks = list(whole.make().unwrapped.tasks)  # type: ignore[attr-defined]
    assert {tasks[place] for place in whole.column("tasks")} == {"run", "rear"}

    def stop(progress: Progress) -> None:
        if progress.steps >= 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collect(SHORT, tmp_path / "parts", stop)
    parts = load_dataset(collect(SHORT, tmp_path / "parts"))
    for name in ("observations", "actions", "tasks"):
        np.testing.assert_array_equal(whole.column(name), parts.column(name))


def test_half_trained_agents_are_the_medium_ones(tmp_path: Path) -> None:
    medium = dataclasses.replace(
        SHORT, policy="medium", tasks=("run",), teacher_steps=320, steps=60
    )
    collect(medium, tmp_path)
    assert [path.name for path in (tmp_path / "teachers").iterdir()] == ["run-ppo-64.safetensors"]


def test_what_cannot_be_taught_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'run'"):
        collect(dataclasses.replace(SHORT, tasks=("runn",)), tmp_path)
    with pytest.raises(ValueError, match="teacher must be ppo, sac or dqn"):
        dataclasses.replace(SHORT, teacher="pppo")  # type: ignore[arg-type]
    collect(dataclasses.replace(SHORT, tasks=("run",), steps=60), tmp_path / "broken")
    (tmp_path / "broken" / MANIFEST).unlink()
    (tmp_path / "broken" / "teachers" / "run-ppo-640.safetensors").write_bytes(b"broken")
    with pytest.raises(NotAModel):
        collect(dataclasses.replace(SHORT, tasks=("run",), steps=60), tmp_path / "broken")
