"""The ultimatum game: a second implementation, backward induction, the threat that holds."""

import numpy as np
import pytest

from helpers.games.positions import after, positions
from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.core.tabular_policy import TabularPolicy, information_sets
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.best_response import best_response, nash_conv
from zerogym.envs.games.solvers.minimax import solve
from zerogym.envs.games.talk.core.messages import Move
from zerogym.envs.games.talk.ultimatum import Ultimatum

GAME = Ultimatum()


def reference(moves: list[str], coins: int) -> tuple[float, float]:
    """Payoffs of three moves in words, from the words alone."""
    demand, offer, answer = moves
    assert demand.startswith("demand ") and offer.startswith("offer ")
    part = int(offer.split()[1])
    return (coins - part, part) if answer == "accept" else (0, 0)


@pytest.mark.parametrize("coins", [1, 4, 10])
def test_every_course_is_that_of_the_reference(coins: int) -> None:
    game = Ultimatum(coins=coins)
    ends = 0
    for state in positions(game):
        if game.to_move(state) == TERMINAL:
            names = [
                game.action_name(type(state)((), state.turns[:i]), turn.act)
                for i, turn in enumerate(state.turns)
            ]
            assert game.payoff(state) == reference(names, coins)
            ends += 1
    assert ends == 2 * (coins + 1) ** 2
    assert len(information_sets(game)) == 1 + (coins + 1) + (coins + 1) ** 2


def test_demands_are_cheap_talk_for_perfect_players_and_bind_in_an_equilibrium() -> None:
    values = solve(GAME)
    assert {values[after(GAME, [f"demand {n}"])] for n in range(11)} == {(10.0, 0.0)}
    rule = scripted_policy(GAME)
    assert nash_conv(GAME, rule) == 0
    never = TabularPolicy(  # a responder that accepts all loses its half to a perfect proposer
        GAME, {key: (1.0, 0.0) for key in information_sets(GAME) if key.count(",") == 1}
    )
    assert best_response(GAME, 0, never)[1] == pytest.approx(10)


def test_a_demand_in_free_words_is_no_number() -> None:
    free = Ultimatum(messages="free")
    move = free.parse(free.initial(), "Be firm. <answer>I never take less than half!</answer>")
    assert move == Move(None, "I never take less than half!")
    state = free.apply(free.initial(), move)
    assert free.describe(state, 0).startswith("[player 2] I never take less than half!\nReply")
    offered = free.apply(state, scripted_policy(free).choose(state, np.random.default_rng(0)))
    assert free.offered(offered) == 5, "half, where no number is demanded"
