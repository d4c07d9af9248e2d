"""The payoff of a perfect adversary against a policy with fixed replies, forfeits included.

The adversary has every reply beforehand, so only its own moves and chance are left: it searches
all information sets, and takes the action of the highest mean payoff in each. Exact for two seats
and zero sums. Left out: policies that draw their replies (`tabulate.py` samples those, without
their forfeits).
"""

from dataclasses import dataclass, replace
from typing import Any

from zerogym.benchmarks.league.match import MAX_RETRIES
from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, forfeit
from zerogym.envs.games.core.move_requests import request_move
from zerogym.envs.games.core.players import PolicyLike
from zerogym.envs.games.core.seat_views import View

MAX_REQUESTS = 20_000  # moves of the policy; some policies meet more positions


class TooManyPositions(ValueError):
    """The policy meets too many positions."""


@dataclass(frozen=True)
class _Place:
    """A state that may have been reached, and the memory of the policy there.

    Attributes:
        state: Of the game.
        weight: Its probability by chance alone.
        memory: Of the policy.
        opening: Whether the policy has not moved yet.
    """

    state: Any
    weight: float
    memory: Any = None
    opening: bool = True


def worst_case(
    game: Game[Any], policy: PolicyLike, view: View = "text", max_requests: int = MAX_REQUESTS
) -> float:
    """The mean loss of a seat of this policy to a perfect adversary, over both seats.

    Args:
        game: The rules, of two seats and zero-sum.
        policy: Gives the same replies to the same messages.
        view: What it reads.
        max_requests: Greatest number of moves of each seat.

    Raises:
        TooManyPositions: If that is not enough.
        ValueError: If the game is not of two seats and zero-sum.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> from zerogym.envs.games.core.tabular_policy import TabularPolicy
        >>> passive = {f"{card}:{past}": (1, 0) for card in "JQK" for past in ("", "p", "b", "pb")}
        >>> worst_case(KuhnPoker(), TabularPolicy(KuhnPoker(), passive))  # a bet wins the ante
        1.0
    """
    if game.num_seats != 2 or not game.zero_sum:
        raise ValueError(f"a perfect adversary needs two seats and zero sums; not {game.name}")
    seats = (_Adversary(game, policy, view, 1 - seat, max_requests) for seat in (0, 1))
    return sum(adversary.value([_Place(game.initial(), 1.0)]) for adversary in seats) / 2


class _Adversary:
    """A seat that knows the policy of the other."""

    def __init__(
        self, game: Game[Any], policy: PolicyLike, view: View, seat: int, max_requests: int
    ) -> None:
        self._game, self._policy, self._view = game, policy, view
        self._seat, self._left = seat, max_requests

    def value(self, places: list[_Place]) -> float:
        """Its payoff from places of one information set, times their probability."""
        won, pending = 0.0, list(places)
        choices: dict[Any, list[_Place]] = {}
        while pending:
            place = pending.pop()
            mover = self._game.to_move(place.state)
            if mover == TERMINAL:
                won += place.weight * self._game.payoff(place.state)[self._seat]
            elif mover == CHANCE:
                pending += self._dealt(place)
            elif mover == self._seat:
                choices.setdefault(self._known(place), []).append(place)
            elif (following := self._answered(place)) is None:
                won += place.weight * forfeit(self._game, mover)[self._seat]
            else:
                pending.append(following)
        return won + sum(map(self._best, choices.values()))

    def _known(self, place: _Place) -> Any:
        """The information set of a place; where nothing is hidden, its history, too."""
        if self._game.perfect_information:
            return id(place)
        return self._game.info_key(place.state, self._seat)

    def _best(self, places: list[_Place]) -> float:
        def after(action: int) -> list[_Place]:
            return [replace(p, state=self._game.apply(p.state, action)) for p in places]

        return max(self.value(after(action)) for action in self._game.legal(places[0].state))

    def _dealt(self, place: _Place) -> list[_Place]:
        game, state = self._game, place.state
        dealt = ((game.apply(state, a), place.weight * float(p)) for a, p in game.chance(state))
        return [replace(place, state=child, weight=weight) for child, weight in dealt]

    def _answered(self, place: _Place) -> _Place | None:
        """After the policy's move; None if it forfeits."""
        if self._left == 0:
            raise TooManyPositions(f"{self._game.name} has too many positions for a policy")
        self._left -= 1
        move, memory = request_move(
            self._policy,
            self._game,
            place.state,
            self._view,
            place.memory,
            place.opening,
            MAX_RETRIES,
        )
        if move is None:
            return None
        return _Place(self._game.apply(place.state, move), place.weight, memory, False)
