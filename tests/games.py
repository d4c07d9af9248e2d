"""Positions of any game, and its equal in OpenSpiel: for the tests of rules."""

import importlib.util
from functools import cache
from typing import Any

import numpy as np
import pytest

from zerogym.envs.games.core import CHANCE, TERMINAL, Game, draw
from zerogym.envs.games.tabular import layers, moves
from zerogym.envs.registry import GAMES

# Our own rules; and with them, where OpenSpiel is installed, the games that are a bridge to it.
OURS = [game for game in GAMES if "bridge" not in game.tags]
HERE = GAMES if importlib.util.find_spec("pyspiel") else OURS
SAMPLED = 3000  # states of a game that is too large to enumerate

# OpenSpiel's name and parameters, where they are not our name and its defaults.
SPIEL: dict[str, str] = {
    "battleship": "battleship(board_width=4,board_height=4,ship_sizes=[3;2],ship_values=[1;1],"
    "num_shots=12,allow_repeated_shots=False)",
    "goofspiel": "goofspiel(num_cards=4,imp_info=False,points_order=descending)",
    "hex": "hex(board_size=5)",
    "rock_paper_scissors": "repeated_game(stage_game=matrix_rps(),num_repetitions=3)",
    "matching_pennies": "repeated_game(stage_game=matrix_mp(),num_repetitions=5)",
    "stag_hunt": "repeated_game(stage_game=matrix_sh(),num_repetitions=5)",
    "nim": "nim(is_misere=False)",
    "pig": "pig(winscore=50,horizon=300)",
}


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


def load_spiel(name: str) -> Any:
    """OpenSpiel's game in turns, or None if it has none of this name; skips without OpenSpiel."""
    pyspiel = pytest.importorskip("pyspiel")
    text = SPIEL.get(name, name)
    if text.partition("(")[0] not in pyspiel.registered_names():
        return None
    theirs = pyspiel.load_game(text)
    if theirs.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        return pyspiel.convert_to_turn_based(theirs)
    return theirs


def replay(game: Game[Any], theirs: Any, playouts: int) -> None:
    """Play-outs drawn from each side in turn: turn order, legal actions, chance and payoffs."""
    rng = np.random.default_rng(0)
    for playout in range(playouts):
        state, other = game.initial(), theirs.new_initial_state()
        while not other.is_terminal():
            if other.is_chance_node():
                assert game.to_move(state) == CHANCE
                ours = {action: float(p) for action, p in game.chance(state)}
                assert ours == pytest.approx(dict(other.chance_outcomes()))
            else:
                assert game.to_move(state) == other.current_player()
            assert list(moves(game, state)) == other.legal_actions()
            offered = moves(game, state) if playout % 2 else other.legal_actions()
            action = int(rng.choice(offered))
            state = game.apply(state, action)
            other.apply_action(action)
        assert game.to_move(state) == TERMINAL
        assert list(game.payoff(state)) == pytest.approx(other.returns())
