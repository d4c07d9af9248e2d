"""Contexts drawn and shown, budgets of costs, adversaries and jump starts."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers as theirs
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

from helpers.control.worlds import make
from zerogym import wrappers as ours
from zerogym.errors import UnknownName

NAMES = ("CartPole", "Pendulum", "Acrobot", "MountainCar")
UPRIGHT = {"start": (0.0, 1.0, 0.0, 0.0, 0.0)}


@pytest.mark.parametrize("name", NAMES)
def test_contexts_are_of_the_requested_part(name: str) -> None:
    for split in ("train", "interpolation", "extrapolation"):
        env = ours.ContextSampler(make(name), split)
        constants, drawn = env.unwrapped.constants, []
        for seed in range(60):
            _, info = env.reset(seed=seed)
            assert info["split"] == split and info["context"] == env.unwrapped.context
            drawn.append(info["context"])
        for key, constant in constants.items():
            values = np.array([context[key] for context in drawn])
            low, high = constant.train
            middle = np.abs(values - (low + high) / 2) <= 0.1 * (high - low) + 1e-12
            inside = (values >= low) & (values <= high)
            expected = {
                "train": inside & ~middle, "interpolation": middle, "extrapolation": ~inside,
            }[split]  # fmt: skip
            assert expected.all() and len(set(values)) == 60, key


def test_the_start_of_a_seed_does_not_depend_on_the_part() -> None:
    starts = [
        ours.ContextSampler(make(), split).reset(seed=5)[0]
        for split in ("train", "interpolation", "extrapolation")
    ]
    np.testing.assert_array_equal(starts[0], starts[1])
    np.testing.assert_array_equal(starts[0], starts[2])
    np.testing.assert_array_equal(starts[0], make().reset(seed=5)[0])


def test_some_constants_are_drawn_some_given_the_rest_default() -> None:
    env = ours.ContextSampler(make(), vary=["gravity"], context={"force": 12.0})
    contexts = [env.reset(seed=seed)[1]["context"] for seed in range(9)]
    assert len({context["gravity"] for context in contexts}) == 9
    assert {context["force"] for context in contexts} == {12.0}
    assert {context["pole_mass"] for context in contexts} == {0.1}
    pinned = env.reset(seed=0, options={"context": {"gravity": 3.0}})[1]["context"]
    assert (pinned["gravity"], pinned["force"]) == (3.0, 12.0)
    others = ours.ContextSampler(make(), context={"force": 12.0}).reset(seed=0)[1]["context"]
    assert others["force"] == 12.0 and others["gravity"] != 9.8


def test_a_pinned_constant_is_of_no_part() -> None:
    env = ours.ContextSampler(make(), "extrapolation", vary=["gravity", "force"])
    pins = {"gravity": None, "pole_mass": "extrapolation"}
    for name, split in pins.items():
        default = {"context": {name: env.unwrapped.constants[name].default}}
        assert env.reset(seed=0, options=default)[1]["split"] == split
    assert env.reset(seed=0, options={"context": {}})[1]["split"] == "extrapolation"
    scaled = ours.ChangedDynamics(make("Pendulum"), [0.5], constants=["mass"])
    for name, factor in {"mass": None, "gravity": 0.5}.items():
        default = {"context": {name: scaled.unwrapped.constants[name].default}}
        assert scaled.reset(seed=0, options=default)[1]["factor"] == factor
    outer = ours.ContextSampler(scaled, "extrapolation")
    assert outer.reset(seed=0)[1]["factor"] is None, "the outer wrapper draws the mass"


def test_the_context_is_hidden_visible_or_partly_visible() -> None:
    world = ours.ContextSampler(make(), "train")
    hidden, info = world.reset(seed=2)
    whole, _ = ours.ContextVisibility(world).reset(seed=2)
    part, _ = ours.ContextVisibility(world, ["force"]).reset(seed=2)
    none, _ = ours.ContextVisibility(world, []).reset(seed=2)
    for observed in (whole, part, none):
        np.testing.assert_array_equal(observed[:5], hidden)
    assert (hidden.shape, whole.shape, part.shape, none.shape) == ((5,), (12,), (6,), (5,))
    constants = world.unwrapped.constants
    shares = [
        2 * (info["context"][key] - c.low) / (c.high - c.low) - 1 for key, c in constants.items()
    ]
    np.testing.assert_allclose(whole[5:], shares, rtol=1e-5)
    assert part[5] == whole[5 + list(constants).index("force")]


def test_what_does_not_fit_is_refused_in_words() -> None:
    for wrap in (ours.ContextSampler, ours.ContextVisibility):
        with pytest.raises(TypeError, match="needs a world with `constants`"):
            wrap(gym.make("zerogym/PointMaze-v0", task=None))
    with pytest.raises(UnknownName, match=r"'gravty'\. Did you mean 'gravity'"):
        ours.ContextSampler(make(), vary=["gravty"])
    with pytest.raises(UnknownName, match=r"'forse'\. Did you mean 'force'"):
        ours.ContextVisibility(make(), ["forse"])
    with pytest.raises(UnknownName, match="no split 'test'"):
        ours.ContextSampler(make(), "test")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="gravity is both drawn and given"):
        ours.ContextSampler(make(), vary=["gravity"], context={"gravity": 9.0})
    for given in (99.0, np.nan, None, "9.8"):
        with pytest.raises(ValueError, match=r"CartPole-v0: gravity .* must lie in"):
            ours.ContextSampler(make(), vary=["force"], context={"gravity": given})
    with pytest.raises(UnknownName, match=r"'gravty'\. Did you mean 'gravity'"):
        ours.ContextSampler(make(), vary=["force"], context={"gravty": 9.0})
    for wrong in ([("gravity", 9.0)], "gravity", 9.0):
        with pytest.raises(TypeError, match="context must be a mapping"):
            ours.ContextSampler(make(), context=wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="context must be a mapping"):
            ours.ContextSampler(make()).reset(options={"context": wrong})
    with pytest.raises(TypeError, match="continuous actions"):
        ours.ActionAdversary(gym.make("zerogym/FourRooms-v0", task=None), lambda obs: 1)


def test_a_spent_budget_ends_the_reward() -> None:
    env = ours.CostBudget(
        make(task="balance"), 3.0, lambda obs, a, n: n[:, 3] > 0, unsafe_reward=-1.0
    )
    obs, info = env.reset(options=UPRIGHT)
    assert obs[-1] == 1.0 and info["cost_left"] == 3.0
    rows = [env.step([1.0]) for _ in range(5)]
    assert [row[1] for row in rows] == [1.0, 1.0, 1.0, -1.0, -1.0]
    assert [row[4]["cost_left"] for row in rows] == [2, 1, 0, -1, -2]
    np.testing.assert_allclose([row[0][-1] for row in rows], [2 / 3, 1 / 3, 0, 0, 0], rtol=1e-6)
    assert [row[4]["unsafe"] for row in rows] == [False] * 3 + [True] * 2
    assert env.reset(options=UPRIGHT)[0][-1] == 1.0


def test_a_cost_is_of_features_or_the_worlds_own_and_no_nonsense() -> None:
    env = ours.CostBudget(make(), 1.0, lambda features, action: features["speed"] ** 2)
    env.reset(options=UPRIGHT)
    obs, *_, info = env.step([1.0])
    assert info["cost"] == pytest.approx(float(obs[3]) ** 2)
    costly = gym.wrappers.TransformObservation(make(), lambda obs: obs, None)
    costly.step = lambda action: (*make_step(action), {"cost": 0.25})  # type: ignore[method-assign]
    own = ours.CostBudget(costly, 1.0)
    own.reset(seed=0)
    assert own.step([0.0])[4]["cost_left"] == 0.75
    for cost, error in ((None, "give a function"), (lambda o, a, n: -n[:, 1], "number >= 0")):
        broken = ours.CostBudget(make(), 1.0, cost)
        broken.reset(options=UPRIGHT)
        with pytest.raises(ValueError, match=error):
            broken.step([0.0])


def make_step(action: Any) -> tuple[Any, ...]:
    """Observation, reward, terminated, truncated of a world that stands still."""
    return np.zeros(5, dtype=np.float32), 0.0, False, False


def test_a_budget_counts_all_steps_of_a_repeated_action() -> None:
    def wasted(obs: np.ndarray, action: np.ndarray, next_obs: np.ndarray) -> np.ndarray:
        return np.full(len(obs), 0.25)

    skipped = gym.wrappers.MaxAndSkipObservation(ours.CostBudget(make(), 2.0, wasted), 3)
    skipped.reset(options=UPRIGHT)
    *_, info = skipped.step(np.zeros(1, dtype=np.float32))
    assert info["cost_left"] == 1.25
    for kwargs in ({"cost": wasted}, {}):
        with pytest.raises(TypeError, match=r"put the budget inside: MaxAndSkipObservation\(Cost"):
            ours.CostBudget(gym.wrappers.MaxAndSkipObservation(make(), 3), 2.0, **kwargs)
    repeat = getattr(gym.wrappers, "RepeatAction", None)
    if repeat is not None:  # Gymnasium 1.4 has it
        with pytest.raises(TypeError, match="only the last reports its cost"):
            ours.CostBudget(theirs.DelayObservation(repeat(make(), 3), 1), 2.0)


def test_an_adversary_has_its_share() -> None:
    plain, mixed = make(), ours.ActionAdversary(make(), lambda obs: [-1.0], 0.25)
    plain.reset(options=UPRIGHT)
    mixed.reset(options=UPRIGHT)
    expected = plain.step(np.array([0.75 * 0.4 - 0.25], dtype=np.float32))[0]
    obs, *_, info = mixed.step([0.4])
    np.testing.assert_allclose(obs, expected, atol=1e-7)
    assert info["adversary"].tolist() == [-1.0]
    half = ours.ActionAdversary(make(), lambda obs: [-1.0], 0.5)
    half.reset(options=UPRIGHT)
    assert half.step([9.0])[0][3] == 0.0, "too large an action counts as 1"
    for bad in ([2.0], [np.nan], [0.0, 0.0]):
        env = ours.ActionAdversary(make(), lambda obs, bad=bad: bad)
        env.reset(seed=0)
        with pytest.raises(ValueError, match="the adversary's action must be in"):
            env.step([0.0])
    with pytest.raises(ValueError, match=r"action must be .* finite number"):
        mixed.step([np.nan])


def test_a_worst_case_adversary_hurts() -> None:
    def shove(obs: np.ndarray) -> np.ndarray:
        return np.sign(-obs[2:3])  # pull the cart from under the pole

    def total_reward(env: Any) -> float:
        env.reset(options={"start": (0.0, np.cos(0.1), np.sin(0.1), 0.0, 0.0)})
        return sum(env.step(env.unwrapped.oracle_action())[1] for _ in range(150))

    world = make(task="balance")
    assert total_reward(world) == total_reward(ours.ActionAdversary(world, shove, 0.0)) == 150
    assert total_reward(ours.ActionAdversary(world, shove, 0.8)) < 100


def test_a_guide_plays_the_first_steps() -> None:
    env = ours.JumpStart(make("MountainCar", task="flag"), (0, 120))
    jumps, places = [], []
    for seed in range(25):
        obs, info = env.reset(seed=seed)
        jumps.append(info["jump"])
        places.append(obs[0])
        assert info["turn"] == info["jump"]
    assert min(jumps) < 20 and max(jumps) > 100 and len(set(jumps)) > 15
    assert max(places) > 0.3 and places[int(np.argmin(jumps))] < -0.3


def test_an_episode_that_ends_under_the_guide_begins_anew() -> None:
    env = ours.JumpStart(make("MountainCar", horizon=5), (9, 9), guide=lambda obs: [0.0])
    _, info = env.reset(seed=0)
    assert info["jump"] == 0 and info["turn"] == 0
    env.step([0.0])


@pytest.mark.proof
def test_ppo_learns_to_balance_in_drawn_contexts_that_it_sees() -> None:
    world = ours.ContextSampler(make(task="balance"), "train")
    env = Monitor(ours.ContextVisibility(world))
    agent = PPO(
        "MlpPolicy", env, seed=0, n_steps=1024, batch_size=128, learning_rate=1e-3, gamma=0.98,
        device="cpu",
    )  # fmt: skip
    agent.learn(24_576)
    assert evaluate_policy(agent, env, 10)[0] > 150  # chance: 60, the oracle: 200


def test_no_constant_is_shown_twice() -> None:
    with pytest.raises(ValueError, match="twice"):
        ours.ContextVisibility(make("Pendulum"), visible=["gravity", "gravity"])
