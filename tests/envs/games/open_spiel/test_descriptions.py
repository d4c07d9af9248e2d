"""Games of OpenSpiel as text: rules, positions and moves in words, and replies."""

from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env

from zerogym.envs.games.core.game import TERMINAL, deal
from zerogym.envs.games.core.seat_views import first_message
from zerogym.envs.games.open_spiel.open_spiel import OpenSpiel
from zerogym.envs.games.open_spiel.text import MAX_SHOWN, MAX_TEXT

pytest.importorskip("pyspiel")


def test_a_text_that_is_too_long_loses_the_oldest_part() -> None:
    rules, rng = OpenSpiel("kriegspiel"), np.random.default_rng(1)
    state = rules.initial()
    assert "left out" not in rules.describe(state, rules.to_move(state))
    while rules.to_move(state) != TERMINAL:
        seat = rules.to_move(state)
        past = state.inner.information_state_string(seat).strip("\n")
        text = rules.describe(state, seat)
        assert text.startswith(state.inner.observation_string(seat).strip("\n"))
        assert past[-400:] in text, "the latest is whole"
        moves = ", ".join(rules.action_name(state, action) for action in rules.legal(state))
        assert f"\nYour moves: {moves}\nReply" in text
        state = rules.apply(state, int(rng.choice(rules.legal(state))))
    assert len(past) > MAX_SHOWN and "older characters left out] " in text
    assert len(first_message(rules, state, 0)) <= MAX_TEXT


def test_moves_that_are_too_many_are_counted_and_still_understood() -> None:
    rules = OpenSpiel("blotto(coins=40,fields=4,players=3)")
    state = rules.initial()
    text = first_message(rules, state, 0)
    assert len(rules.legal(state)) == 12_341 and len(text) <= MAX_TEXT
    shown = text.partition("Your moves: ")[2].partition("\n")[0].split(" | ")
    assert shown[-1] == f"and {12_341 - len(shown) + 1} more, written alike"
    assert shown[:-1] == [rules.action_name(state, a) for a in rules.legal(state)[: len(shown) - 1]]
    last = rules.legal(state)[-1]
    assert rules.parse(state, f"<answer>{rules.action_name(state, last)}</answer>") == last


def test_the_prompt_says_how_the_game_is_played() -> None:
    text = first_message(OpenSpiel("nim(is_misere=False)"), OpenSpiel("nim").initial(), 0)
    for said in ("Nim", "is_misere=False", "pile_sizes=1;3;5;7", "Take any number", "2 seats"):
        assert said in text
    assert "from -1 to 1; they sum to 0" in text and "you have seat 0" in text
    assert "OpenSpiel has no rules in words" in OpenSpiel("skat").rules(0)
    matrix = OpenSpiel("matrix_pd")
    assert "Cooperate / Defect: 0, 10;" in matrix.rules(0)
    assert "no rules in words" not in matrix.rules(0)
    assert "In each round" not in matrix.rules(0)
    end = matrix.apply(matrix.apply(matrix.initial(), 0), 1)
    assert "The seats have chosen: Cooperate / Defect." in matrix.describe(end, 0)
    assert "In each round all seats choose at once" in OpenSpiel("goofspiel").rules(0)
    assert "You play alone.\nOnly payoffs at the end count: from 0" in OpenSpiel("2048").rules(0)
    assert "all seats get the same" in OpenSpiel("hanabi").rules(0)


def test_moves_with_commas_are_set_apart() -> None:
    rules = OpenSpiel("gomoku(size=5)")
    text = rules.describe(rules.initial(), 0)
    assert "Your moves: 0,0 | 0,1 | 0,2 | 0,3" in text
    assert "Your moves: Pass, Bet\n" in OpenSpiel("kuhn_poker").describe(
        deal(OpenSpiel("kuhn_poker"), OpenSpiel("kuhn_poker").initial(), np.random.default_rng(0)),
        0,
    )


@pytest.mark.parametrize(
    ("game", "reply", "name"),
    [
        ("goofspiel(points_order=descending)", "Bid: 3", "[P0]Bid: 3"),
        ("tic_tac_toe", "(0, 2)", None),
        ("tic_tac_toe", "0,2", "x(0,2)"),
        ("tic_tac_toe", "o(0,2)", None),  # the other seat's
        ("go(board_size=9)", "c3", "B c3"),
        ("go(board_size=9)", "W c3", None),
        ("go(board_size=9)", "b pass", "B PASS"),
        ("connect_four", "3", "x3"),
        ("dots_and_boxes", "(h,0,1)", "P1(h,0,1)"),
        ("dots_and_boxes", "P2(h,0,1)", None),
        ("chess", "knight to f3", None),
    ],
)
def test_who_moves_may_be_left_out_but_not_wrong(game: str, reply: str, name: str | None) -> None:
    rules = OpenSpiel(game)
    state = deal(rules, rules.initial(), np.random.default_rng(0))
    action = rules.parse(state, f"I think.\n<answer>{reply}</answer>")
    assert (None if action is None else rules.action_name(state, action)) == name


def test_what_cannot_be_shown_as_numbers_is_played_as_text() -> None:
    env: Any = gym.make("zerogym/OpenSpiel-v0", game="cribbage").unwrapped
    env.reset(seed=0)
    rng, over = np.random.default_rng(0), False
    while not over:
        observation, _, over, _, _ = env.step(env.random_action(rng))
    assert "The game is over" in observation
    check_env(gym.make("zerogym/OpenSpiel-v0", game="coordinated_mp").unwrapped)
    for make in (
        lambda: gym.make("zerogym/OpenSpiel-v0", game="cribbage", view="numeric"),
        lambda: pettingzoo.make("aec", "zerogym/open_spiel-v0", game="cribbage"),
    ):
        with pytest.raises(ValueError, match="as numbers: use view='text'"):
            make()


def test_an_illegal_reply_is_repeated() -> None:
    env: Any = gym.make("zerogym/OpenSpiel-v0", game="backgammon", seat=0, max_retries=1)
    env.reset(seed=0)
    observation, reward, over, _, info = env.step("<answer>25/26</answer>")
    assert "not a legal move" in observation and info["void_turn"] and not over
    _, reward, over, _, _ = env.step("x" * 1_000_000)
    assert over and reward == -1.0
