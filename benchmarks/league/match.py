"""A match of a league: two players, the same deals in exchanged seats.

A match is a number of pairs. The two games of a pair have the same deal and exchange the seats, so
that neither luck of the cards nor the first move favours anybody; pair 7 of all matches has the
same deal as well. Where there are three seats, six games have the same deal: the two players of a
match share the seats in every way in which both play, and each wins the mean of its seats. Chance
and each player draw from generators of their own, all of which follow from the seed, the number of
the pair and who plays. (Where moves change how often chance moves, as in pig, the deals agree only
up to there.)

Left out: tables of three different players, and batches of several games for language models.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite
from typing import Any
from zlib import crc32

import numpy as np

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, deal, forfeit
from zerogym.envs.games.core.move_requests import request_move
from zerogym.envs.games.core.seat_views import View
from zerogym.envs.games.opponents.mixture import Mixture
from zerogym.errors import ZerogymError

MAX_RETRIES = 2  # further replies after one without a legal move, as in the environments


class LeagueError(ZerogymError, ValueError):
    """The league cannot be played, for the reason given."""


@dataclass(frozen=True)
class Entrant:
    """A player of the league.

    Attributes:
        name: Unique in the league.
        make: From a seed to the player, policy or mixture. Players draw with the generator of the
            match; the seed is for policies that have their own.
        view: Which view a policy reads.
    """

    name: str
    make: Callable[[int], Any]
    view: View = "text"


@dataclass(frozen=True)
class Match:
    """The payoffs of two players against each other.

    Attributes:
        players: Their names.
        payoffs: For each pair its games, in the order of `seatings`, for each game what the first
            and the second player won, a mean where one has several seats.
        forfeits: Games in which the first and the second player made no legal move.
    """

    players: tuple[str, str]
    payoffs: tuple[tuple[tuple[float, float], ...], ...]
    forfeits: tuple[int, int] = (0, 0)


def seatings(seats: int) -> list[tuple[int, ...]]:
    """All assignments of two players, 0 and 1, to the seats in which both play.

    Example:
        >>> seatings(2)
        [(0, 1), (1, 0)]
    """
    return [owners for owners in product((0, 1), repeat=seats) if len(set(owners)) == 2]


def play_match(
    game: Game[Any], one: Entrant, other: Entrant, pairs: int = 100, seed: int = 0
) -> Match:
    """Pairs of games between two players.

    Example:
        >>> from zerogym.benchmarks.league.players import named
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> play_match(KuhnPoker(), *named(KuhnPoker(), ["cfr", "random"]), pairs=1).payoffs
        (((-1.0, 1.0), (-1.0, 1.0)),)
    """
    both = (one, other)
    own = [_number(one.name, other.name, who) for who in (0, 1)]
    players = [both[who].make(_number(seed, own[who])) for who in (0, 1)]
    payoffs, forfeits = [], [0, 0]
    for pair in range(pairs):
        won = []
        for number, owners in enumerate(seatings(game.num_seats)):
            streams = [np.random.default_rng((seed, pair, own[who], number)) for who in (0, 1)]
            seats = [_Seat(both[who], players[who], streams[who]) for who in owners]
            result, loser = _play(game, seats, np.random.default_rng((seed, pair)))
            won.append((_mean_of(0, owners, result), _mean_of(1, owners, result)))
            if loser is not None:
                forfeits[owners[loser]] += 1
        payoffs.append(tuple(won))
    return Match((one.name, other.name), tuple(payoffs), (forfeits[0], forfeits[1]))


class _Seat:
    """A player, policy or mixture in one game."""

    def __init__(self, entrant: Entrant, player: Any, rng: np.random.Generator) -> None:
        self._rng, self._name, self._view = rng, entrant.name, entrant.view
        drawn = isinstance(player, Mixture)
        self._player = player.members[player.draw(rng)] if drawn else player
        self._memory: Any = None
        self._opening = True

    def move(self, game: Game[Any], state: Any) -> int | None:
        """A legal action, or None: no legal move was made.

        Raises:
            LeagueError: If the player fails, or says that it chose what is no legal action.
        """
        try:
            move, self._memory = request_move(
                self._player,
                game,
                state,
                self._view,
                self._memory,
                self._opening,
                MAX_RETRIES,
                self._rng,
            )
        except Exception as error:
            raise LeagueError(f"{self._name} failed: {type(error).__name__}: {error}") from error
        self._opening = False
        if move is not None and move not in game.legal(state):
            raise LeagueError(f"{self._name} chose {move!r}, legal are {game.legal(state)}")
        return move


def _play(
    game: Game[Any], seats: Sequence[_Seat], deals: np.random.Generator
) -> tuple[Sequence[float], int | None]:
    """The payoffs of one game, and the seat that forfeited it."""
    state = game.initial()
    while (mover := game.to_move(state)) != TERMINAL:
        if mover == CHANCE:
            state = deal(game, state, deals)
            continue
        move = seats[mover].move(game, state)
        if move is None:
            return forfeit(game, mover), mover
        state = game.apply(state, move)
    payoffs = game.payoff(state)
    if not all(map(isfinite, payoffs)):
        raise LeagueError(f"payoffs {tuple(map(float, payoffs))} of {game.name} cannot be ranked")
    return payoffs, None


def _mean_of(who: int, owners: Sequence[int], payoffs: Sequence[float]) -> float:
    """The mean payoff of the seats of one player."""
    own = [float(won) for owner, won in zip(owners, payoffs, strict=True) if owner == who]
    return sum(own) / len(own)


def _number(*parts: object) -> int:
    """The same number for the same parts in every process, which `hash` is not."""
    return crc32("\0".join(map(str, parts)).encode())
