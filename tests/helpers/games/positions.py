"""Positions of any game, and its equal in OpenSpiel: for the tests of rules."""

import importlib.util
from collections.abc import Callable, Iterable
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, draw
from zerogym.envs.games.core.tabular_policy import layers
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.registry import GAMES

# Our own rules; and with them, where OpenSpiel is installed, the games that are a bridge to it.
OURS = [game for game in GAMES if "bridge" not in game.tags]
HERE = GAMES if importlib.util.find_spec("pyspiel") else OURS
SAMPLED = 1000  # states of a game that is too large to enumerate


@cache
def positions(game: Game[Any]) -> tuple[Any, ...]:
    """All states of a small game; of a large one, those of random play-outs."""
    if game.enumerable:
        return tuple(state for layer in layers(game) for state in layer)
    rng, found = np.random.default_rng(0), {game.initial(): None}
    while len(found) < SAMPLED:
        state = game.initial()
        while game.to_move(state) != TERMINAL:
            state = game.apply(state, random_move(game, state, rng))
            found[state] = None
    return tuple(found)


def random_move(game: Game[Any], state: Any, rng: np.random.Generator) -> int:
    """A legal action, or an outcome of chance by its probability."""
    if game.to_move(state) == CHANCE:
        outcomes = game.chance(state)
        return outcomes[draw([float(p) for _, p in outcomes], rng)][0]
    return int(rng.choice(game.legal(state)))


def after(game: Game[Any], moves: Iterable[str], state: Any = None) -> Any:
    """The state after moves in words, from the first position or a given one."""
    state = game.initial() if state is None else state
    for move in moves:
        action = game.parse(state, move)
        assert action is not None, move
        state = game.apply(state, action)
    return state


def names(game: Game[Any], state: Any) -> list[str]:
    """The legal moves in words."""
    return [game.action_name(state, action) for action in game.legal(state)]


def scripted_choices(game: Game[Any], state: Any) -> set[str]:
    """The moves in words that the scripted player may choose."""
    row = scripted_policy(game).probabilities(state)
    assert sum(row) == pytest.approx(1) and min(row) >= 0
    return {name for name, p in zip(names(game, state), row, strict=True) if p > 0}


def courses(game: Game[Any], state: Any, depth: int) -> int:
    """Number of sequences of so many legal moves."""
    if depth == 0:
        return 1
    return sum(courses(game, game.apply(state, a), depth - 1) for a in game.legal(state))


def load_spiel(name: str, **parameters: Any) -> Any:
    """OpenSpiel's game, in turns; skips without OpenSpiel."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(name, parameters) if parameters else pyspiel.load_game(name)
    return in_turns(theirs)


def in_turns(theirs: Any) -> Any:
    """A game of OpenSpiel with moves one after the other, hidden where they are simultaneous."""
    pyspiel = pytest.importorskip("pyspiel")
    if theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(theirs)
    return theirs


def replay(
    game: Game[Any],
    theirs: Any,
    playouts: int,
    legal: Callable[[Any], list[int]] = lambda other: other.legal_actions(),
    returns: Callable[[Any], list[float]] = lambda other: other.returns(),
) -> None:
    """Random play-outs of both: turn order, legal actions and chance at each step, payoffs.

    Args:
        game: Our rules.
        theirs: OpenSpiel's game, in turns.
        playouts: How many.
        legal: Which of their actions are ours, in a state of theirs.
        returns: Their payoffs, at an end of theirs.
    """
    assert game.num_seats == theirs.num_players()
    rng = Random(0)
    for _ in range(playouts):
        state, other = game.initial(), theirs.new_initial_state()
        while not other.is_terminal():
            if other.is_chance_node():
                assert game.to_move(state) == CHANCE
                ours = {action: float(p) for action, p in game.chance(state)}
                assert ours == pytest.approx(dict(other.chance_outcomes()))
                actions = list(ours)
            else:
                assert game.to_move(state) == other.current_player()
                actions = list(game.legal(state))
                assert actions == legal(other)
            action = rng.choice(actions)
            state = game.apply(state, action)
            other.apply_action(action)
        assert game.to_move(state) == TERMINAL
        assert list(game.payoff(state)) == pytest.approx(returns(other))
