"""Delays, histories, projections, and physics changed by a factor, step by step."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.wrappers import DelayObservation

import zerogym  # noqa: F401 (registers the ids)
from zerogym import wrappers as ours
from zerogym.errors import UnknownName


def make(name: str = "PointMaze", **kwargs: Any) -> Any:
    return gym.make(f"zerogym/{name}-v0", **kwargs)


def sent(count: int) -> np.ndarray:
    """Actions that differ from each other; (count, 2)."""
    return np.random.default_rng(0).uniform(-1, 1, (count, 2)).astype(np.float32)


def done(env: Any, actions: np.ndarray, seed: int = 0) -> np.ndarray:
    env.reset(seed=seed)
    return np.array([env.step(action)[4]["done_action"] for action in actions])


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_actions_are_done_later(delay: int) -> None:
    actions = sent(12)
    found = done(ours.ActionDelay(make(), delay), actions)
    np.testing.assert_array_equal(found[delay:], actions[: 12 - delay])
    assert not found[:delay].any(), "nothing, meanwhile"
    late, plain = ours.ActionDelay(make(), delay), make()
    late.reset(seed=4)
    plain.reset(seed=4)
    for action, real in zip(actions, found, strict=True):
        np.testing.assert_array_equal(late.step(action)[0], plain.step(real)[0])


def test_of_random_delays_the_latest_action_that_has_arrived_counts() -> None:
    actions, env = sent(2000), ours.ActionDelay(make(horizon=2000), (1, 3))
    found = done(env, actions)
    places = [np.flatnonzero((actions == one).all(axis=1)) for one in found]
    ages = np.array([turn - at[0] if len(at) else 99 for turn, at in enumerate(places)])
    assert set(ages[3:]) == {1, 2, 3}
    assert (np.diff(np.arange(2000) - ages)[3:] >= 0).all(), "never an older one after a newer"
    # By counting: 1 step old with chance 1/3, else 2 if that one took 1 or 2 of 3 possible steps.
    shares = [(ages[3:] == age).mean() for age in (1, 2, 3)]
    np.testing.assert_allclose(shares, [1 / 3, 2 / 3 * 2 / 3, 2 / 9], atol=0.04)
    np.testing.assert_array_equal(
        done(ours.ActionDelay(make(horizon=2000), (1, 3)), actions), found
    )


def test_the_actions_on_their_way_can_be_observed() -> None:
    actions, env = sent(6), ours.ActionDelay(make(), 2, show=True)
    assert env.reset(seed=0)[0][2:].tolist() == [0.0] * 4
    for turn, action in enumerate(actions):
        obs = env.step(3.0 * action if turn == 5 else action)[0]
        assert env.observation_space.contains(obs)
        before = actions[turn - 1] if turn else np.zeros(2)
        last = np.clip(3.0 * action, -1, 1) if turn == 5 else action
        np.testing.assert_array_equal(obs[2:], np.concatenate([before, last]))


def test_discrete_actions_have_an_idle_one() -> None:
    env = ours.ActionDelay(make("FourRooms"), 2, idle=0)
    env.reset(seed=0)
    assert [env.step(action)[4]["done_action"] for action in (1, 2, 3, 4)] == [0, 0, 1, 2]
    with pytest.raises(TypeError, match="give the one that is `idle`"):
        ours.ActionDelay(make("FourRooms"), 1)


@pytest.mark.parametrize("steps", [0, 2, (0, 3)])
def test_observations_arrive_later(steps: Any) -> None:
    late, plain, exact, ages = (
        ours.ObservationDelay(make(horizon=500), steps),
        make(horizon=500),
        [],
        [],
    )
    obs, info = late.reset(seed=1)
    exact.append(plain.reset(seed=1)[0])
    np.testing.assert_array_equal(obs, exact[0])
    for turn, action in enumerate(sent(400), start=1):
        obs, *_, info = late.step(action)
        exact.append(plain.step(action)[0])
        ages.append(info["age"])
        np.testing.assert_array_equal(obs, exact[turn - info["age"]])
    shown = np.arange(1, 401) - ages
    assert (np.diff(shown) >= 0).all()
    least, most = (steps, steps) if isinstance(steps, int) else steps
    assert set(ages[most:]) == set(range(least, most + 1))


def test_a_fixed_delay_is_gymnasiums_but_for_the_first_steps() -> None:
    late, theirs = ours.ObservationDelay(make(), 3), DelayObservation(make(), 3)
    late.reset(seed=2)
    theirs.reset(seed=2)
    rows = [(late.step(action)[0], theirs.step(action)[0]) for action in sent(10)]
    for one, other in rows[2:]:
        np.testing.assert_array_equal(one, other)
    assert not rows[0][1].any() and rows[0][0].any()


def test_what_an_agent_does_with_an_observation_does_not_change_later_ones() -> None:
    one, other = (ours.ObservationDelay(make(), 2) for _ in range(2))
    one.reset(seed=0)
    other.reset(seed=0)
    for action in sent(6):
        spoilt, kept = one.step(action)[0], other.step(action)[0].copy()
        np.testing.assert_array_equal(spoilt, kept)
        spoilt += 9.0


def test_nonsense_is_refused_when_it_is_sent() -> None:
    env = ours.ActionDelay(make(), 2)
    env.reset(seed=0)
    for bad in ([np.nan, 0.0], [1.0], "left", None):
        with pytest.raises(ValueError, match="ActionDelay: action must be in"):
            env.step(bad)
    for steps in (-1, (2, 1), (1,), 1.5, True, (0.5, 1), None):
        for wrap in (ours.ActionDelay, ours.ObservationDelay):
            with pytest.raises(ValueError, match=r"steps must be (a whole number|\(least)"):
                wrap(make(), steps)
    with pytest.raises(ValueError, match="idle must be in"):
        ours.ActionDelay(make(), 1, idle=[0.0])
    with pytest.raises(TypeError, match="shows actions that are vectors"):
        ours.ActionDelay(make("FourRooms"), 1, idle=0, show=True)


def test_masses_and_dampings_are_changed_by_a_factor() -> None:
    env = ours.ChangedDynamics(make("Reacher"), [0.5, 1.5])
    drawn = set()
    for seed in range(20):
        _, info = env.reset(seed=seed)
        factor = info["factor"]
        drawn.add(factor)
        assert info["context"] == {"mass": factor, "gain": 1.0, "damping": factor} | {
            name: 1.0 for name in info["context"] if name not in ("mass", "gain", "damping")
        }
    assert drawn == {0.5, 1.5}
    masses = [
        float(one.unwrapped.model.body_mass[1])
        for one in (ours.ChangedDynamics(make("Reacher"), [factor]) for factor in (1.0, 2.0))
        if one.reset(seed=0)
    ]
    assert masses[1] == pytest.approx(2 * masses[0])


def test_a_factor_is_of_the_default() -> None:
    env = ours.ChangedDynamics(make("CartPole"), [2.0], ["pole_mass", "force"])
    context = env.reset(seed=0)[1]["context"]
    defaults = {name: constant.default for name, constant in env.unwrapped.constants.items()}
    assert defaults["pole_mass"] == 0.1 and context["pole_mass"] == 0.2
    assert context == defaults | {name: 2 * defaults[name] for name in ("pole_mass", "force")}


def test_the_start_of_a_seed_does_not_depend_on_the_factor() -> None:
    light, heavy = (ours.ChangedDynamics(make("Pendulum"), [factor]) for factor in (0.5, 1.5))
    np.testing.assert_array_equal(light.reset(seed=5)[0], heavy.reset(seed=5)[0])
    np.testing.assert_array_equal(light.reset(seed=5)[0], make("Pendulum").reset(seed=5)[0])
    assert not np.array_equal(light.step([1.0])[0], heavy.step([1.0])[0])
    pinned = heavy.reset(seed=0, options={"context": {"gravity": 5.0, "mass": 1.0}})[1]["context"]
    assert (pinned["gravity"], pinned["mass"]) == (5.0, 1.0)


def test_a_change_that_cannot_be_is_refused_in_words() -> None:
    with pytest.raises(TypeError, match="needs a world with `constants`"):
        ours.ChangedDynamics(make(), [0.5])
    with pytest.raises(UnknownName, match=r"'masss'\. Did you mean 'mass'"):
        ours.ChangedDynamics(make("Pendulum"), [0.5], ["masss"])
    with pytest.raises(ValueError, match=r"mass .* must lie in .* got 50"):
        ours.ChangedDynamics(make("Pendulum"), [1.0, 50.0], ["mass"])
    for factors, constants in (([], None), ([0.5], [])):
        with pytest.raises(ValueError, match="nothing to change by factors"):
            ours.ChangedDynamics(make("Pendulum"), factors, constants)
    with pytest.raises(TypeError, match=r"factors must be a list, got 0\.5"):
        ours.ChangedDynamics(make("Pendulum"), 0.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"the world has .*pole_mass"):
        ours.ChangedDynamics(make("CartPole"), [0.5])


def test_a_changed_physics_can_be_observed_and_fought() -> None:
    env = ours.ActionAdversary(
        ours.ContextVisibility(ours.ChangedDynamics(make("Pendulum"), [2.0]), ["mass"])
    )
    obs, info = env.reset(seed=0)
    mass = env.unwrapped.constants["mass"]
    share = 2 * (info["context"]["mass"] - mass.low) / (mass.high - mass.low) - 1
    assert obs[-1] == pytest.approx(share, abs=1e-6)


def test_observations_and_actions_are_linear_images() -> None:
    env, plain = ours.RandomProjection(make("Reacher"), 12, 5), make("Reacher")
    obs, _ = env.reset(seed=1)
    observed, done = env._memory["seen"], env._memory["done"]
    np.testing.assert_allclose(np.linalg.norm(observed, axis=1), 1.0)
    np.testing.assert_allclose(obs, observed @ plain.reset(seed=1)[0], rtol=1e-5, atol=1e-6)
    for action in np.random.default_rng(0).uniform(-1, 1, (5, 5)):
        obs = env.step(action)[0]
        motors = np.clip(done @ action, -1, 1).astype(np.float32)
        np.testing.assert_allclose(obs, observed @ plain.step(motors)[0], rtol=1e-5, atol=1e-6)
    assert np.linalg.matrix_rank(observed) == min(observed.shape), "nothing is lost"


def test_a_projection_lasts_an_episode_or_longer() -> None:
    changing, lasting = (
        ours.RandomProjection(make("Pendulum"), 4, every_episode=flag) for flag in (True, False)
    )
    for env, kept in ((changing, False), (lasting, True)):
        env.reset(seed=1)
        first = env._memory["seen"]
        env.reset()
        assert np.array_equal(env._memory["seen"], first) == kept
        assert env.action_space is env.env.action_space
        env.reset(seed=2)
        assert not np.array_equal(env._memory["seen"], first)
    for sizes in ((0, None), (3, 0), (2.5, None), (True, None)):
        with pytest.raises(ValueError, match=r"(ob|ac).*ions must be a whole number in \[1, "):
            ours.RandomProjection(make("Pendulum"), *sizes)
    with pytest.raises(TypeError, match="needs vectors as actions"):
        ours.RandomProjection(make("FourRooms"), 5, 2)
    env = ours.RandomProjection(make("Pendulum"), 4, 2)
    env.reset(seed=0)
    for bad in ([np.nan, 0.0], [0.0], "left"):
        with pytest.raises(ValueError, match="RandomProjection: action must be in"):
            env.step(bad)


def test_a_history_has_observations_and_actions() -> None:
    env, plain, actions = ours.ObservationHistory(make(), 3), make(), sent(6)
    first, _ = plain.reset(seed=0)
    observed, done = [first] * 3, [np.zeros(2)] * 3
    np.testing.assert_array_equal(env.reset(seed=0)[0], np.hstack([observed, done]))
    for action in 2 * actions:
        observed, done = [*observed, plain.step(action)[0]], [*done, np.clip(action, -1, 1)]
        obs = env.step(action)[0]
        np.testing.assert_array_equal(obs, np.hstack([observed[-3:], done[-3:]]).astype(np.float32))
        assert env.observation_space.contains(obs)
        obs[:] = 9.0  # what an agent does with it does not come back
    rooms = ours.ObservationHistory(make("FourRooms"), 2)
    rooms.reset(seed=0)
    assert rooms.step(3)[0][:, -5:].tolist() == [[0.0] * 5, [0.0, 0.0, 0.0, 1.0, 0.0]]
    for length in (0, -1, 2.0, True):
        with pytest.raises(ValueError, match=r"length must be a whole number in \[1, 10000\]"):
            ours.ObservationHistory(make(), length)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="needs vectors as observations"):
        ours.ObservationHistory(gym.make("zerogym/FourRooms-v0", task=None, view="text"))
