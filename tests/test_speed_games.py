"""The loops whose speed is compared play whole games, all in the same way."""

import pytest

from zerogym.benchmarks.speed.games import (
    Loop,
    batched,
    multi_agent,
    open_spiel,
    pettingzoo_classic,
    plain,
    rate,
)
from zerogym.envs.games.core import load_game

TOE = load_game("tic_tac_toe")
MEAN = 7.626  # moves of a random game, by the plain recursion over positions


@pytest.mark.parametrize("form", ["rules", "text", "numeric", "OpenSpiel", "PettingZoo"])
def test_each_loop_plays_games_of_the_right_length(form: str) -> None:
    if form == "OpenSpiel":
        pytest.importorskip("pyspiel")
    loop: Loop | None = {
        "rules": lambda: plain(TOE),
        "text": lambda: multi_agent(TOE, "text"),
        "numeric": lambda: multi_agent(TOE, "numeric"),
        "OpenSpiel": lambda: open_spiel("tic_tac_toe"),
        "PettingZoo": lambda: pettingzoo_classic("tic_tac_toe"),
    }[form]()
    if loop is None:
        pytest.skip("not installed")
    lengths = [loop() for _ in range(600)]
    assert set(lengths) <= {5, 6, 7, 8, 9}
    assert sum(lengths) / 600 == pytest.approx(MEAN, abs=0.25)
    assert (rate(loop, 0.01) or 0) > 1000


def test_what_cannot_be_measured_is_left_empty() -> None:
    assert batched(load_game("hex"), 4) is None
    assert open_spiel("prisoners_dilemma") is None
    assert pettingzoo_classic("nim") is None
    assert rate(None, 1.0) is None
    loop = batched(TOE, 4)
    assert loop is not None and loop() == 200
