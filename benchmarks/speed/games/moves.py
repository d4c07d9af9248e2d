"""Moves a second of the games in each of their forms, beside OpenSpiel, PettingZoo and TextArena.

    python -m zerogym.benchmarks.speed.games.moves [--games nim ...] [--seconds 1] [--batch 4096]

Unit: thousand moves a CPU second on one core, in random legal play from beginning to end. Each form
stands beside the peers that are most like it; all of a game are measured in turn, in `ROUNDS`
rounds, of which the median counts. Every form draws legal actions, and environments also observe
before each move. `text` and `numeric` are the multi-agent environment. `gym` is one seat against
random play, by `gym.make` and by `gym.make_vec` in one process: a move is a step, with the
opponent's answer in it. `batched` steps `--batch` games at once, with their masks, the drawing of
actions and the vectors of `observe`. How the peers are driven is said in `peers.py`.

The second table is of one text environment that is kept while games begin anew. With `--resets N`
there is a third: the memory that Python holds after N games of one text environment, beside that
after a tenth of them, for each of `--games`.
"""

import gc
import time
import tracemalloc
from collections.abc import Callable, Mapping
from functools import partial

from rich.console import Console
from rich.table import Table

from zerogym.benchmarks.speed.games.loops import forms, multi_agent
from zerogym.benchmarks.speed.games.peers import open_spiel, pettingzoo_classic, text_arena
from zerogym.benchmarks.speed.loops import Loop, options, rates
from zerogym.envs.games.core.game import load_game
from zerogym.envs.registry import GAMES
from zerogym.errors import MissingExtra

SHARED = ["tic_tac_toe", "connect_four", "kuhn_poker", "leduc_poker"]  # with several peers
BLOCK, BLOCKS = 100, 5  # games of one environment that is kept
PEERS: dict[str, Callable[[str], Loop | None]] = {
    "OpenSpiel": open_spiel,
    "TextArena": text_arena,
    "TextArena raw": partial(text_arena, kind="raw"),
    "PettingZoo": pettingzoo_classic,
}
BESIDE: dict[str, tuple[str, ...]] = {  # each form and its peers
    "rules": ("OpenSpiel",),
    "text": ("TextArena", "TextArena raw"),
    "numeric": ("PettingZoo",),
    "batched": ("OpenSpiel",),
    "gym text": (),
    "gym numeric": (),
    "gym.make_vec": (),
}


def found(peer: Callable[[str], Loop | None], name: str, missing: dict[str, None]) -> Loop | None:
    """A peer's loop; None if it lacks the game, or the library is missing, which is noted."""
    try:
        return peer(name)
    except MissingExtra as error:
        missing[str(error)] = None
        return None


def reuse(loop: Loop) -> list[float]:
    """Games a CPU second of a loop that plays one at each call, block by block."""
    speeds = []
    for _ in range(BLOCKS):
        start = time.process_time()
        for _ in range(BLOCK):
            loop()
        speeds.append(BLOCK / (time.process_time() - start))
    return speeds


def rows(speeds: Mapping[str, float]) -> list[tuple[str, ...]]:
    """Return rows of the first table for a game: form, speed, peer, its speed, ratio."""
    rows: list[tuple[str, ...]] = []
    for form, peers in BESIDE.items():
        if form not in speeds:
            continue
        own = f"{speeds[form] / 1000:,.0f}"
        there = [peer for peer in peers if peer in speeds]
        for peer in there:
            ratio = f"{speeds[form] / speeds[peer]:.2f}"
            rows.append((form, own, peer, f"{speeds[peer] / 1000:,.0f}", ratio))
        if not there:
            rows.append((form, own, "", "", ""))
    return rows


def speed_table(names: list[str], seconds: float, batch: int, missing: dict[str, None]) -> Table:
    """Our forms beside the peers'."""
    table = Table()
    for column in ("game", "form", "k moves/s", "beside", "k moves/s", "ratio"):
        numbers = column in ("k moves/s", "ratio")
        table.add_column(column, justify="right" if numbers else "left", no_wrap=True)
    for name in names:
        peers = {peer: found(make, name, missing) for peer, make in PEERS.items()}
        for place, row in enumerate(rows(rates({**forms(name, batch), **peers}, seconds))):
            table.add_row("" if place else name, *row)
        table.add_section()
    return table


def reuse_table(name: str, missing: dict[str, None]) -> Table:
    """Games a second of one environment, ours and TextArena's."""
    table = Table(title=f"{name} as text: games a second of one environment", title_justify="left")
    blocks = [f"{BLOCK * i + 1}-{BLOCK * (i + 1)}" for i in range(BLOCKS)]
    for column in ("game number", *blocks):
        table.add_column(column, justify="right" if column in blocks else "left", no_wrap=True)
    theirs = found(partial(text_arena, kind="kept"), name, missing)
    for label, loop in (("zerogym", multi_agent(load_game(name), "text")), ("TextArena", theirs)):
        if loop is not None:
            table.add_row(label, *(f"{speed:,.0f}" for speed in reuse(loop)))
    return table


def memory_table(names: list[str], resets: int) -> Table:
    """KiB that are held after a tenth of so many games of one text environment, and after all."""
    table = Table(title="Memory held by Python, in KiB", title_justify="left")
    for column in ("game", f"{resets // 10} resets", f"{resets} resets", "difference"):
        table.add_column(column, justify="left" if column == "game" else "right", no_wrap=True)
    for name in names:
        loop, held = multi_agent(load_game(name), "text"), []
        tracemalloc.start()
        for games in (resets // 10, resets - resets // 10):
            for _ in range(games):
                loop()
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0] / 1024)
        tracemalloc.stop()
        table.add_row(name, *(f"{each:,.1f}" for each in (*held, held[1] - held[0])))
    return table


def main() -> None:
    """Measure the games and print the tables."""
    known = [entry.name for entry in GAMES]
    arguments = options(
        __doc__,
        games={"nargs": "*", "choices": known, "default": SHARED, "metavar": "NAME"},
        seconds=(1.0, "CPU seconds for each figure"),
        batch=(4096, "games stepped at once"),
        resets=(0, "games of one environment for the table of memory; 0: no table"),
    )
    console, missing = Console(), dict[str, None]()
    console.print(speed_table(arguments.games, arguments.seconds, arguments.batch, missing))
    console.print(reuse_table("tic_tac_toe", missing))
    if arguments.resets:
        console.print(memory_table(arguments.games, arguments.resets))
    for line in missing:
        console.print(line, markup=False, style="dim")


if __name__ == "__main__":
    main()
