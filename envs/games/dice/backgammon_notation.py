"""Moves of backgammon in the notation of players, and what a side looks like in words."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from zerogym.envs.games.dice.backgammon_board import (
    BAR,
    CODES,
    LOW_FIRST,
    OFF,
    PASS,
    PLACES,
    Dice,
    Side,
    plays,
    ways,
)

_HOP = r"(?:bar|[1-9][0-9]?)(?:/(?:[1-9][0-9]?|0|off)\*?){1,4}(?:\(2\))?"
_MOVE = re.compile(rf"{_HOP}(?:(?:\s*[,;]\s*|\s+){_HOP}){{0,3}}", re.IGNORECASE)


class Step(NamedTuple):
    """One checker moved by one die, and whether it hits."""

    start: int
    end: int
    hit: bool


def steps(own: Side, other: Side, dice: Dice, seat: int, action: int) -> list[Step]:
    """The steps of an action, one die after the other."""
    starts = [action % PLACES, action % LOW_FIRST // PLACES]
    order = dice if action >= LOW_FIRST else dice[::-1]
    return trace(other, [CODES[seat].index(each) for each in starts if each != PASS], order)


def trace(other: Side, starts: Sequence[int], order: Sequence[int]) -> list[Step]:
    """Steps from these places by these dice."""
    made: list[Step] = []
    for start, die in zip(starts, order, strict=False):
        end = max(start - die, OFF)
        hit = end != OFF and 25 - end in other and all(step.end != end for step in made)
        made.append(Step(start, end, hit))
    return made


def write(made: Sequence[Step]) -> str:
    """In common notation: `24/18*/14`, `13/9 8/5`, `6/4(2)`, `bar/21`, `3/off`, `pass`."""
    if len(made) == 2:
        one, two = made
        if one.end == two.start:
            return f"{_hop(one)}/{_end(two)}"
        if one[:2] == two[:2]:
            return f"{_hop(one)}(2)"
    return " ".join(_hop(step) for step in sorted(made, reverse=True)) or "pass"


def _hop(step: Step) -> str:
    return f"{'bar' if step.start == BAR else step.start}/{_end(step)}"


def _end(step: Step) -> str:
    return ("off" if step.end == OFF else str(step.end)) + "*" * step.hit


def read(text: str, own: Side, other: Side, dice: Dice, seat: int) -> int | None:
    """The legal action that a notation means, in any order of its steps; None if there is none.

    `24/14` may stand for a checker moved by both dice, if the way does not matter, and the star of
    a hit may be left out.
    """
    legal = plays(own, other, dice, seat)
    if not _MOVE.fullmatch(text) and text != "pass":
        return None
    written = [] if text == "pass" else _steps(text)
    meant = {
        (left, after)
        for first, starts, left, after in ways(own, other, dice)
        for form in _forms(trace(other, starts, dice if first == dice[0] else dice[::-1]))
        if _fits(written, form)
    }
    fits = [action for action, reached in legal.items() if reached in meant]
    return fits[0] if len(fits) == 1 else None


def _forms(made: list[Step]) -> Iterator[list[Step]]:
    """A play as its steps, and as one step if a single checker is moved by both dice."""
    yield made
    if len(made) == 2 and made[0].end == made[1].start:
        yield [Step(made[0].start, made[1].end, made[1].hit)]


def _fits(written: list[Step], made: list[Step]) -> bool:
    """Return True if the same checkers move, and every hit that is written is one."""
    if sorted(step[:2] for step in written) != sorted(step[:2] for step in made):
        return False
    hits = {step[:2] for step in made if step.hit}
    return all(step[:2] in hits for step in written if step.hit)


def _steps(text: str) -> list[Step]:
    """The steps of a notation; `6/4(2)` are two, `24/18/14` too."""
    found = []
    for hop in re.findall(_HOP, text, re.IGNORECASE):
        way, _, twice = hop.partition("(")
        stops = way.split("/")
        places = [_number(stop.rstrip("*")) for stop in stops]
        for _ in range(2 if twice else 1):
            for index in range(1, len(stops)):
                hit = stops[index].endswith("*")
                found.append(Step(places[index - 1], places[index], hit))
    return found


def _number(place: str) -> int:
    return int(place) if place.isdigit() else BAR if place.lower() == "bar" else OFF


def tell(side: Side, is_own: bool) -> str:
    """The places of the checkers of a side, in the reader's numbers: `24 13(2) bar off(3)`."""
    parts = []
    for place, count in Counter(side).items():
        name = {BAR: "bar", OFF: "off"}.get(place, str(place if is_own else 25 - place))
        parts.append(name if count == 1 else f"{name}({count})")
    return " ".join(parts)
