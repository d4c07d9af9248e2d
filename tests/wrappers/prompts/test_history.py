"""The whole text of an episode as its observation."""

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

import zerogym  # noqa: F401  (registers the ids)
from zerogym.wrappers.prompts.history import FullHistory


def test_full_history_shows_every_turn() -> None:
    env = FullHistory(gym.make("zerogym/SQL-v0"), prefix="me: ")
    first, _ = env.reset(seed=0)
    second = env.step("nonsense one")[0]
    third = env.step("nonsense two")[0]
    assert second.startswith(f"{first}\nme: nonsense one\n")
    assert third.startswith(f"{second}\nme: nonsense two\n")
    assert env.reset(seed=0)[0] == first  # nothing of the last episode is left


# check_env says so of every wrapper; all its other warnings are errors.
@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_full_history_is_an_environment() -> None:
    env = FullHistory(gym.make("zerogym/RandomCalculation-v0").unwrapped)
    check_env(env, skip_render_check=True)


def test_full_history_refuses_arrays_and_overlong_texts() -> None:
    with pytest.raises(TypeError, match="text environment"):
        FullHistory(gym.make("CartPole-v1"))
    env = FullHistory(gym.make("zerogym/RandomCalculation-v0"), max_length=200)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="max_length"):
        env.step("x" * 201)
