"""Precision, compilation and device change updates by rounding at most."""

import contextlib
import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from helpers.zero_shot.small_runs import random_data, train_in_parts
from zerogym.agents.atomic_files import read_tensors
from zerogym.agents.zero_shot.algorithms.base import FBAgent
from zerogym.agents.zero_shot.algorithms.computing import WARM_UP, Replayed, torch_settings
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.algorithms.multi_seed import MultiSeedAgent, stack_datasets
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.training.train import train

SMALL = FBConfig(dim=6, hidden=16, batch_size=32, updates=10, checkpoint_every=4, data_steps=300)
KINDS: dict[str, dict[str, Any]] = {
    "product": {},
    "wide": {"net": "wide", "exact": False, "temperature": 0.0, "hidden_backward": 16},
}


def _agent(discrete: bool, **changes: Any) -> FBAgent:
    kind = DiscreteFB if discrete else ContinuousFB
    config = dataclasses.replace(SMALL, **changes)
    return kind.create(config, random_data(discrete, 40, config.seed), 2)


def _weights(agent: FBAgent) -> dict[str, torch.Tensor]:
    return {name: tensor for name, tensor in agent.tensors().items() if "_net." in name}


@pytest.mark.parametrize("discrete", [True, False], ids=["discrete", "continuous"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("more", [{}, {"conservative": "measure"}, {"features": "laplacian"}])
def test_products_of_bfloat16_are_close(kind: str, discrete: bool, more: dict[str, Any]) -> None:
    found: list[dict[str, torch.Tensor]] = []
    for precision in ("fp32", "bf16"):
        agent = _agent(discrete, precision=precision, **KINDS[kind], **more)
        found.append(agent.update(agent.to_tensors(random_data(discrete, 40))))
        assert all(tensor.dtype == torch.float32 for tensor in _weights(agent).values())
    assert all(metric.dtype == torch.float32 for metric in found[1].values())
    for name, value in found[0].items():
        # Eight bits of a number are kept; losses are differences of sums of such.
        assert float(found[1][name]) == pytest.approx(float(value), rel=0.05, abs=0.05), name
    assert any(float(found[1][name]) != float(value) for name, value in found[0].items())


def _differ_most(one: FBAgent, other: FBAgent) -> float:
    pairs = zip(_weights(one).values(), _weights(other).values(), strict=True)
    return max(float((a - b).abs().max()) for a, b in pairs)


@pytest.mark.proof
def test_a_compiled_update_is_the_same() -> None:
    plain, compiled = _agent(True), _agent(True, compile="aot_eager")
    for agent in (plain, compiled):
        agent.learn(random_data(True, 40), 3)
    assert _differ_most(plain, _agent(True)) > 1e-3
    assert _differ_most(plain, compiled) < 1e-6


@pytest.mark.proof
def test_compiled_updates_of_several_agents_are_the_same() -> None:
    trained = []
    for compiler in ("none", "aot_eager"):
        agents = [_agent(False, seed=s, compile=compiler, **KINDS["wide"]) for s in range(2)]
        tensors = stack_datasets(
            [a.to_tensors(random_data(False, 40, s)) for s, a in enumerate(agents)]
        )
        together = MultiSeedAgent(agents)
        for _ in range(3):
            together.update(tensors)
        trained.append(agents)
    for plain, compiled in zip(*trained, strict=True):
        assert _differ_most(plain, compiled) < 1e-6


def test_a_run_of_other_precision_continues_exactly_and_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = dataclasses.replace(SMALL, precision="bf16")
    straight = train(config, tmp_path / "straight")
    # The device and threads are not part of a run.
    elsewhere = dataclasses.replace(config, device="auto", threads=2)
    [parts], _ = train_in_parts(config, tmp_path / "parts", 5, monkeypatch, continued=elsewhere)
    if not torch.cuda.is_available():
        weights = [(one.path / "model.safetensors").read_bytes() for one in (straight, parts)]
        assert weights[0] == weights[1]
    assert json.loads((tmp_path / "parts" / "config.json").read_text())["threads"] == 1
    with pytest.raises(ValueError, match="other settings"):
        train(dataclasses.replace(config, precision="fp32"), tmp_path / "parts")


def test_a_checkpoint_of_another_kind_of_device_is_taken_up() -> None:
    agent, other = _agent(True), _agent(True)
    agent.learn(random_data(True, 40), 2)
    found = agent.tensors() | {"generator": torch.zeros(16, dtype=torch.uint8)}  # as CUDA's is
    other.load_tensors(found)
    assert other.updates == 2 and _differ_most(agent, other) == 0
    draws = [float(other.uniform(1))]
    other.load_tensors(found)
    assert draws == [float(other.uniform(1))]


def test_threads_and_precision_hold_while_training() -> None:
    before = torch.get_num_threads(), torch.get_float32_matmul_precision()
    with torch_settings(dataclasses.replace(SMALL, threads=10_000, precision="tf32")):
        assert torch.get_num_threads() < 10_000  # no more than cores
        assert torch.get_float32_matmul_precision() == "high"
    assert (torch.get_num_threads(), torch.get_float32_matmul_precision()) == before


def test_missing_devices_and_compilers_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ValueError, match="torch finds no GPU; 'auto' would do"):
        _agent(True, device="cuda")
    with pytest.raises(ValueError, match="needs device='cuda': a CPU has no such graphs"):
        _agent(True, device="auto", cuda_graph=True)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ValueError, match=r"needs a C\+\+ compiler \(g\+\+\); there is none"):
        _agent(True, compile="inductor")


class _Graph:
    """A graph for machines without a GPU: recording runs nothing, replaying runs it."""

    def __init__(self) -> None:
        self.body: Any = None

    def replay(self) -> None:
        self.body()


def test_a_replayed_update_reads_new_numbers_and_old_tensors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only the order of calls and the copies; no machine here has a GPU to record on."""
    states: list[float] = []
    recording = [False]

    def apply(tensors: Any, drawn: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        def body() -> None:
            states.append(float(drawn["x"] * tensors))

        if recording[0]:
            graphs[-1].body = body
        else:
            body()
        return {}

    graphs: list[_Graph] = []

    def graph() -> _Graph:
        graphs.append(_Graph())
        return graphs[-1]

    @contextlib.contextmanager
    def record(graph: _Graph) -> Iterator[None]:
        recording[0] = True
        yield
        recording[0] = False

    monkeypatch.setattr(torch.cuda, "CUDAGraph", graph)
    monkeypatch.setattr(torch.cuda, "graph", record)
    monkeypatch.setattr(Replayed, "_on_side_stream", lambda self, *inputs: apply(*inputs))
    replayed, data = Replayed(apply), torch.tensor(2.0)
    for number in range(6):
        replayed(data, {"x": torch.tensor(float(number))})  # type: ignore[arg-type]
    assert (states, len(graphs), WARM_UP) == ([0, 2, 4, 6, 8, 10], 1, 3)
    replayed(torch.tensor(3.0), {"x": torch.tensor(1.0)})  # type: ignore[arg-type]
    assert states[-1] == 3 and len(graphs) == 2  # of other data, it is recorded again


def test_checkpoints_hold_no_trace_of_how_they_were_computed(tmp_path: Path) -> None:
    train(SMALL, tmp_path / "fp32")
    train(dataclasses.replace(SMALL, precision="bf16"), tmp_path / "bf16")
    found = [read_tensors(tmp_path / name / "checkpoint.safetensors") for name in ("fp32", "bf16")]
    shapes = [{name: (t.shape, t.dtype) for name, t in tensors.items()} for tensors in found]
    assert shapes[0] == shapes[1]
