"""Agents trained in one batched graph against the same agents trained alone."""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from helpers.zero_shot.small_runs import train_in_parts
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.algorithms.base import FBAgent
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.algorithms.flow_bc import FlowFB
from zerogym.agents.zero_shot.algorithms.multi_seed import MultiSeedAgent, stack_datasets
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.data.tensor_dataset import TensorDataset
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.training.train import train, train_seeds

SMALL = FBConfig(dim=5, hidden=8, hidden_backward=8, batch_size=16, updates=14)
UPDATES = 12  # the rates fall from the 8th on


@pytest.fixture
def doubles() -> Iterator[None]:
    """In float32 rounding grows with the updates; in float64 a mistake cannot hide behind it."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def _data(discrete: bool, seed: int) -> Dataset:
    """Walks on eight points; seed 1 never sees one of them."""
    rng = np.random.default_rng(seed)
    places = np.random.default_rng(9).normal(size=(8, 3)).astype(np.float32)
    states = rng.integers(7 if seed == 1 else 8, size=121)
    states[:7] = range(7)
    actions = rng.integers(3, size=120) if discrete else rng.uniform(-1, 1, (120, 2))
    typed = actions.astype(np.int64 if discrete else np.float32)
    return Dataset(places[states[:-1]], typed, places[states[1:]])


def _double(tensors: TensorDataset) -> TensorDataset:
    def widened(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.double() if tensor.is_floating_point() else tensor

    transitions = type(tensors.transitions)(*map(widened, tensors.transitions))
    return TensorDataset(transitions, widened(tensors.states), widened(tensors.frequency))


def _agents(changes: dict[str, Any], discrete: bool) -> tuple[list[FBAgent], list[TensorDataset]]:
    kind = DiscreteFB if discrete else FlowFB if "flow_bc" in changes else ContinuousFB
    if changes.get("net") == "wide" and not discrete:
        changes = {"temperature": 0.0, **changes}
    agents: list[FBAgent] = []
    datasets = []
    for seed in range(3):
        config = dataclasses.replace(SMALL, seed=seed, **changes)
        data = _data(discrete, seed)
        agents.append(kind.create(config, data, 3 if discrete else 2))
        datasets.append(_double(agents[-1].to_tensors(data)))
    return agents, datasets


CASES: list[dict[str, Any]] = [
    {},
    {"exact": False, "temperature": 0.0},
    {"net": "wide", "exact": False, "pessimism": 0.5},
    {"q_loss": 0.1},
    {"features": "laplacian", "q_loss": 1.0},
    {"features": "icm", "exact": False, "pessimism": 1.0},
    {"features": "latent", "net": "wide"},
    {"features": "contrastive"},
    {"features": "svd"},
    {"later_share": 0.5, "reward_share": 0.25},
    {"features": "random", "later_share": 0.5, "reward_share": 0.25},
    {"features": "identity", "dim": 3},
    {"conservative": "value", "alpha": 1.0, "lr_alpha": 0.1},
    {"conservative": "measure", "alpha": 1.0, "net": "wide"},
    {"history": 3, "encoded": 6},
]
NEAR_DATA: list[dict[str, Any]] = [
    {"bc": 2.0, "temperature": 0.0},
    {"flow_bc": 2.0, "temperature": 0.0},
    {"flow_bc": 2.0, "temperature": 0.0, "net": "wide", "exact": False},
]
KINDS = [
    *((changes, discrete) for changes in CASES for discrete in (True, False)),
    *((changes, False) for changes in NEAR_DATA),
]


@pytest.mark.proof
@pytest.mark.usefixtures("doubles")
@pytest.mark.parametrize(("changes", "discrete"), KINDS, ids=str)
def test_each_agent_ends_as_it_would_alone(changes: dict[str, Any], discrete: bool) -> None:
    alone, datasets = _agents(changes, discrete)
    last = [
        [agent.update(tensors) for _ in range(UPDATES)][-1]
        for agent, tensors in zip(alone, datasets, strict=True)
    ]
    agents, datasets = _agents(changes, discrete)
    start = [agent.tensors() for agent in agents]
    start = [{name: tensor.clone() for name, tensor in found.items()} for found in start]
    assert [len(tensors.states) for tensors in datasets] == (
        [8, 7, 8] if agents[0].config.exact else [0] * 3
    )
    together, tensors = MultiSeedAgent(agents), stack_datasets(datasets)
    for _ in range(UPDATES):
        metrics = together.update(tensors)
    together.tensors()
    for number, (agent, single) in enumerate(zip(agents, alone, strict=True)):
        found, expected = agent.tensors(), single.tensors()
        assert found.keys() == expected.keys()
        for name, tensor in expected.items():
            torch.testing.assert_close(found[name], tensor, rtol=1e-7, atol=1e-9)
        moved = (expected[k] - tensor for k, tensor in start[number].items() if "_net." in k)
        assert max(float(difference.abs().max()) for difference in moved) > 1e-2
        for name, value in last[number].items():
            torch.testing.assert_close(metrics[name][number], value, rtol=1e-7, atol=1e-9)


RUN = FBConfig(
    data_steps=400, batch_size=16, dim=6, hidden=8, updates=12, checkpoint_every=5, seed=3, seeds=2
)


def test_each_seed_is_an_ordinary_run(tmp_path: Path) -> None:
    trained = train_seeds(RUN, tmp_path / "both")
    assert [one.path.parent.name for one in trained] == ["seed_3", "seed_4"]
    for seed, both in zip((3, 4), trained, strict=True):
        config = dataclasses.replace(RUN, seed=seed, seeds=1)
        alone = train(config, tmp_path / str(seed))
        for file in ("config.json", "data.npz", "model/samples.npz", "model/config.json"):
            pair = [one.path.parent / file for one in (alone, both)]
            assert pair[0].read_bytes() == pair[1].read_bytes(), file
        weights = [FBModel.load(one.path).state_dict() for one in (alone, both)]
        for name, tensor in weights[0].items():  # 12 steps of Adam in float32
            torch.testing.assert_close(weights[1][name], tensor, rtol=1e-3, atol=1e-3)
        assert train(config, both.path.parent).path == both.path  # complete: nothing is left to do
        log = (both.path.parent / "log.jsonl").read_text()
        rows = [json.loads(line) for line in log.splitlines()]
        assert [row["update"] for row in rows] == [12]
        assert rows[0]["forward/loss"] == pytest.approx(alone.metrics["forward/loss"], rel=1e-3)
    assert not all(
        torch.equal(a, b)
        for a, b in zip(*(FBModel.load(one.path).parameters() for one in trained), strict=True)
    )


def test_seeds_continue_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts, reported = train_in_parts(RUN, tmp_path / "parts", 8, monkeypatch)
    assert reported == [0, 8, 8, 12]
    straight = train_seeds(RUN, tmp_path / "straight")
    for one, other in zip(straight, parts, strict=True):
        for file in ("model/model.safetensors", "checkpoint.safetensors", "log.jsonl"):
            pair = [run.path.parent / file for run in (one, other)]
            assert pair[0].read_bytes() == pair[1].read_bytes(), file


def test_several_seeds_need_their_own_function(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="use train_seeds"):
        train(RUN, tmp_path)
    agents, datasets = _agents({}, discrete=True)
    data = _data(discrete=True, seed=0)
    columns = (data.observations, data.actions, data.next_observations)
    longer = agents[0].to_tensors(Dataset(*(np.concatenate([column] * 2) for column in columns)))
    with pytest.raises(ValueError, match=r"as many transitions each, got \[120, 240\]"):
        stack_datasets([datasets[0], longer])
