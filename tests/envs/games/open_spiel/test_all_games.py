"""Every name that OpenSpiel registers is played to its end, or refused with the reason."""

import inspect
from functools import cache
from typing import Any

import pytest

from helpers.games.spiel_sweep import sweep
from zerogym.envs.games.open_spiel.descriptions import WORDS
from zerogym.envs.games.open_spiel.open_spiel import OpenSpielEnv

pyspiel = pytest.importorskip("pyspiel")

MEAN_FIELD = "it is a mean-field game, without seats that move in turn"
INSIDE = "it draws its chance inside, so its moves do not determine its state"
REFUSED = {
    "bridge_uncontested_bidding": INSIDE,
    "crossword": "This game uses action structs only",
    "morpion_solitaire": "ends the process",
    "mfg_crowd_modelling": MEAN_FIELD,
    "mfg_crowd_modelling_2d": MEAN_FIELD,
    "mfg_dynamic_routing": MEAN_FIELD,
    "mfg_garnet": MEAN_FIELD,
    "negotiation": INSIDE,
    "stones_and_gems": INSIDE,
    "tarok": INSIDE,
}
MADE_OF_OTHERS = {  # games that need parameters, which make a game of another one or of a file
    "add_noise": "add_noise(epsilon=1.0,seed=1,game=kuhn_poker())",
    "cached_tree": "cached_tree(game=kuhn_poker())",
    "efg_game": None,
    "misere": "misere(game=tic_tac_toe())",
    "nfg_game": None,
    "normal_form_extensive_game": "normal_form_extensive_game(game=kuhn_poker())",
    "repeated_game": "repeated_game(stage_game=matrix_rps(),num_repetitions=3)",
    "repeated_poker": "repeated_poker(max_num_hands=2,reset_stacks=True,"
    "universal_poker_game_string=universal_poker())",
    "restricted_nash_response": "restricted_nash_response(game=kuhn_poker())",
    "start_at": "start_at(history=4;0,game=tic_tac_toe())",
    "turn_based_simultaneous_game": "turn_based_simultaneous_game(game=goofspiel(num_cards=3))",
    "zerosum": "zerosum(game=matrix_pd())",
}
WITHOUT_NUMBERS = {
    "coin_game",
    "coordinated_mp",
    "cribbage",
    "liars_dice_ir",
    "phantom_ttt_ir",
    "social_deduction",
}
SHORTENED = {"kriegspiel"}
MANY_SEATS = ("kuhn_poker(players=10)", "crazy_eights(players=15)", "goofspiel(players=10)")


@cache
def found() -> dict[str, dict[str, Any]]:
    """The results of all games with their default parameters."""
    return sweep(sorted(pyspiel.registered_names()), timeout=1200)


@pytest.mark.proof
def test_no_game_of_openspiel_fails() -> None:
    bad = {name: one for name, one in found().items() if "crash" in one or "error" in one}
    assert not bad


@pytest.mark.proof
def test_games_are_refused_with_the_reason_and_the_page_names_them() -> None:
    refused = {name: one["refused"] for name, one in found().items() if "refused" in one}
    known = set(REFUSED) | set(MADE_OF_OTHERS)
    assert set(refused) >= known & set(found())
    for name, reason in REFUSED.items():
        assert reason in refused[name]
    page = inspect.getdoc(OpenSpielEnv) or ""
    for name in refused:
        assert name in MADE_OF_OTHERS or f"`{name}`" in page
        assert name not in MADE_OF_OTHERS or "cannot load" in refused[name]
    if len(found()) == 126:  # of the release that the page speaks of
        assert set(refused) == known
        assert f"{126 - len(known)} of its 126 names" in page


@pytest.mark.proof
def test_texts_are_whole_and_numbers_are_there_but_where_the_page_says() -> None:
    played = {name: one for name, one in found().items() if "plies" in one}
    assert {name for name, one in played.items() if one["short"]} <= SHORTENED
    assert {name for name, one in played.items() if not one["numbers"]} == WITHOUT_NUMBERS
    page = inspect.getdoc(OpenSpielEnv) or ""
    assert all(f"`{name}`" in page for name in WITHOUT_NUMBERS)


@pytest.mark.proof
def test_games_that_are_made_of_others_and_games_of_many_seats_are_played() -> None:
    names = [game for game in MADE_OF_OTHERS.values() if game] + list(MANY_SEATS)
    names.append("misere(game=goofspiel(num_cards=3))")
    assert {
        name: one for name, one in sweep(names, timeout=300).items() if "plies" not in one
    } == {}


def test_words_are_of_games_that_exist() -> None:
    assert set(WORDS) <= set(pyspiel.registered_names()) and len(WORDS) >= 40
    assert all(80 <= len(words) <= 500 for words in WORDS.values())
