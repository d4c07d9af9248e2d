"""Texts do not depend on what is kept of the last one, whatever states are looked at."""

import random
from typing import Any

import numpy as np
import pytest

from helpers.games.talk import TALK, Whispers
from zerogym.envs.games.core.game import TERMINAL, deal, load_game
from zerogym.envs.games.talk.core.folding import folded
from zerogym.envs.games.talk.core.messages import EVERYONE, SEALED, Move, Turn
from zerogym.envs.games.talk.core.rules import TalkState


def game_states(game: Any, seed: int) -> list[Any]:
    """All states between the moves of a random game, with words where they are free."""
    rng, choice = np.random.default_rng(seed), random.Random(seed + 1000)
    states = [deal(game, game.initial(), rng)]
    while game.to_move(states[-1]) != TERMINAL:
        act = choice.choice(game.legal(states[-1]))
        words = f"word {choice.random()}" if game.is_free else ""
        move = Move(act, words) if words and game.now(states[-1]).words != "none" else act
        states.append(deal(game, game.apply(states[-1], move), rng))
    return states


@pytest.mark.parametrize("messages", ["templates", "free"])
@pytest.mark.parametrize("name", TALK)
def test_texts_and_phases_do_not_depend_on_what_was_looked_at_before(
    name: str, messages: str
) -> None:
    game: Any = load_game(name, messages=messages)
    states = [state for seed in range(3) for state in game_states(game, seed)]
    looks = [(state, seat) for state in states for seat in range(game.num_seats)]
    random.Random(1).shuffle(looks)
    for state, seat in looks[:60]:
        alone: Any = load_game(name, messages=messages)
        assert game.describe(state, seat) == alone.describe(state, seat)
        assert game.now(state) == alone.now(state)
        assert game.returns(state) == alone.returns(state)


def test_sealed_turns_appear_with_the_last_of_their_round() -> None:
    game = Whispers()
    turns = [Turn(0, EVERYONE, 1)]
    turns += [Turn(seat, SEALED, seat % 2) for seat in range(3)]
    texts = [game.transcripts.read(TalkState((), tuple(turns[:made])), 2) for made in range(1, 5)]
    first = "[player 1: yes]"
    assert texts == [first, first, first, f"{first}\n[player 1: no]\n[player 2: yes]\n[you: no]"]


class Later(Whispers):
    """All turns are read at the end only."""

    def reads(self, state: TalkState, number: int, seat: int) -> bool:
        return len(state.turns) == 3


def test_rules_of_their_own_about_who_reads_are_followed() -> None:
    game, turns = Later(), tuple(Turn(seat, EVERYONE, 1) for seat in range(3))
    texts = [game.transcripts.read(TalkState((), turns[:made]), 0) for made in range(4)]
    assert texts == ["", "", "", "[you: yes]\n[player 2: yes]\n[player 3: yes]"]


def test_a_folded_method_goes_on_from_the_state_before() -> None:
    class Counted(Whispers):
        @folded
        def said(self, before: tuple[int, ...] | None, state: TalkState, made: int) -> Any:
            steps.append(made)
            return () if before is None else (*before, state.turns[made - 1].act)

    game, steps = Counted(), list[int]()
    turns = tuple(Turn(seat, EVERYONE, seat % 2) for seat in range(3))
    for made in range(4):
        assert game.said(TalkState((), turns[:made])) == (0, 1, 0)[:made]
    assert steps == [0, 1, 2, 3], "each turn once"
    assert game.said(TalkState((), (*turns[:1], Turn(1, EVERYONE, 0)))) == (0, 0)
    assert game.said(TalkState((5,), turns[:1])) == (0,)
    assert steps[4:] == [0, 1, 2, 0, 1], "other turns, other deals: from the start"
