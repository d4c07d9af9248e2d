"""`MaskInObservation`: the masks are the game's own, under the keys of any library."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.wrappers import MaskInObservation


@pytest.mark.parametrize("name", ["TicTacToe", "KuhnPoker", "Nim"])
def test_masks_are_those_of_the_game(name: str) -> None:
    inner: Any = gym.make(f"zerogym/{name}-v0", view="numeric", opponent="random")
    env = MaskInObservation(inner, key="action_mask", observation_key="observations")
    rng = np.random.default_rng(0)
    obs, _ = env.reset(seed=0)
    over = False
    while not over:
        assert env.observation_space.contains(obs)
        assert obs["action_mask"].tolist() == inner.unwrapped.action_masks().tolist()
        action = int(rng.choice(np.flatnonzero(obs["action_mask"])))
        obs, _, over, _, info = env.step(action)
        assert not info["void_turn"]


def test_what_has_no_masks_is_refused() -> None:
    for name, arguments in (("CartPole", {}), ("FourRooms", {}), ("KuhnPoker", {"view": "text"})):
        with pytest.raises(TypeError, match="needs discrete actions with masks"):
            MaskInObservation(gym.make(f"zerogym/{name}-v0", **arguments))
    with pytest.raises(ValueError, match="both keys are 'a'"):
        MaskInObservation(gym.make("zerogym/KuhnPoker-v0", view="numeric"), "a", "a")
