"""Tasks written as text: their rewards, and that nothing but arithmetic is accepted."""

import pickle

import gymnasium as gym
import numpy as np
import pytest
import torch

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.control.core.expressions import MAX_CHARACTERS, task_of_expression
from zerogym.envs.control.core.features import Measures
from zerogym.envs.control.core.tasks import Task, tolerance
from zerogym.errors import UnknownName

HEIGHT, SPEED = np.array([0.0, 1.0, 2.0, 3.0]), np.array([-2.0, 0.5, 0.5, 4.0])
OBSERVATIONS = np.stack([HEIGHT, SPEED], 1)
MEASURES: Measures = {"height": lambda obs: obs[:, 0], "speed": lambda obs: obs[:, 1]}
TASKS = {
    "run": Task("run", "Run.", lambda obs, action, next_obs: 10 * next_obs[:, 1]),
    "height": Task("height", "Be high.", lambda obs, action, next_obs: 1.0 * (next_obs[:, 0] > 1)),
}
BATCH = (np.zeros((4, 2)), np.zeros((4, 1)), OBSERVATIONS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.5*run + speed", 5.5 * SPEED + SPEED - 0.5 * SPEED),
        ("speed - 2 ** 3 / 4", SPEED - 2),
        ("-speed * -+1", SPEED),
        ("height", np.array([0.0, 0.0, 1.0, 1.0])),  # the task, not the feature
        ("0 < speed <= 0.5", np.array([0.0, 1.0, 1.0, 0.0])),
        ("0 < speed < 1 and height", np.array([0.0, 0.0, 1.0, 0.0])),
        ("(speed < 0 or height > 0) - 1", np.array([0.0, -1.0, 0.0, 0.0])),
        ("not speed > 0", np.array([1.0, 0.0, 0.0, 0.0])),
        ("speed if speed > 0 else -1", np.array([-1.0, 0.5, 0.5, 4.0])),
        ("min(speed, 1, 0.7)", np.minimum(SPEED, 0.7)),
        ("max(speed, 1)", np.maximum(SPEED, 1)),
        ("clip(speed, -1, 1)", np.clip(SPEED, -1, 1)),
        (
            "exp(speed) + sin(pi * speed) + tanh(speed)",
            np.exp(SPEED) + np.sin(np.pi * SPEED) + np.tanh(SPEED),
        ),
        ("sqrt(abs(speed)) * cos(0 * speed)", np.sqrt(np.abs(SPEED))),
        ("tolerance(speed, 1, inf, 2)", tolerance(SPEED, (1, np.inf), 2)),
        ("tolerance(speed, -inf, -1)", np.array([1.0, 0.0, 0.0, 0.0])),
    ],
)
def test_an_expression_has_its_value(text: str, expected: np.ndarray) -> None:
    task = task_of_expression(text, MEASURES, TASKS)
    np.testing.assert_allclose(task.relabel(*BATCH), expected, atol=1e-12)
    tensors = task.relabel(*(torch.as_tensor(part) for part in BATCH))
    assert isinstance(tensors, torch.Tensor)
    np.testing.assert_allclose(tensors, expected, atol=1e-12)


def test_a_constant_is_given_to_each_transition() -> None:
    task = task_of_expression("3 if speed > 99 else 4", MEASURES, {})
    assert task.relabel(*BATCH).tolist() == [4.0] * 4


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot be read"),
        ("speed +", "cannot be read at column"),
        ("speed\x00", "cannot be read"),
        ("(" * 500, "cannot be read"),
        ("3 + pi", "names no task and no feature"),
        ("speed.real", "speed.real' is not understood"),
        ("[speed for speed in height]", "is not understood"),
        ("lambda: speed", "is not understood"),
        ("(speed := 1)", "is not understood"),
        ("speed == 1", "is not understood"),
        ("speed @ height", "is not understood"),
        ("tolerance(speed, 0, 1, margin=2)", "is not understood"),
        ("abs(*speed)", "is not understood"),
        ("f'{speed}'", "is not understood"),
        ("'a' * 999999999", "must be a number"),
        ("True * speed", "must be a number"),
        ("2j * speed", "must be a number"),
        ("1" + "0" * 400 + " * speed", "is too large"),
        ("max(speed)", "max takes 2 to 8 arguments, got 1"),
        ("tolerance(speed, height, 2)", "must be a number"),
        ("tolerance(speed, 2, 1)", "low <= high"),
        ("speed" + " + speed" * 200, "deep"),
        ("speed " + " " * MAX_CHARACTERS, "characters"),
    ],
)
def test_what_is_no_reward_says_why(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        task_of_expression(text, MEASURES, TASKS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("spead + 1", "Did you mean 'speed'"),
        ("__import__('os').system('true')", "is not understood"),
        ("__import__('os')", "no function of a reward '__import__'"),
        ("eval(speed)", "no function of a reward 'eval'"),
    ],
)
def test_unknown_names_are_refused(text: str, words: str) -> None:
    with pytest.raises((UnknownName, ValueError), match=words):
        task_of_expression(text, MEASURES, TASKS)


@pytest.mark.parametrize("text", ["speed / 0", "sqrt(speed)", "9 ** 9 ** 9 ** 9 * speed"])
def test_a_reward_that_is_no_number_is_refused_at_its_first_use(text: str) -> None:
    with pytest.raises(ValueError, match="for a transition"):
        task_of_expression(text, MEASURES, TASKS).relabel(*BATCH)


def test_it_can_be_sent_to_another_process() -> None:
    world = gym.make("zerogym/Walker-v0", task=None).unwrapped
    task = task_of_expression("0.5 * run + upright", world.measures, world.tasks)  # type: ignore
    obs, action, after = world._transitions()  # type: ignore[attr-defined]
    again = pickle.loads(pickle.dumps(task))
    np.testing.assert_array_equal(
        task.relabel(obs, action, after), again.relabel(obs, action, after)
    )
    by_hand = 0.5 * world.tasks["run"].relabel(obs, action, after)  # type: ignore[attr-defined]
    by_hand = by_hand + world.measures["upright"](after)  # type: ignore[attr-defined]
    np.testing.assert_allclose(task.relabel(obs, action, after), by_hand, rtol=1e-6)


def test_a_world_is_made_with_an_expression_or_a_feature() -> None:
    env = gym.make("zerogym/Walker-v0", task="0.5 * run + upright")
    obs, _ = env.reset(seed=3)
    action = np.ones(6, dtype=np.float32)
    after, reward, *_, info = env.step(action)
    world = env.unwrapped
    by_hand = 0.5 * world.tasks["run"].relabel(obs[None], action[None], after[None])[0]  # type: ignore
    assert reward == pytest.approx(by_hand + world.measures["upright"](after[None])[0], rel=1e-5)  # type: ignore
    assert info["category"] == "0.5 * run + upright"
    env.reset(options={"task": "speed"})
    after, reward, *_ = env.step(action)
    assert reward == pytest.approx(world.measures["speed"](after[None])[0], rel=1e-5)  # type: ignore


def test_a_world_refuses_a_name_it_does_not_know_and_an_expression_it_cannot_read() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'run'"):
        gym.make("zerogym/Walker-v0", task="runn")
    with pytest.raises(UnknownName, match="no task or feature 'runn'"):
        gym.make("zerogym/Walker-v0", task="runn + 1")
    with pytest.raises(ValueError, match="cannot be read"):
        gym.make("zerogym/Walker-v0", task="run +")
    world = gym.make("zerogym/Walker-v0", task=None).unwrapped
    assert world.task_of("run").name == "run"  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="None stands for no one task"):
        world.task_of(None)  # type: ignore[attr-defined]
