"""The position of a game of social deduction, and what each seat knows of it.

The state carries what follows from its moves, so that nothing is played again to look at it. The
position changes once a stage, with its last turn: acts of a round and votes are sealed until then,
and messages are read from the turns. What a seat knows is a list of notes; whatever is not in them
the seat does not know.
"""

from functools import lru_cache
from typing import NamedTuple

from zerogym.envs.games.talk.core.messages import Turn
from zerogym.envs.games.talk.core.rules import TalkState
from zerogym.envs.games.talk.hidden_roles.deduction_notes import Note

CREW, IMPOSTOR = "crew", "impostor"

_new = tuple.__new__


class Ship(NamedTuple):
    """The position at the start of a stage: players, rooms and what everybody knows.

    Attributes:
        round: Number of the round, from 1.
        stage: `play`, `talk`, `vote` or `over`.
        rooms: The room of each seat.
        alive: Whether each seat is.
        bodies: The room of each body that is not found; -1 where there is none.
        left: The rooms of each seat's open tasks.
        cooldown: Rounds in which the impostor cannot kill.
        order: Speakers of this meeting, in their order.
        said: In a vote, the acts of this meeting's messages; -1 for words alone.
        saw: For each seat, the player whom it has observed killing; -1 for none.
        notes: For each seat, what it knows.
        readers: For each turn of the stages before, the seats that read it, as bits.
        winner: The side that has won.
    """

    round: int = 0
    stage: str = "deal"
    rooms: tuple[int, ...] = ()
    alive: tuple[bool, ...] = ()
    bodies: tuple[int, ...] = ()
    left: tuple[tuple[int, ...], ...] = ()
    cooldown: int = 0
    order: tuple[int, ...] = ()
    said: tuple[int, ...] = ()
    saw: tuple[int, ...] = ()
    notes: tuple[tuple[Note, ...], ...] = ()
    readers: tuple[int, ...] = ()
    winner: str = ""

    @property
    def living(self) -> tuple[int, ...]:
        """The seats that are alive."""
        return _places_of(self.alive)

    def beside(self, seat: int) -> tuple[int, ...]:
        """Return the other living seats in a seat's room."""
        rooms = self.rooms
        room = rooms[seat]
        return tuple([o for o in _places_of(self.alive) if rooms[o] == room and o != seat])

    def note(self, seats: tuple[int, ...], note: Note) -> "Ship":
        """Return it with a note that some seats have."""
        notes = list(self.notes)
        for seat in seats:
            notes[seat] = (*notes[seat], note)
        return self._replace(notes=tuple(notes))


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
        state = _new(cls, (deals, turns))
        state.ship = ship
        return state

    @property
    def made(self) -> tuple[Turn, ...]:
        """The turns of this stage."""
        return self.turns[len(self.ship.readers) :]

    @property
    def said(self) -> tuple[int, ...]:
        """Acts of this meeting's messages; -1 for words alone."""
        return said_of(self.made) if self.ship.stage == "talk" else self.ship.said


def said_of(turns: tuple[Turn, ...]) -> tuple[int, ...]:
    """Return the acts of messages; -1 for words alone."""
    return tuple([-1 if turn.act is None else turn.act for turn in turns])
