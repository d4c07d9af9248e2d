"""Thousands of moves a second of the games in each of their forms, beside OpenSpiel and PettingZoo.

    python -m zerogym.benchmarks.speed.games [--games tic_tac_toe ...] [--seconds 1] [--batch 4096]

Unit: thousand moves of any seat a CPU second on one core, in random legal play from beginning to
end, all rows one after the other in the same run. Every row draws legal actions, and environments
also observe before each move. `text` and `numeric` are the multi-agent environment; `batched` steps
`--batch` games at once, with their masks, the drawing of actions and the vectors of `observe`.
OpenSpiel is driven through Python, without texts and vectors. Of PettingZoo's games two are its
own; the others come from RLCard and are left out.
"""

import argparse
import importlib
import random
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from zerogym.envs.games.aec import GameAEC
from zerogym.envs.games.batched import make_batched
from zerogym.envs.games.core import CHANCE, TERMINAL, Game, deal, load_game
from zerogym.envs.games.views import View
from zerogym.envs.registry import GAMES

Loop = Callable[[], int]  # plays for a while, and returns the number of moves
CLASSIC = {"tic_tac_toe": "tictactoe_v3", "connect_four": "connect_four_v3"}
BATCH_STEPS = 50


def plain(game: Game[Any]) -> Loop:
    """The rules alone."""
    rng = np.random.default_rng(0)

    def loop() -> int:
        state, moves = deal(game, game.initial(), rng), 0
        while game.to_move(state) != TERMINAL:
            state = game.apply(state, random.choice(game.legal(state)))
            if game.to_move(state) == CHANCE:
                state = deal(game, state, rng)
            moves += 1
        return moves

    return loop


def multi_agent(game: Game[Any], view: View) -> Loop:
    """The AEC environment: observe, draw a legal action, step."""
    env = GameAEC(game, view=view)
    env.reset(seed=0)

    def loop() -> int:
        env.reset()
        moves = 0
        while not env.terminations[env.agent_selection]:
            observation = env.observe(env.agent_selection)
            if view == "text":
                env.step(random_reply(env))
            else:
                env.step(random.choice(observation["action_mask"].nonzero()[0].tolist()))
            moves += 1
        return moves

    return loop


def random_reply(env: GameAEC) -> str:
    """A legal move in words."""
    assert env._match is not None
    state = env._match.state
    action = random.choice(env.game.legal(state))
    return f"<answer>{env.game.action_name(state, action)}</answer>"


def batched(game: Game[Any], n: int) -> Loop | None:
    """Many games at once, if the game is not too large for it."""
    try:
        games = make_batched(game, n, seed=0)
    except ValueError:
        return None

    def loop() -> int:
        for _ in range(BATCH_STEPS):
            games.observe()
            games.step(games.random_actions())
        return BATCH_STEPS * n

    return loop


def open_spiel(name: str) -> Loop | None:
    """OpenSpiel through Python, if it is installed and has the game."""
    try:
        import pyspiel
    except ImportError:
        return None
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
    """PettingZoo's environment of the game, if it has one that can be imported."""
    if name not in CLASSIC:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            env = importlib.import_module(f"pettingzoo.classic.{CLASSIC[name]}").env()
    except ImportError:
        return None

    def loop() -> int:
        env.reset()
        moves = 0
        while not env.terminations[env.agent_selection]:
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(random.choice(mask.nonzero()[0].tolist()))
            moves += 1
        return moves

    return loop


def rate(loop: Loop | None, seconds: float) -> float | None:
    """Moves a CPU second; None where there is nothing to measure."""
    if loop is None:
        return None
    loop()
    moves, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        moves += loop()
    return moves / spent


def main() -> None:
    """Measure the games and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    names = [entry.name for entry in GAMES]
    parser.add_argument("--games", nargs="*", choices=names, default=names, metavar="NAME")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds for each figure")
    parser.add_argument("--batch", type=int, default=4096, help="games stepped at once")
    arguments = parser.parse_args()
    table = Table()
    for column in ("game", "rules", "text", "numeric", "batched", "OpenSpiel", "PettingZoo"):
        table.add_column(column, no_wrap=True)
    for name in arguments.games:
        game = load_game(name)
        loops = [
            plain(game),
            multi_agent(game, "text"),
            multi_agent(game, "numeric"),
            batched(game, arguments.batch),
            open_spiel(name),
            pettingzoo_classic(name),
        ]
        rates = [rate(loop, arguments.seconds) for loop in loops]
        table.add_row(name, *("" if found is None else f"{found / 1000:,.0f}" for found in rates))
    Console().print(table)


if __name__ == "__main__":
    main()
