"""The interface of games: pure functions over an immutable state, from which every view is made.

The turn-based multi-agent view (`aec.py`), the single-seat view (`views/single_seat.py`), the text
views and the exact solvers all use only this protocol. Simultaneous moves are written as turns
whose earlier moves are hidden (`views/parallel.py` plays them at once). Rewards before the end are
what `returns` grows by; solvers need only their sum, the payoff.
"""

import importlib
from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.parameters import check_names, parameters_of
from zerogym.envs.games.core.replies import written_move
from zerogym.envs.registry import GAMES
from zerogym.errors import UnknownName

CHANCE = -1
TERMINAL = -2
ROUNDING = 1e-9  # more than sums of probabilities err
MOST_KNOWN = 256  # lists of outcomes that are kept
_KNOWN: dict[int, tuple[tuple[tuple[int, Fraction], ...], list[float], float, list[float]]] = {}

StateT = TypeVar("StateT", bound=Hashable)


class Game(Protocol[StateT]):
    """The rules of a game of two or more seats.

    Rules that inherit from this class write down only what differs from the most common case: two
    seats, in turn, zero sums from -1 to 1, nothing hidden, no chance, too many states to enumerate.
    They have their own `describe`, or the parts of the common one: `situation`, `request` and,
    where it is more than who has won, `result`.

    A state is immutable and hashable and holds everything, also what is hidden from some seats.
    Rules are frozen dataclasses, whose fields are the parameters of the game, all with defaults:
    equal by value, usable as dictionary keys. What does not depend on parameters is a `ClassVar`,
    the rest a field or a property.

    Rules may have further, optional members: `searchable`, true if the game is solved in
    seconds, though it is not enumerable, move by move where nothing is hidden (`alpha_beta.py`),
    else from arrays of all its states (`tree.py`); `resample(state, seat, rng)`, a state that the
    seat to move cannot tell from `state` (`determinization.py`); `board(state)`, what a picture
    shows (`render.py`); `max_text`, the most characters of a text, where 2048 are not enough; and
    beside the rules, in their module, a rule of thumb `scripted(game, state, seat)`
    (`opponents/scripted.py`).
    """

    @property
    def name(self) -> str:
        """As in the id: `kuhn_poker`."""

    @property
    def num_seats(self) -> int:
        """Number of players."""
        return 2

    @property
    def num_actions(self) -> int:
        """Number of actions, which are 0 to `num_actions - 1`."""

    @property
    def observation_size(self) -> int:
        """Length of the vector of `observe`."""

    @property
    def payoff_range(self) -> tuple[float, float]:
        """Lowest and highest payoff a seat can have."""
        return -1.0, 1.0

    @property
    def perfect_information(self) -> bool:
        """True if nothing is hidden, so that minimax applies; False if moves are simultaneous."""
        return True

    @property
    def zero_sum(self) -> bool:
        """True if payoffs always sum to 0."""
        return True

    @property
    def simultaneous(self) -> bool:
        """True if each round every seat moves once, in order, not knowing the others' moves."""
        return False

    @property
    def enumerable(self) -> bool:
        """True if all states can be walked in seconds: fewer than about 20,000."""
        return False

    def __hash__(self) -> int:
        """Equal rules have equal hashes, so that solutions can be cached by game."""
        return object.__hash__(self)

    def initial(self) -> StateT:
        """Return the state before the first move."""

    def to_move(self, state: StateT) -> int:
        """Return the seat to move, or `CHANCE`, or `TERMINAL`."""

    def legal(self, state: StateT) -> tuple[int, ...]:
        """Legal actions of the seat to move, increasing; empty at chance and terminal states."""

    def chance(self, state: StateT) -> tuple[tuple[int, Fraction], ...]:
        """Outcomes of a chance state and their probabilities, which sum to 1."""
        return ()

    def apply(self, state: StateT, action: int) -> StateT:
        """Return the state after a legal action or an outcome of chance."""

    def payoff(self, state: StateT) -> tuple[float, ...]:
        """Return the payoff of each seat at a terminal state; they sum to 0 if `zero_sum`."""

    def returns(self, state: StateT) -> tuple[float, ...]:
        """Return the sum of each seat's rewards so far: zeros before the end, unless rules differ.

        At a terminal state it is `payoff`.
        """
        return self.payoff(state) if self.to_move(state) == TERMINAL else (0.0,) * self.num_seats

    def role(self, seat: int) -> str:
        """Return the name of a seat's part in the game; empty where all seats have the same."""
        return ""

    def facts(self, state: StateT, seat: int) -> dict[str, Any]:
        """Return further keys of a seat's info; `role` where it depends on the state.

        They say no more than the seat knows. The default has none.
        """
        return {}

    def observe(self, state: StateT, seat: int) -> NDArray[np.float32]:
        """Return the information of a seat as a vector (observation_size,) in [0, 1]."""

    def info_key(self, state: StateT, seat: int) -> str:
        """The information set: equal exactly for states that the seat cannot distinguish.

        Keys of different seats at their own decisions are different.
        """

    def rules(self, seat: int) -> str:
        """The rules in a few lines, shown once to a language model or a person in this seat."""

    def describe(self, state: StateT, seat: int) -> str:
        """The information of a seat in words; with the moves it may choose, if it is to move."""
        text, mover = self.situation(state, seat), self.to_move(state)
        if mover == TERMINAL:
            return f"{text}\n{self.result(state, seat)}"
        return f"{text}\n{self.request(state)}" if mover == seat else text

    def situation(self, state: StateT, seat: int) -> str:
        """The position as a seat sees it, in words."""
        return ""

    def request(self, state: StateT) -> str:
        """The request for a reply of the seat to move."""
        return ""

    def result(self, state: StateT, seat: int) -> str:
        """The outcome for a seat of a game that is over."""
        return f"{result_text(self.payoff(state)[seat])}."

    def action_name(self, state: StateT, action: int) -> str:
        """The name of an action in this state."""

    def write(self, state: StateT, action: int) -> str:
        """A reply that names an action."""
        return f"<answer>{self.action_name(state, action)}</answer>"

    def parse(self, state: StateT, text: str) -> int | None:
        """The legal action a reply names; None if it names none, several, or an illegal one."""
        return named_action(self, state, written_move(text))


def named_action(game: Game[StateT], state: StateT, move: str) -> int | None:
    """The legal action whose name in lower case is exactly `move`; None if there is none."""
    if move:
        for action in game.legal(state):
            if game.action_name(state, action).lower() == move:
                return action
    return None


def load_game(name: str, **parameters: Any) -> Game[Any]:
    """The rules of a registered game.

    Args:
        name: As in `zerogym.envs.registry.GAMES`, for example `kuhn_poker`.
        parameters: Fields of the rules.

    Raises:
        UnknownName: If there is no such game.
        TypeError: If the game has no such parameter.

    Example:
        >>> load_game("kuhn_poker").num_seats
        2
    """
    for entry in GAMES:
        if entry.name == name:
            module, _, attribute = entry.target.partition(":")
            rules = getattr(importlib.import_module(f"zerogym.envs.games.{module}"), attribute)
            return make_game(rules, **{**entry.kwargs, **parameters})
    raise UnknownName("game", name, [entry.name for entry in GAMES])


def find_game(game: str | Game[Any], **parameters: Any) -> Game[Any]:
    """The rules of a name with parameters, or the given rules, which have theirs already.

    Raises:
        TypeError: If rules and parameters are given.
    """
    if isinstance(game, str):
        return load_game(game, **parameters)
    if parameters:
        raise TypeError(f"{game.name} has its parameters already, got {sorted(parameters)}")
    return game


def make_game(rules: Callable[..., Game[Any]], **parameters: Any) -> Game[Any]:
    """Rules with these parameters, which may come from JSON: lists become tuples."""
    check_names(getattr(rules, "__name__", "the game"), parameters, parameters_of(rules))
    return rules(**{name: _frozen(value) for name, value in parameters.items()})


def _frozen(value: Any) -> Any:
    if isinstance(value, (np.generic, np.ndarray)):  # drawn by numpy, or a matrix
        value = value.tolist()
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def deal(game: Game[StateT], state: StateT, rng: np.random.Generator) -> StateT:
    """Let chance move until a seat is to move or the game is over."""
    while game.to_move(state) == CHANCE:
        outcomes = game.chance(state)
        state = game.apply(state, outcomes[_drawn(outcomes, rng)][0])
    return state


def _drawn(outcomes: tuple[tuple[int, Fraction], ...], rng: np.random.Generator) -> int:
    """Return what `draw` does for these probabilities, sooner for outcomes that come back."""
    kept = _KNOWN.get(id(outcomes))
    if kept is None or kept[0] is not outcomes:
        # float(probability), in a third of the time
        ratios = [probability.as_integer_ratio() for _, probability in outcomes]
        weights = [part / whole for part, whole in ratios]
        if len(_KNOWN) >= MOST_KNOWN:
            _KNOWN.clear()
        kept = _KNOWN[id(outcomes)] = outcomes, weights, sum(weights), list(accumulate(weights))
    _, weights, total, bounds = kept
    left = rng.random() * total
    place = bisect_right(bounds, left)
    apart = place < len(bounds) and left < bounds[place] - ROUNDING
    if apart and (place == 0 or bounds[place - 1] + ROUNDING < left):
        return place
    return _place(weights, left)


@lru_cache(maxsize=1024)
def equally_likely(outcomes: tuple[int, ...]) -> tuple[tuple[int, Fraction], ...]:
    """Outcomes of a chance state with equal probabilities."""
    return tuple((outcome, Fraction(1, len(outcomes))) for outcome in outcomes)


def win_or_loss(winner: int | None) -> tuple[float, float]:
    """Payoffs of two seats: 1 for the winner and -1 for the other; 0 for both in a draw (None)."""
    return (0.0, 0.0) if winner is None else (1.0, -1.0) if winner == 0 else (-1.0, 1.0)


def result_text(won: float) -> str:
    """A payoff in words."""
    return "You win" if won > 0 else "You lose" if won < 0 else "A draw"


def uniform_over_best(ranks: Sequence[Any]) -> list[float]:
    """Equal probabilities for all actions of the highest rank, 0 for the others."""
    highest = max(ranks)
    best = [rank == highest for rank in ranks]
    return [good / sum(best) for good in best]


def draw(weights: Sequence[float], rng: np.random.Generator) -> int:
    """An index with these probabilities, from exactly one number of the generator."""
    return _place(weights, rng.random() * sum(weights))


def _place(weights: Sequence[float], left: float) -> int:
    last = 0
    for index, weight in enumerate(weights):
        if weight <= 0:
            continue
        last = index
        left -= weight
        if left < 0:
            break
    return last


def action_mask(game: Game[StateT], state: StateT, seat: int) -> NDArray[np.int8]:
    """int8 (num_actions,): 1 for each legal action; all ones where the seat has no move to make."""
    return legal_mask(game, state) if game.to_move(state) == seat else idle_mask(game)


def idle_mask(game: Game[Any]) -> NDArray[np.int8]:
    """int8 (num_actions,): ones, for a seat that has no move to make.

    All zeros would be the other convention, but masked distributions of RL libraries cannot be
    built from it.
    """
    return np.ones(game.num_actions, dtype=np.int8)


def legal_mask(game: Game[StateT], state: StateT) -> NDArray[np.int8]:
    """int8 (num_actions,): 1 for each legal action of the seat to move."""
    mask = bytearray(game.num_actions)  # in bytes, because setting items of a small array is slow
    for action in game.legal(state):
        mask[action] = 1
    return np.frombuffer(mask, dtype=np.int8)


def forfeit(game: Game[Any], loser: int) -> tuple[float, ...]:
    """Payoffs when a seat makes no legal move: the worst of the game for it.

    The worst, so that an illegal move is never better than a legal one. The others split what it
    loses if the game is zero-sum. Else they get the worst, too: were they rewarded, seats played
    by one policy would gain by forfeits, for half of T + S can exceed P in a prisoner's dilemma.
    Both are our choice.
    """
    lowest = game.payoff_range[0]
    others = -lowest / (game.num_seats - 1) if game.zero_sum else lowest
    return tuple(lowest if seat == loser else others for seat in range(game.num_seats))
