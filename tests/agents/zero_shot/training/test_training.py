"""Training: what it learns against the exact measure, and that nothing is lost on the way."""

import dataclasses
import json
import os
import signal
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

import zerogym  # noqa: F401 (registers the ids)
from helpers.zero_shot.small_runs import chain, everywhere, random_data, train_in_parts
from zerogym.agents.atomic_files import NotAModel, read_tensors
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.algorithms.optimisers import learning_rate_scale
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.evaluation.returns import evaluate_tabular, mean_score
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.training import train as train_module
from zerogym.agents.zero_shot.training.train import Progress, train
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.dynamic_programming import policy_matrix, successor_measure

SHORT = FBConfig(data_steps=500, batch_size=32, dim=8, hidden=16, updates=20, checkpoint_every=7)


@pytest.mark.proof
def test_fb_equals_the_successor_measure_of_its_own_policy() -> None:
    next_state = chain(10)
    data = everywhere(next_state)
    config = FBConfig(
        updates=1500, batch_size=64, dim=20, hidden=64, gamma=0.9, temperature=10, goal_share=1.0
    )
    agent = DiscreteFB.create(config, data, actions=3)
    agent.learn(data, config.updates)
    rho = data.next_observations.mean(axis=0)  # (S,)
    eye = torch.eye(10)
    correlations, errors = [], []
    for goal in (0, 4, 9):
        z = torch.as_tensor(agent.model.infer_goal(eye[goal])).expand(10, -1)  # (S, d)
        with torch.no_grad():
            forward = agent.model.forward_net(eye, z).mean(0)  # (S, A, d)
            learned = (forward @ agent.model.backward_net(eye).T).numpy() * rho  # (S, A, S)
            policy = agent.target_policy(agent.model.values(eye, z)).double().numpy()  # (S, A)
        policy /= policy.sum(1, keepdims=True)
        exact = successor_measure(policy_matrix(next_state, policy), 0.9)[next_state]  # (S, A, S)
        correlations.append(spearmanr(learned.ravel(), exact.ravel()).statistic)
        errors.append(np.abs(learned - exact).mean() / exact.mean())
    assert min(correlations) > 0.95
    assert max(errors) < 0.05


MEMORY = dataclasses.replace(
    SHORT,
    history=3,
    encoded=6,
    exact=False,
    wrappers={"FlickeringObservation": {"probability": 0.5}},
)


@pytest.mark.parametrize(
    "config",
    [SHORT, MEMORY, dataclasses.replace(MEMORY, env="zerogym/PointMaze-v0")],
    ids=("plain", "memory", "continuous memory"),
)
def test_a_run_in_two_parts_equals_a_run_in_one(
    config: FBConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [parts], reported = train_in_parts(config, tmp_path / "parts", 10, monkeypatch)
    assert reported == [0, 10, 10, 20]
    straight = train(config, tmp_path / "straight")
    files = ("model/model.safetensors", "model/samples.npz", "checkpoint.safetensors", "log.jsonl")
    for name in files:
        pair = [(tmp_path / run / name).read_bytes() for run in ("straight", "parts")]
        assert pair[0] == pair[1], name
    assert straight.metrics == parts.metrics
    rows = [json.loads(line) for line in (tmp_path / "parts/log.jsonl").read_text().splitlines()]
    assert [row["update"] for row in rows] == [10, 20]
    assert rows[-1]["backward/rank"] == parts.metrics["backward/rank"]


def test_ctrl_c_finishes_the_update_and_saves(tmp_path: Path) -> None:
    def press(progress: Progress) -> None:
        if progress.updates == 50:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    config = FBConfig(data_steps=200, batch_size=8, dim=4, hidden=8, updates=5_000)
    with pytest.raises(KeyboardInterrupt, match="saved after"):
        train(config, tmp_path, press)
    saved = int(read_tensors(tmp_path / "checkpoint.safetensors")["updates"])
    assert 50 <= saved < 100
    assert signal.getsignal(signal.SIGINT) is before
    assert not list(tmp_path.glob(".*"))  # no temporary file is left


def test_a_run_directory_belongs_to_its_settings(tmp_path: Path) -> None:
    train(SHORT, tmp_path)
    with pytest.raises(ValueError, match="other settings"):
        train(FBConfig(updates=3), tmp_path)
    settings = json.loads((tmp_path / "config.json").read_text())
    older = {name: value for name, value in settings.items() if name != "bc"}  # no setting then
    (tmp_path / "config.json").write_text(json.dumps(older))
    train(SHORT, tmp_path)
    for damaged in ("[" * 200_000, '{"more": 1}', "[]"):
        (tmp_path / "config.json").write_text(damaged)
        with pytest.raises(NotAModel, match=r"JSON|no settings"):
            train(SHORT, tmp_path)
    (tmp_path / "config.json").write_text(SHORT.to_json())
    (tmp_path / "checkpoint.safetensors").write_bytes(b"broken")
    with pytest.raises(NotAModel, match="checkpoint"):
        train(SHORT, tmp_path)
    (tmp_path / "checkpoint.safetensors").unlink()
    (tmp_path / "log.jsonl").write_text("{broken\n{}\n")
    with pytest.raises(NotAModel, match=r"log\.jsonl is damaged"):
        train(SHORT, tmp_path)


def test_half_a_line_of_the_log_does_not_stop_a_run(tmp_path: Path) -> None:
    train(SHORT, tmp_path)
    path = tmp_path / "log.jsonl"
    whole = path.read_text()
    path.write_text(whole + whole[: len(whole) // 2].rstrip("\n"))
    train(SHORT, tmp_path)
    assert path.read_text() == whole


def test_a_flipped_bit_of_a_checkpoint_is_found(tmp_path: Path) -> None:
    train(SHORT, tmp_path)
    for name in ("checkpoint.safetensors", "model/model.safetensors"):
        path = tmp_path / name
        data = bytearray(path.read_bytes())
        data[-3] ^= 4
        path.write_bytes(data)
        with pytest.raises(NotAModel, match="has changed since it was written"):
            train(SHORT, tmp_path) if "check" in name else FBModel.load(tmp_path / "model")
        path.write_bytes(data[:-20])  # cut
        with pytest.raises(NotAModel, match="safetensors"):
            train(SHORT, tmp_path) if "check" in name else FBModel.load(tmp_path / "model")
        path.unlink()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"env": "zerogym/UMapp-v0"}, "UMapp"),
        ({"env": "FrozenLake-v1"}, "observations must be a Box"),
        ({"env_kwargs": {"hight": 3}}, "hight"),
        ({"wrappers": {"HiddenColumns": {}}}, "HiddenColumns does not fit"),
        ({"data": "nowhere"}, "nowhere"),
        ({"encoder": "pixels"}, "pixels"),
        ({"bc": 1.0, "temperature": 0.0}, "bc needs an actor"),
        ({"env": "zerogym/PointMaze-v0", "net": "wide"}, "temperature must be 0"),
        ({"seeds": 2, "encoder": "tokens"}, "tokens"),
    ],
)
def test_a_mistake_leaves_no_directory(tmp_path: Path, wrong: dict[str, Any], words: str) -> None:
    """Else the run that was meant would be refused for having other settings."""
    config = dataclasses.replace(SHORT, **wrong)
    with pytest.raises(ValueError, match=words):
        train_module.train_seeds(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_learning_rate_falls_in_the_second_half() -> None:
    config = FBConfig(updates=100)
    scales = [learning_rate_scale(update, config) for update in (0, 50, 75, 100, 200)]
    assert scales == pytest.approx([1.0, 1.0, 0.51, 0.02, 0.02])


def test_the_learning_rate_falls_after_its_peak_however_long_a_run_is() -> None:
    config = FBConfig(updates=40_000)
    scales = [learning_rate_scale(update, config) for update in (0, 4_000, 8_000, 20_000, 40_000)]
    assert scales == pytest.approx([1.0, 1.0, 0.5, 0.2, 0.1 * config.final_lr])
    # Runs up to the peak are as they were, to the bit.
    short = dataclasses.replace(config, updates=4_000)
    for update in range(2_001, 4_001):
        assert learning_rate_scale(update, short) == 1 - (1 - 0.02) * (2 * update / 4_000 - 1)


def test_targets_slow_down_after_the_peak() -> None:
    config = dataclasses.replace(SHORT, peak_updates=2, tau=0.4, lr_forward=0.0, lr_backward=0.0)
    agent = DiscreteFB.create(config, random_data(discrete=True), actions=2)
    data = agent.to_tensors(random_data(discrete=True))
    with torch.no_grad():
        for slow in agent.target_forward.parameters():
            slow.zero_()
    parts = []
    for _ in range(5):
        before = next(agent.target_forward.parameters()).clone()
        agent.update(data)
        [online, after] = [
            next(net.parameters()).detach()
            for net in (agent.model.forward_net, agent.target_forward)
        ]
        parts.append(float(((after - before) / (online - before)).mean()))
    assert parts == pytest.approx([0.4, 0.4, 0.4, 0.4 * 2 / 3, 0.2], rel=1e-4)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("env_id", "changes"),
    [("zerogym/UMap-v0", {}), ("zerogym/PointMaze-v0", {"exact": False, "anchors": 9, "hold": 8})],
)
def test_looks_at_tasks_are_logged_and_change_nothing(
    env_id: str, changes: dict[str, Any], tmp_path: Path
) -> None:
    plain = dataclasses.replace(SHORT, env=env_id, **changes)
    looking = dataclasses.replace(plain, evaluate_every=8)
    paths = [train(plain, tmp_path / "plain").path, train(looking, tmp_path / "looking").path]
    weights = [(path / "model.safetensors").read_bytes() for path in paths]
    assert weights[0] == weights[1]
    log = (tmp_path / "looking" / "log.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in log]
    assert [row["update"] for row in rows] == [8, 16, 20]

    def make(task: Task | None) -> gym.Env[Any, Any]:
        return gym.make(env_id, task=task)

    last = mean_score(FBModel.load(paths[0]), make, plain.gamma, plain.seed)
    assert rows[-1]["evaluation/score"] == last
    assert -1 < last < 1


def _scores(env_id: str, seed: int, folder: Path) -> dict[str, float]:
    """Mean score of every goal, and of the rewards of three goals."""
    trained = train(FBConfig(env=env_id, seed=seed), folder)
    env = gym.make(env_id)
    tasks = env.unwrapped.tasks.values()  # type: ignore[attr-defined]
    kinds = {
        "goal": [task for task in tasks if task.goal is not None],
        "multi_goal": [task for task in tasks if task.name.startswith("multi_goal")],
    }
    assert len(kinds["goal"]) == env.unwrapped.num_states  # type: ignore[attr-defined]
    model = FBModel.load(trained.path)
    return {
        kind: float(np.mean(list(evaluate_tabular(model, env, found).values())))
        for kind, found in kinds.items()
    }


@pytest.mark.proof
@pytest.mark.parametrize(
    ("env_id", "seed"),
    [(f"zerogym/{name}-v0", seed) for name in ("UMap", "FourRooms") for seed in (0, 1, 2)],
)
def test_zero_shot_goals(env_id: str, seed: int, tmp_path: Path) -> None:
    """Every goal, none of which was trained on; 0 random, 1 value iteration."""
    scores = _scores(env_id, seed, tmp_path)
    assert scores["goal"] >= 0.6
    assert scores["multi_goal"] >= 0.5
