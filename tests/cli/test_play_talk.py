"""A person in a game of talk: words without tags, slips that cost nothing, secrets that stay."""

import pytest
from typer.testing import CliRunner

from zerogym.cli import app


def play(*arguments: str, typed: str) -> str:
    words = ["play", *arguments, "--opponent", "scripted", "--seed", "1"]
    result = CliRunner().invoke(app, words, input=typed, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def test_a_slip_costs_no_retry_and_is_answered_with_what_may_be_typed() -> None:
    typed = "demnd 5\n" * 5 + "demand 5\naccept\n"
    shown = play("ultimatum", "--seat", "1", typed=typed)
    assert shown.count("That is no move now. Reply ‘demand N’ with N from 0 to 10.") == 5
    assert "You get 5 of 10 coins" in shown and "forfeit" not in shown
    assert "<answer>" not in shown


def test_words_need_no_tag_where_they_are_free() -> None:
    free = ("deal_or_no_deal", "--seat", "0", "--arg", "messages=free")
    typed = "I like hats.\n<think>secret</think><answer>Hello [take 1 2 0]</answer>\n"
    shown = play(*free, typed=typed)
    assert "[you] I like hats." in shown and "[you: take 1 2 0] Hello" in shown
    assert shown.count("secret") == 0 and "No deal: you get 0 points." in shown


@pytest.mark.parametrize("name", ["social_deduction", "spy", "red_team", "twenty_questions"])
def test_leaving_is_kind_and_the_deals_of_others_are_not_shown(name: str) -> None:
    shown = play(name, "--seat", "0", typed="x\n")
    assert "That is no move now." in shown and "Goodbye." in shown
    assert "You are player 2" not in shown and "your note" not in shown
