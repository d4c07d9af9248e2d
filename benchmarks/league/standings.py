"""From the matches of a league to its table: ratings, payoffs, who survives, and who is safe.

Intervals come from resampling pairs of games, the same pairs in all matches because they have the
same deals; one pair less than there are, which makes up for few pairs looking more alike than many.
Outcomes that did not occur are possible, too: each draw gets two Poisson(1/2) numbers of made-up
pairs, after Jeffreys' half observations, won by one or the other by as much as any pair was, or by
as much as the game allows where all pairs ended the same. All this is our choice; in simulated
matches, also of two pairs, more than 90% of such intervals hold the true mean, mostly more than
95%. A winner of all games has no highest rating: the upper end comes from the prior of
`ratings.py`.

Exploitability is the mean loss of a seat to a perfect adversary (where sums are not zero: its
possible gain by another strategy against its like), exactly: of strategies in games whose states
can be walked. Policies without probabilities are sampled `SAMPLES` times at each information set,
if there are at most `MAX_INFORMATION_SETS`; illegal replies are left out (see `tabulate.py`).
Left out: exploitability of searches, of mixtures and in larger games, where `exploit.py` finds
lower bounds by training adversaries.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.benchmarks.league.alpha_rank import alpha_rank
from zerogym.benchmarks.league.match import Entrant, Match
from zerogym.benchmarks.league.ratings import bradley_terry
from zerogym.benchmarks.results.estimates import Estimate, interval
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.players import is_player
from zerogym.envs.games.core.tabular_policy import information_sets
from zerogym.envs.games.core.tabulate import tabulate
from zerogym.envs.games.solvers.best_response import exploitability

Floats = NDArray[np.float64]

RESAMPLES = 1000
SAMPLES = 200
MAX_INFORMATION_SETS = 100  # information sets


@dataclass(frozen=True)
class Exploitability:
    """The mean loss of a seat to a perfect adversary.

    Attributes:
        value: In payoffs of the game.
        sampled: The strategy was estimated from replies, so `value` is an estimate.
    """

    value: float
    sampled: bool


@dataclass(frozen=True)
class Row:
    """One player.

    Attributes:
        name: Of the entrant.
        elo: Rating; all of a league average to 0.
        payoff: Mean payoff of a game, all opponents alike.
        share: Alpha-rank.
        against: Mean payoff against each player of the table; None against itself.
        forfeits: Share of games without a legal move of this player.
        exploitability: None where it cannot be computed.
    """

    name: str
    elo: Estimate
    payoff: Estimate
    share: Estimate
    against: tuple[Estimate | None, ...]
    forfeits: float
    exploitability: Exploitability | None


def standings(
    game: Game[Any], entrants: Sequence[Entrant], matches: Sequence[Match], seed: int = 0
) -> list[Row]:
    """One row a player, the highest payoff first; `against` is in the order of the rows."""
    names = [entrant.name for entrant in entrants]
    won, points, payoffs, scores = _resampled(game, names, matches, (seed,))
    elos = bradley_terry(points.sum(axis=-1)), bradley_terry(scores)
    means = won.mean(axis=-1)
    low, high = game.payoff_range
    ranks = (
        alpha_rank(means / (high - low)),
        np.array([alpha_rank(table / (high - low)) for table in payoffs]),
    )
    off = ~np.eye(len(names), dtype=bool)
    order = sorted(range(len(names)), key=lambda i: -means[i, off[i]].mean())
    return [
        Row(
            names[i],
            estimate_of(elos[0][i], elos[1][:, i]),
            estimate_of(means[i, off[i]].mean(), payoffs[:, i, off[i]].mean(axis=1)),
            estimate_of(ranks[0][i], ranks[1][:, i]),
            tuple(None if i == j else estimate_of(means[i, j], payoffs[:, i, j]) for j in order),
            forfeit_share(names[i], matches),
            find_exploitability(game, entrants[i]),
        )
        for i in order
    ]


def payoff_draws(
    game: Game[Any], names: Sequence[str], matches: Sequence[Match], seed: Sequence[int]
) -> tuple[Floats, Floats]:
    """The mean payoff of i against j (n, n), and plausible values of it (draws, n, n)."""
    won, _, payoffs, _ = _resampled(game, names, matches, seed)
    return np.asarray(won.mean(axis=-1)), payoffs


def find_exploitability(game: Game[Any], entrant: Entrant) -> Exploitability | None:
    """Exact for a strategy, from replies for a policy; None if neither can be computed."""
    player = entrant.make(0)
    if not game.enumerable:
        return None
    if callable(getattr(player, "probabilities", None)):
        return Exploitability(exploitability(game, player), sampled=False)
    if is_player(player) or not hasattr(player, "predict"):
        return None
    if len(information_sets(game)) > MAX_INFORMATION_SETS:
        return None
    found = tabulate(game, player, entrant.view, SAMPLES)
    return Exploitability(exploitability(game, found.strategy), sampled=True)


def _arrays(
    game: Game[Any], names: Sequence[str], matches: Sequence[Match]
) -> tuple[Floats, Floats]:
    """Payoffs of i against j in each pair, as a mean and in points of two games: (n, n, pairs)."""
    pairs = len(matches[0].payoffs)
    won = np.zeros((len(names), len(names), pairs))
    points = np.zeros_like(won)
    for match in matches:
        i, j = (names.index(name) for name in match.players)
        games = np.array(match.payoffs)  # (pairs, games, 2 players)
        won[i, j], won[j, i] = games.mean(axis=1).T
        half = 0.5 * (1 + np.sign(games[..., 0] - games[..., 1]))  # 1, 1/2 or 0 for i
        forfeits = sum(match.forfeits)
        if forfeits and not game.zero_sum:
            # After a forfeit both get the worst payoff. It is no draw, else silence would be rated.
            worst = (games == game.payoff_range[0]).all(axis=-1)
            half[worst] = match.forfeits[1] / forfeits
        points[i, j] = 2 * half.mean(axis=1)
        points[j, i] = 2 - points[i, j]
    return won, points


def _resampled(
    game: Game[Any], names: Sequence[str], matches: Sequence[Match], seed: Sequence[int]
) -> tuple[Floats, Floats, Floats, Floats]:
    """The arrays of `_arrays`, and plausible mean payoffs and sums of points: (draws, n, n) each.

    Pairs are resampled (bootstrap), with made-up pairs that i has won from j beside those played.
    """
    won, points = _arrays(game, names, matches)
    made_up = _made_up(len(won), np.random.default_rng((*seed, 1)))
    pairs = won.shape[-1]
    rng, even = np.random.default_rng(seed), np.full(pairs, 1 / pairs)
    counts = rng.multinomial(pairs - 1, even, size=RESAMPLES).astype(np.float64)  # (draws, pairs)
    low, high = _extremes(game, won)
    lost = np.swapaxes(made_up, 1, 2)
    sums = np.moveaxis(won @ counts.T, -1, 0) + high * made_up + low * lost
    scores = np.moveaxis(points @ counts.T, -1, 0) * pairs / (pairs - 1) + 2 * made_up
    return won, points, sums / (pairs - 1 + made_up + lost), scores


def _made_up(players: int, rng: np.random.Generator) -> Floats:
    """Numbers of made-up pairs that i has won from j: (draws, n, n)."""
    found = rng.poisson(0.5, size=(RESAMPLES, players, players)).astype(np.float64)
    return found * ~np.eye(players, dtype=bool)


def _extremes(game: Game[Any], won: Floats) -> tuple[Floats, Floats]:
    """The payoffs of the loser and the winner of a made-up pair of i and j: (n, n) each."""
    both = np.concatenate([won, np.swapaxes(won, 0, 1)], axis=-1)
    same = (np.ptp(won, axis=-1) == 0) & (np.ptp(won, axis=-1).T == 0)
    low, high = game.payoff_range
    return np.where(same, low, both.min(axis=-1)), np.where(same, high, both.max(axis=-1))


def estimate_of(value: float, draws: Floats) -> Estimate:
    """A value with the interval of its plausible values."""
    return Estimate(float(value), *interval(draws))


def forfeit_share(name: str, matches: Sequence[Match]) -> float:
    """The share of its games that a player forfeits."""
    own = [match for match in matches if name in match.players]
    lost = sum(match.forfeits[match.players.index(name)] for match in own)
    return lost / sum(len(pair) for match in own for pair in match.payoffs)
