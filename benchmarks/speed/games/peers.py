"""Random play of the games of other libraries, each driven in its own way.

OpenSpiel is driven through Python, without texts and vectors; of PettingZoo's games two are its own
and Leduc is RLCard's. TextArena is driven twice: as it is made by default, anew for each game, and
`raw`, without its wrappers, where a seat sees the new messages as a list of parts. Its legal moves
are read from its state, as ours are. Left out: TextArena's other games, which are not ours.

    pip install 'zerogym[peers]'
"""

import importlib
import random
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from zerogym.benchmarks.speed.loops import Loop
from zerogym.errors import require

Legal = Callable[[Any], list[str]]  # from TextArena's state of a game

CLASSIC = {
    "tic_tac_toe": "tictactoe_v3",
    "connect_four": "connect_four_v3",
    "leduc_poker": "leduc_holdem_v4",
}


def _free_cells(state: Any) -> list[str]:
    cells = [cell for row in state["board"] for cell in row]
    return [str(place) for place, mark in enumerate(cells) if not mark]


def _open_columns(state: Any) -> list[str]:
    return [str(column) for column, mark in enumerate(state["board"][0]) if mark == "."]


def _poker_moves(state: Any) -> list[str]:
    return list(state["current_legal_action_tree"])


def _trades(state: Any) -> list[str]:
    """Offers of one unit for another, of three kinds as in our game, and perhaps acceptance."""
    kinds = ("Wheat", "Wood", "Sheep")
    offers = [f"Offer: 1 {own} -> 1 {other}" for own in kinds for other in kinds if own != other]
    return [*offers, "Accept"] if state["current_offer"] else offers


def _deduction_moves(state: Any) -> list[str]:
    """A sentence in a discussion; at night and in a vote, a living player."""
    if state["phase"].value == "Day-Discussion":
        return ["I was in the lab."]
    return [str(player) for player in state["alive_players"]]


PLAYERS = {"social_deduction": 6}  # of TextArena's games of more than two
ARENA: dict[str, tuple[str, dict[str, Any], Legal]] = {  # its name, arguments and legal moves
    "tic_tac_toe": ("TicTacToe-v0", {}, _free_cells),
    "connect_four": ("ConnectFour-v0", {}, _open_columns),
    "kuhn_poker": ("KuhnPoker-v0", {"max_rounds": 1}, _poker_moves),
    "simple_negotiation": ("SimpleNegotiation-v0", {"max_turns": 8}, _trades),
    "social_deduction": ("SecretMafia-v0", {}, _deduction_moves),  # the game that is most like it
}


def open_spiel(name: str) -> Loop | None:
    """OpenSpiel's game of this name, if it has one.

    Raises:
        MissingExtra: If the library is not installed.
    """
    pyspiel = require("pyspiel", "peers", "OpenSpiel")
    if name not in pyspiel.registered_names():
        return None
    game = pyspiel.load_game(name)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)

    def loop() -> int:
        state, moves = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(random.choices(outcomes, chances)[0])
            else:
                state.apply_action(random.choice(state.legal_actions()))
                moves += 1
        return moves

    return loop


def pettingzoo_classic(name: str) -> Loop | None:
    """PettingZoo's environment of the game, if it has one.

    Raises:
        MissingExtra: If what it is made of (pygame, RLCard) is not installed.
    """
    if name not in CLASSIC:
        return None
    for needed in ("pygame", "rlcard"):
        _quietly(partial(require, needed, "peers", "PettingZoo"))
    env = _quietly(lambda: importlib.import_module(f"pettingzoo.classic.{CLASSIC[name]}").env())

    def loop() -> int:
        env.reset()
        moves = 0
        while not env.terminations[env.agent_selection]:
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(random.choice(mask.nonzero()[0].tolist()))
            moves += 1
        return moves

    return loop


def text_arena(name: str, kind: Literal["new", "raw", "kept"] = "new") -> Loop | None:
    """TextArena's environment of the game, if it has one.

    Args:
        name: The game.
        kind: `new` makes the environment for each game, with the wrappers that it has by default;
            `kept` makes it once, and its wrapper keeps what was said in earlier games; `raw` is
            without wrappers, and kept.

    Raises:
        MissingExtra: If the library is not installed.
    """
    if name not in ARENA:
        return None
    game, arguments, legal = ARENA[name]
    library = _quietly(lambda: require("textarena", "peers", "TextArena"))
    make = partial(library.make, f"{game}-raw" if kind == "raw" else game, **arguments)
    if kind == "new":
        return lambda: play_arena(make(), legal, PLAYERS.get(name, 2))
    env = make()
    return lambda: play_arena(env, legal, PLAYERS.get(name, 2))


def play_arena(env: Any, legal: Legal, players: int = 2) -> int:
    """A game of random legal moves; their number."""
    env.reset(num_players=players)
    done, moves = False, 0
    while not done:
        env.get_observation()
        done, _ = env.step(f"[{random.choice(legal(env.state.game_state))}]")
        moves += 1
    env.close()
    return moves


def _quietly(load: Callable[[], Any]) -> Any:
    """Their deprecations are not the reader's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load()
