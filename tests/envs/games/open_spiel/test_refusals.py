"""Games of OpenSpiel that cannot be played here say why, and none of them ends the process."""

import subprocess

import gymnasium as gym
import pettingzoo
import pytest

from zerogym.envs.games.open_spiel.open_spiel import OpenSpiel
from zerogym.envs.games.open_spiel.parameter_check import crash_of
from zerogym.errors import UnknownName

pytest.importorskip("pyspiel")


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("mfg_crowd_modelling", "mean-field"),
        ("stones_and_gems", "draws its chance inside"),
        ("crossword", "action structs only"),
        ("repeated_game", "cannot load"),
        ("nfg_game", "a parameter is missing"),
        ("morpion_solitaire", "ends the process"),
        ("misere(game=morpion_solitaire())", "ends the process"),
        ("connect_four(rows=0)", "ends the process"),
        # it goes on with a board that was never set up: a crash, or no end of it
        pytest.param(
            "dark_chess(fen=zzz)",
            "ends the process|does not come to its first moves",
            marks=pytest.mark.proof,
        ),
        ("go(bord_size=9)", "Unknown parameter 'bord_size'. Available parameters are: board_size"),
        ("go(board_size=9", "closing bracket"),
        ("go(board_size=0)", "unsupported board size"),
        ("goofspiel(num_cards=0)", "no first move"),
        ("hex(num_cols=0,num_rows=0)", "no first move"),
        ("blotto(coins=-1)", "cannot be played here"),
        ("kuhn_poker(players=99)", "cannot load"),
        ("kuhn_poker(cards=9)", "cannot load"),
    ],
)
def test_a_game_that_cannot_be_played_says_why(game: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        OpenSpiel(game)
    with pytest.raises(ValueError, match=reason):
        gym.make("zerogym/OpenSpiel-v0", game=game)


def test_a_wrong_name_suggests_the_nearest() -> None:
    for make in (
        lambda: OpenSpiel("backgamon"),
        lambda: gym.make("zerogym/OpenSpiel-v0", game="backgamon"),
        lambda: pettingzoo.make("aec", "zerogym/open_spiel-v0", game="backgamon"),
        lambda: pettingzoo.make("parallel", "zerogym/open_spiel-v0", game="backgamon"),
    ):
        with pytest.raises(UnknownName, match="Did you mean 'backgammon'"):
            make()
    for wrong in (5, None, ["chess"]):
        with pytest.raises(TypeError, match="named by a str"):
            gym.make("zerogym/OpenSpiel-v0", game=wrong)


def test_games_in_turn_are_no_parallel_environments() -> None:
    with pytest.raises(ValueError, match="'chess' has moves in turn"):
        pettingzoo.make("parallel", "zerogym/open_spiel-v0", game="chess")
    assert not OpenSpiel("chess").simultaneous and OpenSpiel("matrix_rps").simultaneous


def test_only_names_with_parameters_are_tried_in_another_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def late(*arguments: object, **named: object) -> None:
        raise subprocess.TimeoutExpired("python", 20)

    monkeypatch.setattr(subprocess, "run", late)
    crash_of.cache_clear()
    assert crash_of("kuhn_poker") is None
    assert crash_of("go(board_size=5)") == "it does not come to its first moves in 20 seconds"
    crash_of.cache_clear()
