"""The card of a dataset, against counts made another way."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.card import make_card
from zerogym.agents.datasets.checks import WrongDataset
from zerogym.agents.datasets.coverage import NEIGHBOUR, PARTS, WIDTH, cells, state_entropy
from zerogym.agents.datasets.stored import StoredDataset, load_dataset
from zerogym.agents.explore.collection import collect
from zerogym.agents.explore.config import CollectConfig

ROOMS = "zerogym/FourRooms-v0"


def _data(folder: Path, **settings: Any) -> StoredDataset:
    return load_dataset(collect(CollectConfig(**settings), folder / "-".join(map(str, settings))))


def test_coverage_of_a_finite_world_is_exact(tmp_path: Path) -> None:
    data = _data(tmp_path, env=ROOMS, steps=400)
    found = make_card(data, most_tasks=0).coverage
    before, after = (
        data.column(n).argmax(axis=1).tolist() for n in ("observations", "next_observations")
    )
    pairs = {(s, a) for s, a in zip(before, data.column("actions").tolist(), strict=True)}
    assert (found.states, found.all_states, found.pairs) == (len(set(after)), 40, len(pairs))
    assert found.saco == len(pairs) / 200
    counts = np.array([after.count(state) for state in set(after)])
    by_hand = -sum(n / 400 * np.log2(n / 400) for n in counts)
    assert found.entropy == pytest.approx(by_hand)
    assert 3 < found.entropy < np.log2(40)


def test_much_random_data_cover_everything(tmp_path: Path) -> None:
    found = make_card(_data(tmp_path, env=ROOMS, steps=12_000), most_tasks=0).coverage
    assert found.states == 40 and found.saco == 1.0


def test_quality_is_0_for_random_and_1_for_the_oracle(tmp_path: Path) -> None:
    options = {"start": [1, 1]}
    names = ("goal_1_7",)
    quality = {}
    for policy in ("random", "medium", "expert"):
        data = _data(
            tmp_path / policy,
            env=ROOMS,
            reset_options=options,
            policy=policy,
            tasks=names,
            steps=3_000,
        )
        cards = {card.name: card for card in make_card(data, most_tasks=8, episodes=12).tasks}
        quality[policy] = cards["goal_1_7"].tq
    assert quality["expert"] == pytest.approx(1, abs=1e-9)  # one start, no slips: always the same
    assert quality["random"] == pytest.approx(0, abs=0.05)
    assert quality["medium"] is not None and 0.4 < quality["medium"] < 0.9


def test_returns_are_of_whole_episodes_and_relabelled(tmp_path: Path) -> None:
    data = _data(tmp_path, steps=400 + 30, policy="expert", tasks=("goal_left",))
    card = next(c for c in make_card(data, episodes=1).tasks if c.name == "goal_left")
    env = data.make(task="goal_left")
    returns, rewards = [], []
    for rows in data.episodes():
        env.reset(options={"start": data.column("observations")[rows.start]})
        received = [float(env.step(action)[1]) for action in data.column("actions")[rows]]
        rewards += received
        returns += [sum(received)] if len(received) == 80 else []
    assert len(returns) == 5
    assert card.mean_return == pytest.approx(np.mean(returns))
    assert card.best_return == pytest.approx(max(returns))
    assert card.high == pytest.approx(np.percentile(rewards, 99.9))


def test_too_little_for_an_episode(tmp_path: Path) -> None:
    card = make_card(_data(tmp_path, steps=20), episodes=1)
    assert card.episodes == 1 and card.tasks[0].mean_return is card.tasks[0].tq is None


def test_cells_of_a_square_and_a_reference(tmp_path: Path) -> None:
    data = _data(tmp_path, steps=800)
    _, before, after = cells(data, data.make())
    by_hand = np.minimum(np.floor(data.column("next_observations") / (3 / PARTS)), PARTS - 1)
    np.testing.assert_array_equal(after, by_hand)
    assert before.max() == PARTS - 1  # the upper border is in the last cell
    alone, itself = make_card(data, most_tasks=0), make_card(data, data, most_tasks=0)
    assert alone.coverage.saco is None and itself.coverage.saco == 1.0
    less = _data(tmp_path / "less", steps=80)
    share = make_card(less, data, most_tasks=0).coverage.saco
    assert share is not None and 0 < share < 0.2


def test_unbounded_numbers_are_cut_into_steps(tmp_path: Path) -> None:
    data = _data(tmp_path, env="CartPole-v1", steps=100)
    names, before, _ = cells(data, data.make())
    assert names == ("observation 0", "observation 1", "observation 2")
    speed = data.column("observations")[:, 1]  # the cart's speed has no bounds
    np.testing.assert_array_equal(before[:, 1], np.floor(speed / WIDTH))
    card = make_card(data)
    assert card.tasks == () and card.coverage.all_states is None


def test_the_cells_of_a_body_are_height_uprightness_and_speed(tmp_path: Path) -> None:
    data = _data(tmp_path, env="zerogym/Walker-v0", steps=60)
    env = data.make()
    names, _, after = cells(data, env)
    observed = env.unwrapped.features(data.column("next_observations"))  # type: ignore[attr-defined]
    assert names == ("height", "upright", "speed")
    for column, width in enumerate((0.1, 0.25, 0.5)):
        np.testing.assert_array_equal(after[:, column], np.floor(observed[names[column]] / width))


def test_entropy_of_states_is_that_of_laws_with_a_known_one() -> None:
    rng = np.random.default_rng(0)
    square = rng.uniform(size=(4000, 2)) * (2.0, 8.0)
    assert state_entropy(square) == pytest.approx(np.log(16), abs=0.1)
    bell = rng.standard_normal((4000, 3)) * 0.5
    by_hand = 1.5 * np.log(2 * np.pi * np.e * 0.25)
    assert state_entropy(bell) == pytest.approx(by_hand, abs=0.1)
    assert state_entropy(np.zeros((50, 2))) < -20  # no distance, yet a number
    with pytest.raises(ValueError, match="more than 12 states, got 12"):
        state_entropy(np.zeros((NEIGHBOUR, 2)))


def test_data_of_another_world_are_not_compared(tmp_path: Path) -> None:
    rooms = _data(tmp_path, env=ROOMS, steps=100)
    maze = _data(tmp_path / "maze", env="zerogym/PointMaze-v0", steps=100)
    with pytest.raises(WrongDataset, match=r"holds data of zerogym/PointMaze-v0, not of .*Four"):
        make_card(rooms, maze)
    renamed = StoredDataset(maze.path, {**maze.manifest, "env": ROOMS}, maze.shards)
    with pytest.raises(WrongDataset, match=r"holds observations of shape \(2,\)"):
        make_card(renamed)
    with pytest.raises(WrongDataset, match=r"holds observations of shape \(2,\)"):
        make_card(rooms, renamed)
