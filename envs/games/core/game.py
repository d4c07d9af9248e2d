"""What a game is: pure functions over an immutable state, from which every view is made.

The turn-based multi-agent view (`aec.py`), the single-seat view (`views/single_seat.py`), the text
views and the exact solvers all use only this protocol. Simultaneous moves are written as turns
whose earlier moves are hidden (`views/parallel.py` plays them at once). Left out: payoffs before
the end.
"""

import importlib
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.parameters import check_names, parameters_of
from zerogym.envs.registry import GAMES
from zerogym.errors import UnknownName

CHANCE = -1
TERMINAL = -2

StateT = TypeVar("StateT", bound=Hashable)


class Game(Protocol[StateT]):
    """The rules of a game of two or more seats, paid at the end.

    A state is immutable and hashable and holds everything, also what is hidden from some seats.
    Rules are frozen dataclasses, whose fields are the parameters of the game, all with defaults:
    equal by value, usable as dictionary keys. What does not depend on parameters is a `ClassVar`,
    the rest a field or a property.

    Rules may have more, and say so by having it: `searchable`, true if the game is solved in
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
        ...

    @property
    def num_seats(self) -> int:
        """Number of players."""
        ...

    @property
    def num_actions(self) -> int:
        """Actions are 0 to `num_actions - 1`."""
        ...

    @property
    def observation_size(self) -> int:
        """Length of the vector of `observe`."""
        ...

    @property
    def payoff_range(self) -> tuple[float, float]:
        """Lowest and highest payoff a seat can have."""
        ...

    @property
    def perfect_information(self) -> bool:
        """Nobody hides anything, so minimax applies; never so where moves are simultaneous."""
        ...

    @property
    def zero_sum(self) -> bool:
        """Payoffs always sum to 0."""
        ...

    @property
    def simultaneous(self) -> bool:
        """Each round every seat moves once, in their order, without seeing the others' moves."""
        ...

    @property
    def enumerable(self) -> bool:
        """All states can be walked in seconds: fewer than about 20,000."""
        ...

    def __hash__(self) -> int:
        """Equal rules have equal hashes, so that solutions can be cached by game."""
        ...

    def initial(self) -> StateT:
        """The state before the first move."""
        ...

    def to_move(self, state: StateT) -> int:
        """The seat to move, or `CHANCE`, or `TERMINAL`."""
        ...

    def legal(self, state: StateT) -> tuple[int, ...]:
        """Legal actions of the seat to move, increasing; empty at chance and terminal states."""
        ...

    def chance(self, state: StateT) -> tuple[tuple[int, Fraction], ...]:
        """Outcomes of a chance state and their probabilities, which sum to 1."""
        ...

    def apply(self, state: StateT, action: int) -> StateT:
        """The state after a legal action or an outcome of chance."""
        ...

    def payoff(self, state: StateT) -> tuple[float, ...]:
        """What each seat has won at a terminal state; sums to 0 if `zero_sum`."""
        ...

    def observe(self, state: StateT, seat: int) -> NDArray[np.float32]:
        """What a seat knows, as a vector (observation_size,) in [0, 1]."""
        ...

    def info_key(self, state: StateT, seat: int) -> str:
        """The information set: equal exactly for states that the seat cannot tell apart.

        Keys of different seats at their own decisions are different.
        """
        ...

    def rules(self, seat: int) -> str:
        """The rules in a few lines, told once to a language model or a person in this seat."""
        ...

    def describe(self, state: StateT, seat: int) -> str:
        """What a seat knows, in words; with the moves it may choose, if it is its turn."""
        ...

    def action_name(self, state: StateT, action: int) -> str:
        """How an action is written in this state."""
        ...

    def parse(self, state: StateT, text: str) -> int | None:
        """The legal action a reply names; None if it names none, several, or an illegal one."""
        ...


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
        # float(probability), in a third of the time
        ratios = [probability.as_integer_ratio() for _, probability in outcomes]
        weights = [part / whole for part, whole in ratios]
        state = game.apply(state, outcomes[draw(weights, rng)][0])
    return state


def draw(weights: list[float] | tuple[float, ...], rng: np.random.Generator) -> int:
    """An index with these probabilities, from exactly one number of the generator."""
    left = rng.random() * sum(weights)
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
