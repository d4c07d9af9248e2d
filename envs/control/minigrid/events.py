"""Events of MiniGrid environments, for reward machines and as sentences.

Each event is a function of the states before and after a step, of live episodes or stored data, in
NumPy or torch. The sentences are of the kind that language models compare in
"Online Intrinsic Rewards for Decision Making Agents from Large Language Model Feedback" (2024,
arXiv 2410.23022); their words are ours.

| events | meaning |
|---|---|
| `pick_up`, `drop` | an object is now, or no longer, carried |
| `open`, `unlock`, `close` | of a door; unlocking is opening, too |
| `unbox` | a box was opened: it is gone, and what was in it lies there |
| `bump` | the way forward was blocked |
| `enter_goal`, `enter_lava` | the agent has stepped on such a square |
| `solve`, `fail` | the mission was accomplished, or missed for good |

`pick_up_key`, `pick_up_red_key`, `open_yellow_door`, `bump_wall`, ...: of a kind, of a colour.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from zerogym.envs.control.core.arrays import Array
from zerogym.envs.control.core.features import Features, Measures
from zerogym.envs.control.minigrid.state import COLORS, DOOR, KINDS, MOVABLE

FORWARD, TOGGLE = 2, 5  # the package's numbers of actions
_BOX = KINDS.index("box")
_OF_DOORS = ("open", "unlock", "close")

Reading = Mapping[str, Any]  # quantities of a state by name, of one or of a batch
Rule = Callable[[Reading, Array, Reading], Array]


def _moved(before: Reading, action: Array, after: Reading) -> Array:
    return (before["x"] != after["x"]) | (before["y"] != after["y"])


def _toggled(before: Reading, action: Array, kind: int) -> Array:
    return (action == TOGGLE) & (before["front"] == kind)


_RULES: Mapping[str, Rule] = {
    "pick_up": lambda b, a, n: (b["carried"] == 0) & (n["carried"] > 0),
    "drop": lambda b, a, n: (b["carried"] > 0) & (n["carried"] == 0),
    "unlock": lambda b, a, n: (
        _toggled(b, a, DOOR) & (b["front_state"] == 2) & (n["front_state"] == 0)
    ),
    "open": lambda b, a, n: _toggled(b, a, DOOR) & (b["front_state"] > 0) & (n["front_state"] == 0),
    "close": lambda b, a, n: (
        _toggled(b, a, DOOR) & (b["front_state"] == 0) & (n["front_state"] > 0)
    ),
    "unbox": lambda b, a, n: _toggled(b, a, _BOX) & (n["front"] != _BOX),
    "enter": _moved,
    "bump": lambda b, a, n: (a == FORWARD) & ~_moved(b, a, n),
    "solve": lambda b, a, n: (b["solved"] == 0) & (n["solved"] == 1),
    "fail": lambda b, a, n: (b["failed"] == 0) & (n["failed"] == 1),
}
_SENTENCES = {  # the first that matches is used
    "pick_up": "You pick up the {}.", "drop": "You drop the {}.",
    "unlock": "You unlock the {} and open it.", "open": "You open the {}.",
    "close": "You close the {}.", "unbox": "You open the {}.", "bump": "You bump into the {}.",
}  # fmt: skip
_MOVES = ("You turn left.", "You turn right.", "You go forward.")


@dataclass(frozen=True, eq=False)
class Event:
    """True for transitions (B, ...) in which a verb happened to a kind of thing; (B,) bool."""

    measures: Measures
    verb: str
    kind: str | None = None
    color: str | None = None

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        before, after = Features(self.measures, obs), Features(self.measures, next_obs)
        holds = _RULES[self.verb](before, action, after)
        kinds, colors = _object(self.verb, before, after)
        if self.kind is not None:
            holds = holds & (kinds == KINDS.index(self.kind))
        if self.color is not None:
            holds = holds & (colors == COLORS.index(self.color))
        return holds


def events_of(measures: Measures) -> Mapping[str, Event]:
    """Return all events by name, for these features."""
    found: list[tuple[str, str | None, str | None]] = []
    for verb in ("pick_up", "drop", "bump"):
        found += [(verb, None, None), *((verb, kind, None) for kind in MOVABLE)]
        found += [(verb, kind, color) for kind in MOVABLE for color in COLORS]
    for verb in (*_OF_DOORS, "bump"):
        found += [(verb, "door", None), *((verb, "door", color) for color in COLORS)]
    found += [("bump", "wall", None), ("enter", "goal", None), ("enter", "lava", None)]
    found += [("unbox", None, None), ("solve", None, None), ("fail", None, None)]
    return {
        "_".join(filter(None, (verb, color, kind))): Event(measures, verb, kind, color)
        for verb, kind, color in found
    }


def sentence(before: Reading, action: int, after: Reading) -> str:
    """Return one transition in words, from states read by `state.reading_of`."""
    text = _MOVES[action] if action < len(_MOVES) else "Nothing happens."
    for verb, words in _SENTENCES.items():
        if _RULES[verb](before, action, after):
            kind, color = (int(n) for n in _object(verb, before, after))
            plain = KINDS[kind] in ("wall", "goal")
            text = words.format(KINDS[kind] if plain else f"{COLORS[color]} {KINDS[kind]}")
            break
    under = KINDS[after["on"]]
    if under in ("goal", "lava") and _moved(before, action, after):
        text = f"You step {'on the goal' if under == 'goal' else 'into lava'}."
    for verb, words in (("solve", " The mission is accomplished."), ("fail", " You have failed.")):
        text += words if _RULES[verb](before, action, after) else ""
    return text


def _object(verb: str, before: Reading, after: Reading) -> tuple[Array, Array]:
    """Return kind and colour of the object of an event."""
    if verb == "pick_up":
        return after["carried"], after["carried_color"]
    if verb == "drop":
        return before["carried"], before["carried_color"]
    return before["front"], before["front_color"]
