"""All agents of the table by their interface alone: a new one needs no test of its own here."""

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.atomic_files import NotAModel
from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.zero_shot.agents import AGENTS, Start
from zerogym.agents.zero_shot.evaluation.returns import evaluate_tabular
from zerogym.agents.zero_shot.features import FEATURES
from zerogym.agents.zero_shot.protocol import Prompted, ZeroShotAgent, ZeroShotModel
from zerogym.agents.zero_shot.training.agents import ZeroShotConfig, load_model, train_agent
from zerogym.envs.control.core.tasks import Task
from zerogym.errors import UnknownName

pytest.importorskip("scipy")
ENV = "zerogym/UMap-v0"
UPDATES = 6
NAMES = ("goal_1_1", "smooth_0")


@pytest.fixture(scope="module")
def world() -> Any:
    return gym.make(ENV, task=None)


@pytest.fixture(scope="module")
def data(world: Any) -> Dataset:
    return collect(world, 1_500, seed=1)


def _new(name: str, data: Dataset, seed: int = 3) -> Any:
    return AGENTS.make(name)(Start(ENV, data, 5, True, UPDATES, seed))


def _values(model: Any, world: Any) -> dict[str, float]:
    tasks = [world.unwrapped.tasks[name] for name in NAMES]
    return evaluate_tabular(model, world, tasks)


def _alike(one: Any, other: Any, folder: Path) -> bool:
    """True if two agents write the same files."""
    contents = []
    for model, name in ((one, "one"), (other, "other")):
        model.save(folder / name)
        files = sorted((folder / name).iterdir())
        contents.append({file.name: file.read_bytes() for file in files})
    return contents[0] == contents[1]


@pytest.mark.parametrize("name", AGENTS.names())
def test_learning_in_parts_saved_between_is_learning_at_once(
    name: str, world: Any, data: Dataset, tmp_path: Path
) -> None:
    whole, parts, other = _new(name, data), _new(name, data), _new(name, data, seed=4)
    assert isinstance(whole, ZeroShotAgent)
    metrics = whole.learn(data, UPDATES)
    assert metrics and all(np.isfinite(float(value)) for value in metrics.values())
    parts.learn(data, 2)
    parts.save(tmp_path / "saved")
    parts = type(parts).load(tmp_path / "saved")
    assert parts.updates == 2 and not parts.learn(data, 0)
    parts.learn(data, UPDATES - 2)
    other.learn(data, UPDATES)
    assert whole.updates == parts.updates == UPDATES
    assert _alike(whole, parts, tmp_path / "a") and not _alike(whole, other, tmp_path / "b")
    assert _values(whole, world) == _values(parts, world)


@pytest.mark.parametrize("name", AGENTS.names())
def test_a_loaded_model_acts_as_before_on_every_kind_of_task(
    name: str, world: Any, data: Dataset, tmp_path: Path
) -> None:
    agent = _new(name, data)
    agent.learn(data, UPDATES)
    agent.save(tmp_path / "model")
    again = load_model(tmp_path / "model", AGENTS.record(name))
    assert isinstance(again, ZeroShotModel)
    tasks = world.unwrapped.tasks
    goal = tasks["goal_1_1"].goal

    def reward(o: Any, a: Any, n: Any) -> Any:
        return n[:, 3] - 0.5 * n[:, 7]

    for task in (tasks["goal_1_1"], goal, reward, Task("own", "", reward)):
        here = data.observations[:40]
        prompt = agent.infer(task)
        actions, state = Prompted(agent, prompt).predict(here)
        assert state is None and actions.shape == (40,) and set(actions) <= set(range(5))
        same, _ = again.predict(here, again.infer(task))
        np.testing.assert_array_equal(actions, same)
        one_by_one = [int(agent.predict(row[None], prompt)[0][0]) for row in here[:5]]
        assert one_by_one == actions[:5].tolist()


@pytest.mark.parametrize("name", AGENTS.names())
def test_bad_input_is_one_clear_line(name: str, world: Any, data: Dataset, tmp_path: Path) -> None:
    agent = _new(name, data)
    agent.learn(data, 1)
    for task in (None, "goal_1_1"):
        with pytest.raises(TypeError, match="infer takes a Task"):
            agent.infer(task)
    for task in (np.ones(44), lambda o, a, n: np.full(len(n), np.inf)):
        with pytest.raises(ValueError, match=r"45|inf"):
            agent.infer(task)
    with pytest.raises(ValueError, match="45"):
        agent.predict(np.ones((2, 44)), agent.infer(data.next_observations[0]))
    for prompt in (None, "goal_1_1", 5):
        with pytest.raises((TypeError, ValueError), match=r"a prompt is|^z must be"):
            agent.predict(data.observations[:2], prompt)
    more = Dataset(data.observations, data.actions + 3, data.next_observations)
    with pytest.raises(ValueError, match=r"actions|started with"):
        agent.learn(more, 1)
    with pytest.raises(ValueError, match=r"40|45"):
        agent.check_env(gym.make("zerogym/FourRooms-v0", task=None))
    agent.check_env(world)
    narrow = Dataset(data.observations[:, :4], data.actions, data.next_observations[:, :4])
    with pytest.raises(ValueError, match=r"4|started with"):
        agent.learn(narrow, 1)
    agent.save(tmp_path)
    (tmp_path / "config.json").write_text('{"format": "another"}')
    with pytest.raises(NotAModel, match=r"another|not a"):
        type(agent).load(tmp_path)


@pytest.mark.parametrize("name", AGENTS.names())
def test_one_transition_can_be_learned_from(name: str, data: Dataset) -> None:
    one = Dataset(data.observations[:1], data.actions[:1], data.next_observations[:1])
    metrics = _new(name, one).learn(one, 1)
    assert metrics and all(np.isfinite(float(value)) for value in metrics.values())


@pytest.mark.parametrize("name", AGENTS.names())
def test_settings_go_through_json(name: str) -> None:
    part = AGENTS.make(name)
    assert AGENTS.make(json.loads(json.dumps(part.record()))) == part
    assert (type(part).__doc__ or "").partition("\n")[0].endswith(".") and part.source


def test_agents_of_discrete_actions_refuse_others_and_say_so_in_the_table() -> None:
    states = np.random.default_rng(0).normal(size=(5_000, 3)).astype(np.float32)
    actions = states[:, :2].clip(-1, 1)
    data = Dataset(states, actions, np.roll(states, -1, axis=0))
    start = Start("my/World-v0", data, 2, False, 1, 0)
    for name in AGENTS.names():
        part = AGENTS.make(name)
        if part.discrete:
            with pytest.raises(ValueError, match="needs discrete actions"):
                part(start)
        else:  # also where states are too many for exact sums, and nothing is tuned
            assert part(start).learn(data, 1), name


def test_a_model_that_learns_elsewhere_acts_by_a_copy_of_the_present_weights(
    data: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _new("fb", data)
    own = model.model
    assert own is model.agent.model
    monkeypatch.setattr(model.agent, "device", torch.device("meta"))  # as if it were on a GPU
    copied = model.model
    assert copied is not own and model.model is copied
    monkeypatch.setattr(model.agent, "device", torch.device("cpu"))
    model.learn(data, 1)
    monkeypatch.setattr(model.agent, "device", torch.device("meta"))
    here, z = data.observations[:9], model.infer(data.next_observations[0])
    np.testing.assert_array_equal(z, own.infer(data.next_observations[0]))
    assert model.model is not copied
    np.testing.assert_array_equal(model.predict(here, z)[0], own.predict(here, z)[0])


def test_successor_features_have_the_features_that_are_named(data: Dataset) -> None:
    for name in FEATURES.names():
        if name != "fb":
            made = AGENTS.make({"part": "sf", "features": name, "dim": 3})
            assert made(Start(ENV, data, 5, True, 1, 0)).model.shape.kind == name
    with pytest.raises(ValueError, match="agent fb"):
        AGENTS.make({"part": "sf", "features": "fb"})
    with pytest.raises(UnknownName, match="mean 'laplacian'"):
        AGENTS.make({"part": "sf", "features": "laplacean"})


def test_a_run_continues_and_refuses_other_settings(tmp_path: Path) -> None:
    small = "zerogym/RiverSwim-v0"
    config = ZeroShotConfig(
        env=small, agent="fb", data_steps=400, updates=4, checkpoint_every=2, evaluate=True
    )
    progress: list[Any] = []

    def stop(found: Any) -> None:
        progress.append(found)
        if len(progress) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_agent(config, tmp_path / "parts", stop)
    assert progress[-1].updates == 2
    halves = train_agent(config, tmp_path / "parts")
    whole = train_agent(config, tmp_path / "whole")
    assert halves.metrics == whole.metrics and "evaluation/score" in whole.metrics
    for name in ("model.safetensors", "learner.safetensors"):
        assert (halves.path / name).read_bytes() == (whole.path / name).read_bytes()
    rows = (tmp_path / "parts" / "log.jsonl").read_text().splitlines()
    assert [json.loads(row)["update"] for row in rows] == [2, 4]
    with pytest.raises(ValueError, match="other settings"):
        train_agent(ZeroShotConfig(env=small, agent="fb", updates=4), tmp_path / "parts")
