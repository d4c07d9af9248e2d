"""The game above a population: who of its members to play how often, from played matches.

The members are the actions of a zero-sum matrix game; a payoff is the mean over a match, in which
both have each seat alike. Its equilibrium is the mixture that no member beats (PSRO's meta-game;
Lanctot et al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning", 2017,
arXiv 1711.00832). A player outside of the population may still beat it: see `exploit.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerogym.agents.self_play.matrix_equilibrium import matrix_equilibrium
from zerogym.benchmarks.league.match import LeagueError, Match
from zerogym.benchmarks.league.standings import estimate_of, payoff_draws
from zerogym.benchmarks.results.estimates import Estimate
from zerogym.envs.games.core.game import Game

EQUILIBRIA = 200  # plausible tables that are solved for the intervals of the shares


@dataclass(frozen=True)
class MetaGame:
    """A population and its equilibrium.

    Attributes:
        names: Of the members.
        payoffs: For each member its mean payoff against each, at 95 %; exactly 0 against itself.
        shares: How often the equilibrium plays each member, at 95 %; the values sum to 1. Few
            matches do not fix it: the intervals are then wide.
        against: The mean payoff of each member against that equilibrium, at 95 %; 0 for those that
            it plays, and not above 0 for the others.
    """

    names: tuple[str, ...]
    payoffs: tuple[tuple[Estimate, ...], ...]
    shares: tuple[Estimate, ...]
    against: tuple[Estimate, ...]


def meta_game(
    game: Game[Any], names: Sequence[str], matches: Sequence[Match], seed: int = 0
) -> MetaGame:
    """Return the meta-game of a league's matches.

    Args:
        game: The rules, zero-sum.
        names: The members, two or more.
        matches: Of each pair, as `play_league` plays them.
        seed: Of the resampling for the intervals.

    Raises:
        LeagueError: If sums are not zero.

    Example:
        >>> from zerogym.benchmarks.league.league import play_league
        >>> from zerogym.benchmarks.league.players import named
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> names = ["cfr", "random", "scripted"]
        >>> matches = play_league(KuhnPoker(), named(KuhnPoker(), names), pairs=200)
        >>> found = meta_game(KuhnPoker(), names, matches)
        >>> found.shares[1]
        Estimate(value=0.0, low=0.0, high=0.0)
    """
    if not game.zero_sum:
        raise LeagueError(f"the meta-game is of zero-sum games, and {game.name} is none")
    means, draws = payoff_draws(game, names, matches, (seed,))
    shares, _ = matrix_equilibrium(means)
    plausible = np.array([matrix_equilibrium(draw)[0] for draw in draws[:EQUILIBRIA]])
    members = range(len(names))
    return MetaGame(
        names=tuple(names),
        payoffs=tuple(
            tuple(estimate_of(means[i, j], draws[:, i, j]) for j in members) for i in members
        ),
        shares=tuple(estimate_of(shares[i], plausible[:, i]) for i in members),
        against=tuple(estimate_of(means[i] @ shares, draws[:, i] @ shares) for i in members),
    )
