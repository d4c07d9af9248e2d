"""Behaviour strategies as tables, and the enumeration of states and information sets.

Left out: games too large to enumerate.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game
from zerogym.envs.games.core.players import StrategyPlayer
from zerogym.envs.games.core.seat_views import View, first_message, write_action

Layer = dict[Hashable, float]  # states after the same number of moves, and a weight of each


class Strategy(Protocol):
    """A strategy as the solvers need it: probabilities of the legal actions of a state.

    They may depend on the information set of the seat to move only.
    """

    def __hash__(self) -> int:
        """Solutions against a strategy are cached by identity: do not change one afterwards."""

    def probabilities(self, state: Any) -> Sequence[float]:
        """Probabilities of `game.legal(state)`, in that order."""


class TabularPolicy(StrategyPlayer):
    """A strategy from a table; also a policy (`predict`) for both views of its game.

    Args:
        game: The rules.
        table: Information set (`game.info_key`) to probabilities of its legal actions, in their
            order. Where the table has no entry, all legal actions are equally likely.
        seed: Seed of `predict`; `probabilities` draws nothing.

    Raises:
        ValueError: If probabilities are negative or do not sum to 1.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> caller = TabularPolicy(KuhnPoker(), {"K:b": (0, 1)})
        >>> state = KuhnPoker().initial()
        >>> for action in (1, 2, 1):  # cards Q and K, then a bet
        ...     state = KuhnPoker().apply(state, action)
        >>> caller.probabilities(state)
        (0.0, 1.0)
    """

    def __init__(
        self, game: Game[Any], table: Mapping[str, Sequence[float]], seed: int = 0
    ) -> None:
        self.game = game
        self.table = {key: tuple(float(p) for p in row) for key, row in table.items()}
        for key, row in self.table.items():
            if min(row, default=-1.0) < 0 or abs(sum(row) - 1) > 1e-6:
                raise ValueError(f"no probability distribution at {key!r}: {row}")
        self._rng = np.random.default_rng(seed)
        self._decisions: tuple[dict[bytes, Any], dict[str, Any]] | None = None

    def probabilities(self, state: Any) -> tuple[float, ...]:
        """Probabilities of the legal actions, for the seat to move."""
        key = self.game.info_key(state, self.game.to_move(state))
        row = self.table.get(key)
        if row is None:
            count = len(self.game.legal(state))
            return (1 / count,) * count
        return row

    def predict(
        self,
        observations: Any,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[Any, Any]:
        """Actions for a batch of arrays (B, observation_size) -> int64 (B,), or of B texts.

        Raises:
            ValueError: If an observation is not one of a seat that is to move.
        """
        texts = len(observations) > 0 and isinstance(observations[0], str)
        view: View = "text" if texts else "numeric"
        actions = []
        for observation in observations:
            position = self._position(observation)
            move = self.choose(position, self._rng, deterministic)
            actions.append(write_action(self.game, position, view, move))
        return (actions if texts else np.array(actions, dtype=np.int64)), state

    def _position(self, observation: Any) -> Any:
        """Some state of the information set that an observation of either view belongs to."""
        if self._decisions is None:
            self._decisions = _decision_index(self.game)
        arrays, texts = self._decisions
        if isinstance(observation, str):
            found = texts.get(observation)
        else:
            found = arrays.get(np.asarray(observation, dtype=np.float32).tobytes())
        if found is None:
            raise ValueError(f"no decision of {self.game.name} looks like {observation!r:.200}")
        return found


def check_enumerable(game: Game[Any]) -> None:
    """Raise ValueError if the states of a game are too many to be walked."""
    if not game.enumerable:
        raise ValueError(f"{game.name} has too many states to enumerate")


def layers(game: Game[Any], root: Any = None) -> list[list[Hashable]]:
    """All states, by the number of moves after `root` (default: the initial state).

    Raises:
        ValueError: If there is no `root` and the game is too large.
    """
    if root is None:
        check_enumerable(game)
    found: list[list[Hashable]] = []
    layer: list[Hashable] = [game.initial() if root is None else root]
    while layer:
        found.append(layer)
        children: dict[Hashable, None] = {}  # a dict keeps the order, a set would not
        for state in layer:
            for action in moves(game, state):
                children[game.apply(state, action)] = None
        layer = list(children)
    return found


def moves(game: Game[Any], state: Any) -> tuple[int, ...]:
    """Everything that can happen next, be it a seat's action or an outcome of chance."""
    if game.to_move(state) == CHANCE:
        return tuple(action for action, _ in game.chance(state))
    return game.legal(state)


def branches(game: Game[Any], state: Any, profile: Sequence[Strategy]) -> list[tuple[Any, float]]:
    """The next states and their probabilities, where each seat plays its strategy."""
    mover = game.to_move(state)
    if mover == CHANCE:
        return [(game.apply(state, a), float(p)) for a, p in game.chance(state)]
    if mover == TERMINAL:
        return []
    row = profile[mover].probabilities(state)
    return [(game.apply(state, a), p) for a, p in zip(game.legal(state), row, strict=True)]


def information_sets(game: Game[Any]) -> dict[str, list[Any]]:
    """Each information set of the seat that is to move in it, with its states."""
    found: dict[str, list[Any]] = {}
    for layer in layers(game):
        for state in layer:
            mover = game.to_move(state)
            if mover >= 0:
                found.setdefault(game.info_key(state, mover), []).append(state)
    return found


def expected_payoffs(game: Game[Any], profile: Sequence[Strategy]) -> NDArray[np.float64]:
    """The exact mean payoff of each seat, float64 (num_seats,); any game, if it ends in time.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> uniform = TabularPolicy(KuhnPoker(), {})
        >>> expected_payoffs(KuhnPoker(), [uniform, uniform])
        array([ 0.125, -0.125])
    """
    total = np.zeros(game.num_seats)
    weights: Layer = {game.initial(): 1.0}
    while weights:
        following: Layer = {}
        for state, weight in weights.items():
            if game.to_move(state) == TERMINAL:
                total += weight * np.array(game.payoff(state))
            for child, probability in branches(game, state, profile):
                if probability > 0:
                    following[child] = following.get(child, 0.0) + weight * probability
        weights = following
    return total


def _decision_index(game: Game[Any]) -> tuple[dict[bytes, Any], dict[str, Any]]:
    arrays: dict[bytes, Any] = {}
    texts: dict[str, Any] = {}
    for states in information_sets(game).values():
        state = states[0]
        seat = game.to_move(state)
        arrays[game.observe(state, seat).tobytes()] = state
        texts[game.describe(state, seat)] = state
        texts[first_message(game, state, seat)] = state
    return arrays, texts
