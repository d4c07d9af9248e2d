"""Solve and measure every game with its default parameters, and write docs/games.json.

    python tools/game_values.py             (all games, about ten minutes)
    python tools/game_values.py hex pig     (these again; the others stay as they are)

The tables of envs/games/README.md are made of that file by `make docs`.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from zerogym.benchmarks.game_table import measure, own_games
from zerogym.benchmarks.provenance import provenance
from zerogym.benchmarks.results import write_whole
from zerogym.envs.games.core import load_game

GAMES_FILE = Path(__file__).resolve().parent.parent / "docs/games.json"


def main() -> None:
    """Measure the games that are named, or all."""
    before = json.loads(GAMES_FILE.read_text("utf-8")) if GAMES_FILE.exists() else {}
    origin = {key: provenance()[key] for key in ("date", "commit", "python", "processor")}
    wanted = sys.argv[1:] or own_games()
    found: dict[str, Any] = {}
    for name in wanted:
        start = time.perf_counter()
        found[name] = {**origin, **measure(load_game(name))}
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    known = {**before, **found}
    games = {name: known[name] for name in own_games() if name in known}
    write_whole(GAMES_FILE, json.dumps(games, indent=1) + "\n")


if __name__ == "__main__":
    main()
