"""Features of finite worlds: by hand, in both libraries, live as relabelled, and planned for."""

import pickle

import numpy as np
import pytest
import torch

from helpers.control.transitions import transitions
from helpers.control.worlds import bare
from zerogym.errors import UnknownName

WORLDS = {
    "FourRooms": "row + column",
    "UMap": "tolerance(walls, 2, 2) * column",
    "SlipperyGrid": "goal_7_7 + 0.1 * row",
    "DarkRoom": "row * column",
    "Chain": "0.1 * far_end + state",
    "RiverSwim": "state ** 2",
    "TMaze": "found_nothing - 0.1 * in_corridor",
    "Office": "mission + coffee - 0.1 * row * (column > 4)",
    "Letters": "row + column",
}


def test_features_of_a_grid_are_those_of_the_cell() -> None:
    env = bare("FourRooms")
    env.reset(options={"start": (2, 3)})
    features = env.features(env.observation_of(np.array([env._episode.state])))
    # (2, 3) is beside the door in row 2, so nothing is shut
    found = {name: float(features[name][0]) for name in features}
    assert found == {"row": 2.0, "column": 3.0, "walls": 0.0}
    corner = env.features(env.observation_of(np.array([env.layout.index[1, 1]])))
    door = env.features(env.observation_of(np.array([env.layout.index[2, 4]])))
    assert corner["walls"][0] == 2.0 and door["walls"][0] == 2.0
    assert (door["row"][0], door["column"][0]) == (2.0, 4.0)


def test_features_of_a_chain_and_of_a_t_maze() -> None:
    chain = bare("Chain", length=4)
    assert chain.features(np.eye(4))["state"].tolist() == [1.0, 2.0, 3.0, 4.0]
    maze = bare("TMaze", length=2)
    for sign in ("north", "south"):
        obs, _ = maze.reset(options={"start": sign})
        observed = {name: float(value[0]) for name, value in maze.features(obs[None]).items()}
        assert [name for name, value in observed.items() if value] == [f"sign_{sign}"]
    walk = [maze.step(action)[0] for action in (1, 1, 2)]  # east, east, south, where the sign says
    features = maze.features(np.array(walk))
    assert features["in_corridor"].tolist() == [1.0, 0.0, 0.0]
    assert features["at_junction"].tolist() == [0.0, 1.0, 0.0]
    assert features["found_treasure"].tolist() == [0.0, 0.0, 1.0]
    assert not features["found_nothing"].any()


@pytest.mark.parametrize("name", ["Office", "Letters"])
def test_places_of_worlds_with_a_mission_are_counted_as_their_texts_do(name: str) -> None:
    env, rng = bare(name, view="text"), np.random.default_rng(0)
    env.reset(seed=0)
    for _ in range(20):
        text = env.step(env.random_action(rng))[0]
        features = env.features(env.observation_of(np.array([env._episode.state])))
        row, column = int(features["row"][0]), int(features["column"][0])
        assert f"You are at row {row}, column {column}." in text
        if name == "Office":
            assert (features["coffee"][0] == 1.0) == ("coffee" in text)


@pytest.mark.parametrize("name", WORLDS)
def test_expressions_reward_live_as_relabelled_in_both_libraries(name: str) -> None:
    env = bare(name, task=WORLDS[name], horizon=60)
    task = env.task_of(WORLDS[name])
    observed, actions, entered, rewards = transitions(env, 1)
    assert np.ptp(rewards) > 0
    np.testing.assert_array_equal(task.relabel(observed, actions, entered), rewards)
    tensors = [torch.from_numpy(part) for part in (observed, actions, entered)]
    np.testing.assert_allclose(task.relabel(*tensors).numpy(), rewards, rtol=1e-6)
    again = pickle.loads(pickle.dumps(task))
    np.testing.assert_array_equal(again.relabel(observed, actions, entered), rewards)
    with pytest.raises(UnknownName, match="no task or feature 'rowe'"):
        bare(name, task="rowe + 1")


def test_the_oracle_plans_for_features() -> None:
    env = bare("FourRooms", task="row + column")
    env.reset(options={"start": (1, 1)})
    while not env._episode.over:
        env.step(env.oracle_action())
    assert env.layout.cells[env._episode.state] == (7, 7)
    by_function = bare("FourRooms", task=lambda features, action: features["row"])
    by_function.reset()
    assert by_function.R.max() == 7.0
