"""Rules of the games, against counts and moves of others: literature and OpenSpiel."""

from functools import cache
from typing import Any

import numpy as np
import pytest

from zerogym.envs.games.core import CHANCE, TERMINAL, Game, forfeit, load_game
from zerogym.envs.games.kuhn_poker import KuhnPoker, KuhnState
from zerogym.envs.games.tabular import information_sets, layers, moves
from zerogym.envs.games.tic_tac_toe import TicTacToe
from zerogym.envs.registry import GAMES
from zerogym.errors import UnknownName

NAMES = [game.name for game in GAMES]
PLAYOUTS = 500


@cache
def histories(game: Game[Any], state: Any) -> int:
    """Ways to play on from a state to an end."""
    following = moves(game, state)
    return sum(histories(game, game.apply(state, action)) for action in following) or 1


def test_numbers_of_histories_are_those_of_the_literature() -> None:
    assert histories(TicTacToe(), TicTacToe().initial()) == 255_168
    assert sum(map(len, layers(TicTacToe()))) == 5478
    assert histories(KuhnPoker(), KuhnPoker().initial()) == 6 * 5
    assert len(information_sets(KuhnPoker())) == 12


@pytest.mark.parametrize("name", NAMES)
def test_every_state_obeys_the_protocol(name: str) -> None:
    game = load_game(name)
    low, high = game.payoff_range
    paid: set[float] = set()
    for state in (state for layer in layers(game) for state in layer):
        mover = game.to_move(state)
        assert bool(game.legal(state)) == (mover >= 0)
        assert list(game.legal(state)) == sorted(set(game.legal(state)))
        if mover == CHANCE:
            assert sum(probability for _, probability in game.chance(state)) == 1
        if mover == TERMINAL:
            assert sum(game.payoff(state)) == 0
            paid |= set(game.payoff(state))
        for seat in range(game.num_seats):
            vector = game.observe(state, seat)
            assert vector.shape == (game.observation_size,)
            assert vector.dtype == np.float32
            assert vector.min() >= 0 and vector.max() <= 1
    assert (min(paid), max(paid)) == (low, high)
    assert forfeit(game, 1) == (high, low)


@pytest.mark.parametrize("name", NAMES)
def test_the_three_views_tell_the_same_states_apart(name: str) -> None:
    game = load_game(name)
    keys: dict[Any, Any] = {}
    arrays: dict[Any, Any] = {}
    texts: dict[Any, Any] = {}
    for states in information_sets(game).values():
        for state in states:
            seat = game.to_move(state)
            key = (seat, game.info_key(state, seat))
            assert keys.setdefault(game.info_key(state, seat), key) == key
            assert arrays.setdefault(game.observe(state, seat).tobytes(), key) == key
            assert texts.setdefault(game.describe(state, seat), key) == key
    assert len(keys) == len(arrays) == len(texts) == len(information_sets(game))


@pytest.mark.parametrize("name", NAMES)
def test_every_legal_move_is_understood_under_its_name(name: str) -> None:
    game = load_game(name)
    for states in information_sets(game).values():
        state = states[0]
        for action in game.legal(state):
            move = game.action_name(state, action)
            for reply in (
                f"<answer>{move}</answer>",
                move,
                f"Well.\n {move.upper()}. \n",
                f"[{move}]",
            ):
                assert game.parse(state, reply) == action, reply


@pytest.mark.parametrize(
    "reply",
    [
        "", "   ", "fold", "call", "raise", "0", "1", "I will not bet", "check or bet",
        "<answer>check, no: bet</answer>", "<answer></answer>", "<answer>checkbet</answer>",
        "bet\nbut I am not sure", "\x00bet", "\ud800", "bet" * 3_000_000, "<answer>" * 10**6,
    ],
)  # fmt: skip
def test_what_names_no_legal_move_is_no_move(reply: str) -> None:
    assert KuhnPoker().parse(KuhnState((0, 1), ""), reply) is None


@pytest.mark.parametrize("reply", ["0", "10", "1", "5 or 6", "-5", "5.5", "５", "٥", "five", "X"])
def test_tic_tac_toe_takes_numbers_of_free_cells_only(reply: str) -> None:
    assert TicTacToe().parse("X........", reply) is None


def test_a_wrong_game_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="kuhn_poker"):
        load_game("kuhn_pocker")


def test_no_seat_sees_a_card_of_another() -> None:
    """Whatever a seat sees before a showdown is the same for both cards its opponent may hold."""
    game = KuhnPoker()
    for moves_made in ("", "p", "b", "pb", "bp", "pbp"):
        for own in range(3):
            for seat in (0, 1):
                seen = set()
                for other in {0, 1, 2} - {own}:
                    cards = (own, other) if seat == 0 else (other, own)
                    state = KuhnState(cards, moves_made)
                    text = game.describe(state, seat)
                    if game.to_move(state) == TERMINAL:
                        assert "Opponent's card" not in text
                    seen.add(
                        (text, game.observe(state, seat).tobytes(), game.info_key(state, seat))
                    )
                assert len(seen) == 1


def test_a_showdown_is_told() -> None:
    text = KuhnPoker().describe(KuhnState((0, 2), "bb"), 0)
    assert text == (
        "Your card: J. Moves: you bet, opponent calls.\nOpponent's card: K. You lose 2 chips."
    )


@pytest.mark.parametrize("name", NAMES)
def test_openspiel_plays_the_same_game(name: str) -> None:
    """Random play-outs of each, replayed in the other: turn order, legal actions, payoffs."""
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs = load_game(name), pyspiel.load_game(name)
    rng = np.random.default_rng(0)
    for playout in range(2 * PLAYOUTS):
        state, other = game.initial(), theirs.new_initial_state()
        while not other.is_terminal():
            if other.is_chance_node():
                assert game.to_move(state) == CHANCE
                ours = {action: float(p) for action, p in game.chance(state)}
                assert ours == pytest.approx(dict(other.chance_outcomes()))
            else:
                assert game.to_move(state) == other.current_player()
            assert list(moves(game, state)) == other.legal_actions()
            offered = moves(game, state) if playout < PLAYOUTS else other.legal_actions()
            action = int(rng.choice(offered))
            state = game.apply(state, action)
            other.apply_action(action)
        assert game.to_move(state) == TERMINAL
        assert list(game.payoff(state)) == other.returns()
