"""OpenSpiel's games as values, and their states as immutable ones.

Where moves are simultaneous they are put in turns, as OpenSpiel itself does it. A state keeps
OpenSpiel's own state after the same history, so that no call replays the moves; only one that comes
from another process or a file is replayed, once. Left out: games that no history of actions
determines (mean fields, chance drawn inside), which are refused.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from zerogym.envs.games.core.game import CHANCE, TERMINAL
from zerogym.envs.games.open_spiel.parameter_check import crash_of
from zerogym.errors import UnknownName, require

KEPT_GAMES = 64  # loaded ones
MAX_DEALS = 1000  # outcomes of chance before a first move
CRASHES = ("morpion_solitaire",)
DANGLING = "a copy of a state of it, without the original, ends the process"


@dataclass(frozen=True)
class SpielGame:
    """A game of OpenSpiel, and frequent properties; kept, because its types are slow.

    Attributes:
        loaded: OpenSpiel's game, with its moves in turn.
        title: Its name in words.
        simultaneous: Whether all seats move at once before they are put in turns.
        once: It is that, and there is only one round.
        hides_nothing: Perfect information, and moves in turn.
        hides_the_round: The same, but that moves are simultaneous.
        utility: Kind of payoffs: `ZERO_SUM`, `CONSTANT_SUM`, `GENERAL_SUM` or `IDENTICAL`.
        parameters: With those that were not given.
        observed: Forms (`string`, `tensor`) of a seat's present observation that it offers.
        remembered: The same of the information state: all that a seat has observed.
    """

    loaded: Any
    title: str
    simultaneous: bool
    once: bool
    hides_nothing: bool
    hides_the_round: bool
    utility: str
    parameters: dict[str, Any]
    observed: frozenset[str]
    remembered: frozenset[str]


@lru_cache(maxsize=KEPT_GAMES)
def load_spiel(game: str) -> SpielGame:
    """OpenSpiel's game of a name with parameters.

    Raises:
        UnknownName: If OpenSpiel has no game of this name.
        ValueError: If it refuses the parameters, or its game cannot be played here; says why.
        TypeError: If the name is no string.
        MissingExtra: If OpenSpiel is not installed.
    """
    user = "zerogym/Chess-v0" if game == "chess" else "zerogym/OpenSpiel-v0"
    library = require("pyspiel", "games", user)
    if not isinstance(game, str):
        raise TypeError(f"a game of OpenSpiel is named by a str, got {type(game).__name__}")
    name, names = game.partition("(")[0], library.registered_names()
    if name not in names:
        raise UnknownName("OpenSpiel game", name, names)
    reason = DANGLING if any(each in game for each in CRASHES) else crash_of(game)
    if not reason:
        loaded, kind, parameters = _in_turns(library, game)
        reason = _obstacle(library.GameType, kind) or _first_move(library, loaded)
    if reason:
        raise ValueError(f"OpenSpiel's {game!r:.200} cannot be played here: {reason}")
    known = library.GameType.Information
    open_before = kind.information in (known.PERFECT_INFORMATION, known.ONE_SHOT)
    at_once = kind.dynamics == library.GameType.Dynamics.SIMULTANEOUS
    return SpielGame(
        loaded,
        kind.long_name,
        simultaneous=at_once,
        once=at_once and kind.information == known.ONE_SHOT,
        hides_nothing=not at_once and open_before,
        hides_the_round=at_once and open_before,
        utility=kind.utility.name,
        parameters=parameters,
        observed=_forms(kind, "observation"),
        remembered=_forms(kind, "information_state"),
    )


def _in_turns(library: Any, game: str) -> tuple[Any, Any, dict[str, Any]]:
    """The game with its moves in turn, and its type and parameters as it is by itself."""
    try:
        loaded = library.load_game(game)
        kind, parameters = loaded.get_type(), loaded.get_parameters()
        if kind.dynamics == library.GameType.Dynamics.SIMULTANEOUS:
            loaded = library.convert_to_turn_based(loaded)
    except (RuntimeError, IndexError) as error:  # SpielError is the former; some let theirs out
        why = error if isinstance(error, RuntimeError) else "a parameter is missing"
        raise ValueError(f"OpenSpiel cannot load {game!r:.200}: {why}"[:500]) from None
    return loaded, kind, parameters


def _forms(kind: Any, what: str) -> frozenset[str]:
    return frozenset(f for f in ("string", "tensor") if getattr(kind, f"provides_{what}_{f}"))


def _obstacle(known: Any, kind: Any) -> str | None:
    """The reason why this kind of game cannot be played here, or None."""
    if kind.dynamics not in (known.Dynamics.SEQUENTIAL, known.Dynamics.SIMULTANEOUS):
        return "it is a mean-field game, without seats that move in turn"
    if kind.chance_mode == known.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws its chance inside, so its moves do not determine its state"
    if not (_forms(kind, "observation") | _forms(kind, "information_state")) >= {"string"}:
        return "OpenSpiel gives no observations of it as text"
    return None


def _first_move(library: Any, loaded: Any) -> str | None:
    """The reason why the first decision is not the number of an action, or None."""
    try:
        state = loaded.new_initial_state()
        for step in range(MAX_DEALS):
            actions = [] if state.is_terminal() else state.legal_actions()
            if not actions:
                return "there is no first move"
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
    def labels(self) -> dict[int, str]:
        """The same; with the number of the action where others share the words."""
        names = self.names
        plain = {action: bare(name).lower() for action, name in names.items()}
        shared = Counter(plain.values())
        return {
            action: name if plain[action] and shared[plain[action]] == 1 else f"{name} #{action}"
            for action, name in names.items()
        }

    @cached_property
    def names(self) -> dict[int, str]:
        """Actions that may be taken now, and OpenSpiel's words for them, in one line each."""
        inner, mover = self.inner, self.inner.current_player()
        actions = inner.legal_actions() if self.mover == CHANCE else self.legal
        return {a: " ".join(inner.action_to_string(mover, a).split()) for a in actions}

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
    inner = load_spiel(game).loaded.new_initial_state()
    for action in history:
        inner.apply_action(action)
    return SpielState(game, history, inner)


def bare(name: str) -> str:
    """A name without what may surround it in a reply."""
    return name.strip(" \t.`*'\"[]()")
