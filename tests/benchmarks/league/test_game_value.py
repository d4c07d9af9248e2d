"""Exact payoffs of policies in small games, against closed forms and against many hands."""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.baselines.random_and_oracle import OraclePolicy, RandomPolicy
from zerogym.benchmarks.league.game_value import exact_payoff
from zerogym.benchmarks.suites.episodes import play


class Player:
    """Replies by a rule on the text of the turn."""

    def __init__(self, rule: Any) -> None:
        self.rule, self.requests = rule, 0

    def predict(
        self,
        observations: Sequence[str],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[list[str], Any]:
        assert deterministic, "the exact value is that of the most likely moves"
        self.requests += len(observations)
        return [self.rule(text) for text in observations], state


def passive(text: str) -> str:
    return "fold" if "fold" in text.rpartition("Reply")[2] else "check"


def kuhn(**kwargs: Any) -> gym.Env[Any, Any]:
    return gym.make("zerogym/KuhnPoker-v0", **kwargs)


@pytest.mark.parametrize(
    ("opponent", "rule", "value"),
    [
        # A check meets a check (half the time: a fair showdown for 1) or a bet (fold: -1).
        # First to move: 0.5 * 0 + 0.5 * (-1). Second: the same. So -1/2.
        ("random", passive, -1 / 2),
        # Each hand in which it must move costs 2 chips; the second seat always moves, too.
        ("random", lambda text: "???", -2),
        # It bets a K only, and takes 1 then. Else the higher card takes 1. In each seat -1 thrice
        # and 1 thrice of six deals.
        ("scripted", passive, 0),
    ],
)
def test_fixed_rules_by_hand(opponent: str, rule: Any, value: float) -> None:
    assert exact_payoff(kuhn(opponent=opponent), Player(rule)) == pytest.approx(value)


@pytest.mark.parametrize(
    ("opponent", "policy", "value", "error"),
    [
        # Uniform play of both seats wins 1/8 for the first and loses it for the second.
        ("random", RandomPolicy, 0, 1e-9),
        # The value of the game: -1/18 in the first seat, +1/18 in the second.
        ("cfr", OraclePolicy, 0, 1e-3),
        ("scripted", OraclePolicy, 1 / 6, 1e-9),
    ],
)
def test_random_play_and_the_oracle_by_hand(
    opponent: str, policy: Any, value: float, error: float
) -> None:
    env = kuhn(opponent=opponent)
    assert exact_payoff(env, policy([env])) == pytest.approx(value, abs=error)


def test_each_information_set_is_requested_once() -> None:
    player = Player(lambda text: "bet" if "bet" in text.rpartition("Reply")[2] else "call")
    exact_payoff(kuhn(), player)
    # Three cards: first seat opening; second seat after a check and after a bet.
    assert player.requests == 3 + 6


def test_many_hands_agree() -> None:
    def mixed(text: str) -> str:
        offer = text.rpartition("Reply")[2]
        if "J" in text.partition("Moves")[0].rpartition("card:")[2]:
            return "bet" if "bet" in offer else "fold"
        return "check" if "check" in offer else "call"

    exact = exact_payoff(kuhn(opponent="cfr"), Player(mixed))
    envs = [kuhn(opponent="cfr") for _ in range(8)]
    values = [e.value for e in play(envs, Player(mixed), list(range(4000)))]
    assert exact == pytest.approx(np.mean(values), abs=4 * np.std(values) / np.sqrt(4000))


@pytest.mark.parametrize("opponent", [Player(passive), "mcts:5", "random+cfr"])
def test_an_unknown_opponent_has_no_exact_value(opponent: Any) -> None:
    env = kuhn(opponent=opponent)
    with pytest.raises(TypeError, match="known opponent"):
        exact_payoff(env, RandomPolicy([env]))


def test_a_large_game_has_no_exact_value() -> None:
    env = gym.make("zerogym/ConnectFour-v0")
    with pytest.raises(ValueError, match="too many states"):
        exact_payoff(env, RandomPolicy([env]))
