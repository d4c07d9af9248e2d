"""Negotiation: a second implementation of trades, the draw of perfect players, gains as rewards."""

from typing import Any

import numpy as np
import pytest

from helpers.games.positions import random_move
from zerogym.envs.games.core.game import TERMINAL, deal
from zerogym.envs.games.core.tabular_policy import (
    TabularPolicy,
    expected_payoffs,
    information_sets,
)
from zerogym.envs.games.opponents.registry import opponent_names, uniform_policy
from zerogym.envs.games.solvers.best_response import nash_conv
from zerogym.envs.games.solvers.cfr import cfr_equilibrium
from zerogym.envs.games.talk.simple_negotiation import SimpleNegotiation, SimpleNegotiationEnv
from zerogym.envs.games.views.aec import GameAEC

WORTH = {"wheat": 5, "wood": 10, "sheep": 15, "brick": 25, "ore": 40}


def reference(talk: list[str], prices: list[dict[str, float]], stock: int) -> list[float]:
    """Gains of both after a talk in words; no seat ever gives what it has not."""
    bags = [dict.fromkeys(prices[0], stock), dict.fromkeys(prices[0], stock)]
    start = [sum(bags[seat][k] * prices[seat][k] for k in bags[seat]) for seat in (0, 1)]
    last: list[str] = []
    for number, message in enumerate(talk):
        words = message.split()
        if message == "accept":
            _, n, give, _, m, get = last
            for seat, (lost, won) in (
                (1 - number % 2, ((give, n), (get, m))), (number % 2, ((get, m), (give, n)))
            ):  # fmt: skip
                bags[seat][lost[0]] -= int(lost[1])
                bags[seat][won[0]] += int(won[1])
        last = words
        assert min(min(bag.values()) for bag in bags) >= 0
    return [
        sum(bags[seat][k] * prices[seat][k] for k in bags[seat]) - start[seat] for seat in (0, 1)
    ]


@pytest.mark.parametrize("parameters", [{}, {"kinds": 5, "stock": 2, "most": 3, "turns": 12}])
def test_trades_are_those_of_the_reference(parameters: dict[str, int]) -> None:
    game: Any = SimpleNegotiation(**parameters)  # type: ignore[arg-type]
    points, rng, trades = (
        SimpleNegotiation(**parameters, scoring="gain"),
        np.random.default_rng(0),
        0,
    )  # type: ignore[arg-type]
    for _ in range(60):
        state, talk = deal(game, game.initial(), rng), []
        prices = []
        for number in state.deals:
            kinds = list(WORTH)[: game.kinds]
            digits = [number // 3**place % 3 for place in range(game.kinds)]
            factors = [(0.8, 1.0, 1.2)[digit] for digit in digits]
            prices.append({k: WORTH[k] * f for k, f in zip(kinds, factors, strict=True)})
        while game.to_move(state) != TERMINAL:
            act = 0 if 0 in game.legal(state) else random_move(game, state, rng)
            talk.append(game.action_name(state, act))
            state = game.apply(state, act)
            expected = reference(talk, prices, game.stock)
            assert points.returns(state) == pytest.approx(expected)
        first, second = (round(gain, 6) for gain in expected)
        assert game.payoff(state)[0] == (first > second) - (first < second)
        trades += talk.count("accept")
    assert trades > 100


def test_who_never_trades_cannot_lose_so_perfect_play_is_a_draw() -> None:
    game = SimpleNegotiation(kinds=2, stock=1, most=1, turns=2)
    assert "cfr" in opponent_names(game) and "cfr" not in opponent_names(SimpleNegotiation())
    passes = {
        key: tuple(float(act == 1) for act in game.legal(states[0]))
        for key, states in information_sets(game).items()
    }
    assert nash_conv(game, TabularPolicy(game, passes)) == 0
    assert nash_conv(game, uniform_policy(game)) > 0.5
    found = cfr_equilibrium(game)
    assert expected_payoffs(game, [found, found])[0] == pytest.approx(0, abs=1e-3)


def test_gains_are_rewards_at_once_and_roles_are_equal() -> None:
    env = GameAEC(SimpleNegotiation(scoring="gain", messages="free"), view="text")
    env.reset(seed=3)
    values = [env.game.values[number] for number in env._match.state.deals]  # type: ignore[union-attr,attr-defined]
    env.step("<answer>A gift for you. [offer 1 wheat for 2 sheep]</answer>")
    assert set(env.rewards.values()) == {0.0}
    env.step("<answer>accept</answer>")
    first = 2 * values[0][2] - values[0][0]
    assert tuple(env.rewards.values()) == (first, values[1][0] - 2 * values[1][2])
    env.step("<answer>accept</answer>")
    assert env.infos["player_0"]["void_turn"], "nothing is on the table"


def test_an_offer_is_void_after_a_turn_and_nobody_gives_what_it_has_not() -> None:
    game: Any = SimpleNegotiation(stock=1)
    state = deal(game, game.initial(), np.random.default_rng(0))
    names = [game.action_name(state, act) for act in game.legal(state)]
    assert "offer 1 wheat for 1 wood" in names and not any("2" in name for name in names)
    state = game.apply(state, game.parse(state, "offer 1 wheat for 1 wood"))
    assert game.parse(state, "accept") == 0
    state = game.apply(game.apply(state, 1), 1)
    assert game.parse(state, "accept") is None
    assert game.holdings(state) == ((1, 1, 1), (1, 1, 1))


def test_welfare_is_given_where_gains_are_the_points() -> None:
    for scoring, keys in (("win", set()), ("gain", {"welfare"})):
        env = SimpleNegotiationEnv(turns=2, scoring=scoring, seat=0)
        env.reset(seed=0)
        *_, over, _, info = env.step("pass")
        assert over and keys == {"welfare"} & set(info)
