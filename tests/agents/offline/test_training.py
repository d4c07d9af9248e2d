"""Training runs of offline agents: from the command line, their files, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch")

import gymnasium as gym  # noqa: E402
import numpy as np  # noqa: E402

from zerogym.agents.datasets.dataset import collect  # noqa: E402
from zerogym.agents.offline import OfflineAgent, relabelled  # noqa: E402
from zerogym.agents.offline.run_config import OfflineRunConfig  # noqa: E402
from zerogym.agents.offline.training import train_offline  # noqa: E402
from zerogym.cli import app  # noqa: E402
from zerogym.errors import UnknownName  # noqa: E402

SMALL: dict[str, Any] = {"data_steps": 300, "hidden": 8, "updates": 6, "episodes": 2}


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["train", "offline", *map(str, arguments)])


def test_the_command_trains_the_agent_that_the_settings_name(tmp_path: Path) -> None:
    options = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    folder = tmp_path / "run"
    result = run(*options, "--env=UMap", "--method=f_dvl", "--method.weight=0.8",
                 "--draw=return", f"--out={folder}")  # fmt: skip
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert f"goal_1_1: {rows[-1]['evaluation/return']:.2f} over 2" in result.output
    found = OfflineAgent.load(folder / "model")
    assert found.method.record()["weight"] == 0.8
    env = gym.make("zerogym/UMap-v0")
    world: Any = env.unwrapped
    data = relabelled(collect(env, 300), world.tasks["goal_1_1"])
    own = OfflineAgent(found.config, data, 5)
    own.learn(data)
    every = world.observation_of(np.arange(world.num_states))
    assert np.array_equal(own.probabilities(every), found.probabilities(every))
    for arguments, words in (
        ((f"--out={folder}", *options), "holds a run"),
        (("--task=goal_1_2x", f"--out={tmp_path / 'b'}"), "There is no task of zerogym/UMap-v0"),
        (("--method=iqk",), "did you mean 'iql'"), (("--gamma=2",), "gamma"),
    ):  # fmt: skip
        refused = run(*arguments)
        shown = " ".join(refused.output.split())
        assert refused.exit_code == 2 and words in shown and "Traceback" not in shown, shown


def test_a_world_of_continuous_actions_trains_conservative_q_learning(tmp_path: Path) -> None:
    settings = {"env": "zerogym/PointMaze-v0", "task": "goal_left", "method": "cql"}
    metrics = train_offline(OfflineRunConfig(**SMALL | {"episodes": 1}, **settings), tmp_path / "a")
    names = ("evaluation/return", "loss/actor", "loss/critic", "loss/temperature")
    assert sorted(metrics) == list(names) and np.isfinite(list(metrics.values())).all()
    agent = OfflineAgent.load(tmp_path / "a" / "model")
    env = gym.make("zerogym/PointMaze-v0", task="goal_left")
    action, _ = agent.predict(env.reset(seed=0)[0][None])
    assert env.action_space.contains(action[0])


def test_bad_settings_have_one_line(tmp_path: Path) -> None:
    for settings, error, word in (
        ({"data_steps": 0}, ValueError, "data_steps"), ({"task": 3}, TypeError, "task"),
        ({"env_kwargs": {"a": object()}}, TypeError, "JSON"), ({"method": "x"}, UnknownName, "bc"),
    ):  # fmt: skip
        with pytest.raises(error, match=word):
            OfflineRunConfig(**settings)
    for settings, word in (
        ({"method": "td3_bc"}, "does not take discrete"),
        ({"env": "zerogym/CartPole-v0"}, "task"),
    ):
        with pytest.raises(ValueError, match=word):
            train_offline(OfflineRunConfig(**SMALL, **settings), tmp_path / "other")
    assert not (tmp_path / "other" / "config.json").exists()
