"""Example episodes of the pages: what is shown, and what is left out."""

from collections.abc import Callable
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def episodes(load_tool: Callable[[str], ModuleType]) -> ModuleType:
    """The tool that plays them."""
    return load_tool("episodes")


def an_episode(episodes: ModuleType, turns: int, end: str = "Terminated.") -> object:
    played = [
        episodes.Turn(f"move {n}", 0.0, 0.5, end if n == turns - 1 else "", f"state {n}")
        for n in range(turns)
    ]
    return episodes.Episode("make()", "the oracle", "the start", played)


def test_the_middle_of_a_long_episode_is_left_out(episodes: ModuleType) -> None:
    for turns, words in ((3, ""), (4, ""), (5, "1 more turn"), (9, "5 more turns")):
        head, left_out, tail = episodes.shown(an_episode(episodes, turns))
        assert left_out == words
        assert [*head, *tail][-1].end == "Terminated."
    head, left_out, tail = episodes.shown(an_episode(episodes, 9, end=""))
    assert (len(head), left_out, tail) == (3, "and so on", ())


def test_both_forms_of_an_episode(episodes: ModuleType) -> None:
    played = an_episode(episodes, 2)
    assert episodes.columns(played).splitlines() == [
        "world  the start",
        "agent  move 0",
        "       (reward 0)",
        "world  state 0",
        "agent  move 1",
        "       (reward 0) Terminated.",
        "world  state 1",
    ]
    text = episodes.blocks(played)
    assert text.count("Prompt") == 2 and "Reply (reward 0, score 0.5, terminated)" in text


def test_fences_and_cuts(episodes: ModuleType) -> None:
    assert episodes.fenced("```sql\n```").startswith("````\n")
    assert len(episodes.text_of("x" * 10_000)) < 3_000
