"""Keys of `info` that vectorised environments need in every step, the reset included."""

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest

import zerogym  # noqa: F401 (registers the ids)
from helpers.episodes import Case, all_cases
from zerogym.envs.registry import TASKS
from zerogym.wrappers import WithTools

NAMES = (
    *("FourRooms", "TMaze", "PointMaze", "TwoRooms", "MiniGrid", "CognitiveRadio", "Trading"),
    *("SQL", "KuhnPoker"),
)


def has_void_turn(env: gym.Env) -> tuple[bool, bool]:
    """Return True for a reset and for a step where `void_turn` is in its info."""
    _, first = env.reset(seed=0)
    if "void_turn" in first:
        assert first["void_turn"] is False
    action = env.unwrapped.random_action(np.random.default_rng(0))  # type: ignore[attr-defined]
    return "void_turn" in first, "void_turn" in env.step(action)[4]


def case_of(name: str, **kwargs: object) -> Case:
    return Case(next(task for task in TASKS if task.name == name), kwargs)


@pytest.mark.parametrize("name", NAMES)
def test_a_reset_has_void_turn_where_steps_have_it(name: str) -> None:
    view = {} if name == "SQL" else {"view": "text"}
    assert has_void_turn(case_of(name, **view).make()) == (True, True)


@pytest.mark.proof
def test_every_reset_has_void_turn_where_steps_have_it() -> None:
    for case in all_cases():
        at_reset, at_step = has_void_turn(case.make())
        assert at_reset == at_step, str(case)


def test_seats_and_tools_have_void_turn_at_reset() -> None:
    seats = pettingzoo.make("aec", "zerogym/kuhn_poker-v0")
    seats.reset(seed=0)
    assert all(info["void_turn"] is False for info in seats.infos.values())
    at_once = pettingzoo.make("parallel", "zerogym/prisoners_dilemma-v0")
    assert all(info["void_turn"] is False for info in at_once.reset(seed=0)[1].values())
    tools = WithTools(gym.make("zerogym/ChainSum-v0"), ["calculator"])
    assert tools.reset(seed=0)[1]["void_turn"] is False
