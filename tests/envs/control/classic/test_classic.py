"""Classic control: Gymnasium's physics, any task, any constants, and oracles that do the tasks."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import TransformAction

from helpers.control.transitions import play
from helpers.control.worlds import bare
from zerogym.envs.control.core.contexts import SPLITS
from zerogym.envs.control.core.tasks import Task
from zerogym.errors import NoOracle

NAMES = ("CartPole", "Pendulum", "Acrobot", "MountainCar")
STEPS = 4_000
each_world = pytest.mark.parametrize("name", NAMES)


def theirs(name: str, state: np.ndarray, action: float) -> np.ndarray:
    """One step of Gymnasium's world from a state."""
    world = THEIRS[name]
    world.state = state.copy()
    if name == "CartPole":
        world.step(1 if action > 0 else 0)
    elif name == "Pendulum":
        world.step(np.array([2.0 * action]))
    else:
        world.step(int(action) + 1)
    return np.array(world.state)


IDS = {
    "CartPole": "CartPole-v1", "Pendulum": "Pendulum-v1", "Acrobot": "Acrobot-v1",
    "MountainCar": "MountainCar-v0",
}  # fmt: skip
THEIRS: dict[str, Any] = {name: gym.make(id).unwrapped for name, id in IDS.items()}


@each_world
@pytest.mark.filterwarnings("ignore:.*even though this environment")
def test_thousands_of_steps_are_gymnasiums(name: str) -> None:
    env, rng = bare(name), np.random.default_rng(0)
    THEIRS[name].reset(seed=0)
    context = env.context
    state, found, expected = env.classic_start(rng), [], []
    for step in range(STEPS):
        if step % 100 == 0 or (name == "CartPole" and abs(state[0]) > 2.3):
            state = env.uniform_states(rng, 1, context)[0] * 0.95  # and the cart stays on the track
        move = rng.uniform(-1, 1)
        action = {"CartPole": np.sign(move), "Pendulum": move}.get(name, np.round(1.5 * move))
        expected.append(theirs(name, state, float(action)))
        state = env.advance(state[None], np.array([action]), context)[0]
        found.append(state)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_the_continuous_mountain_car_is_a_context() -> None:
    other = gym.make("MountainCarContinuous-v0").unwrapped
    other.reset(seed=0)
    env, rng = bare("MountainCar", context={"force": 0.0015}), np.random.default_rng(0)
    for state in env.uniform_states(rng, 3000, env.context):
        action = rng.uniform(-1, 1)
        other.state = state
        other.step(np.array([action]))
        moved = env.advance(state[None], np.array([action]), env.context)[0]
        np.testing.assert_allclose(moved, other.state, rtol=1e-6, atol=1e-7)  # theirs is float32


def test_gymnasiums_cart_pole_is_ours_with_two_actions() -> None:
    def push(action: int) -> np.ndarray:
        return np.array([2.0 * action - 1.0])

    world = gym.make("zerogym/CartPole-v0", task="balance")
    ours = TransformAction(world, push, gym.spaces.Discrete(2))
    other, rng = gym.make("CartPole-v1"), np.random.default_rng(0)
    for seed in range(20):
        place, speed, angle, rate = other.reset(seed=seed)[0].tolist()
        start = (place, np.cos(angle), np.sin(angle), speed, rate)
        ours.reset(options={"start": start})
        terminated, total, ours_total = False, 0.0, 0.0
        while not terminated:
            action = int(rng.integers(2))
            row, reward, terminated, *_ = other.step(action)
            obs, own, *_ = ours.step(action)
            total, ours_total = total + reward, ours_total + own
            np.testing.assert_allclose(obs[[0, 3, 4]], row[[0, 1, 3]], atol=1e-4)
        assert ours_total == total - 1, "CartPole-v1 also pays for the step of the fall"


@each_world
def test_a_batch_moves_as_single_states_do_also_with_a_context_for_each_row(name: str) -> None:
    env, rng = bare(name), np.random.default_rng(0)
    contexts = [
        {key: constant.draw(rng, SPLITS[row % 3]) for key, constant in env.constants.items()}
        for row in range(60)
    ]
    states = np.concatenate([env.uniform_states(rng, 1, context) for context in contexts])
    actions = rng.uniform(-1, 1, len(states))
    rows = {key: np.array([context[key] for context in contexts]) for key in contexts[0]}
    together = env.advance(states, actions, rows)
    alone = [
        env.advance(state[None], action[None], context)[0]
        for state, action, context in zip(states, actions, contexts, strict=True)
    ]
    np.testing.assert_allclose(together, alone, rtol=1e-12, atol=1e-13)
    assert np.isfinite(together).all()
    rows = env.observations(together)
    np.testing.assert_allclose(env.observations(env.states(rows)), rows, rtol=1e-6, atol=1e-6)


@pytest.mark.proof
@each_world
def test_every_oracle_does_its_tasks(name: str) -> None:
    env = bare(name, anywhere=name != "Acrobot")
    for task in env.tasks:
        scores = [
            [play(env, who, seed, task=task).total for seed in range(2)]
            for who in ("oracle", "random")
        ]
        oracle, chance = np.mean(scores, axis=1)
        floor = {"Acrobot": 60, "CartPole": 50, "MountainCar": 40}.get(name, 80)
        assert oracle > max(floor, 1.02 * chance), f"{task}: {oracle} against {chance}"


def test_the_oracle_balances_for_500_steps() -> None:
    env = bare("CartPole", task="balance", horizon=500)
    assert [play(env, "oracle", seed).total for seed in range(10)] == [500.0] * 10


def test_the_oracle_swings_the_pole_up_and_catches_it() -> None:
    env = bare("CartPole", task="balance", horizon=500)
    for angle in (np.pi, 3.0, -2.0, 1.5):
        start = (0.0, np.cos(angle), np.sin(angle), 0.0, 0.0)
        rows = play(env, "oracle", start=start).observations
        assert (rows[-100:, 1] > 0.999).all() and (np.abs(rows[:, 0]) <= 2.4).all()


def test_the_oracle_spins_the_pole_the_right_way_round() -> None:
    env = bare("CartPole", task="spin_left")
    for start in ((0.0, 1.0, 0.0, 0.0, 5.0), (0.0, -1.0, 0.0, 0.0, 8.0)):  # it turns right
        assert (play(env, "oracle", start=start).observations[-60:, 4] < 0).all()


def test_the_pendulum_is_lifted_by_swinging_only() -> None:
    env = bare("Pendulum", task="upright")
    hanging = (-1.0, 0.0, 0.0)
    rows = play(env, "oracle", start=hanging).observations
    assert (rows[-50:, 0] > 0.98).all() and len(set(np.sign(rows[:60, 2]))) > 1
    env.reset(options={"start": hanging})
    pushed = np.array([env.step([1.0])[0] for _ in range(200)])
    assert pushed[:, 0].max() < 0, "one push does not lift it"


def test_the_car_needs_to_swing_and_the_oracle_is_fast() -> None:
    env = bare("MountainCar", task="flag")
    for seed in range(5):
        rows = play(env, "oracle", seed).observations
        first = int((rows[:, 0] >= 0.5).argmax())
        assert 80 < first < 130
        assert (rows[first:, 0] >= 0.5).all(), "it stays"
    env.reset(seed=0)
    assert max(env.step([1.0])[0][0] for _ in range(200)) < 0


def test_the_acrobot_swings_up_as_fast_as_good_agents() -> None:
    env = bare("Acrobot", task="swing_up")
    episode = play(env, "oracle", 0)
    first = int((env.features(episode.observations)["tip_height"] >= 1.0).argmax())
    assert 50 < first < 100 and episode.total > 50


HARD = {
    "CartPole": {"pole_length": 1.2, "gravity": 15.0, "cart_mass": 0.5, "track": 1.6},
    "Pendulum": {"max_torque": 1.2, "mass": 1.5, "gravity": 12.0},
    "Acrobot": {"mass_2": 1.3, "gravity": 8.0, "torque": 1.3, "dt": 0.15},
    "MountainCar": {"force": 0.0008, "gravity": 0.003},
}


@pytest.mark.proof
@each_world
def test_oracles_know_the_context(name: str) -> None:
    env = bare(name, context=HARD[name], horizon=400)
    task = next(iter(env.tasks))
    oracle, chance = (play(env, who, 1, task=task).total for who in ("oracle", "random"))
    assert oracle > chance + 100


@each_world
def test_every_constant_matters(name: str) -> None:
    env, rng = bare(name), np.random.default_rng(0)
    wide = {key: constant.high for key, constant in env.constants.items()}
    states = env.uniform_states(rng, 3000, wide | {"left": -1.3, "track": 2.6})
    states[:, -2:] *= 4 if name == "Acrobot" else 1
    actions = rng.uniform(-1, 1, len(states))
    default = env.advance(states, actions, env.context)
    for key, constant in env.constants.items():
        moved = [
            env.advance(states, actions, env.context | {key: value})
            for value in (constant.low, constant.high)
        ]
        assert np.isfinite(moved).all()
        assert np.abs(moved - default).max() > 1e-6, key


@each_world
@pytest.mark.parametrize("split", SPLITS)
def test_worlds_stay_finite_in_every_context(name: str, split: Any) -> None:
    env, rng = bare(name, anywhere=True), np.random.default_rng(0)
    for seed in range(4):
        context = {key: constant.draw(rng, split) for key, constant in env.constants.items()}
        assert np.isfinite(play(env, "random", seed, context=context).observations).all()


@each_world
def test_bad_input_is_refused_in_words(name: str) -> None:
    env = bare(name)
    good = env.observations(env.uniform_states(np.random.default_rng(0), 1, env.context))[0]
    for goal in (good[:-1], good * np.nan, good + 100.0, [good]):
        with pytest.raises(ValueError, match="goal must be an observation of"):
            env.reset(options={"task": goal})
        with pytest.raises(ValueError, match="start must be an observation of"):
            env.reset(options={"start": goal})


def test_a_goal_is_reached_and_said() -> None:
    env = bare("Pendulum", task=(1.0, 0.0, 0.0))
    total = play(env, "oracle", 1).total
    assert env._info()["success"] and total > 100
    env.reset(seed=0, options={"start": (-1.0, 0.0, 0.0)})
    assert env.step([0.0])[4]["success"] is False


def test_scripts_know_named_tasks_only() -> None:
    for name in ("CartPole", "Acrobot"):
        env = bare(name)
        renamed = Task(next(iter(env.tasks)), "x.", env.tasks["hang"].reward)
        for task in (lambda o, a, n: n[:, 0], renamed):
            env.reset(seed=0, options={"task": task})
            with pytest.raises(NoOracle, match="named tasks"):
                env.oracle_action()


def test_value_iteration_serves_any_reward() -> None:
    def far_right(features: Any, action: np.ndarray) -> np.ndarray:
        return np.clip(features["position"], -1, 1)

    env = bare("MountainCar", task=far_right)
    assert play(env, "oracle", 0).total > 0 > play(env, "random", 0).total


def test_the_cart_stops_at_the_end_of_the_track() -> None:
    env = bare("CartPole", context={"track": 1.5})
    env.reset(seed=0)
    rows = np.array([env.step([1.0])[0] for _ in range(150)])
    assert rows[-1, 0] == 1.5 and rows[-1, 3] <= 0.5 and (rows[:, 0] <= 1.5).all()
    back = np.array([env.step([-1.0])[0] for _ in range(30)])
    assert back[-1, 0] < 1.4
