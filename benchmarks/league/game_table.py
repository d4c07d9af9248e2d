"""The size of each game, its value under perfect play, and the strength of its opponents.

`measure` works it out with the solvers of `envs/games`, for a game with its default parameters;
`section` makes tables of the file that `tools/game_values.py` writes. Left out:
opponents against each other, and exact answers for games that the solvers cannot hold.
"""

import json
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from zerogym.benchmarks.league.learned_baseline import learned
from zerogym.benchmarks.league.table import number
from zerogym.benchmarks.results.estimates import RESAMPLES, Returns, interval, mean_draws
from zerogym.envs.games.core.game import TERMINAL, Game, deal
from zerogym.envs.games.core.players import Player
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.core.tree import compiled
from zerogym.envs.games.opponents.registry import make_opponent, opponent_names, uniform_policy
from zerogym.envs.games.solvers.best_response import nash_conv
from zerogym.envs.games.solvers.cfr import cfr_equilibrium
from zerogym.envs.games.solvers.minimax import solve
from zerogym.envs.games.solvers.oracle import has_equilibrium, has_tree
from zerogym.envs.registry import GAMES, TASKS

SIZES = """\
With default parameters, by the solvers of this folder (`python tools/game_values.py`). A state
holds all that is open or hidden, an information set is what the seat to move knows of it. **Value**
is what seat 0 wins when both play perfectly, with the greatest error that it may have; **NashConv**
is what all seats together could gain, each alone, while the others go on playing at random. Games
that are not listed are too large; where there is no value, there is no single one."""

STRENGTHS = """\
**Strength** is the mean payoff of an opponent, over all seats alike, when all others play at
random. Without an interval it is exact; else it is measured in 1000 matches, 200 for `mcts` (100
simulations a move), and lies in the interval at 95%. Who earns most from random play is not always
who plays best: an equilibrium (`cfr`, `minimax`) cannot be beaten, and does not exploit anybody."""

COLUMNS = ("random", "scripted", "minimax", "cfr", "mcts")
MATCHES = 1000  # of an opponent against random play
SLOW = {"mcts": 200}  # of the others


def own_games() -> list[str]:
    """Names of all games but those of a bridge, which are not ours to measure."""
    bridges = {task.name.lower() for task in TASKS if "bridge" in task.tags}
    return [game.name for game in GAMES if game.name.replace("_", "") not in bridges]


def measure(game: Game[Any]) -> dict[str, Any]:
    """Everything the tables say of a game, as JSON."""
    found: dict[str, Any] = {"payoff_range": list(game.payoff_range), "opponents": {}}
    if has_tree(game):
        tree = compiled(game)
        found |= {"states": tree.size, "information_sets": len(tree.keys)}
        found["uniform_nash_conv"] = nash_conv(game, uniform_policy(game))
        if has_equilibrium(game):
            found |= perfect_play(game)
    for name in opponent_names(game):
        found["opponents"][name] = strength(game, name, SLOW.get(name, MATCHES))
    return found


def perfect_play(game: Game[Any]) -> dict[str, float]:
    """The value for seat 0 under perfect play, and its greatest error."""
    if game.perfect_information:
        return {"value": solve(game)[game.initial()][0], "error": 0.0}
    strategy = cfr_equilibrium(game)
    value = expected_payoffs(game, [strategy] * 2)[0]
    # The value lies between what each side is sure of, which are this far apart.
    return {"value": float(value), "error": nash_conv(game, strategy)}


def strength(game: Game[Any], name: str, matches: int) -> dict[str, Any]:
    """The mean payoff of an opponent against random play, over all seats alike.

    Exact where it can be; else of so many matches, with an interval in which it lies at 95%.
    """
    player: Any = make_opponent(game, name)
    seats, random = range(game.num_seats), uniform_policy(game)
    if has_tree(game) and callable(getattr(player, "probabilities", None)):
        profiles = [[player if s == seat else random for s in seats] for seat in seats]
        gains = [expected_payoffs(game, profiles[seat])[seat] for seat in seats]
        return {"mean": float(np.mean(gains))}
    rng = np.random.default_rng(0)
    payoffs = [play(game, player, number % game.num_seats, rng) for number in range(matches)]
    low, high = game.payoff_range
    # In shares of the range, so that matches without draws count as won or lost.
    scores = Returns(tuple((payoff - low) / (high - low) for payoff in payoffs))
    bounds = interval(mean_draws([scores], RESAMPLES, rng)[0])
    mean = float(np.mean(payoffs))
    return {
        "mean": mean,
        "low": min(mean, low + (high - low) * bounds[0]),  # it ends at the mean if all are won
        "high": max(mean, low + (high - low) * bounds[1]),
        "matches": matches,
    }


def play(game: Game[Any], player: Player, seat: int, rng: np.random.Generator) -> float:
    """The payoff of a player in a seat when all others play at random."""
    random, state = uniform_policy(game), deal(game, game.initial(), rng)
    while (mover := game.to_move(state)) != TERMINAL:
        chooser = player if mover == seat else random
        state = deal(game, game.apply(state, chooser.choose(state, rng)), rng)
    return game.payoff(state)[seat]


def section(path: Path) -> str:
    """The part of a page that a file of `tools/game_values.py` makes."""
    games = json.loads(path.read_text("utf-8"))
    parts = ["## Values and opponents", SIZES, sizes(games), STRENGTHS, strengths(games)]
    return "\n\n".join([*parts, learned(games)]).strip()


def sizes(games: dict[str, dict[str, Any]]) -> str:
    """A row for each game that can be held in memory: size, value, NashConv of random play."""
    rows = ["| game | states | information sets | value for seat 0 | NashConv of random play |"]
    rows.append("|---|---:|---:|---:|---:|")
    for name, found in games.items():
        if "states" in found:
            cells = (f"{found['states']:,}", f"{found['information_sets']:,}", _value(found))
            rows.append(f"| {name} | {' | '.join(cells)} | {found['uniform_nash_conv']:.6f} |")
    return "\n".join(rows)


def strengths(games: dict[str, dict[str, Any]]) -> str:
    """A row for each game: the range of payoffs, and each opponent's mean against random play."""
    rows = [f"| game | payoffs | {' | '.join(COLUMNS)} |", "|---|---|" + "---:|" * len(COLUMNS)]
    for name, found in games.items():
        low, high = found["payoff_range"]
        cells = [_strength(found["opponents"].get(column)) for column in COLUMNS]
        rows.append(f"| {name} | {low:g} to {high:g} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _value(found: dict[str, Any]) -> str:
    if "value" not in found:
        return ""
    error = f" ± {ceil(1e4 * found['error']) / 1e4:.4f}" if found["error"] else ""
    return f"{number(found['value'], 4)}{error}"


def _strength(found: dict[str, Any] | None) -> str:
    if found is None:
        return ""
    mean = number(found["mean"], 3)
    if "low" not in found:
        return mean
    return f"{mean} ({number(found['low'], 2)} to {number(found['high'], 2)})"
