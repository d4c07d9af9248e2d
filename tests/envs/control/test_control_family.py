"""Contracts of every registered control environment: rewards, features, copies, misuse, pictures.

What all environments of the registry share is in `tests/envs/test_registered_envs.py`; exact
values of one environment are in the folder of its tests.
"""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3.common.env_checker import check_env

from helpers.control.transitions import by_action, transitions
from helpers.control.worlds import bare
from helpers.episodes import installed
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.registry import TASKS
from zerogym.errors import NoOracle, UnknownName

NAMES = [task.name for task in TASKS if task.family == "control" and installed(task)]
SLOWLY_DRAWN = ("Walker", "Cheetah", "Hopper", "PointMassMaze", "Reacher")  # by OpenGL, as the ant
each_env = pytest.mark.parametrize("name", NAMES)
NONSENSE: dict[str, Any] = {
    "huge": 10**400,
    "huge in a list": [10**400],
    "ragged": [[1], [1, 2]],
    "a mapping": {"a": 1},
    "an object": object(),
    "a word": "up",
    "long": "x" * 100_000,
    "bytes": b"\xff",
    "surrogate": "\ud800",
    "not a number": float("nan"),
    "infinite": [np.inf, -np.inf],
    "too many axes": np.zeros((1, 1, 1)),
    "a fraction": 0.5,
    "negative": -1,
    "out of range": 400,
    "nothing": None,
}


def short(name: str, **kwargs: Any) -> Any:
    """The environment with at most 60 steps in an episode."""
    return bare(name, horizon=min(60, bare(name).horizon), **kwargs)


def sampled(env: Any, count: int = 2) -> list[Task]:
    """Named tasks of an environment, spread over all kinds."""
    tasks = list(env.tasks.values())
    return tasks[:: max(1, len(tasks) // count)]


def tensor(values: np.ndarray) -> torch.Tensor:
    floating = np.issubdtype(values.dtype, np.floating)
    return torch.as_tensor(values, dtype=torch.float64 if floating else None)


@each_env
def test_rewards_of_stored_transitions_are_the_live_ones_in_both_libraries(name: str) -> None:
    free = transitions(short(name), 1)
    assert not free[3].any(), "the environment itself is reward-free"
    for task in [*sampled(bare(name)), Task("by_action", "Move.", by_action)]:
        stored = transitions(short(name, task=task), 1)
        for one, other in zip(free[:3], stored, strict=False):
            np.testing.assert_array_equal(one, other)  # the task does not touch the physics
        np.testing.assert_array_equal(task.relabel(*stored[:3]), stored[3], err_msg=task.name)
        if task.name != "by_action":
            found = task.relabel(*map(tensor, stored[:3]))
            assert isinstance(found, torch.Tensor)
            np.testing.assert_allclose(found.numpy(), stored[3], atol=1e-4, err_msg=task.name)
    for event in getattr(bare(name), "events", {}).values():
        found = event(*map(torch.as_tensor, free[:3]))
        np.testing.assert_array_equal(np.asarray(found), event(*free[:3]))


@each_env
def test_named_tasks_are_sentences_with_finite_rewards(name: str) -> None:
    env = bare(name)
    for key, task in env.tasks.items():
        assert task.name == key and task.text.endswith(".")
        if key.startswith("goal_") and task.goal is not None:
            assert task.relabel(task.goal[None], np.zeros(1), task.goal[None])[0] == 1.0
    assert len({task.text for task in env.tasks.values()}) > 0.95 * len(env.tasks)


@each_env
def test_features_are_numbers_and_may_be_rewards(name: str) -> None:
    env = bare(name)
    obs = env._transitions()[0]
    for feature, found in env.features(tensor(obs)).items():
        values = np.asarray(env.features(obs)[feature])
        assert np.isfinite(values).all() and values.shape == (len(obs),), feature
        np.testing.assert_allclose(found.numpy(), values, rtol=1e-6, atol=1e-5, err_msg=feature)
    first = next(iter(env.measures))
    _, info = env.reset(seed=0, options={"task": lambda features, action: 2.0 * features[first]})
    after, reward, *_ = env.step(env.random_action(np.random.default_rng(0)))
    assert reward == pytest.approx(2.0 * float(env.features(after[None])[first][0]), rel=1e-6)
    assert info["category"] == "<lambda>"


@each_env
def test_stable_baselines3_accepts_the_numeric_view(name: str) -> None:
    check_env(bare(name, task=next(iter(bare(name).tasks))))


@each_env
def test_copies_and_snapshots_go_on_alike_with_their_constants_and_oracle(name: str) -> None:
    plain, kwargs = bare(name), {"task": next(iter(bare(name).tasks))}
    constants = getattr(plain, "constants", {})
    for constant in list(constants)[:1]:
        kwargs["context"] = {constant: constants[constant].train[1]}
    env, rng = bare(name, **kwargs), np.random.default_rng(0)
    env.reset(seed=4)
    for _ in range(3):
        env.step(env.random_action(rng))
    restored = bare(name, task=kwargs["task"])
    restored.reset(seed=0)
    restored.set_state(env.get_state())
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), restored]
    for turn in range(4):
        action = env.oracle_action() if env.has_oracle and turn % 2 else env.random_action(rng)
        if env.has_oracle:
            for other in others:
                np.testing.assert_array_equal(other.oracle_action(), env.oracle_action())
        step = env.step(action)
        for other in others:
            assert getattr(other, "context", None) == getattr(env, "context", None)
            for one, two in zip(other.step(action)[:4], step[:4], strict=True):
                np.testing.assert_array_equal(one, two)
    again = env.reset()[0]
    for other in others[:2]:
        np.testing.assert_array_equal(other.reset()[0], again)


@each_env
def test_misuse_is_named(name: str) -> None:
    env = bare(name)
    task = next(iter(env.tasks))
    wrong: list[dict[str, Any]] = [{"render_mode": "gif"}, {"task": task[:-1]}]
    wrong += [{"view": "words"}] if hasattr(env, "view") else []
    for kwargs in wrong:
        with pytest.raises(UnknownName, match=r"Did you mean|rgb_array|no view 'words'"):
            type(env)(**kwargs)
    for horizon in (0, 2.5, True):
        with pytest.raises(ValueError, match="horizon must be"):
            bare(name, horizon=horizon)
    env.reset(seed=0)
    with pytest.raises(NoOracle):
        env.oracle_action()


@each_env
def test_nonsense_is_refused_in_few_words_and_the_episode_goes_on(name: str) -> None:
    env = bare(name)
    env.reset(seed=0)
    for what, given in NONSENSE.items():
        message = refusal(lambda given=given: env.step(given), what)
        assert len(message) < 900 and "\n" not in message and "action" in message
        for option in ("start", "task") if given is not None else ():  # None stands for no option
            message = refusal(lambda g=given, o=option: env.reset(options={o: g}), what)
            assert len(message) < 1500
    assert env.step(env.random_action(env.np_random))[4]["turn"] == 1


def refusal(use: Callable[[], Any], what: str) -> str:
    """Return the message of the error that a call raises."""
    with pytest.raises((ValueError, TypeError)) as error:
        use()
        pytest.fail(f"{what} was accepted")
    return str(error.value)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.proof) if n in SLOWLY_DRAWN else n for n in NAMES],
)
def test_pictures_change_with_the_world(name: str) -> None:
    for mode in bare(name).metadata["render_modes"]:
        env = bare(name, render_mode=mode, task=next(iter(bare(name).tasks)))
        assert env.render() is None, "before reset"
        env.reset(seed=0)
        first, rng = env.render(), np.random.default_rng(0)
        if mode == "ansi":
            assert isinstance(first, str) and first
        else:
            assert first.dtype == np.uint8 and first.ndim == 3 and first.std() > 1
        for turn in range(1, 16):
            env.step(env.random_action(rng))
            if turn % 5 == 0 and not np.array_equal(env.render(), first):
                break
        else:
            pytest.fail("the picture stays as it is")
