"""Texts of a game of OpenSpiel: its rules, a seat's position, and the moves.

A text is whole up to `MAX_TEXT` characters. What is longer loses the oldest of what a seat has
observed, never the present position nor how moves are written. Left out: pictures.
"""

import re
from collections.abc import Iterable
from typing import Any

from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.open_spiel.descriptions import WORDS
from zerogym.envs.games.open_spiel.state import SpielGame, SpielState, load_spiel

MAX_TEXT = 16_384  # characters of what a seat is shown, the rules included
MAX_SHOWN = 13_000  # of position and moves
MAX_MOVES = 11_500  # of the moves: all of every game by its default parameters
MAX_VALUE = 60  # of a parameter
MAX_LISTED = 36  # outcomes of a game of one round that are listed
COLOUR = re.compile(r"\x1b\[[0-9;]*m")  # of terminals
UNKNOWN = "OpenSpiel has no rules in words: they are those usual for a game of this name."
AT_ONCE = "In each round all seats choose at once, unseen by the others.\n"
SUMS = {
    "ZERO_SUM": "they sum to 0",
    "CONSTANT_SUM": "their sum is always the same",
    "IDENTICAL": "all seats get the same",
    "GENERAL_SUM": "each seat has its own",
}


def introduction(game: str, seat: int) -> str:
    """Name, parameters and rules, seats, what is won, and how replies look."""
    known = load_spiel(game)
    name, table = game.partition("(")[0], _table(known)
    words = "" if table and name not in WORDS else f"{WORDS.get(name, UNKNOWN)}\n"
    options = "".join(f"; {each}" for each in _options(known.parameters.items()))
    seats, low, high = known.loaded.num_players(), *_payoffs(known)
    place = f"There are {seats} seats, counted from 0; you have seat {seat}."
    sums = f"; {SUMS[known.utility]}" if seats > 1 else ""
    return (
        f"{known.title[:200]} (in OpenSpiel: {name}{options}).\n"
        f"{words}{table}"
        f"{AT_ONCE if known.simultaneous and not known.once else ''}"
        f"{place if seats > 1 else 'You play alone.'}\n"
        f"Only payoffs at the end count: from {low:g} to {high:g}{sums}.\n"
        "Reply with one move, written as in the list of your moves."
    )


def _payoffs(known: SpielGame) -> tuple[float, float]:
    return float(known.loaded.min_utility()), float(known.loaded.max_utility())


def _options(parameters: Iterable[tuple[str, Any]]) -> list[str]:
    """Parameters that a player may need to know, as `board_size=9`."""
    found = []
    for name, value in parameters:
        text = " / ".join(str(value).split("\n")) if not isinstance(value, dict) else _nested(value)
        if text and "ansi" not in name and "obs_" not in name:
            found.append(f"{name}={text if len(text) <= MAX_VALUE else text[:MAX_VALUE] + '...'}")
    return found[:12]


def _nested(game: dict[str, Any]) -> str:
    inside = ", ".join(f"{name}={value}" for name, value in game.items() if name != "name")
    return f"{game.get('name', '')}({inside})"


def _table(known: SpielGame) -> str:
    """The payoffs of all choices of the seats, in a small game of one round without chance."""
    if not known.once:
        return ""
    ends: list[str] = []
    layer: list[tuple[tuple[str, ...], Any]] = [((), known.loaded.new_initial_state())]
    while layer:
        names, state = layer.pop()
        if state.is_terminal():
            payoffs = ", ".join(f"{each:g}" for each in state.returns())
            ends.append(f"{' / '.join(names)}: {payoffs}")
            continue
        legal = state.legal_actions()
        if state.is_chance_node() or len(legal) > MAX_LISTED or len(ends) > MAX_LISTED:
            return ""
        mover = state.current_player()
        layer += [
            ((*names, state.action_to_string(mover, action)), state.child(action))
            for action in reversed(legal)
        ]
    if len(ends) > MAX_LISTED:
        return ""
    return (
        f"All choose once, at the same time. Choices and payoffs, by seats:\n{'; '.join(ends)}.\n"
    )


def shown(game: str, state: SpielState, seat: int, room: int) -> str:
    """The observations of a seat, also earlier ones if something is hidden, of a length."""
    known, inner = load_spiel(game), state.inner
    if known.once:
        return _cut(_round(known, state), room)
    here = past = ""
    if "string" in known.observed:
        here = COLOUR.sub("", inner.observation_string(seat)).strip("\n")
    if "string" in known.remembered and not (here and known.hides_nothing):
        past = COLOUR.sub("", inner.information_state_string(seat)).strip("\n")
    if here.strip() in past:  # the present observation is part of the history
        here = ""
    if here and past:
        here += "\nWhat you have seen, as OpenSpiel notes it:\n"
    here = _cut(here, room)
    return here + _latest(past, room - len(here))


def _round(known: SpielGame, state: SpielState) -> str:
    """OpenSpiel's own text of such a game is of no use to a player."""
    if state.mover != TERMINAL:
        return "All seats choose now."
    start = known.loaded.new_initial_state()
    names = [start.action_to_string(seat, action) for seat, action in enumerate(state.history)]
    return f"The seats have chosen: {' / '.join(names)}."


def listed(names: Iterable[str], room: int) -> str:
    """Moves, as many as there is room for; how they are separated cannot be mistaken."""
    found = list(names)
    mark = " | " if any("," in name for name in found) else ", "
    whole = mark.join(found)
    if len(whole) <= room:
        return whole
    kept = whole[: whole.rfind(mark, 0, room - 50)].count(mark) + 1
    return f"{mark.join(found[:kept])}{mark}and {len(found) - kept} more, written alike"


def _cut(text: str, room: int) -> str:
    """The beginning and the end."""
    if len(text) <= room:
        return text
    half = (room - 50) // 2
    return f"{text[:half]} [{len(text) - 2 * half} characters left out] {text[-half:]}"


def _latest(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    kept = max(room - 50, 1)
    return f"[{len(text) - kept} older characters left out] {text[-kept:]}"
