"""Costs, events and velocities are measured of what the world shows, or they are refused."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers as theirs

import zerogym  # noqa: F401 (registers the ids)
from zerogym import wrappers as ours
from zerogym.envs.control.temporal.reward_machines import in_order


class One(gym.Env[Any, Any]):
    """A world of one number in [-1, 1]."""

    observation_space = action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)


class Turned(gym.Wrapper[Any, Any, Any, Any]):
    """Somebody's wrapper, with other columns."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        space = env.observation_space
        self.observation_space = gym.spaces.Box(space.low[::-1], space.high[::-1])


CHANGING: list[Any] = [
    ours.FlickeringObservation,
    ours.MissingSensors,
    ours.NoisyObservation,
    ours.HiddenColumns,
    lambda env: ours.NoisyObservation(env, 0.0),
    lambda env: ours.ObservationAdversary(env, epsilon=0.1),
    lambda env: ours.ObservationDelay(env, 1),
    lambda env: ours.RandomProjection(env, 5),
    Turned,
    lambda env: theirs.DelayObservation(env, 1),
    lambda env: theirs.TransformObservation(env, lambda obs: -obs, None),
    lambda env: theirs.MaxAndSkipObservation(env, 2),
    lambda env: theirs.RescaleObservation(env, np.float32(-1), np.float32(1)),
    lambda env: theirs.FlattenObservation(ours.ObservationHistory(env, 2)),
]
KEEPING: list[Any] = [
    ours.ContextVisibility,
    lambda env: ours.ActionDelay(env, 1, show=True),
    lambda env: ours.JumpStart(env, (2, 2), lambda obs: [1.0]),
    lambda env: ours.CostBudget(env, 9.0, lambda features, action: features["speed"] ** 2),
    lambda env: theirs.TimeLimit(env, 5),
    lambda env: ours.RewardMachineWrapper(env, in_order("left"), {"left": left}),
]


def left(features: Any, action: Any) -> Any:
    return features["position"] < 0


def position(features: Any, action: Any) -> Any:
    """A cost that is wrong if columns are: of the true place."""
    return features["position"] ** 2


def make(**kwargs: Any) -> Any:
    return gym.make("zerogym/CartPole-v0", task="balance", **kwargs)


@pytest.mark.parametrize("change", CHANGING)
def test_what_is_measured_of_changed_observations_would_be_wrong(change: Any) -> None:
    def whole(obs: Any, action: Any, after: Any) -> Any:
        return abs(after[:, 0])

    changed = change(make())
    why = "CostBudget measures what the world shows, and"
    if isinstance(changed, theirs.MaxAndSkipObservation):  # its hidden costs are reported first
        why = "CostBudget: of the steps that MaxAndSkipObservation makes at once"
    for cost in (position, whole):
        with pytest.raises(TypeError, match=why):
            ours.CostBudget(changed, 1.0, cost)
    with pytest.raises(TypeError, match="RewardMachineWrapper measures what the world shows, and"):
        ours.RewardMachineWrapper(change(make()), in_order("left"), {"left": left})
    with pytest.raises(TypeError, match="HiddenColumns measures what the world shows, and"):
        ours.HiddenColumns(change(make()))
    ours.HiddenColumns(change(make()), columns=[0])
    inside = change(ours.CostBudget(make(), 1.0, position))
    inside.reset(seed=0)
    assert inside.step([1.0])[4]["cost"] > 0


def test_a_picture_made_flat_is_nothing_to_measure() -> None:
    rooms = theirs.FlattenObservation(gym.make("zerogym/TwoRooms-v0", task=None, view="image"))
    with pytest.raises(TypeError, match="CostBudget needs vectors as observations"):
        ours.CostBudget(rooms, 1.0, lambda features, action: features["x"])
    view = ours.ImageView(make(render_mode="rgb_array"), 16, beside=True)
    flat = theirs.FlattenObservation(view)
    with pytest.raises(TypeError, match="FlattenObservation changes that"):
        ours.CostBudget(flat, 1.0, position)


def test_a_disguise_of_the_same_space_is_one() -> None:
    with pytest.raises(TypeError, match="RandomProjection changes that"):
        ours.CostBudget(
            ours.RandomProjection(One(), 1), 1.0, lambda obs, action, after: after[:, 0]
        )


@pytest.mark.parametrize("keep", KEEPING)
def test_columns_that_join_at_the_end_change_nothing(keep: Any) -> None:
    shapes = []

    def measured(obs: Any, action: Any, after: Any) -> Any:
        shapes.append((obs.shape, after.shape))
        return after[:, 0] ** 2

    env = ours.CostBudget(keep(make()), 9.0, measured)
    ends = ours.RewardMachineWrapper(keep(make()), in_order("left"), {"left": left})
    for outer in (env, ends):
        outer.reset(seed=1)
    for _ in range(3):
        obs, *_, info = env.step([1.0])
        assert info["cost"] == pytest.approx(float(obs[0]) ** 2)
        obs, _, terminated, *_ = ends.step([-1.0])
        assert terminated == (obs[0] < 0)
        if terminated:
            break
    assert set(shapes) == {((1, 5), (1, 5))}
    watched = ours.RewardMachineWrapper(
        keep(make()), in_order("any"), {"any": lambda *all: measured(*all) < 0}
    )
    watched.reset(seed=0)
    watched.step([1.0])
    assert set(shapes) == {((1, 5), (1, 5))}


def test_costs_inside_and_the_budget_outside_of_sensors_that_fail() -> None:
    costs = ours.CostBudget(make(), 1e6, position)
    env = ours.CostBudget(ours.FlickeringObservation(costs, 1.0), 2.0)
    env.reset(seed=0)
    obs, *_, info = env.step([1.0])
    assert not obs[:-1].any() and info["cost"] > 0
    assert obs[-1] == pytest.approx(1 - info["cost"] / 2.0)


def test_a_budget_is_not_overspent_by_rounding() -> None:
    env = ours.CostBudget(make(), 0.3, lambda obs, action, after: np.full(1, 0.1))
    env.reset(seed=0)
    rows = [env.step([0.0]) for _ in range(4)]
    assert [row[4]["unsafe"] for row in rows] == [False, False, False, True]
    assert [row[1] for row in rows] == [1.0, 1.0, 1.0, 0.0]
    assert rows[2][0][-1] == pytest.approx(0.0, abs=1e-6)
