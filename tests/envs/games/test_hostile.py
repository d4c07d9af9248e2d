"""Replies of all kinds, to all games by the same rule: a move, or no move; soon, and no error."""

import time
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.games.positions import OURS, positions
from zerogym.envs.games.core.game import Game, forfeit, load_game
from zerogym.envs.registry import TASKS

NAMES = [game.name for game in OURS]
IDS = {task.name.lower(): task.id for task in TASKS}

# {m} and {n} are two legal moves of one position.
MEANS_THE_FIRST = (
    "{m}", "  {m}\t", "{m}.", "{m}\n\n", "`{m}`", "**{m}**", '"{m}"', "'{m}'", "({m})", "[{m}]",
    '["{m}"]', "${m}$", "\\boxed{{{m}}}", "The answer is {m}", "Answer: {m}", "So:\n{m}",
    "<answer>{m}</answer>", "<answer>\r\n {m} \r\n</answer>", "<answer>{m}</answer> I am sure.",
    "```\n<answer>{m}</answer>\n```", "\\boxed{{{n}}} <answer>{m}</answer>",
    "<answer>{n}</answer> No: <answer>{m}</answer>",  # the last answer counts
)  # fmt: skip
MEANS_NOTHING = (
    "{m}!", "{m}?", "{m};", "{m}-", ".{m}", "-{m}", "+{m}", "={m}", "0{m}", "0x{m}", "#{m}", "~{m}",
    "{m}.0", "{m},0", "{m}e0", "{m}/1", "{m}%", "{m}_", "_{m}_", "<{m}>", "{m}" + "0" * 5000,
    "{m} or {n}", "{m}, {n}", "{m} {n}", "{m}/{n}", "{m} and {n}", "{m}\n{n}\nnothing",
    "{m} {m}", "move {m}", "column {m}", "cell {m}", "I play {m}", "{m} is my move", "not {m}",
    "{m}\nbut I am not sure", '{{"move": "{m}"}}', "{m}: {n}", "{m} -> {n}",
    "<answer>{m}", "{m}</answer>", "<answer>{m} because {n} loses</answer>", "<answer></answer>",
    "<answer><answer>{m}</answer></answer>", "<answer>{m}</answer><answer></answer>",
    "<ANSWER>{m}</ANSWER>", "<answer>{m} or {n}</answer>", "<answer>{m}</answer {m}",
    "{m}\0", "\0{m}", "{m}\u200b", "\u202e{m}", "{m}\u0301", "{m}\ud800", "\x1b[31m{m}", "{m}\x7f",
)  # fmt: skip
SIZE = 1_000_000
HUGE = (
    "x", "9", "1 ", "a ", "a1 ", "a1 - ", "a \t", " ", "\n", "\0", "`", "$", "**", "```\n", "[",
    ".", "<answer>", "</answer>", "<answer></answer>", "\\boxed{", "The answer is ", "\u0301",
    "\ud800",
)  # fmt: skip


@cache
def choices(name: str) -> list[tuple[Any, int, int]]:
    """Some positions of a game with two of their legal moves."""
    game, rng = load_game(name), np.random.default_rng(0)
    states = [s for s in positions(game) if len(game.legal(s)) > 1 and game.to_move(s) >= 0]
    drawn = rng.choice(len(states), size=min(4, len(states)), replace=False)
    return [(states[i], *rng.choice(game.legal(states[i]), 2, replace=False)) for i in drawn]


def in_words(game: Game[Any], state: Any, first: int, second: int) -> dict[str, str]:
    return {"m": game.action_name(state, first), "n": game.action_name(state, second)}


@pytest.mark.parametrize("name", NAMES)
def test_a_move_is_read_in_every_common_form(name: str) -> None:
    game = load_game(name)
    for state, first, second in choices(name):
        words = in_words(game, state, first, second)
        quoted = game.describe(state, game.to_move(state)).replace("{", "").replace("}", "")
        for form in (*MEANS_THE_FIRST, quoted + "\n<answer>{m}</answer>"):
            for move in (words["m"], words["m"].upper()):
                reply = form.format(m=move, n=words["n"])
                assert game.parse(state, reply) == first, reply


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_quite_a_move_is_none(name: str) -> None:
    game = load_game(name)
    for state, first, second in choices(name):
        words = in_words(game, state, first, second)
        for reply in (form.format(**words) for form in MEANS_NOTHING):
            assert game.parse(state, reply) is None, reply
        move = words["m"]
        for zero in ("\uff10", "\u0660"):  # full width and Arabic-Indic
            foreign = move.translate({ord("0") + d: chr(ord(zero) + d) for d in range(10)})
            assert foreign == move or game.parse(state, foreign) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_megabyte_is_read_in_no_time(name: str) -> None:
    game = load_game(name)
    state = choices(name)[0][0]
    for piece in HUGE:
        reply = piece * (SIZE // len(piece))
        for whole in (reply, f"<answer>{reply}</answer>"):
            start = time.process_time()
            assert game.parse(state, whole) is None, piece
            assert time.process_time() - start < 0.15, piece  # 1 ms; a regular expression: 0.26 s


@pytest.mark.parametrize("name", NAMES)
def test_a_seat_that_never_makes_a_move_forfeits_in_either_view(name: str) -> None:
    env: Any = gym.make(IDS[name.replace("_", "")], seat=0)
    game = load_game(name)
    env.reset(seed=0)
    for wrong in (None, b"1", 1, ["1"], bytearray(b"x")):
        with pytest.raises(TypeError, match="takes a str"):
            env.step(wrong)
    for replies in (("", "\ud800\0", "x" * 1_000_000), ("{}", "<answer>", "9" * 5000)):
        env.reset(seed=0)
        for turn, reply in enumerate(replies):
            text, reward, over, truncated, info = env.step(reply)
            assert text in env.observation_space
            assert info["void_turn"] and info["feedback"]
            assert (over, truncated) == (turn == 2, False)
        assert (reward, info["score"]) == (game.payoff_range[0], 0)
    seats = pettingzoo.make("aec", f"zerogym/{name}-v0", view="text")
    seats.reset(seed=0)
    agent = seats.agent_selection
    others = {each: seats.observe(each)["text"] for each in seats.agents if each != agent}
    for _ in range(2):
        seats.step("My secret: nothing.")
        assert seats.agent_selection == agent
        assert {each: seats.observe(each)["text"] for each in others} == others
    with pytest.raises(TypeError, match="takes a str"):
        seats.step(None)
    seats.step("My secret: nothing.")
    loser = seats.possible_agents.index(agent)
    assert tuple(seats.rewards.values()) == forfeit(seats.unwrapped.game, loser)
    assert all("secret" not in seats.observe(each)["text"] for each in seats.agents)


@pytest.mark.parametrize("name", NAMES)
def test_a_number_that_is_no_legal_action_forfeits_at_once(name: str) -> None:
    env: Any = gym.make(IDS[name.replace("_", "")], seat=0, view="numeric")
    low = load_game(name).payoff_range[0]
    _, info = env.reset(seed=0)
    shown = [int(action) for action in np.flatnonzero(info["action_mask"] == 0)]
    for wrong in (-1, len(info["action_mask"]), 10**5000, -(10**5000), np.int64(2**62), *shown[:3]):
        env.reset(seed=0)
        observed, reward, over, truncated, info = env.step(wrong)
        assert (reward, over, truncated, info["score"]) == (low, True, False, 0)
        assert info["void_turn"] and "forfeit" in info["feedback"]
        assert observed in env.observation_space
    for other in (None, "1", b"1", 1.0, float("nan"), True, np.bool_(True), [1], np.zeros(1)):
        env.reset(seed=0)
        with pytest.raises(TypeError, match="takes an integer"):
            env.step(other)
