"""The position of a game of social deduction, and what each seat knows of it.

The state carries what follows from its moves, so that nothing is played again to look at it. What a
seat knows is a list of lines, each with its places in the vector of the numeric view; whatever is
not in them the seat does not know.
"""

from functools import lru_cache
from typing import NamedTuple

from zerogym.envs.games.talk.core.messages import Turn
from zerogym.envs.games.talk.core.rules import TalkState

ROOMS = ("cafeteria", "storage", "engine", "medbay", "lab", "bridge")  # in a ring, in this order
CREW, IMPOSTOR = "crew", "impostor"
NONE = -1

Acts = tuple[tuple[int, int], ...]  # seats with their acts


class Ship(NamedTuple):
    """The position: players, rooms and what everybody knows. A tuple, of which copies are fast.

    Attributes:
        round: Number of the round, from 1.
        stage: `play`, `talk`, `vote` or `over`.
        rooms: The room of each seat.
        alive: Whether each seat is.
        bodies: The room of each body that is not found; -1 where there is none.
        left: The rooms of each seat's open tasks.
        cooldown: Rounds in which the impostor cannot kill.
        made: Acts of this stage that are not yet revealed.
        order: Speakers of this meeting, in their order.
        said: Acts of this meeting's messages; -1 for words alone.
        saw: For each seat, the player whom it has observed killing; -1 for none.
        lines: For each seat, what it knows, in words.
        marks: For each seat, the places of the same in the vector.
        readers: For each turn, the seats that read it, as bits.
        winner: The side that has won.
    """

    round: int = 0
    stage: str = "deal"
    rooms: tuple[int, ...] = ()
    alive: tuple[bool, ...] = ()
    bodies: tuple[int, ...] = ()
    left: tuple[tuple[int, ...], ...] = ()
    cooldown: int = 0
    made: Acts = ()
    order: tuple[int, ...] = ()
    said: tuple[int, ...] = ()
    saw: tuple[int, ...] = ()
    lines: tuple[tuple[str, ...], ...] = ()
    marks: tuple[tuple[int, ...], ...] = ()
    readers: tuple[int, ...] = ()
    winner: str = ""

    @property
    def living(self) -> tuple[int, ...]:
        """The seats that are alive."""
        return _places_of(self.alive)

    def beside(self, seat: int) -> list[int]:
        """Return the other living seats in a seat's room."""
        return [o for o in self.living if o != seat and self.rooms[o] == self.rooms[seat]]

    def note(self, seats: tuple[int, ...], line: str, marks: tuple[int, ...]) -> "Ship":
        """Return it with a line that some seats know."""
        lines, places = list(self.lines), list(self.marks)
        for seat in seats:
            lines[seat] = (*lines[seat], line)
            places[seat] = (*places[seat], *marks)
        return self._replace(lines=tuple(lines), marks=tuple(places))


@lru_cache(maxsize=256)
def _places_of(given: tuple[bool, ...]) -> tuple[int, ...]:
    """Return the places of what is true."""
    return tuple(place for place, one in enumerate(given) if one)


class DeductionState(TalkState):
    """Deals and turns, with the position that follows from them; equal by deals and turns."""

    ship: Ship = Ship()

    @classmethod
    def at(cls, deals: tuple[int, ...], turns: tuple[Turn, ...], ship: Ship) -> "DeductionState":
        """Return a state with its position."""
        state = cls(deals, turns)
        state.ship = ship
        return state
