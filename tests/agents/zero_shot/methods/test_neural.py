"""The base of agents of networks: files by their layout, slow copies, files of other agents."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from helpers.zero_shot.small_runs import random_data
from zerogym.agents.atomic_files import NotAModel
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import AGENTS, Start
from zerogym.agents.zero_shot.methods.goal_conditioned.gciql import GCIQL
from zerogym.agents.zero_shot.methods.hilp import HILP

SMALL = {"hidden": 4, "batch_size": 8}


def made(record: dict[str, Any], data: Dataset, seed: int = 3) -> Any:
    discrete = data.actions.ndim == 1
    actions = 3 if discrete else data.actions.shape[1]
    return AGENTS.make(record)(Start("", data, actions, discrete, 4, seed))


def write(
    folder: Path, data: Dataset, record: dict[str, Any], tensors: dict[str, Any], **facts: Any
) -> None:
    """Write the files as the layout says, with nothing of the package but the data's own."""
    folder.mkdir()
    data.save(folder / "samples.npz")
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"agent": record, **facts}))


def moments(parameters: list[Any]) -> dict[str, Any]:
    """Return Adam's state after 7 steps: entry n of it is filled with n and n + 0.5."""
    found = {}
    for n, each in enumerate(parameters):
        found[f"adam.{n}.exp_avg"] = torch.full_like(each, n)
        found[f"adam.{n}.exp_avg_sq"] = torch.full_like(each, n + 0.5)
        found[f"adam.{n}.step"] = torch.tensor(7.0)
    return found


def has_moments(model: Any) -> bool:
    states = [model.adam.state[each] for each in model.learnt]
    return all(
        bool((state["exp_avg"] == n).all() and (state["exp_avg_sq"] == n + 0.5).all())
        and state["step"] == 7
        for n, state in enumerate(states)
    )


def test_files_of_goal_conditioned_agents_have_the_stated_layout(tmp_path: Path) -> None:
    """Networks below `nets`, slow copies below `slow`; seed and updates beside the settings."""
    data, record = random_data(discrete=False), {"part": "gciql", **SMALL}
    other = made(record, data, seed=8)
    tensors = {f"nets.{name}": value + 1 for name, value in other.nets.state_dict().items()}
    tensors |= {f"slow.{name}": value + 2 for name, value in other.slow.state_dict().items()}
    facts = {"actions": data.actions.shape[1], "discrete": False, "seed": 5, "updates": 7}
    form = "zerogym goal-conditioned agent 1"
    write(tmp_path / "model", data, record, tensors | moments(list(other.nets.parameters())),
          format=form, **facts)  # fmt: skip
    model = GCIQL.load(tmp_path / "model")
    assert (model.seed, model.updates, model.discrete) == (5, 7, False)
    for mine, its in zip(model.nets.parameters(), other.nets.parameters(), strict=True):
        assert torch.equal(mine, its + 1)
    for mine, its in zip(model.slow.parameters(), other.slow.parameters(), strict=True):
        assert torch.equal(mine, its + 2)
    assert has_moments(model)
    model.save(tmp_path / "again")
    once, twice = (load_file(tmp_path / at / "model.safetensors") for at in ("model", "again"))
    assert once.keys() == twice.keys() and all(torch.equal(once[n], twice[n]) for n in once)
    again = json.loads((tmp_path / "again" / "config.json").read_text())
    assert again["format"] == form and facts.items() <= again.items()


def test_files_of_learners_have_the_stated_layout(tmp_path: Path) -> None:
    """All weights below `net`; the stream and the number of updates are tensors."""
    data, record = random_data(discrete=True), {"part": "hilp", "dim": 3, **SMALL}
    other = made(record, data, seed=8)
    stream = torch.Generator().manual_seed(99)
    tensors = {f"net.{name}": value + 1 for name, value in other.state_dict().items()}
    tensors |= {"generator": stream.get_state(), "updates": torch.tensor(7)}
    write(tmp_path / "model", data, record, tensors | moments(other.learnt),
          format="zerogym zero-shot agent 1", actions=3)  # fmt: skip
    model = HILP.load(tmp_path / "model")
    assert model.updates == 7 and has_moments(model)
    assert torch.equal(model.integers(1000, 5), torch.randint(1000, (5,), generator=stream))
    for name, value in model.state_dict().items():
        assert torch.equal(value, other.state_dict()[name] + 1)
    assert any(name.startswith("slow_q.") for name in model.state_dict())


@pytest.mark.parametrize(
    ("record", "copies"),
    [({"part": "hilp"}, 3), ({"part": "fre", "tasks": 4, "warmup": 0}, 1), ({"part": "gcivl"}, 2)],
)
def test_slow_copies_go_their_part_of_the_way(record: dict[str, Any], copies: int) -> None:
    """After one update: (1 - tau) of the first weights and tau of the new ones; no gradient."""
    data = random_data(discrete=True)
    model = made({**record, **SMALL, "tau": 0.25}, data)
    assert len(model.pairs) == copies
    before = [[each.clone() for each in slow.parameters()] for slow, _ in model.pairs]
    model.learn(data, 1)
    moved = False
    for start, (slow, net) in zip(before, model.pairs, strict=True):
        for first, mine, its in zip(start, slow.parameters(), net.parameters(), strict=True):
            np.testing.assert_allclose(
                mine, 0.75 * first + 0.25 * its.detach(), rtol=1e-5, atol=1e-6
            )
            moved |= not torch.equal(first, its)
            assert mine.grad is None
    assert moved


def test_files_of_another_agent_are_refused(tmp_path: Path) -> None:
    data = random_data(discrete=True)
    for name, other in (("fre", "hilp"), ("gcivl", "gcbc")):
        model = made({"part": name}, data)
        model.save(tmp_path / name)
        with pytest.raises(NotAModel, match=f"agent {name}"):
            AGENTS.make(other).model_class().load(tmp_path / name)


@pytest.mark.parametrize("name", ["pldm", "gcbc"])
def test_actions_of_another_world_are_refused(name: str) -> None:
    data = random_data(discrete=True)
    model = made({"part": name}, data)
    more = Dataset(data.observations, data.actions + 2, data.next_observations)
    for wrong in (more, random_data(discrete=False)):
        with pytest.raises(ValueError, match="3 discrete actions; the data have"):
            model.learn(wrong, 1)
