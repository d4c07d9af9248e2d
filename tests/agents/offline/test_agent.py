"""Offline agents: data with the rewards of a task, seeds, files, actions, and what is refused."""

import json
import math
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import zerogym  # noqa: E402, F401 (registers the ids)
from zerogym.agents.atomic_files import NotAModel  # noqa: E402
from zerogym.agents.core import Policy  # noqa: E402
from zerogym.agents.datasets.dataset import Dataset, collect  # noqa: E402
from zerogym.agents.offline import (  # noqa: E402
    OfflineAgent,
    OfflineConfig,
    Transitions,
    relabelled,
)
from zerogym.agents.offline.methods.cql import CQL  # noqa: E402
from zerogym.agents.offline.methods.iql import IQL  # noqa: E402
from zerogym.agents.zero_shot.evaluation.returns import policy_score  # noqa: E402
from zerogym.errors import ImportRefused, UnknownName  # noqa: E402

SMALL: dict[str, Any] = {"hidden": 8, "batch_size": 16, "lr": 1e-2}


def data_of(discrete: bool, n: int = 40) -> Transitions:
    rng = np.random.default_rng(3)
    observations, following = rng.normal(size=(2, n, 3)).astype(np.float32)
    actions = np.arange(n) % 4 if discrete else rng.uniform(-1, 1, (n, 2)).astype(np.float32)
    dataset = Dataset(observations, actions, following, terminated=np.arange(n) % 7 == 6)
    return relabelled(dataset, lambda obs, action, after: after[:, 0])


KINDS = [("bc", True), ("bc", False), ("iql", True), ("iql", False), ("cql", True),
         ("cql", False),
         ("f_dvl", True), ("f_dvl", False), ("td3_bc", False)]  # fmt: skip


# --- data


def test_rewards_are_those_of_the_task_and_nothing_follows_an_end() -> None:
    env = gym.make("zerogym/UMap-v0")
    world: Any = env.unwrapped
    task = next(one for one in world.tasks.values() if one.goal is not None)
    dataset = collect(env, 300)
    found = relabelled(dataset, task)
    again = [float(task.relabel(*(x[None] for x in row))[0]) for row in zip(
        dataset.observations, dataset.actions, dataset.next_observations, strict=True)]  # fmt: skip
    assert found.rewards.tolist() == pytest.approx(again)
    assert found.discrete and bool(found.goes_on.all())

    def at_goal(obs: Any, action: Any, after: Any) -> Any:
        return (after == task.goal).all(1)

    over = relabelled(dataset, task, at_goal).goes_on
    assert 0 < over.sum() < len(over)
    assert over.tolist() == [float((row != task.goal).any()) for row in dataset.next_observations]
    data = data_of(True)
    assert data.goes_on.tolist() == [float(n % 7 != 6) for n in range(40)]


def test_wrong_tasks_and_data_have_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    flat = Dataset(np.zeros((3, 2), np.float32), np.arange(3), np.ones((3, 2), np.float32))
    picture = np.zeros((3, 4, 4, 1), np.uint8)

    def one(*_: Any) -> Any:
        return np.ones(3)

    for task, ends, error, message in (
        ("goal", None, TypeError, "Task or a reward function"),
        (lambda *_: np.ones(2), None, ValueError, "shape"),
        (lambda *_: np.array([0, np.nan, 1]), None, ValueError, "nan"),
        (one, one, ValueError, "3 bools"),
    ):  # fmt: skip
        with pytest.raises(error, match=message):
            relabelled(flat, task, ends)
    with pytest.raises(ValueError, match="vectors"):
        relabelled(Dataset(picture, np.arange(3), picture), one)
    for settings, error, message in (
        ({"method": "iqi"}, UnknownName, "iql"),
        ({"gamma": 1.5}, ValueError, "gamma"),
        ({"hidden": "8"}, TypeError, "hidden"),
        ({"method": {"part": "iql", "expectile": 1.0}}, ValueError, "expectile"),
    ):
        with pytest.raises(error, match=message):
            OfflineConfig(**settings)
    data = relabelled(flat, one)
    assert OfflineAgent(OfflineConfig(method="bc"), data).learn(data, 1), "needs no rewards"
    with pytest.raises(ValueError, match="defines no task"):
        OfflineAgent(OfflineConfig(method="iql"), data)
    with pytest.raises(ValueError, match="does not take discrete"):
        OfflineAgent(OfflineConfig(method="td3_bc"), data)
    monkeypatch.setattr(CQL, "continuous", False)
    with pytest.raises(ValueError, match="does not take continuous"):
        OfflineAgent(OfflineConfig(method="cql"), data_of(False))
    with pytest.raises(ValueError, match=r"from 0 to 1, .* 0 to 3"):
        OfflineAgent(OfflineConfig(), data_of(True), actions=2)
    agent = OfflineAgent(OfflineConfig(**SMALL), data_of(True))
    for other in (data_of(False), data):
        with pytest.raises(ValueError, match="the data have"):
            agent.learn(other)
    for observations in (np.zeros(3), np.zeros((2, 5))):
        with pytest.raises(ValueError, match=r"\(B, 3\)"):
            agent.predict(observations)
    with pytest.raises(ValueError, match="UMap"):
        agent.check_env(gym.make("zerogym/UMap-v0"))


# --- agents


@pytest.mark.parametrize(("method", "discrete"), KINDS)
def test_equal_seeds_give_equal_agents_and_files_act_the_same(
    method: str, discrete: bool, tmp_path: Path
) -> None:
    data = data_of(discrete)
    agents = []
    for seed in (0, 0, 1):
        agent = OfflineAgent(OfflineConfig(method=method, seed=seed, **SMALL), data)
        torch.rand(seed + 3)  # what others draw changes nothing
        first = agent.learn(data, 6)
        agents.append((agent, first))
    (agent, losses), (_, again), (other, changed) = agents
    assert losses == again != changed
    states = [one.networks.state_dict() for one, _ in agents]
    assert all(torch.equal(value, states[1][name]) for name, value in states[0].items())
    assert isinstance(agent, Policy)
    loaded = OfflineAgent.load(_saved(agent, tmp_path))
    rows = data.observations.numpy()
    here, there = (one.predict(rows, deterministic=True)[0] for one in (agent, loaded))
    assert np.array_equal(here, there) and loaded.config.record() == agent.config.record()
    assert len(here) == 40 and np.abs(here).max() <= (3 if discrete else 1)
    assert not np.array_equal(here, other.predict(rows, deterministic=True)[0])
    memory = object()
    assert agent.predict(rows, memory)[1] is memory


def _saved(agent: OfflineAgent, folder: Path) -> Path:
    agent.save(folder / "agent")
    return folder / "agent"


def test_files_of_something_else_are_refused(tmp_path: Path) -> None:
    folder = _saved(OfflineAgent(OfflineConfig(**SMALL), data_of(True)), tmp_path)
    record = json.loads((folder / "config.json").read_text())
    for key, value in (
        ("format", "other"), ("config", {**record["config"], "method": {"part": "os:system"}}),
        ("config", {**record["config"], "more": 1}), ("shape", {**record["shape"], "hidden": 9}),
    ):  # fmt: skip
        (folder / "config.json").write_text(json.dumps({**record, key: value}))
        with pytest.raises((NotAModel, UnknownName)):
            OfflineAgent.load(folder)
    for key in ("method", "draw"):
        named = {**record["config"], key: "antigravity:Fly"}
        (folder / "config.json").write_text(json.dumps({**record, "config": named}))
        with pytest.raises(ImportRefused, match="nothing that a file names is imported"):
            OfflineAgent.load(folder)
    with pytest.raises(NotAModel):
        OfflineAgent.load(tmp_path)


def test_samples_have_the_probabilities_and_deterministic_actions_are_the_likeliest() -> None:
    data = data_of(True)
    agent = OfflineAgent(OfflineConfig(method="bc", **SMALL), data)
    agent.learn(data, 40)
    row = data.observations.numpy()[:1]
    chances = agent.probabilities(row)[0]
    drawn, _ = agent.predict(np.repeat(row, 20_000, 0))
    shares = np.bincount(drawn, minlength=4) / 20_000
    assert np.abs(shares - chances).max() < 4 * np.sqrt(0.25 / 20_000)
    assert agent.predict(row, deterministic=True)[0][0] == chances.argmax()
    spread = OfflineAgent(OfflineConfig(method="iql", **SMALL), data_of(False))
    rows = np.repeat(row, 4000, 0)
    with torch.no_grad():
        spread.networks.actor["log_std"][0].fill_(np.log(0.1))
    actions, mean = spread.predict(rows)[0], spread.predict(rows, deterministic=True)[0]
    assert (actions - mean).std(0) == pytest.approx([0.1, 0.1], abs=0.006)
    assert len(np.unique(mean, axis=0)) == 1


def test_samples_of_a_squashed_actor_have_the_quantiles_of_its_gaussian() -> None:
    """Before tanh they are normal, with the mean of the deterministic action."""
    data = data_of(False)
    agent = OfflineAgent(OfflineConfig(method="cql", **SMALL), data)
    agent.learn(data, 10)
    row = data.observations.numpy()[:1]
    with torch.no_grad():
        mean, log_std = agent.networks.actor["net"](torch.as_tensor(row))[0].chunk(2)
    likeliest, _ = agent.predict(row, deterministic=True)
    assert likeliest[0] == pytest.approx(np.tanh(mean.numpy()), abs=1e-6)
    actions, _ = agent.predict(np.repeat(row, 4000, 0))
    assert actions.dtype == np.float32
    standard = (np.arctanh(actions.astype(float)) - mean.numpy()) / log_std.exp().numpy()
    for below in (-1.0, 0.0, 1.0):
        share = 0.5 * (1 + math.erf(below / math.sqrt(2)))
        assert np.abs((standard < below).mean(0) - share).max() < 4 * math.sqrt(0.25 / 4000)


@pytest.mark.proof
def test_random_data_are_enough_for_q_and_not_for_imitation() -> None:
    """Exact returns in the U map: 0 is random play, which is what imitation makes of its data."""
    env = gym.make("zerogym/UMap-v0")
    world: Any = env.unwrapped
    dataset, here = collect(env, 5000), world.observation_of(np.arange(world.num_states))
    scores: dict[str, list[float]] = {}
    for name in ("goal_1_1", "multi_goal_7"):
        data = relabelled(dataset, world.tasks[name])
        for method in ("bc", CQL(alpha=0.1), IQL(expectile=0.9, temperature=10.0)):
            config = OfflineConfig(
                method=method, updates=1500, hidden=64, lr=1e-3, gamma=0.95, tau=0.02
            )
            agent = OfflineAgent(config, data, env.action_space.n)  # type: ignore[attr-defined]
            agent.learn(data)
            found = policy_score(world, world.tasks[name], agent.probabilities(here))
            scores.setdefault(agent.method.title(), []).append(found)
    assert max(map(abs, scores["bc"])) < 0.1
    assert min(scores["cql"]) > 0.95 and min(scores["iql"]) > 0.75
