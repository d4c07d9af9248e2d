"""Backgammon: the board of each side in its own numbers, and the plays of a roll.

A side is the places of its checkers, farthest first: 25 the bar, 24 to 1 the points, 0 borne off.
Point p of one side is point 25 - p of the other.
"""

from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter

BAR, OFF, HOME = 25, 0, 6
PASS, NO_START = 25, 26  # no step: as a place in an action, and before it is coded
PLACES = 26  # in an action: 24 points, the bar, no move
LOW_FIRST = PLACES**2  # added to an action that plays the lower die first
# Of 36 rolls, those by which a checker hits another one so far ahead on an empty board.
SHOTS = (0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0)

Side = tuple[int, ...]
Dice = tuple[int, int]
Way = tuple[int, tuple[int, ...], Side, Side]  # first die, starts, both sides afterwards

# Of each place from 0 to the bar, as the seat numbers it, and of no step: how an action says it.
# Points from the first seat's 24 to its 1 are 0 to 23; the bar is 24.
CODES = (
    (-1, *(24 - place for place in range(1, 25)), 24, PASS),
    (-1, *(place - 1 for place in range(1, 25)), 24, PASS),
)


def opening(checkers: int) -> Side:
    """The starting position of a side of 3 or 15 checkers."""
    return (24, 23, 22) if checkers == 3 else (24,) * 2 + (13,) * 5 + (8,) * 3 + (6,) * 5


def moved(own: Side, other: Side, die: int) -> list[tuple[int, Side, Side]]:
    """Every way to play one die: where a checker starts, and both sides afterwards."""
    found: list[tuple[int, Side, Side]] = []
    farthest, last = own[0], -1
    for index, start in enumerate(own):
        if start == OFF or (start != BAR and farthest == BAR):
            break
        end, after = start - die, other
        if start == last:
            continue
        last = start
        if end > OFF:
            defenders = other.count(25 - end)
            if defenders > 1:
                continue
            if defenders:
                left = list(other)
                left.remove(25 - end)
                after = (BAR, *left)
        # Off only when all are home; a die is too high only for the farthest checker.
        elif farthest > HOME or (end < OFF and start != farthest):
            continue
        side = list(own)
        side[index] = max(end, OFF)
        side.sort(reverse=True)
        found.append((start, tuple(side), after))
    return found


def ways(own: Side, other: Side, dice: Dice) -> Iterator[Way]:
    """Every way to play as many dice of a roll as possible, the lower one first in `dice`.

    Of two dice that can be played, but not both, it must be the higher one. If none can be
    played, there is one way without a start.
    """
    low, high = dice
    orders = ((high, low),) if low == high else ((high, low), (low, high))
    stuck = True
    single: list[Way] = []
    for first, second in orders:
        for start, left, others in moved(own, other, first):
            single.append((first, (start,), left, others))
            for then, end, after in moved(left, others, second):
                stuck = False
                yield first, (start, then), end, after
    if stuck and single:
        highest = max(way[0] for way in single)
        yield from (way for way in single if way[0] == highest)
    elif stuck:
        yield low, (), own, other


@lru_cache(maxsize=50_000)
def plays(own: Side, other: Side, dice: Dice, seat: int) -> dict[int, tuple[Side, Side]]:
    """The legal actions, increasing, and both sides after each; each leads to another position.

    Actions are OpenSpiel's numbers of where the steps start and of which die is first; of those
    that lead to the same position, the lowest.
    """
    lowest: dict[tuple[Side, Side], int] = {}
    code, high = CODES[seat], dice[1]
    for first, starts, left, after in ways(own, other, dice):
        one, two = (*starts, NO_START, NO_START)[:2]
        action = code[one] + PLACES * code[two] + (0 if first == high and starts else LOW_FIRST)
        reached = left, after
        if lowest.get(reached, action) >= action:
            lowest[reached] = action
    return {action: reached for reached, action in sorted(lowest.items(), key=itemgetter(1))}


def is_whole(action: int) -> bool:
    """Return True if an action has two steps."""
    return action % LOW_FIRST // PLACES != PASS


def picture_rows(sides: tuple[Side, Side]) -> tuple[str, ...]:
    """The board as the first seat, X, sees it: its 13 to 24 above, 12 to 1 below.

    Between the sixes is the bar, at the right what is off. Stacks grow from the edges, as high as
    all checkers of a side.
    """
    height = len(sides[0])
    lines = [list("...... ......  ") for _ in range(2 * height + 1)]
    lines[height] = [" "] * 15
    for seat, mark in enumerate("XO"):
        for place in set(sides[seat]):
            column, is_above = _column(place, seat)
            for level in range(sides[seat].count(place)):
                lines[level if is_above else 2 * height - level][column] = mark
    return tuple("".join(line) for line in lines)


def _column(place: int, seat: int) -> tuple[int, bool]:
    """The column of a place of a seat in a picture, and True if it is above."""
    if place in (BAR, OFF):
        return (6, seat == 0) if place == BAR else (14, seat == 1)
    point = 25 - place if seat else place
    column = point - 13 if point > 12 else 12 - point
    return column + (column >= 6), point > 12


def worth(own: Side, other: Side) -> float:
    """The pips that the own side is ahead, less those that its blots may lose.

    A blot loses the pips it has come, if it is hit.
    """
    risk = 0.0
    for place in set(own) - {0, BAR}:
        if own.count(place) == 1:
            ahead = [place - (25 - hitter) for hitter in set(other) if hitter]
            shots = sum(SHOTS[way] for way in ahead if way > 0)
            risk += min(shots, 36) / 36 * (25 - place)
    return sum(other) - sum(own) - risk
