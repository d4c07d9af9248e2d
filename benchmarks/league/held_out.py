"""Held-out episodes: the payoffs of a player in them, and their intervals.

A round is one episode in each seat with the same seed, so that neither seat nor deal favours
anybody. Left out: several processes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.baselines.game_ppo import OneSeat
from zerogym.benchmarks.results.estimates import RESAMPLES, Estimate, Returns, interval, mean_draws
from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.move_requests import request_move
from zerogym.envs.games.core.players import Player
from zerogym.envs.games.core.seat_views import View
from zerogym.envs.games.opponents.mixture import Mixture

Floats = NDArray[np.float64]
Progress = Callable[[str, int, int], object]  # what is done, how much of it, and of how much

_FRESH = 0x45  # marks generators that no training draws from


@dataclass(frozen=True)
class Played:
    """Episodes that were played to be counted.

    Attributes:
        seeds: (rounds,) of the episodes; those of a round share one.
        payoffs: (rounds, seats), what was won in each seat.
        forfeits: Share of the episodes that ended because somebody else made no legal move.
    """

    seeds: tuple[int, ...]
    payoffs: Floats
    forfeits: float


@dataclass(frozen=True)
class GreedyPlayer:
    """A player that does what another most likely does."""

    player: Player

    def choose(self, state: Any, rng: np.random.Generator, deterministic: bool = False) -> int:
        """The first of the most likely actions."""
        return self.player.choose(state, rng, True)


@dataclass(frozen=True)
class Payoffs:
    """Payoffs (rounds, seats), and between what they can lie."""

    values: Floats
    low: float
    high: float

    def estimate(self, rng: np.random.Generator) -> Estimate:
        """The mean of all, and where it lies at 95%; rounds are resampled as a whole.

        Where all rounds have ended the same, resampling would say "certainly so": each draw gets
        two Poisson(1/2) numbers of made-up rounds, of the highest and the lowest payoff, after
        Jeffreys' half observations (our choice).
        """
        rounds = self.values.mean(axis=1)
        mean, count = float(rounds.mean()), len(rounds)
        if np.ptp(rounds) == 0:
            best, worst = rng.poisson(0.5, size=(2, RESAMPLES))
            sums = count * mean + best * self.high + worst * self.low
            return Estimate(mean, *interval(sums / (count + best + worst)))
        return Estimate(mean, *interval(mean_draws([Returns(tuple(rounds))], RESAMPLES, rng)[0]))


def fresh_seeds(seed: int, count: int) -> tuple[int, ...]:
    """Seeds of episodes: large numbers, to which no training counts up."""
    rng = np.random.default_rng((seed, _FRESH))
    return tuple(rng.integers(2**40, 2**62, count).tolist())


def play_held_out(
    game: Game[Any],
    player: Any,
    opponent: Any,
    seeds: tuple[int, ...],
    view: View = "numeric",
    on_progress: Progress = lambda what, done, total: None,
) -> Played:
    """Play an episode in every seat for each seed, and return the payoffs.

    Args:
        game: The rules.
        player: The player to evaluate.
        opponent: In all other seats.
        seeds: Of the episodes.
        view: What a policy among them reads.
        on_progress: Called after each round.
    """
    env = OneSeat(game, opponent, opponent_view=view)
    payoffs = np.zeros((len(seeds), game.num_seats))
    forfeits = 0
    for index, seed in enumerate(seeds):
        for seat in range(game.num_seats):
            env.reset(seed=seed, options={"seat": seat})
            payoffs[index, seat], forfeited = _episode(env, player, view, seed)
            forfeits += forfeited
        on_progress("episodes", index + 1, len(seeds))
    env.close()
    return Played(seeds, payoffs, forfeits / payoffs.size)


def _episode(env: OneSeat, player: Any, view: View, seed: int) -> tuple[float, bool]:
    """The player's payoff, the sum of its rewards, and whether somebody forfeited."""
    rng, memory, opening, payoff = np.random.default_rng((seed, _FRESH)), None, True, 0.0
    if isinstance(player, Mixture):
        player = player.members[player.draw(rng)]
    while True:
        state, move = env.position(), None
        if state is not None:
            move, memory = request_move(
                player, env.game, state, view, memory, opening, env.max_retries, rng
            )
            opening = False
        # There is no action -1: it forfeits, or ends a game that was decided before.
        _, reward, terminated, _, info = env.step(-1 if move is None else move)
        payoff += float(reward)
        if terminated:
            return payoff, "feedback" in info
