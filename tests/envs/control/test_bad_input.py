"""Nonsense of any kind is refused with a short message, and the episode goes on."""

from typing import Any

import gymnasium as gym
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.envs.registry import TASKS

WORLDS = [task.id for task in TASKS if task.family == "control" and "bridge" not in task.tags]
BAD: dict[str, Any] = {
    "huge": 10**400,
    "huge in a list": [10**400],
    "ragged": [[1], [1, 2]],
    "a mapping": {"a": 1},
    "an object": object(),
    "long": "x" * 1_000_000,
    "bytes": b"\xff",
    "surrogate": "\ud800",
    "not a number": float("nan"),
    "nothing": None,
}


@pytest.mark.parametrize("id", WORLDS)
def test_nonsense_is_refused_in_few_words(id: str) -> None:
    env = gym.make(id, disable_env_checker=True).unwrapped
    env.reset(seed=0)
    for name, given in BAD.items():
        with pytest.raises((ValueError, TypeError), match=r"^[^\n]{1,900}$"):
            raise _refusal(lambda given=given: env.step(given), name)
        if given is None:
            continue  # as an option it stands for none
        for option in ("start", "task"):
            refusal = _refusal(lambda g=given, o=option: env.reset(options={o: g}), name)
            assert len(str(refusal)) < 1500
    env.step(env.unwrapped.random_action(env.np_random))  # type: ignore[attr-defined]


def _refusal(use: Any, name: str) -> Exception:
    try:
        use()
    except (ValueError, TypeError) as error:
        return error
    raise AssertionError(f"{name} was taken")
