"""Experts in environments whose oracle does not solve every task."""

from pathlib import Path

import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.card import make_card
from zerogym.agents.datasets.stored import load_dataset
from zerogym.agents.explore.collection import collect
from zerogym.agents.explore.config import CollectConfig
from zerogym.errors import NoOracle


@pytest.mark.parametrize("name", ["Reacher", "KeyCorridor"])
def test_an_expert_plays_only_tasks_that_its_oracle_solves(tmp_path: Path, name: str) -> None:
    config = CollectConfig(env=f"zerogym/{name}-v0", policy="expert", steps=2500, seed=1)
    data = load_dataset(collect(config, tmp_path))
    env = data.make().unwrapped
    starts = data.column("starts")
    drawn = {list(env.tasks)[place] for place in data.column("tasks")[starts]}
    if name == "Reacher":
        assert drawn and all(env.tasks[task].goal is not None for task in drawn)
    else:
        assert len(drawn) > 1


def test_an_expert_without_a_solvable_task_is_refused(tmp_path: Path) -> None:
    config = CollectConfig(env="zerogym/Reacher-v0", policy="expert", tasks=("spin",), steps=100)
    with pytest.raises(NoOracle, match="the oracle solves none of 100 drawn tasks"):
        collect(config, tmp_path)


def test_a_card_has_no_quality_of_tasks_that_the_oracle_does_not_solve(tmp_path: Path) -> None:
    config = CollectConfig(env="zerogym/Reacher-v0", steps=1000)
    cards = make_card(load_dataset(collect(config, tmp_path)), episodes=1).tasks
    known = {card.name for card in cards if card.tq is not None}
    assert {card.name for card in cards} - known == {"spin", "fold", "stretch"}
