"""Mistakes at the command line: each is one line that names what is meant, and exit code 2."""

import pytest
from typer.testing import CliRunner

from zerogym.cli import app

# The command line and what its error names.
MISTAKES = {
    # verbs and options
    "trian llm": "did you mean 'train'?",
    "train lmm": "did you mean 'llm'?",
    "bench quikc": "did you mean 'quick'?",
    "data crad folder": "did you mean 'card'?",
    "--verson": "did you mean --version?",
    "list --familly games": "did you mean --family?",
    "doctor now": "zerogym doctor -h",
    "info": "zerogym info needs ID",
    "exploit kuhn_poker": "needs --player",
    "play Countdown --seed": "--seed needs a value",
    # values
    "info Countdown --seed x": "--seed must be a valid integer, got 'x'",
    "play Countdown --episodes 0": "--episodes must be greater than or equal to 1, got '0'",
    "play Countdown --arg difficulty": "--arg takes NAME=VALUE, got 'difficulty'",
    "collect FourRooms --steps 1e4": "--steps takes a whole number, got '1e4'",
    "train fb --exact maybe": "--exact takes true or false, got 'maybe'",
    "train fb --gamma 2": "gamma must be in [0, 1], got 2.0",
    "train llm --env-kwargs difficulty=1": """such as '{"name": 1}', got 'difficulty=1'""",
    # names
    "list --family game": "Did you mean 'games'?",
    "list xyzzy": "There is no task 'xyzzy'",
    "info contdown": "Did you mean 'Countdown'?",
    "play Countdown --agent oracl": "Did you mean 'oracle'?",
    "play Countdown --arg colour=red": "unexpected keyword argument 'colour'",
    "play kuhn_poker --opponent mcst": "Did you mean 'mcts'?",
    "play kuhn_poker --seat 7": "seat must be",
    "audit Countdown --check shortcuts": "Did you mean 'shortcut'?",
    "league kuhn": "Did you mean 'kuhn_poker'?",
    "collect FourRoms": "Did you mean 'FourRooms'?",
    "collect FourRooms --policy rdn": "did you mean 'rnd'?",
    "train fb --env u_mapp": "Did you mean 'UMap'?",
    "model tinny": "Did you mean 'tiny'?",
    # training a language model
    "train llm": "zerogym train llm --env RandomCalculation",
    "train llm --env Countdwn": "Did you mean 'Countdown'?",
    "train llm --env Countdown --learning-rate 1e-4": "did you mean --lr?",
    "train llm --env Countdown --model tyni": "Did you mean 'tiny'?",
    "train llm --env Countdown --preset grppo": "Did you mean 'grpo'?",
    "train llm --env Countdown --advantage tmpo": "did you mean 'tempo'?",
    # files
    "train llm --config nowhere.toml": "nowhere.toml: No such file",
    "train fb --resume nowhere": "nowhere is not a run directory",
    "infer nowhere": "there is no directory 'nowhere'",
    "--import nowhere list": "nowhere",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_one_line_with_a_hint(line: str) -> None:
    result = CliRunner().invoke(app, line.split())
    assert result.exit_code == 2, (result.output, result.exception)
    assert result.stdout == ""
    [shown] = result.stderr.splitlines()
    assert shown.startswith("error ") and MISTAKES[line] in shown, shown
