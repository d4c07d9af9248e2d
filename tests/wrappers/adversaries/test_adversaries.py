"""Adversaries: how hard they push, when they take over, and the game between two players."""

import pickle
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from helpers.control.worlds import make
from zerogym import wrappers as ours

with warnings.catch_warnings():  # it imports a game of its own in a way that it deprecates
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import parallel_api_test, parallel_seed_test

STILL = np.zeros(6, dtype=np.float32)


def pushes(env: Any, steps: int, seed: int = 0) -> np.ndarray:
    env.reset(seed=seed)
    return np.array([env.step(STILL)[4]["push"] for _ in range(steps)])


def says(*actions: float) -> Any:
    """An adversary that does these in turn, the same along both axes."""
    left = list(actions)
    return lambda obs: [left.pop(0)] * 2


def test_a_push_is_the_worlds_own() -> None:
    plain, pushed = (
        make("Walker").unwrapped,
        ours.PushAdversary(make("Walker"), says(1.0, -0.5), 30.0),
    )
    plain.reset(seed=1)
    pushed.reset(seed=1)
    for force in ([30.0, 0.0, 30.0], [-15.0, 0.0, -15.0]):
        plain.push(force)
        expected = plain.step(STILL)[0]
        obs, *_, info = pushed.step(STILL)
        np.testing.assert_array_equal(obs, expected)
        assert info["push"].tolist() == force


def test_it_pushes_along_its_axes_only() -> None:
    for axes in ("x", "z", "zx", "xyz"):
        found = pushes(ours.PushAdversary(make("Ant"), strength=7.0, axes=axes), 0)
        env = ours.PushAdversary(make("Ant"), strength=7.0, axes=axes)
        assert env.adversary_space.shape == (len(axes),) and found.size == 0
        env.reset(seed=0)
        env.adversary = lambda obs, axes=axes: np.linspace(0.5, 1.0, len(axes), dtype=np.float32)
        push = env.step(np.zeros(8, dtype=np.float32))[4]["push"]
        target = np.zeros(3)
        for share, axis in zip(np.linspace(0.5, 1.0, len(axes)), axes, strict=True):
            target["xyz".index(axis)] = 7.0 * share
        np.testing.assert_allclose(push, target)


def test_without_an_adversary_it_is_wind_from_the_seed() -> None:
    one, same, other = (
        pushes(ours.PushAdversary(make("Walker"), strength=5.0), 200, seed) for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)
    assert np.abs(one).max() <= 5.0 and np.abs(one[:, [0, 2]].mean(axis=0)).max() < 0.8
    np.testing.assert_allclose(one[:, [0, 2]].std(axis=0), 5 / np.sqrt(3), rtol=0.15)


def test_it_changes_no_faster_than_it_may() -> None:
    env = ours.PushAdversary(make("Walker"), says(1.0, 1.0, -1.0, -1.0), 10.0, change=0.6)
    assert pushes(env, 4)[:, 0].round(6).tolist() == [6.0, 10.0, 4.0, -2.0]


def test_a_spent_budget_ends_the_pushes() -> None:
    root = np.sqrt(2.0)
    env = ours.PushAdversary(make("Walker"), says(*[1.0] * 8), 10.0, budget=2.5 * root)
    np.testing.assert_allclose(pushes(env, 4)[:, 0], [10.0, 10.0, 5.0, 0.0])
    np.testing.assert_allclose(pushes(env, 2)[:, 0], [10.0, 10.0], err_msg="a new episode")


def test_a_refused_action_costs_the_adversary_nothing() -> None:
    env = ours.PushAdversary(make("Walker"), says(1.0, 1.0), 10.0, budget=np.sqrt(2.0))
    env.reset(seed=0)
    with pytest.raises(ValueError, match="finite numbers"):
        env.step(np.full(6, np.nan))
    assert env.step(STILL)[4]["push"][0] == pytest.approx(10.0)


def test_an_adversary_in_the_motors_changes_no_faster_than_it_may() -> None:
    says = [1.0, 1.0, 1.0, -1.0]
    env = ours.ActionAdversary(make(), lambda obs: [says[turn]], share=1.0, change=0.4)
    plain = make()
    for _ in range(2):
        env.reset(seed=0)
        plain.reset(seed=0)
        for turn, done in enumerate((0.4, 0.8, 1.0, 0.6)):
            found = env.step([0.0])
            expected = plain.step(np.array([done], dtype=np.float32))[0]
            np.testing.assert_allclose(found[0], expected, atol=1e-6)
            assert found[4]["adversary"].tolist() == [says[turn]]


def test_what_is_refused_changes_no_draws() -> None:
    env, other = (ours.ActionAdversary(make(), takes_over=True, share=0.5) for _ in range(2))
    for one in (env, other):
        one.reset(seed=0)
    for bad in ([np.nan], "x" * 10**6, None, [1.0, 2.0], {}):
        with pytest.raises(ValueError, match=r"action must be .* finite number") as caught:
            env.step(bad)
        assert len(str(caught.value)) < 300
    for _ in range(5):
        found, expected = env.step([0.1]), other.step([0.1])
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_array_equal(found[4]["adversary"], expected[4]["adversary"])


def test_it_takes_over_now_and_then() -> None:
    world, done = make(horizon=4000), []
    record = gym.wrappers.TransformAction(
        world, lambda action: done.append(float(action[0])) or [0.0], world.action_space
    )
    env = ours.ActionAdversary(record, lambda obs: [1.0], 0.3, takes_over=True)
    env.reset(seed=0)
    for _ in range(2000):
        env.step([-0.25])
    assert set(done) == {1.0, -0.25}
    assert 0.27 < np.mean(np.array(done) == 1.0) < 0.33


def test_what_does_not_fit_is_refused_in_words() -> None:
    with pytest.raises(TypeError, match=r"a world with push\(\)"):
        ours.PushAdversary(make())
    walker = make("Walker")
    for axes in ("", "xx", "w"):
        with pytest.raises(ValueError, match="axes must be some of"):
            ours.PushAdversary(walker, axes=axes)
    for name, value in {"strength": 1e4, "change": 0.0, "budget": 0.0}.items():
        with pytest.raises(ValueError, match=f"{name} must"):
            ours.PushAdversary(walker, **{name: value})
    for bad in ([2.0, 0.0], [np.nan, 0.0], [0.0], "hard", None):
        env = ours.PushAdversary(walker, lambda obs, bad=bad: bad)
        env.reset(seed=0)
        with pytest.raises(ValueError, match="the adversary's action must be in"):
            env.step(STILL)
    for seat in (ours.AdversaryGame, lambda env: ours.AdversarySeat(env, lambda obs: STILL)):
        with pytest.raises(TypeError, match="PushAdversary or ActionAdversary is needed"):
            seat(walker)
    game = ours.AdversaryGame(ours.PushAdversary(walker))
    game.reset(seed=0)
    with pytest.raises(ValueError, match="no action for player_1"):
        game.step({"player_0": STILL})


def game(name: str = "CartPole") -> ours.AdversaryGame:
    if name == "Walker":
        return ours.AdversaryGame(
            ours.PushAdversary(make("Walker", task="stand", horizon=30), strength=50.0)
        )
    layer = ours.ActionAdversary(make(task="balance", horizon=30), share=0.4)
    return ours.AdversaryGame(ours.NoisyObservation(layer, 0.1))


@pytest.mark.parametrize("name", ["CartPole", "Walker"])
def test_pettingzoo_checks_the_game(name: str) -> None:
    checked = game(name)
    start = checked.reset  # PettingZoo's test gives an option that no world knows
    checked.reset = lambda seed=None, options=None: start(seed)  # type: ignore[method-assign]
    parallel_api_test(checked, num_cycles=70)
    parallel_seed_test(lambda: game(name), num_cycles=20)


@pytest.mark.parametrize("name", ["CartPole", "Walker"])
def test_rewards_sum_to_zero_and_both_seats_act(name: str) -> None:
    env = game(name)
    layer = env._layer
    observations, _ = env.reset(seed=3)
    rng, won = np.random.default_rng(0), []
    while env.agents:
        actions = {
            seat: rng.uniform(-1, 1, env.action_space(seat).shape).astype(np.float32)
            for seat in env.agents
        }
        observations, rewards, _, _, infos = env.step(actions)
        won.append(rewards["player_0"])
        assert rewards["player_0"] == -rewards["player_1"]
        np.testing.assert_array_equal(infos["player_0"]["adversary"], actions["player_1"])
        np.testing.assert_array_equal(observations["player_1"], layer.adversary_observation)
    assert len(won) == 30 and len(set(won)) > (1 if name == "Walker" else 0)
    noisy = not np.array_equal(observations["player_0"], observations["player_1"])
    assert noisy == (name == "CartPole"), "noise is for the agent alone"


def test_a_game_has_exact_snapshots_and_copies() -> None:
    env = game("Walker")
    env.reset(seed=2)
    actions = {seat: np.full(env.action_space(seat).shape, 0.4, np.float32) for seat in env.agents}
    env.step(actions)
    state = env.get_state()
    expected = [env.step(actions)[0]["player_0"] for _ in range(5)]
    other = game("Walker")
    other.reset(seed=9)
    other.set_state(state)
    for obs in expected:
        np.testing.assert_array_equal(other.step(actions)[0]["player_0"], obs)
    other.set_state(state)
    bare = ours.AdversaryGame(ours.PushAdversary(make("Walker", task="stand").unwrapped))
    bare.reset(seed=2)
    bare.step(actions)
    copied = pickle.loads(pickle.dumps(bare))
    own, other_own = bare.step(actions)[0], copied.step(actions)[0]
    np.testing.assert_array_equal(own["player_0"], other_own["player_0"])


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")
def test_the_adversarys_seat_is_an_environment() -> None:
    def seat() -> ours.AdversarySeat:
        layer = ours.ActionAdversary(make(task="balance", horizon=20), share=0.4)
        return ours.AdversarySeat(
            ours.NoisyObservation(layer, 0.1), lambda obs: np.clip(obs[:1], -1, 1)
        )

    env = seat()
    check_env(env, skip_render_check=True)
    env.reset(seed=4)
    state = env.get_state()
    expected = [env.step([0.5])[:2] for _ in range(10)]
    assert all(reward <= 0 for _, reward in expected)
    other = seat()
    other.reset(seed=1)
    other.set_state(state)
    for obs, reward in expected:
        found = other.step([0.5])
        np.testing.assert_array_equal(found[0], obs)
        assert found[1] == reward


def with_and_without(
    env: Any, steps: int, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, list[Any]]:
    """Observations with an adversary and without one, and the adversary's actions."""
    plain = make()
    obs, info = env.reset(seed=seed)
    shown, true, acts = [obs], [plain.reset(seed=seed)[0]], [info["adversary"]]
    for _ in range(steps):
        obs, *_, info = env.step([0.3])
        shown.append(obs)
        acts.append(info["adversary"])
        true.append(plain.step([0.3])[0])
    return np.array(shown), np.array(true), acts


def test_an_adversary_in_the_sensors_leaves_the_world_alone() -> None:
    queries = []

    def shift(obs: np.ndarray) -> np.ndarray:
        queries.append(obs.copy())
        obs[:] = 9.0  # what it is shown is its own
        return np.array([1.0, -1.0, 0.0, 0.5, 1.0])

    size = [0.5, 0.2, 3.0, 1.0, 0.0]
    shown, true, acts = with_and_without(ours.ObservationAdversary(make(), shift, size), 5)
    np.testing.assert_array_equal(queries, true)
    np.testing.assert_allclose(shown - true, np.tile([0.5, -0.2, 0.0, 0.5, 0.0], (6, 1)), atol=1e-6)
    assert [act.tolist() for act in acts] == [[1.0, -1.0, 0.0, 0.5, 1.0]] * 6
    noise, true, acts = with_and_without(ours.ObservationAdversary(make(), epsilon=0.1), 190)
    other, *_ = with_and_without(ours.ObservationAdversary(make(), epsilon=0.1), 190)
    np.testing.assert_array_equal(noise, other)
    np.testing.assert_allclose(noise - true, 0.1 * np.array(acts), atol=1e-6)
    assert np.abs(np.mean(acts)) < 0.06 and 0.5 < np.std(acts) < 0.65


def test_an_adversary_in_the_sensors_changes_no_faster_than_it_may() -> None:
    says = iter([1.0, 1.0, 1.0, -1.0])
    env = ours.ObservationAdversary(make(), lambda obs: [next(says)] * 5, 1.0, change=0.4)
    acts = with_and_without(env, 3)[2]
    np.testing.assert_allclose(np.array(acts)[:, 0], [0.4, 0.8, 1.0, 0.6], rtol=1e-6)
    env.adversary = lambda obs: [0.1] * 5
    np.testing.assert_allclose(env.reset()[1]["adversary"], 0.1, err_msg="a new episode")


def test_no_such_sensors_are_refused() -> None:
    for bad in ([2.0] * 5, [np.nan] * 5, [0.0], "hard", None):
        with pytest.raises(ValueError, match="ObservationAdversary: the adversary's action"):
            ours.ObservationAdversary(make(), lambda obs, bad=bad: bad).reset(seed=0)
    with pytest.raises(TypeError, match="needs vectors"):
        ours.ObservationAdversary(make("FourRooms", view="text"))


def test_an_adversary_sees_pictures_beside_states() -> None:
    view = ours.ImageView(
        make("CartPole", task="balance", render_mode="rgb_array"), 16, beside=True
    )
    queries: list[Any] = []
    layer = ours.ActionAdversary(view, lambda obs: queries.append(obs) or [0.0])
    game = ours.AdversaryGame(layer)
    observations, _ = game.reset(seed=0)
    assert set(observations["player_1"]) == {"image", "state"}
    layer.step([0.0])
    np.testing.assert_array_equal(queries[0]["state"], observations["player_0"]["state"])
    seat = ours.AdversarySeat(layer, lambda obs: 0.0 * obs["state"][:1])
    seat.reset(seed=0)
    assert seat.step([1.0])[1] == -1.0


def test_a_game_that_is_over_is_not_played_on() -> None:
    env = ours.AdversaryGame(ours.ActionAdversary(make(task="balance", horizon=1)))
    both = {"player_0": [0.0], "player_1": [0.0]}
    with pytest.raises(RuntimeError, match=r"no episode, call reset\(\)"):
        env.step(both)
    env.reset(seed=0)
    env.step(both)
    for actions in (both, {}):
        with pytest.raises(RuntimeError, match=r"no episode, call reset\(\)"):
            env.step(actions)
