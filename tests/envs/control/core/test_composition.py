"""Features, sums and products of tasks, and rewards of torch tensors."""

import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from gymnasium.utils.env_checker import check_env

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.control.core.contexts import Constant, complete_context, scaled_context
from zerogym.envs.control.core.features import Features, of_transitions
from zerogym.envs.control.core.tasks import Task, tolerance
from zerogym.envs.control.temporal.reward_machines import in_order, machine_of_rules
from zerogym.errors import MissingExtra, UnknownName
from zerogym.wrappers import RewardMachineWrapper

X = Task("x", "Go right.", lambda obs, action, next_obs: next_obs[:, 0])
Y = Task("y", "Go up.", lambda obs, action, next_obs: next_obs[:, 1])
OBS = np.array([[1.0, 2.0], [3.0, 5.0]])


def rewards_of(task: Task, obs: Any = OBS) -> Any:
    return task.relabel(obs, obs, obs)


@pytest.mark.parametrize(
    ("task", "name", "rewards"),
    [
        (X + Y, "x + y", [3, 8]),
        (0.5 * X + Y, "0.5 * x + y", [2.5, 6.5]),
        (X * Y, "x * y", [2, 15]),
        ((X + Y) * X, "(x + y) * x", [3, 24]),
        (X * 2 - 1, "2 * x + -1", [1, 5]),
        (1 + X, "x + 1", [2, 4]),
        (X - Y, "x + -1 * y", [-1, -2]),
        (-X, "-1 * x", [-1, -3]),
    ],
)
def test_tasks_are_added_scaled_and_multiplied(task: Task, name: str, rewards: list[float]) -> None:
    assert task.name == name
    assert rewards_of(task).tolist() == rewards
    assert task.goal is None and "Go right." in task.text


@pytest.mark.parametrize("other", ["x", None, np.nan, np.inf, [1.0]])
def test_a_task_is_combined_with_tasks_and_numbers_only(other: Any) -> None:
    with pytest.raises(TypeError):
        X + other
    with pytest.raises(TypeError):
        X * other


def test_a_world_takes_a_composed_task() -> None:
    env = gym.make("zerogym/PointMaze-v0", task=None)
    tasks = env.unwrapped.tasks
    both = 0.5 * tasks["goal_left"] + tasks["peak_0"]
    env.reset(seed=0, options={"task": both, "start": (0.5, 1.5)})
    obs, reward, *_ = env.step([0.0, 0.0])
    parts = [
        tasks[name].relabel(obs[None], obs[None], obs[None])[0] for name in ("goal_left", "peak_0")
    ]
    assert reward == 0.5 * parts[0] + parts[1] and reward > 0.3


@pytest.mark.parametrize("task", [X + Y, 0.25 * X * Y, 1 - X])
def test_torch_tensors_have_the_same_rewards(task: Task) -> None:
    rewards = rewards_of(task, torch.from_numpy(OBS))
    assert isinstance(rewards, torch.Tensor)
    np.testing.assert_array_equal(rewards.numpy(), rewards_of(task))
    with pytest.raises(ValueError, match="is nan"):
        rewards_of(task, torch.full((2, 2), torch.nan))


def test_tolerance_is_the_same_for_torch() -> None:
    x = np.linspace(-3, 3, 50)
    for bounds, margin in (((0.0, 1.0), 0.5), ((-np.inf, 0.0), 1.0), ((0.5, 0.5), 0.0)):
        found = tolerance(torch.from_numpy(x), bounds, margin)
        np.testing.assert_allclose(found.numpy(), tolerance(x, bounds, margin), rtol=1e-12)


def test_features_are_computed_lazily_and_once() -> None:
    computed = []

    def height(obs: np.ndarray) -> np.ndarray:
        computed.append("height")
        return obs[:, 1]

    features = Features({"height": height, "never": lambda obs: 1 / 0}, OBS)
    assert features["height"].tolist() == features["height"].tolist() == [2, 5]
    assert computed == ["height"] and list(features) == ["height", "never"] and len(features) == 2
    with pytest.raises(UnknownName, match=r"no feature 'heigth'\. Did you mean 'height'"):
        features["heigth"]


def test_a_reward_may_be_of_features() -> None:
    measures = {"height": lambda obs: obs[:, 1]}
    reward = of_transitions(lambda features, action: features["height"] - action[:, 0], measures)
    assert reward(OBS + 9, OBS, OBS).tolist() == [1, 2]
    assert of_transitions(X.reward, measures) is X.reward
    with pytest.raises(TypeError, match="this world has none"):
        of_transitions(lambda f, a: f, {})
    with pytest.raises(TypeError, match=r"<lambda> takes 1$"):
        of_transitions(lambda f: f, measures)


GRAVITY = Constant(9.8, 1.0, 21.0, "gravity in m/s2", (5.0, 15.0))
CONSTANTS = {"gravity": GRAVITY, "mass": Constant(1.0, 0.5, 2.5, "mass in kg", (0.8, 1.8))}


def test_a_context_is_completed_and_scaled() -> None:
    context = complete_context(CONSTANTS, {"mass": 2}, "World")
    assert context == {"gravity": 9.8, "mass": 2.0}
    np.testing.assert_allclose(scaled_context(CONSTANTS, context), [-0.12, 0.5], rtol=1e-6)


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        ({"gravty": 3}, UnknownName, "no constant of World 'gravty'. Did you mean 'gravity'"),
        ({"gravity": 0.5}, ValueError, r"gravity in m/s2\) must lie in \[1, 21\], got 0.5"),
        ({"gravity": np.nan}, ValueError, "got nan"),
        ({"gravity": "strong"}, ValueError, "got 'strong'"),
        ({"gravity": "3.7"}, ValueError, "got '3.7'"),
        ({"gravity": True}, ValueError, "got True"),
        ({"gravity": 10**400}, ValueError, "got 1000"),
        ({"gravity": None}, ValueError, "got None"),
        ([9.8], TypeError, "a mapping, got list"),
    ],
)
def test_a_bad_context_is_refused_in_words(given: Any, error: type, match: str) -> None:
    with pytest.raises(error, match=match):
        complete_context(CONSTANTS, given, "World")


def test_the_parts_of_a_range_do_not_overlap() -> None:
    rng = np.random.default_rng(0)
    drawn = {split: np.array([GRAVITY.draw(rng, split) for _ in range(2000)])
             for split in ("train", "interpolation", "extrapolation")}  # fmt: skip
    for split, held in (
        ("train", lambda v: ((v >= 5) & (v <= 9)) | ((v >= 11) & (v <= 15))),
        ("interpolation", lambda v: (v >= 9) & (v <= 11)),
        ("extrapolation", lambda v: ((v >= 1) & (v <= 5)) | ((v >= 15) & (v <= 21))),
    ):
        assert held(drawn[split]).all()
    low = (drawn["extrapolation"] < 5).mean()
    assert 0.36 < low < 0.44  # 4 of 10


def test_a_constant_whose_ranges_make_no_sense_is_refused() -> None:
    for arguments in (
        (9.8, 1, 21, "g", (0, 5)),
        (9.8, 1, 21, "g", (6, 5)),
        (30, 1, 21, "g", (2, 5)),
    ):
        with pytest.raises(ValueError, match="g: "):
            Constant(*arguments)
    whole = Constant(1.0, 0.0, 2.0, "g", (0.0, 2.0))
    with pytest.raises(ValueError, match="nothing lies beyond"):
        whole.draw(np.random.default_rng(0), "extrapolation")
    with pytest.raises(UnknownName, match="Did you mean 'train'"):
        whole.draw(np.random.default_rng(0), "trian")


def near(x: float, y: float) -> Any:
    return lambda obs, action, next_obs: np.hypot(next_obs[:, 0] - x, next_obs[:, 1] - y) < 0.3


def follow() -> RewardMachineWrapper:
    world = gym.make("zerogym/PointMaze-v0", task=None, horizon=30)
    return RewardMachineWrapper(
        world, in_order("a", "b"), {"a": near(0.4, 0.4), "b": near(0.4, 1.4)}
    )


def test_a_machine_rewards_an_order_of_events_and_ends_the_episode() -> None:
    env = follow()
    _, info = env.reset(seed=0, options={"start": (0.4, 1.4)})
    assert info["machine_state"] == 0 and not info["success"]
    total, steps, over = 0.0, 0, False
    while not over:  # b at the start does not count: a comes first
        obs, reward, terminated, truncated, info = env.step([0.0, -1.0 if steps < 5 else 1.0])
        total, steps, over = total + reward, steps + 1, terminated or truncated
    assert terminated and total == 1.0 and info["success"] and 5 < steps < 15
    assert obs.shape == (2 + len(env.machine),) and obs[2:].sum() == 1


def test_stored_transitions_have_the_rewards_of_live_ones() -> None:
    env, rng, rows = follow(), np.random.default_rng(1), []
    for seed in range(20):
        obs, _ = env.reset(seed=seed, options={"start": (0.4, 0.9)})
        first, over = True, False
        while not over:
            action = rng.uniform(-1, 1, 2).astype(np.float32)
            after, reward, terminated, truncated, _ = env.step(action)
            rows.append((obs[:2], action, after[:2], reward, first))
            obs, first, over = after, False, terminated or truncated
    o, a, n, rewards, starts = (np.array(column) for column in zip(*rows, strict=True))
    assert 0 < rewards.sum() < 20
    np.testing.assert_array_equal(env.machine.run(env.label(o, a, n), starts)[1], rewards)


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")
def test_a_followed_machine_is_an_environment_and_can_be_snapshot() -> None:
    env = follow()
    check_env(env, skip_render_check=True)
    env.reset(seed=0, options={"start": (0.4, 0.4)})
    env.step([0.0, 0.0])
    state = env.get_state()
    one = [env.step([0.0, 1.0])[:3] for _ in range(3)]
    env.set_state(state)
    other = [env.step([0.0, 1.0])[:3] for _ in range(3)]
    for left, right in zip(one, other, strict=True):
        np.testing.assert_array_equal(left[0], right[0])
        assert left[1:] == right[1:]


def test_a_machine_that_does_not_fit_is_refused() -> None:
    world = gym.make("zerogym/PointMaze-v0", task=None)
    for label, match in (([True, False], "1 transitions have shape"), ([-1], "must be bool")):
        env = RewardMachineWrapper(
            world, in_order("a"), {"a": lambda o, a, n, label=label: np.array(label)}
        )
        env.reset(seed=0)
        with pytest.raises(ValueError, match=match):
            env.step([0.0, 1.0])
    with pytest.raises(ValueError, match=r"the events \['a'\], got \['b'\]"):
        RewardMachineWrapper(world, machine_of_rules(["a"], [(0, "a", 1, 1.0)]), {"b": near(0, 0)})
    with pytest.raises(TypeError, match="vectors as observations"):
        RewardMachineWrapper(
            gym.make("zerogym/FourRooms-v0", task=None, view="text"),
            in_order("a"),
            {"a": near(0, 0)},
        )


def test_without_the_extra_a_reward_of_tensors_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    with pytest.raises(MissingExtra, match=r"torch tensors needs array_api_compat: .*\[control\]"):
        tolerance(torch.zeros(3))
    assert tolerance(np.zeros(3)).tolist() == [1, 1, 1]
