"""Wrong arguments of wrappers of control worlds are refused at once, by their names."""

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym import wrappers as ours

Make = Callable[[Any, Any], Any]
WALK = [{"actions": [[1.0]]}]
NOWHERE = (np.nan, -1, "\u2603", "0.5", b"1", True, 10**5000, {}, object(), np.array([np.nan]))
NUMBERS: dict[str, Make] = {
    "ActionAdversary: share": lambda env, bad: ours.ActionAdversary(env, share=bad),
    "ActionAdversary: change": lambda env, bad: ours.ActionAdversary(env, change=bad or -1),
    "ActionDelay: steps": ours.ActionDelay,
    "ActionDelay: idle": lambda env, bad: ours.ActionDelay(env, 1, idle=[bad, bad]),
    "ObservationDelay: steps": ours.ObservationDelay,
    "JumpStart: steps": lambda env, bad: ours.JumpStart(env, (0, bad)),
    "JumpStartCurriculum: stages": lambda env, bad: ours.JumpStartCurriculum(env, [bad], 1.0),
    "JumpStartCurriculum: window": lambda env, bad: ours.JumpStartCurriculum(env, [0], 1.0, bad),
    "SnapshotStart: probability": lambda env, bad: ours.SnapshotStart(env, [], bad),
    "PrefixStart: share": lambda env, bad: ours.PrefixStart(env, WALK, (bad, 1.0)),
    "PrefixStart: rate": lambda env, bad: ours.PrefixStart(env, WALK, rate=bad),
    "ObservationHistory: length": ours.ObservationHistory,
    "RandomProjection: observations": ours.RandomProjection,
    "RandomProjection: actions": lambda env, bad: ours.RandomProjection(
        env, 3, 0 if bad is None else bad
    ),
    "ImageView: size": ours.ImageView,
    "CostBudget: budget": ours.CostBudget,
    "FlickeringObservation: probability": ours.FlickeringObservation,
    "MissingSensors: probability": ours.MissingSensors,
    "NoisyObservation: deviation": ours.NoisyObservation,
    "ObservationAdversary: epsilon": lambda env, bad: ours.ObservationAdversary(env, epsilon=bad),
    "ObservationAdversary: change": lambda env, bad: ours.ObservationAdversary(
        env, change=bad or -1
    ),
}
OTHERS: dict[str, Make] = {
    "JumpStartCurriculum: threshold": lambda env, bad: ours.JumpStartCurriculum(env, [0], bad),
    "CostBudget: unsafe_reward": lambda env, bad: ours.CostBudget(env, 1.0, unsafe_reward=bad),
    "ChangedDynamics: a factor": lambda env, bad: ours.ChangedDynamics(env, [bad], ["gravity"]),
    "ChangedDynamics: factors": lambda env, bad: ours.ChangedDynamics(env, bad, ["gravity"]),
    "ChangedDynamics: constants": lambda env, bad: ours.ChangedDynamics(
        env, [1.0], bad or "gravity"
    ),
    "ContextSampler: vary": lambda env, bad: ours.ContextSampler(env, vary=bad or "gravity"),
    "ContextVisibility: visible": lambda env, bad: ours.ContextVisibility(env, bad or "gravity"),
    "HiddenColumns: columns": lambda env, bad: ours.HiddenColumns(env, bad or "0"),
    "PrefixStart: demonstrations": ours.PrefixStart,
    "PrefixStart: actions": lambda env, bad: ours.PrefixStart(env, [{"actions": bad}]),
    "PrefixStart: a demonstration": lambda env, bad: ours.PrefixStart(env, [bad]),
    "SnapshotStart: starts": ours.SnapshotStart,
    "JumpStart: guide": lambda env, bad: ours.JumpStart(env, (0, 1), bad or "oracle"),
    "ActionAdversary: adversary": lambda env, bad: ours.ActionAdversary(env, bad or "worst"),
    "ObservationAdversary: adversary": lambda env, bad: ours.ObservationAdversary(
        env, bad or "worst"
    ),
    "CostBudget: cost": lambda env, bad: ours.CostBudget(env, 1.0, bad or "speed"),
}


def refused(what: str, make: Make, bad: Any) -> None:
    """The error names the argument, and is short whatever was given."""
    world = gym.make("zerogym/CartPole-v0", task="balance", render_mode="rgb_array")
    with pytest.raises((TypeError, ValueError)) as caught:
        make(world, bad)
    said = str(caught.value)
    assert said.startswith(what) and len(said) < 400, said[:400]


@pytest.mark.parametrize(("what", "make"), list(NUMBERS.items()), ids=list(NUMBERS))
def test_what_is_no_such_number_is_refused(what: str, make: Make) -> None:
    for bad in (None, *NOWHERE):
        if what != "ActionDelay: idle" or bad not in (-1, True):
            refused(what, make, bad)


BEYOND = {
    "CostBudget: budget": np.inf, "ActionAdversary: share": 1.1, "JumpStart: steps": -1,
    "FlickeringObservation: probability": 1.1, "MissingSensors: probability": 1.1,
    "SnapshotStart: probability": 1.1, "NoisyObservation: deviation": [0.1, 0.2],
    "ObservationAdversary: epsilon": [0.1, 0.2],
}  # fmt: skip


@pytest.mark.parametrize("what", BEYOND)
def test_a_number_out_of_its_range_is_refused(what: str) -> None:
    refused(what, NUMBERS[what], BEYOND[what])


@pytest.mark.parametrize(("what", "make"), list(OTHERS.items()), ids=list(OTHERS))
def test_what_is_no_such_thing_is_refused(what: str, make: Make) -> None:
    for bad in (None, "\u2603", "x" * 10**7, b"1", object(), True):
        refused(what, make, bad)


def test_pushes_have_numbers_and_axes() -> None:
    walker = gym.make("zerogym/Walker-v0", task=None)
    for bad in NOWHERE:
        for name in ("strength", "change", "budget", "axes"):
            with pytest.raises(ValueError, match=f"PushAdversary: {name} must") as caught:
                ours.PushAdversary(walker, **{name: bad})
            assert len(str(caught.value)) < 200
    assert (
        ours.PushAdversary(walker, change=np.inf, budget=np.inf, strength=np.float32(2)).strength
        == 2
    )


def test_noise_without_a_sign_or_beyond_all_measure() -> None:
    env = ours.NoisyObservation(gym.make("zerogym/CartPole-v0", task=None), -0.0)
    plain = gym.make("zerogym/CartPole-v0", task=None)
    np.testing.assert_array_equal(env.reset(seed=0)[0], plain.reset(seed=0)[0])
    for make in (
        ours.NoisyObservation,
        lambda env, size: ours.ObservationAdversary(env, epsilon=size),
    ):
        with pytest.raises(ValueError, match="must be a number"):
            make(plain, 1e38)
        assert np.isfinite(make(plain, 1e30).reset(seed=0)[0]).all()
