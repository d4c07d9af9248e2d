"""OpenSpiel's games as values, and their states as immutable ones.

A state keeps OpenSpiel's own state after the same history, so that no call replays the moves; only
a state that comes from another process or a file is replayed, once. Left out: games that no history
of actions determines (mean fields, chance drawn inside), which are refused.
"""

from functools import cached_property, lru_cache
from typing import Any

from zerogym.envs.games.core import CHANCE, TERMINAL
from zerogym.errors import UnknownName, require

KEPT_GAMES = 64  # loaded ones
MAX_DEALS = 1000  # outcomes of chance before a first move


def spiel() -> Any:
    """The library.

    Raises:
        MissingExtra: If it is not installed.
    """
    return require("pyspiel", "games", "zerogym/open_spiel-v0")


@lru_cache(maxsize=KEPT_GAMES)
def load_spiel(game: str) -> Any:
    """OpenSpiel's game of a name with parameters, with its moves in turn.

    Raises:
        UnknownName: If OpenSpiel has no game of this name.
        ValueError: If it refuses the parameters, or its game cannot be played here; says why.
    """
    library = spiel()
    name, names = game.partition("(")[0], library.registered_names()
    if name not in names:
        raise UnknownName("OpenSpiel game", name, names)
    try:
        loaded = library.load_game(game)
        if loaded.get_type().dynamics == library.GameType.Dynamics.SIMULTANEOUS:
            loaded = library.convert_to_turn_based(loaded)
    except (RuntimeError, IndexError) as error:  # SpielError is the former; some let theirs out
        raise ValueError(f"OpenSpiel cannot load {game!r}: {error}") from None
    reason = _obstacle(library.GameType, loaded.get_type()) or _first_move(library, loaded)
    if reason:
        raise ValueError(f"OpenSpiel's {game!r} cannot be played here: {reason}")
    return loaded


def _obstacle(known: Any, kind: Any) -> str | None:
    """Why states of this kind of game are no histories with observations, or None."""
    if kind.dynamics != known.Dynamics.SEQUENTIAL:
        return "it is a mean-field game, without seats that move in turn"
    if kind.chance_mode == known.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws its chance inside, so its moves do not determine its state"
    if not (kind.provides_observation_tensor or kind.provides_information_state_tensor):
        return "OpenSpiel gives no observations of it as numbers"
    if not (kind.provides_observation_string or kind.provides_information_state_string):
        return "OpenSpiel gives no observations of it as text"
    return None


def _first_move(library: Any, loaded: Any) -> str | None:
    """Why the first decision cannot be made by the number of an action, or None."""
    state = loaded.new_initial_state()
    try:
        for step in range(MAX_DEALS):
            actions = state.legal_actions()
            if not state.is_chance_node():
                break
            state.apply_action(actions[step % len(actions)])
    except library.SpielError as error:
        return str(error)
    return None


class SpielState:
    """A history of actions and outcomes of chance; equal where game and history are equal.

    Attributes:
        game: Name of OpenSpiel's game, with parameters.
        history: All actions so far.
        inner: OpenSpiel's state. It is never changed.
    """

    def __init__(self, game: str, history: tuple[int, ...], inner: Any) -> None:
        self.game, self.history, self.inner = game, history, inner

    def child(self, action: int) -> "SpielState":
        """The state after an action."""
        return SpielState(self.game, (*self.history, action), self.inner.child(action))

    @cached_property
    def mover(self) -> int:
        """The seat to move, or `CHANCE`, or `TERMINAL`."""
        if self.inner.is_terminal():
            return TERMINAL
        return CHANCE if self.inner.is_chance_node() else int(self.inner.current_player())

    @cached_property
    def legal(self) -> tuple[int, ...]:
        """Legal actions of the seat to move."""
        return tuple(sorted(self.inner.legal_actions())) if self.mover >= 0 else ()

    @cached_property
    def names(self) -> dict[int, str]:
        """Actions that may be taken now, and OpenSpiel's words for them, in one line each."""
        inner = self.inner
        actions = () if self.mover == TERMINAL else inner.legal_actions()
        return {
            action: " ".join(inner.action_to_string(inner.current_player(), action).split())
            for action in actions
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SpielState):
            return NotImplemented
        return self.history == other.history and self.game == other.game

    def __hash__(self) -> int:
        return hash(self.history)

    def __repr__(self) -> str:
        return f"SpielState({self.game!r}, {self.history})"

    def __deepcopy__(self, memo: dict[int, Any]) -> "SpielState":
        return self

    def __copy__(self) -> "SpielState":
        return self

    def __reduce__(self) -> Any:
        return replayed, (self.game, self.history)


def replayed(game: str, history: tuple[int, ...] = ()) -> SpielState:
    """The state after these actions.

    Example:
        >>> replayed("tic_tac_toe", (4, 0)).mover
        0
    """
    inner = load_spiel(game).new_initial_state()
    for action in history:
        inner.apply_action(action)
    return SpielState(game, history, inner)
