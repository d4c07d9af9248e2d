"""Notes of the seats in social deduction: lines of what they learn, and places in the vector.

Most notes come back in many games, so that they are kept once written.
"""

from functools import lru_cache
from itertools import accumulate

ROOMS = ("cafeteria", "storage", "engine", "medbay", "lab", "bridge")  # in a ring, in this order
NONE = -1

Note = tuple[str, tuple[int, ...]]  # a line, and the places of the vector that are 1 by it


class Layout:
    """The order of the numeric view: seat, role and tasks, then the parts of each round.

    Args:
        players: Seats.
        rooms: Rooms of the ship.
        tasks: Tasks of each of the crew.
        talks: Messages of each seat in a meeting.
        names: All acts in words.
    """

    def __init__(
        self, players: int, rooms: int, tasks: int, talks: int, names: tuple[str, ...]
    ) -> None:
        acts, seats = len(names), players
        sizes = {
            "act": acts, "room": rooms, "beside": seats, "body": seats, "killer": seats,
            "victim": seats, "killed": seats, "reporter": seats, "where": rooms,
            "dead": seats, "said": talks * seats * acts, "vote": seats * acts, "out": seats + 1,
        }  # fmt: skip
        ends = list(accumulate(sizes.values()))
        self.starts = dict(zip(sizes, [0, *ends[:-1]], strict=True))
        self.width, self.head = ends[-1], players + 1 + rooms**tasks
        self.acts, self.names = acts, names

    def at(self, number: int, part: str, *offsets: int) -> tuple[int, ...]:
        """Return places of a part of a round, by the round's number from 1."""
        start = self.head + (number - 1) * self.width + self.starts[part]
        return tuple([start + offset for offset in offsets])


def turn_note(
    layout: Layout, number: int, part: str, offset: int, act: int | None, words: str, writer: str
) -> Note:
    """Return the note of a turn, as a seat reads it.

    Args:
        layout: Of the vector.
        number: The round.
        part: Of the round: `act`, `vote` or `said`.
        offset: The place of act 0 in this part.
        act: None for words alone, which the vector does not have.
        words: Of the writer's own.
        writer: `you` or `player 2`.
    """
    if words or act is None:
        name = "" if act is None else f": {layout.names[act]}"
        marks = () if act is None else layout.at(number, part, offset + act)
        return f"[{writer}{name}] {words}".rstrip(), marks
    return _act_note(layout, number, part, offset, act, writer)


@lru_cache(maxsize=1024)
def _act_note(layout: Layout, number: int, part: str, offset: int, act: int, writer: str) -> Note:
    return f"[{writer}: {layout.names[act]}]", layout.at(number, part, offset + act)


@lru_cache(maxsize=1024)
def look_note(
    layout: Layout,
    number: int,
    room: int,
    others: tuple[int, ...],
    bodies: tuple[int, ...],
    killer: int,
    victim: int,
) -> Note:
    """Return the note of a seat's room after a round, and of a kill that it has witnessed.

    Args:
        layout: Of the vector.
        number: The round.
        room: Of the seat.
        others: Living seats beside it.
        bodies: Of dead seats, in the same room.
        killer: Whom it has observed killing; -1 for nobody.
        victim: Who was killed; -1 for nobody.
    """
    company = " and ".join(f"player {other + 1}" for other in others)
    line = f"Round {number}: you are in {ROOMS[room]} {f'with {company}' if others else 'alone'}."
    marks = (*layout.at(number, "room", room), *layout.at(number, "beside", *others))
    marks += layout.at(number, "body", *bodies)
    line += "".join(f" The body of player {body + 1} is here." for body in bodies)
    if killer >= 0:
        line += f" You saw player {killer + 1} kill player {victim + 1}."
        marks += (*layout.at(number, "killer", killer), *layout.at(number, "victim", victim))
    return line, marks
