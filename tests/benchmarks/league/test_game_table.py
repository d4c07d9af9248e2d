"""The table of values and strengths: known values, the file that is committed, the cells."""

import json
from pathlib import Path
from typing import Any

import pytest

from zerogym.benchmarks.league.game_table import (
    COLUMNS,
    MATCHES,
    SLOW,
    measure,
    own_games,
    section,
    sizes,
    strength,
    strengths,
)
from zerogym.envs.games.core.game import load_game
from zerogym.envs.games.opponents.registry import opponent_names


@pytest.fixture
def measured(root: Path) -> Any:
    """The committed values."""
    return json.loads((root / "docs/games.json").read_text("utf-8"))


def test_every_game_and_every_named_opponent_is_measured(measured: Any) -> None:
    assert list(measured) == own_games()
    for name, found in measured.items():
        game = load_game(name)
        assert list(found["opponents"]) == list(opponent_names(game))
        assert found["payoff_range"] == list(game.payoff_range)
        assert set(found["opponents"]) <= set(COLUMNS)
        for opponent, said in found["opponents"].items():
            if "low" in said:
                assert said["low"] <= said["mean"] <= said["high"]
                assert said["matches"] == SLOW.get(opponent, MATCHES)


def test_it_says_what_is_known(measured: Any) -> None:
    kuhn, toe, leduc = (measured[name] for name in ("kuhn_poker", "tic_tac_toe", "leduc_poker"))
    assert (kuhn["states"], kuhn["information_sets"]) == (58, 12)
    assert kuhn["value"] == pytest.approx(-1 / 18, abs=1e-3)
    assert kuhn["uniform_nash_conv"] == pytest.approx(11 / 12)
    assert (toe["states"], toe["information_sets"], toe["value"]) == (5478, 4520, 0)
    assert leduc["information_sets"] == 936
    assert leduc["uniform_nash_conv"] == pytest.approx(4.747222, abs=1e-6)
    assert measured["liars_dice"]["uniform_nash_conv"] == pytest.approx(1.561489, abs=1e-6)
    assert measured["rock_paper_scissors"]["value"] == pytest.approx(0, abs=1e-3)
    assert "states" not in measured["othello"] and "value" not in measured["public_goods"]


@pytest.mark.parametrize(
    "name", ["kuhn_poker", pytest.param("first_sealed_auction", marks=pytest.mark.proof)]
)
def test_the_file_is_what_the_command_finds(measured: Any, name: str) -> None:
    found, said = measure(load_game(name)), measured[name]
    for opponent, strength_of in found["opponents"].items():
        assert strength_of == pytest.approx(said["opponents"][opponent], abs=1e-6), opponent
    assert found.get("value", 0) == pytest.approx(said.get("value", 0), abs=1e-6)


def test_a_measured_strength_is_near_the_exact_one() -> None:
    game = load_game("leduc_poker")
    exact = strength(game, "scripted", 1)["mean"]

    class Hidden(type(game)):  # type: ignore[misc]
        enumerable = False

    found = strength(Hidden(), "scripted", 1000)
    assert found["low"] < exact < found["high"] and found["high"] - found["low"] < 1


def test_the_cells(tmp_path: Path) -> None:
    exact, measured_ = {"mean": -0.00001}, {"mean": 0.5, "low": 0.25, "high": 0.756, "matches": 9}
    games = {
        "small": {
            "payoff_range": [-1.0, 1.0], "states": 5478, "information_sets": 4520,
            "value": 0.25, "error": 0.00123, "uniform_nash_conv": 1.5,
            "opponents": {"random": exact, "cfr": measured_},
        },
        "large": {"payoff_range": [0.0, 7.5], "opponents": {"random": exact, "mcts": exact}},
    }  # fmt: skip
    assert sizes(games).splitlines()[2:] == [
        "| small | 5,478 | 4,520 | 0.2500 ± 0.0013 | 1.500000 |"
    ]
    assert strengths(games).splitlines() == [
        "| game | payoffs | random | scripted | minimax | cfr | mcts |",
        "|---|---|---:|---:|---:|---:|---:|",
        "| small | -1 to 1 | 0.000 |  |  | 0.500 (0.25 to 0.76) |  |",
        "| large | 0 to 7.5 | 0.000 |  |  |  | 0.000 |",
    ]
    (tmp_path / "games.json").write_text(json.dumps(games))
    page = section(tmp_path / "games.json")
    assert sizes(games) in page and strengths(games) in page
