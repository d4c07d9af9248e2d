"""Solve and measure every game with its default parameters, and write docs/games.json.

    python tools/game_values.py             (all games, about twenty minutes)
    python tools/game_values.py hex pig     (these again; the others stay as they are)
    python tools/game_values.py --learned   (only what is learned; with names, of these)

The tables of envs/games/README.md are made of that file by `make docs`.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from zerogym.benchmarks.league.game_table import measure, own_games
from zerogym.benchmarks.league.learned_baseline import learned_baseline
from zerogym.benchmarks.results.provenance import provenance
from zerogym.benchmarks.results.results_file import write_whole
from zerogym.envs.games.core.game import load_game

LEARNED = "--learned"
GAMES_FILE = Path(__file__).resolve().parent.parent / "docs/games.json"


def main() -> None:
    """Measure the named games, or all; finished ones are kept."""
    origin = {key: provenance()[key] for key in ("date", "commit", "python", "processor")}
    for name in [argument for argument in sys.argv[1:] if argument != LEARNED] or own_games():
        start, game, known = time.perf_counter(), load_game(name), read()
        keep = LEARNED in sys.argv and name in known
        found = known[name] if keep else {**origin, **measure(game)}
        found["learned"] = {**origin, **learned_baseline(game)}
        known = {**read(), name: found}
        games = {each: known[each] for each in own_games() if each in known}
        write_whole(GAMES_FILE, json.dumps(games, indent=1) + "\n")
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)


def read() -> dict[str, Any]:
    """The present content of the file."""
    found: dict[str, Any] = json.loads(GAMES_FILE.read_text("utf-8")) if GAMES_FILE.exists() else {}
    return found


if __name__ == "__main__":
    main()
