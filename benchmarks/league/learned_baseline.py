"""Results of learners that are no language models, in each game: a baseline for tables.

MaskablePPO learns each game in the numeric view for the same number of steps, against random and
scripted play, and is then evaluated in new episodes against each. Where the game can be enumerated,
a table learns in self-play by mirror descent, and its exploitability is exact. One run each: how
much runs differ is left out.
"""

from typing import Any

import numpy as np

from zerogym.agents.baselines.game_ppo import PPO_STEPS
from zerogym.agents.self_play.mirror_descent import MirrorDescent, MirrorDescentConfig
from zerogym.benchmarks.league.held_out import GreedyPlayer, Payoffs, fresh_seeds, play_held_out
from zerogym.benchmarks.league.players import UPDATES, train_ppo
from zerogym.benchmarks.league.table import number
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.opponents.registry import make_opponent, opponent_names, uniform_policy
from zerogym.envs.games.solvers.best_response import exploitability

OPPONENTS = ("random", "scripted")
ROUNDS = 500  # an episode in each seat

ABOUT = """\
**Learned** without a language model (`python tools/game_values.py --learned`). MaskablePPO: the
mean payoff after {steps:,} steps in the numeric view against random and scripted play, over all
seats alike, by its most likely moves in {rounds} new games in each seat, at 95%. Self-play: the
exact exploitability of a table after {updates} updates by mirror descent, beside that of random
play. What a player of a larger game loses to an adversary that learns against it, `zerogym exploit`
finds out."""


def learned_baseline(
    game: Game[Any], steps: int = PPO_STEPS, seed: int = 0, rounds: int = ROUNDS
) -> dict[str, Any]:
    """Both learners in one game, as JSON.

    Raises:
        MissingExtra: If Stable-Baselines3 is not installed.
    """
    found: dict[str, Any] = {"steps": steps, "rounds": rounds, "ppo": {}}
    player = GreedyPlayer(train_ppo(game, steps, seed))
    low, high = game.payoff_range
    for name in OPPONENTS:
        if name in opponent_names(game):
            played = play_held_out(
                game, player, make_opponent(game, name), fresh_seeds(seed, rounds)
            )
            estimate = Payoffs(played.payoffs, low, high).estimate(np.random.default_rng(seed))
            bounds = {"low": estimate.low, "high": estimate.high}
            found["ppo"][name] = {"mean": estimate.value, **bounds}
    if game.enumerable:
        table = MirrorDescent(MirrorDescentConfig(UPDATES, seed=seed)).self_play(game)
        found["self_play"] = {
            "updates": UPDATES,
            "exploitability": exploitability(game, table),
            "before": exploitability(game, uniform_policy(game)),
        }
    return found


def learned(games: dict[str, dict[str, Any]]) -> str:
    """A paragraph and a row for each game that was learned; empty if none was."""
    rows = []
    for name, found in games.items():
        if "learned" in found:
            about = found["learned"]
            cells = [_payoff(about["ppo"].get(opponent)) for opponent in OPPONENTS]
            rows.append(f"| {name} | {' | '.join(cells)} | {_exploitable(about)} |")
    if not rows:
        return ""
    text = ABOUT.format(steps=about["steps"], rounds=about["rounds"], updates=UPDATES)
    head = "| game | PPO against random | PPO against scripted | exploitability of self-play |"
    return "\n".join([text, "", head, "|---|---:|---:|---:|", *rows])


def _payoff(found: dict[str, float] | None) -> str:
    if found is None:
        return ""
    mean, low, high = (number(found[key]) for key in ("mean", "low", "high"))
    return f"{mean} ({low} to {high})"


def _exploitable(found: dict[str, Any]) -> str:
    if "self_play" not in found:
        return ""
    now = found["self_play"]
    return f"{number(now['exploitability'], 3)} (random {number(now['before'], 3)})"
