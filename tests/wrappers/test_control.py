"""Properties of every wrapper of a control world: seeds, snapshots, copies, specs, any order."""

import itertools
import pickle
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers as theirs
from gymnasium.envs.registration import EnvSpec, load_env_creator
from gymnasium.utils.env_checker import check_env

import zerogym  # noqa: F401 (registers the ids)
from helpers.episodes import installed
from zerogym import wrappers as ours
from zerogym.envs.registry import TASKS

Wrap = Callable[[Any], Any]
POLE = {"start": [0.0, 1.0, 0.0, 0.0, 0.0]}
BENT = [0.0, 0.995004, 0.0998334, 0.0, 0.0]


def idle_guide(obs: Any) -> Any:
    """A guide that does nothing."""
    return np.zeros(1, dtype=np.float32)


def towards_upright(obs: Any) -> Any:
    """An adversary in the motors."""
    return [np.tanh(obs[0])]


def distance(obs: Any, action: Any, next_obs: Any) -> Any:
    """A cost."""
    return abs(next_obs[:, 0])


WRAPPERS: dict[str, tuple[str, Wrap]] = {
    "action delay": ("CartPole", lambda env: ours.ActionDelay(env, (0, 3), show=True)),
    "observation delay": ("CartPole", lambda env: ours.ObservationDelay(env, (0, 3))),
    "dynamics": ("Pendulum", lambda env: ours.ChangedDynamics(env, [0.5, 1.0, 1.5])),
    "takes over": ("CartPole", lambda env: ours.ActionAdversary(env, share=0.5, takes_over=True)),
    "sensors": ("Walker", lambda env: ours.ObservationAdversary(env, epsilon=0.2, change=0.5)),
    "push": ("Walker", lambda env: ours.PushAdversary(env, strength=40.0, change=0.5, budget=9.0)),
    "curriculum": (
        "CartPole",
        lambda env: ours.JumpStartCurriculum(env, [3, 0], 1.0, 1, idle_guide),
    ),
    "prefix": (
        "CartPole",
        lambda env: ours.PrefixStart(env, [{"options": POLE, "actions": [[1]] * 9}]),
    ),
    "start": ("CartPole", lambda env: ours.SnapshotStart(env, [POLE["start"], BENT], 0.7)),
    "image": ("Pendulum", lambda env: ours.ImageView(env, 16, beside=True)),
    "history": ("CartPole", lambda env: ours.ObservationHistory(env, 4)),
    "projection": ("Walker", lambda env: ours.RandomProjection(env, 30, actions=9)),
    "grey image": ("Walker", lambda env: ours.ImageView(env, 16, grayscale=True)),
    "sampler": ("CartPole", ours.ContextSampler),
    "sampler and visibility": (
        "Pendulum",
        lambda env: ours.ContextVisibility(ours.ContextSampler(env)),
    ),
    "visibility": ("Acrobot", ours.ContextVisibility),
    "budget": ("CartPole", lambda env: ours.CostBudget(env, 5.0, distance)),
    "adversary": ("CartPole", lambda env: ours.ActionAdversary(env, towards_upright, 0.3)),
    "jump start": ("MountainCar", lambda env: ours.JumpStart(env, (0, 6), idle_guide)),
    "flickering": ("Pendulum", ours.FlickeringObservation),
    "missing": ("Acrobot", ours.MissingSensors),
    "noisy": ("CartPole", ours.NoisyObservation),
    "hidden": ("MountainCar", ours.HiddenColumns),
}
WITH_FUNCTIONS = ("curriculum", "budget", "adversary", "jump start")  # which are no JSON
each = pytest.mark.parametrize(("name", "wrap"), list(WRAPPERS.values()), ids=list(WRAPPERS))


def make(name: str, **kwargs: Any) -> Any:
    tasks = {"CartPole": "balance", "Pendulum": "upright", "Walker": "stand"}
    task = (tasks | {"MountainCar": "flag", "Acrobot": "swing_up"})[name]
    return gym.make(f"zerogym/{name}-v0", task=task, render_mode="rgb_array", **kwargs)


def flat(obs: Any) -> np.ndarray:
    parts = [obs[key] for key in sorted(obs)] if isinstance(obs, dict) else [obs]
    return np.concatenate([np.ravel(part).astype(np.float64) for part in parts])


def trace(env: Any, steps: int, seed: int | None = None, start: bool = True) -> list[Any]:
    """Observations, rewards and infos; the same actions whenever it is called."""
    rng, rows = np.random.default_rng(0), []
    if start:
        obs, info = env.reset(seed=seed)
        rows.append([flat(obs).tolist(), str(info)])
    for _ in range(steps):
        action = rng.uniform(-1, 1, env.action_space.shape).astype(np.float32)
        obs, reward, terminated, truncated, info = env.step(action)
        rows.append([flat(obs).tolist(), float(reward), terminated, truncated, str(info)])
    return rows


@each
@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")
def test_it_is_an_environment_from_its_seed(name: str, wrap: Wrap) -> None:
    env = wrap(make(name))
    check_env(env, skip_render_check=True)
    first = trace(env, 12, 3)
    assert trace(wrap(make(name)), 12, 3) == first
    assert any(trace(env, 12, seed) != first for seed in range(4, 7))
    copied = pickle.loads(pickle.dumps(wrap(make(name).unwrapped)))
    assert trace(copied, 12, 3) == trace(wrap(make(name).unwrapped), 12, 3)


@each
def test_snapshots_are_exact(name: str, wrap: Wrap) -> None:
    env = wrap(make(name))
    trace(env, 4, 3)
    state = ours.get_state(env)
    expected = [*trace(env, 8, start=False), *trace(env, 8)]
    for other in (env, wrap(make(name))):
        other.reset(seed=99)
        ours.set_state(other, state)
        assert [*trace(other, 8, start=False), *trace(other, 8)] == expected
        ours.set_state(other, state)
        assert trace(other, 8, start=False) == expected[:8], "a second time, too"


@pytest.mark.parametrize("kind", WRAPPERS)
def test_a_spec_rebuilds_it(kind: str) -> None:
    name, wrap = WRAPPERS[kind]
    env = wrap(make(name))
    assert env.spec is not None
    spec = env.spec
    if kind not in WITH_FUNCTIONS:
        spec = EnvSpec.from_json(spec.to_json())
    assert trace(gym.make(spec), 6, 5) == trace(wrap(make(name)), 6, 5)


@each
def test_the_worlds_information_is_kept(name: str, wrap: Wrap) -> None:
    env = wrap(make(name))
    assert {"turn", "category"} <= set(env.reset(seed=0)[1])
    action = np.zeros(env.action_space.shape, dtype=np.float32)
    assert {"turn", "category"} <= set(env.step(action)[4])


def row(batch: Any, index: int) -> Any:
    """One observation of a batch."""
    if isinstance(batch, dict):
        return {key: value[index] for key, value in batch.items()}
    return batch[index]


@each
def test_vector_environments_return_what_single_ones_do(name: str, wrap: Wrap) -> None:
    def one() -> Any:
        return wrap(make(name))

    envs = gym.vector.SyncVectorEnv([one, one])
    singles = [one(), one()]
    batch, _ = envs.reset(seed=7)
    alone = [single.reset(seed=7 + index)[0] for index, single in enumerate(singles)]
    for _ in range(4):
        for index in range(2):
            np.testing.assert_array_equal(flat(row(batch, index)), flat(alone[index]))
        actions = np.full(envs.action_space.shape, 0.3, dtype=np.float32)
        batch = envs.step(actions)[0]
        alone = [single.step(actions[index])[0] for index, single in enumerate(singles)]


BUDGET = partial(ours.CostBudget, budget=5.0, cost=distance)
LAYERS: tuple[Wrap, ...] = (
    lambda env: ours.ChangedDynamics(env, [0.5, 1.5]),
    lambda env: ours.ActionDelay(env, (0, 2)),
    lambda env: ours.ObservationDelay(env, (0, 2)),
    lambda env: ours.NoisyObservation(env, 0.1),
    lambda env: ours.ActionAdversary(env, share=0.3),
    lambda env: ours.SnapshotStart(env, [[1.0, 0.0, 0.5]], 0.5),
    lambda env: ours.JumpStart(env, (0, 3), lambda obs: [0.5]),
    ours.FlickeringObservation,
    ours.MissingSensors,
    ours.ContextVisibility,
    lambda env: ours.ObservationAdversary(env, epsilon=0.1, change=0.5),
    BUDGET,
    lambda env: theirs.StickyAction(env, 0.3),
    lambda env: theirs.DelayObservation(env, 1),
)


def five(seed: int) -> list[Wrap]:
    """Five different layers, of which some may be Gymnasium's; costs are measured in the world."""
    order = np.random.default_rng(seed).permutation(len(LAYERS))[:5]
    return sorted((LAYERS[index] for index in order), key=lambda layer: layer is not BUDGET)


def stacked(layers: list[Wrap]) -> Any:
    env = make("Pendulum")
    for layer in layers:
        env = layer(env)
    return env


@pytest.mark.parametrize("seed", range(12))
def test_five_in_any_order_are_one_environment(seed: int) -> None:
    layers = five(seed)
    env = stacked(layers)
    first = trace(env, 10, 3)
    assert trace(stacked(layers), 10, 3) == first, "from its seed"
    for obs in (env.reset(seed=1)[0], env.step([0.1])[0]):
        assert env.observation_space.contains(obs)
    state = ours.get_state(env)
    expected = [*trace(env, 8, start=False), *trace(env, 5)]
    for other in (env, stacked(layers)):
        other.reset(seed=99)
        ours.set_state(other, state)
        assert [*trace(other, 8, start=False), *trace(other, 5)] == expected, "from its snapshot"


def test_wrappers_that_only_watch_change_no_draws() -> None:
    def draws(env: Any) -> list[Any]:
        return trace(ours.NoisyObservation(ours.FlickeringObservation(env), 0.1), 8, 3)

    first = draws(make("Pendulum"))
    assert draws(make("Pendulum", disable_env_checker=True)) == first
    assert draws(make("Pendulum").unwrapped) == first
    assert draws(theirs.RecordEpisodeStatistics(make("Pendulum"))) == first
    assert draws(ours.FlickeringObservation(make("Pendulum"), 0.0)) != first, "that one draws"
    two = ours.NoisyObservation(ours.NoisyObservation(make("Pendulum"), 0.1), 0.1)
    one = ours.NoisyObservation(make("Pendulum"), 0.2)
    assert not np.allclose(two.reset(seed=0)[0], one.reset(seed=0)[0]), "each draws its own"


def test_snapshots_of_nothing_and_of_something_else_are_refused() -> None:
    with pytest.raises(TypeError, match=r"CartPole.* has no get_state\(\)"):
        ours.get_state(gym.make("CartPole-v1"))
    env = theirs.DelayObservation(make("Pendulum"), 1)
    env.reset(seed=0)
    inner = ours.get_state(env.unwrapped)
    with pytest.raises(TypeError, match="another stack of wrappers"):
        ours.set_state(env, inner)
    env.pipe = (number for number in itertools.count())  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="DelayObservation cannot be part of a snapshot"):
        ours.get_state(env)


def test_velocities_can_be_hidden_wherever_a_world_names_them() -> None:
    hidden = []
    for task in filter(installed, TASKS):
        if task.family != "control":
            continue
        if not hasattr(load_env_creator(task.entry_point), "velocities"):
            continue
        env = gym.make(task.id)
        columns = env.unwrapped.velocities  # type: ignore[attr-defined]
        hidden.append(task.name)
        whole, _ = env.reset(seed=0)
        observed, _ = ours.HiddenColumns(env).reset(seed=0)
        np.testing.assert_array_equal(observed, np.delete(whole, list(columns)))
    assert {"CartPole", "Pendulum", "Acrobot", "MountainCar"} <= set(hidden)
