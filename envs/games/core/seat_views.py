"""The two views of a seat: its observations, and how its actions are read.

`text`: strings in, whole replies out, for language models and people. `numeric`: vectors in,
indices out. Pictures are in `render.py`.
"""

from typing import Any, Literal, get_args

import numpy as np
from gymnasium import spaces

from zerogym.envs.core import MAX_ACTION_LENGTH
from zerogym.envs.games.core.game import Game, StateT, forfeit
from zerogym.envs.spaces import Utf8Text

View = Literal["text", "numeric"]
VIEWS: tuple[View, ...] = get_args(View)
VOID = "That reply is not a legal move."
MAX_OBSERVATION = 2048  # characters, where a game does not have a `max_text` of its own


def check_view(name: str, view: object) -> View:
    """Return `view` if it is one, else raise ValueError."""
    for known in VIEWS:
        if view == known:
            return known
    raise ValueError(f"{name} must be one of {VIEWS}, got {view!r:.80}")


def check_max_retries(max_retries: object) -> int:
    """Return a number of retries if it is one, else raise ValueError."""
    if isinstance(max_retries, int) and not isinstance(max_retries, bool) and max_retries >= 0:
        return max_retries
    raise ValueError(f"max_retries must be an integer >= 0, got {max_retries!r:.80}")


def vector_space(game: Game[Any]) -> spaces.Box:
    """float32 (observation_size,) in [0, 1]."""
    return spaces.Box(0.0, 1.0, (game.observation_size,), np.float32)


def text_space(game: Game[Any]) -> Utf8Text:
    """The space of all messages to a seat."""
    return Utf8Text(getattr(game, "max_text", MAX_OBSERVATION))


def action_space(game: Game[Any], view: View) -> spaces.Space[Any]:
    """Whole replies, or the indices of actions."""
    return Utf8Text(MAX_ACTION_LENGTH) if view == "text" else spaces.Discrete(game.num_actions)


def seat_space(game: Game[Any], view: View) -> spaces.Dict:
    """The observation space of a seat in the multi-agent environments."""
    if view == "text":
        # Not a bare text, and no key `observation`: PettingZoo's checks need a dtype of those.
        return spaces.Dict({"text": text_space(game)})
    # A box as in PettingZoo's own games: some libraries do not know `MultiBinary`.
    mask = spaces.Box(0, 1, (game.num_actions,), np.int8)
    return spaces.Dict({"observation": vector_space(game), "action_mask": mask})


def first_message(game: Game[StateT], state: StateT, seat: int) -> str:
    """The message before the first move of a seat: the rules, then the position."""
    return f"{game.rules(seat)}\n{game.describe(state, seat)}"


def retry_message(game: Game[StateT], state: StateT, seat: int) -> str:
    """The message after a reply that is no legal move."""
    return f"{VOID}\n{game.describe(state, seat)}"


def forfeit_message(game: Game[Any], loser: int, seat: int) -> str:
    """The message to a seat after a forfeit."""
    return forfeit_notice(loser == seat, forfeit(game, loser)[seat])


def forfeit_notice(own: bool, payoff: float) -> str:
    """The text of a forfeit: by the reader or another seat, and the payoff of the reader."""
    who = "You forfeit" if own else "An opponent forfeits"
    return f"{who}: no legal move. Your payoff is {payoff:+g}."


def seat_message(
    game: Game[StateT], state: StateT, seat: int, turns: int, void: int, loser: int | None
) -> str:
    """The present message to a seat.

    Args:
        game: The rules.
        state: The state of the game.
        seat: The reader.
        turns: Moves that it has made.
        void: Replies without a legal move since the last move of the game.
        loser: The seat that has forfeited, if any.
    """
    if loser is not None:
        return forfeit_message(game, loser, seat)
    if void and game.to_move(state) == seat:
        return retry_message(game, state, seat)
    if turns == 0:
        return first_message(game, state, seat)
    return game.describe(state, seat)


def read_action(
    game: Game[StateT], state: StateT, view: View, action: object, name: str
) -> int | None:
    """The legal action that a text or an index stands for; None if there is none.

    Args:
        game: The rules.
        state: A state in which a seat is to move.
        view: Whether a text or an index is expected.
        action: What was answered.
        name: Who takes the action, for error messages.

    Raises:
        TypeError: If the action is no `str`, or no integer; the message names `name`.
    """
    if view == "text":
        if not isinstance(action, str):
            raise TypeError(f"{name} takes a str as action, got {type(action).__name__}")
        return game.parse(state, action)
    if isinstance(action, np.ndarray) and action.shape == ():
        action = action[()]
    if not isinstance(action, (int, np.integer)) or isinstance(action, bool):
        raise TypeError(f"{name} takes an integer as action, got {type(action).__name__}")
    return int(action) if int(action) in game.legal(state) else None


def write_action(game: Game[StateT], state: StateT, view: View, action: int) -> Any:
    """Return an action as a player of a view would write it."""
    return game.write(state, action) if view == "text" else action
