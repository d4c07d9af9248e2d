"""Environments inside wrappers: stored observations, and training on every published axis."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.datasets.environments import make_wrapped_env
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.evaluation.returns import FEW, evaluate_returns, evaluate_rollouts
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.training.train import train
from zerogym.errors import UnknownName

SHORT = FBConfig(data_steps=300, batch_size=16, dim=4, hidden=8, updates=3)
HALF = {"FlickeringObservation": {"probability": 0.5}}


def test_data_keep_the_observations_of_the_environment() -> None:
    data = collect(make_wrapped_env("zerogym/UMap-v0", {}, HALF), 200)
    assert data.own_observations is not None and data.own_next_observations is not None
    assert (data.own_observations.sum(1) == 1).all()
    lost = ~data.next_observations.any(1)
    assert 70 < lost.sum() < 130
    np.testing.assert_array_equal(data.next_observations[~lost], data.entered[~lost])
    assert data.starts is not None
    assert np.flatnonzero(data.starts).tolist() == [0, 50, 100, 150]
    assert np.unique(data.ends()).tolist() == [49, 99, 149, 199]
    linked = (data.own_next_observations[:-1] == data.own_observations[1:]).all(1)
    assert linked[~data.starts[1:]].all()


def test_rewards_are_of_the_world_and_not_of_its_sensors() -> None:
    env = make_wrapped_env("zerogym/UMap-v0", {}, HALF)
    data = collect(env, 300)
    task = env.unwrapped.tasks["goal_1_1"]  # type: ignore[attr-defined]
    there = (data.entered == task.goal).all(1)
    assert data.rewards(task).tolist() == there.astype(float).tolist()
    assert (data.next_observations[there].sum(1) == 0).any()  # rewarded without an observation
    assert data.take(40).rewards(task).shape == (40,)


def test_own_observations_survive_a_file(tmp_path: Path) -> None:
    data = collect(make_wrapped_env("zerogym/UMap-v0", {}, HALF), 60)
    data.save(tmp_path / "data.npz")
    again = Dataset.load(tmp_path / "data.npz")
    assert list(data.columns()) == list(again.columns())
    for name, column in data.columns().items():
        np.testing.assert_array_equal(column, again.columns()[name])


def test_a_wrapper_leaves_the_walks_of_the_world_alone() -> None:
    plain = collect(gym.make("zerogym/UMap-v0", task=None), 120)
    data = collect(make_wrapped_env("zerogym/UMap-v0", {}, HALF), 120)
    np.testing.assert_array_equal(plain.next_observations, data.entered)


@pytest.mark.parametrize(
    ("env", "wrappers"),
    [
        ("zerogym/UMap-v0", HALF),
        ("zerogym/UMap-v0", {"MissingSensors": {}}),
        ("zerogym/PointMaze-v0", {"NoisyObservation": {"deviation": 0.2}}),
        ("zerogym/Pendulum-v0", {"HiddenColumns": {}}),
        ("zerogym/Pendulum-v0", {"ChangedDynamics": {"factors": [0.5, 1.5]}}),
        (
            "zerogym/Pendulum-v0",
            {"ContextSampler": {"vary": ["mass"]}, "ContextVisibility": {"visible": ["mass"]}},
        ),
        (
            "zerogym/UMap-v0",
            {**HALF, "ObservationHistory": {"length": 3}, "FlattenObservation": {}},
        ),
    ],
)
def test_every_published_axis_trains_and_acts(
    env: str, wrappers: dict[str, Any], tmp_path: Path
) -> None:
    config = dataclasses.replace(SHORT, env=env, wrappers=wrappers, exact=False)
    model = FBModel.load(train(config, tmp_path).path)
    world = make_wrapped_env(env, {}, wrappers)
    task = next(iter(world.unwrapped.tasks.values()))  # type: ignore[attr-defined]
    z = model.infer(task)
    world = make_wrapped_env(env, {}, wrappers, task)
    found = evaluate_returns(
        lambda observed: model.act(observed[None], z)[0], world, episodes=1, seed=0
    )
    assert np.isfinite(found)


def test_what_is_not_the_whole_state_is_scored_by_playing(tmp_path: Path) -> None:
    config = dataclasses.replace(SHORT, wrappers=HALF, evaluate_every=3)
    model = FBModel.load(train(config, tmp_path).path)
    log = (tmp_path / "log.jsonl").read_text().splitlines()
    env = make_wrapped_env(config.env, {}, HALF)
    tasks = list(env.unwrapped.tasks.values())  # type: ignore[attr-defined]
    requested = tasks[:: -(-len(tasks) // FEW)]
    rows = evaluate_rollouts(
        model, lambda task: make_wrapped_env(config.env, {}, HALF, task), requested, episodes=2
    )
    expected = np.mean([row["score"] for row in rows.values()])
    assert json.loads(log[-1])["evaluation/score"] == pytest.approx(expected)


def test_a_goal_is_inferred_from_observations_near_it(tmp_path: Path) -> None:
    wrappers = {"HiddenColumns": {"columns": [0]}}
    data = collect(make_wrapped_env("zerogym/PointMaze-v0", {}, wrappers), 100)
    config = dataclasses.replace(SHORT, env="zerogym/PointMaze-v0", wrappers=wrappers, exact=False)
    model = FBModel.load(train(config, tmp_path).path)
    model.samples = data
    z = model.infer(data.entered[7])
    away = np.linalg.norm(data.entered - data.entered[7], axis=1)
    nearest = data.next_observations[np.argsort(away, kind="stable")[:8]]
    np.testing.assert_array_equal(z, model.infer_demonstration(nearest))


def test_wrappers_survive_json_and_nonsense_is_refused(tmp_path: Path) -> None:
    config = FBConfig(wrappers=HALF)
    assert FBConfig.from_json(config.to_json()) == config
    with pytest.raises(UnknownName, match="FlickeringObservation"):
        FBConfig(wrappers={"Flickering": {}})
    with pytest.raises(ValueError, match="arguments by name"):
        FBConfig(wrappers={"MissingSensors": 0.5})
    with pytest.raises(TypeError, match=r"FBConfig\.wrappers must be Mapping"):
        FBConfig(wrappers=["MissingSensors"])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="HiddenColumns does not fit zerogym/UMap-v0"):
        train(FBConfig(wrappers={"HiddenColumns": {}}), tmp_path / "hidden")
    with pytest.raises(ValueError, match="without wrappers"):
        train(FBConfig(wrappers=HALF, data="somewhere"), tmp_path / "stored")
