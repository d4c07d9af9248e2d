"""A control world on a person's screen."""

import pytest
from typer.testing import CliRunner

from zerogym.cli import app


def played(*arguments: str) -> str:
    result = CliRunner().invoke(
        app, ["play", *arguments, "--seed", "0"], input="0\n", env={"COLUMNS": "200"}
    )
    assert result.exit_code == 0, result.output
    return result.output


def test_the_map_is_above_the_text() -> None:
    shown = played("FourRooms")
    assert shown.count("# @    G#") == 2 and "You are at row 7, column 2" in shown


@pytest.mark.parametrize("world", ["DarkRoom", "TMaze", "MiniGrid", "CognitiveRadio"])
def test_a_map_that_shows_more_than_the_agent_observes_is_left_out(world: str) -> None:
    pytest.importorskip("minigrid")
    shown = played(world)
    assert (
        "@" not in shown and "####" not in shown and "WGWG" not in shown and "\n...#" not in shown
    )


def test_numbers_have_names_and_the_goal_and_the_actions_are_shown() -> None:
    shown = played("Pendulum")
    assert "Goal: Stand still and straight up." in shown
    assert "Action: 1 number from -1 to 1" in shown
    assert shown.count("upright 0.6") == 2 and "[" not in shown
    numeric = played("FourRooms", "--arg", "view=numeric")
    assert "Goal: Go to row 7, column 7 and stay there." in numeric
    assert "Action: 0 stay, 1 up, 2 right, 3 down, 4 left" in numeric
    assert numeric.count("row 7  column 2  walls") == 2 and numeric.count("# @    G#") == 2


def test_the_map_can_be_turned_off() -> None:
    assert "####" not in played("FourRooms", "--arg", "render_mode=null")
