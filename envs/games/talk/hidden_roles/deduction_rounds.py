"""Rounds and meetings of a game of social deduction: what each act does, and who learns of it."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from zerogym.envs.games.core.parameters import check_flag, check_number
from zerogym.envs.games.talk.core.messages import EVERYONE, SEALED, Turn
from zerogym.envs.games.talk.core.rules import OVER, Phase, TalkGame
from zerogym.envs.games.talk.hidden_roles.deduction_notes import (
    NONE,
    ROOMS,
    Layout,
    Note,
    look_note,
    turn_note,
)
from zerogym.envs.games.talk.hidden_roles.deduction_ship import CREW, IMPOSTOR, Ship, said_of

WAIT, DO, REPORT, FIRST = range(4)  # acts; from FIRST on go, kill, vote, nobody, then messages


@dataclass(frozen=True)
class Rounds(TalkGame):
    """The course of the game; `SocialDeduction` has its words and its questions.

    Acts: wait, do task, report; go to a room, kill a player, vote for a player; vote nobody; then
    the messages: nothing, where I was, whom I saw where, whom I saw kill, whom I accuse.

    Attributes:
        players: 4 to 6, one of them the impostor.
        rooms: 2 to 6, in a ring; all start in the first one, and go there after a meeting.
        tasks: Of each of the crew, 1 to 3, each in a room at random.
        rounds: 2 to 12; after the last one the impostor has won.
        talks: Messages of each in a meeting, 1 to 3.
        cooldown: Rounds without a kill at the start, after a kill and after a meeting, 0 to 3.
        lenient: Whether the first number in a reply is that of an act in the list of
            `messages="numbers"`, and any other reply is silence: to wait, say nothing, vote nobody.
    """

    players: int = 4
    rooms: int = 3
    tasks: int = 3
    rounds: int = 6
    talks: int = 1
    cooldown: int = 1
    lenient: bool = False
    perfect_information: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse other numbers."""
        super().__post_init__()
        for name, low, high in (
            ("players", 4, 6), ("rooms", 2, len(ROOMS)), ("tasks", 1, 3), ("rounds", 2, 12),
            ("talks", 1, 3), ("cooldown", 0, 3),
        ):  # fmt: skip
            check_number(name, getattr(self, name), low, high)
        check_flag("lenient", self.lenient)

    @property
    def num_seats(self) -> int:
        """The players."""
        return self.players

    @cached_property
    def first_message(self) -> int:
        """The act `say nothing`; acts below it are no messages."""
        return FIRST + self.rooms + 2 * self.players + 1

    @cached_property
    def num_actions(self) -> int:
        """Moves of a round, votes and messages."""
        return self.first_message + 1 + self.rooms + self.players * (self.rooms + 2)

    @property
    def max_turns(self) -> int:
        """A move of each in each round, and in each a meeting."""
        return self.rounds * self.players * (2 + self.talks)

    @property
    def deal_sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The impostor, then the tasks of each of the crew, as a number with a digit for each."""
        return (self.players, *(self.rooms**self.tasks,) * (self.players - 1))

    @cached_property
    def layout(self) -> Layout:
        """The order of the numeric view."""
        return Layout(self.players, self.rooms, self.tasks, self.talks, self.names)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All acts in words."""
        return tuple(map(self._name, range(self.num_actions)))

    def _name(self, action: int) -> str:
        if action < FIRST:
            return ("wait", "do task", "report")[action]
        rest = action - FIRST
        for size, form in (
            (self.rooms, "go to {room}"), (self.players, "kill player {one}"),
            (self.players, "vote player {one}"), (1, "vote nobody"), (1, "say nothing"),
            (self.rooms, "i was in {room}"),
            (self.players * self.rooms, "i saw player {other} in {room}"),
            (self.players, "i saw player {one} kill"), (self.players, "i accuse player {one}"),
        ):  # fmt: skip
            if rest < size:
                other, room = rest // self.rooms + 1, ROOMS[rest % self.rooms]
                return form.format(one=rest + 1, other=other, room=room)
            rest -= size
        raise AssertionError(action)

    @property
    def observation_size(self) -> int:
        """Seat, role, own tasks, and what is known of each round."""
        _ = super().observation_size  # free words are no vector
        return self.layout.head + self.rounds * self.layout.width

    @cached_property
    def task_lists(self) -> tuple[tuple[int, ...], ...]:
        """The rooms of the tasks of each outcome of chance, in order."""
        rooms, digits = self.rooms, range(self.tasks)
        return tuple(
            tuple(sorted(number // rooms**digit % rooms for digit in digits))
            for number in range(rooms**self.tasks)
        )

    def tasks_of(self, deals: tuple[int, ...], seat: int) -> tuple[int, ...]:
        """Return the rooms of a seat's tasks, the impostor has none; they must be dealt."""
        impostor = deals[0]
        return () if impostor == seat else self.task_lists[deals[1 + seat - (seat > impostor)]]

    def neighbours(self, room: int) -> list[int]:
        """Return the rooms next to a room."""
        return sorted({(room + 1) % self.rooms, (room - 1) % self.rooms} - {room})

    def begun(self, deals: tuple[int, ...]) -> Ship:
        """Return the position after all deals."""
        seats = range(self.players)
        return Ship(
            1, "play", (0,) * self.players, (True,) * self.players, (NONE,) * self.players,
            tuple([self.tasks_of(deals, seat) for seat in seats]), self.cooldown,
            saw=(NONE,) * self.players, notes=((),) * self.players,
        )  # fmt: skip

    @cached_property
    def _phases(self) -> dict[Any, Phase]:
        """Phases that were made, some thousands at most."""
        return {}

    def phase_of(self, ship: Ship, impostor: int, made: int) -> Phase:
        """Return who may do what next, after so many turns of this stage."""
        stage, living, key = ship.stage, ship.living, tuple[Any, ...]()
        if stage == "over":
            return OVER
        if stage == "play":
            seat = living[made]
            room = ship.rooms[seat]
            victims = ship.beside(seat) if seat == impostor and not ship.cooldown else ()
            key = seat, room, room in ship.left[seat], room in ship.bodies, victims
        else:
            seat = ship.order[made % len(ship.order)] if stage == "talk" else living[made]
            key = stage, seat, living
        phase = self._phases.get(key)
        if phase is None:
            if stage == "play":
                phase = self._play_phase(*key)
            else:
                phase = (self._talk_phase if stage == "talk" else self._vote_phase)(seat, living)
            self._phases[key] = phase
        return phase

    def _play_phase(
        self, seat: int, room: int, task: bool, body: bool, victims: tuple[int, ...]
    ) -> Phase:
        acts = [WAIT, *([DO] if task else []), *([REPORT] if body else [])]
        acts += [FIRST + other for other in self.neighbours(room)]
        acts += [FIRST + self.rooms + other for other in victims]
        return Phase(seat, tuple(acts), SEALED, words="none")

    def _vote_phase(self, seat: int, living: tuple[int, ...]) -> Phase:
        votes = [FIRST + self.rooms + self.players + other for other in living if other != seat]
        return Phase(seat, (*votes, self.first_message - 1), SEALED, words="none")

    def _talk_phase(self, seat: int, living: tuple[int, ...]) -> Phase:
        """The messages of a speaker: of rooms, and of others who live."""
        start, rooms = self.first_message + 1, self.rooms
        own, others = range(start, start + rooms), [o for o in living if o != seat]
        where = [start + rooms + other * rooms + room for other in others for room in range(rooms)]
        last = start + rooms + self.players * rooms
        kills = [last + other for other in others]
        acts = (start - 1, *own, *where, *kills, *(kill + self.players for kill in kills))
        return Phase(seat, acts, EVERYONE, words="alone")

    def known(self, ship: Ship, made: tuple[Turn, ...], seat: int) -> tuple[Note, ...]:
        """Return what a seat knows after these turns of the stage: its own, and messages."""
        notes = ship.notes[seat]
        if not made:
            return notes
        layout, number, acts = self.layout, ship.round, self.num_actions
        if ship.stage == "talk":
            if not ship.alive[seat]:
                return notes
            said = [
                turn_note(
                    layout, number, "said", place * acts, turn.act, turn.words,
                    "you" if turn.seat == seat else f"player {turn.seat + 1}",
                )
                for place, turn in enumerate(made)
            ]  # fmt: skip
            return (*notes, *said)
        part, offset = ("act", 0) if ship.stage == "play" else ("vote", seat * acts)
        for turn in made:
            if turn.seat == seat:
                note = turn_note(layout, number, part, offset, turn.act, turn.words, "you")
                return (*notes, note)
        return notes

    def moved(self, ship: Ship, impostor: int, turns: tuple[Turn, ...]) -> Ship:
        """Return the position after all turns so far; it changes when a stage is over."""
        made = turns[len(ship.readers) :]
        living = ship.living
        if ship.stage == "talk":
            if len(made) < self.talks * len(living):
                return ship
            readers: tuple[int, ...] = (_bits(living),) * len(made)
        elif len(made) < len(living):
            return ship
        else:
            readers = tuple([1 << turn.seat for turn in made])
        known = [self.known(ship, made, seat) for seat in range(self.players)]
        ship = ship._replace(notes=tuple(known), readers=ship.readers + readers)
        if ship.stage == "talk":
            return ship._replace(stage="vote", said=said_of(made))
        acts = {turn.seat: NONE if turn.act is None else turn.act for turn in made}
        if ship.stage == "vote":
            return self._counted(ship, impostor, acts)
        reporters = [seat for seat, act in acts.items() if act == REPORT]
        if reporters:  # nothing else happens
            return self._met(ship, reporters[0], acts)
        return self._next(self._played(ship, impostor, acts), impostor)

    def _reveal(
        self, ship: Ship, acts: dict[int, int], seats: tuple[int, ...], name: str, part: str
    ) -> Ship:
        """Let the living read acts of this stage; `{}` in their name is a player."""
        readers, first = list(ship.readers), len(ship.readers) - len(acts)
        for place, (seat, act) in enumerate(acts.items()):
            if seat not in seats:
                continue
            readers[first + place] = _bits(ship.living)
            others = tuple(other for other in ship.living if other != seat)
            offset = seat * self.num_actions + act if part == "vote" else seat
            whom = act - FIRST - self.rooms - self.players
            words = "vote nobody" if whom == self.players and part == "vote" else name
            line = f"[player {seat + 1}: {words.format(whom + 1)}]"
            ship = ship.note(others, (line, self.layout.at(ship.round, part, offset)))
        return ship._replace(readers=tuple(readers))

    def _played(self, ship: Ship, impostor: int, acts: dict[int, int]) -> Ship:
        """Let a round happen: a kill, moves and tasks, and what each observes."""
        rooms, alive, left = list(ship.rooms), list(ship.alive), list(ship.left)
        bodies, saw, cooldown = list(ship.bodies), list(ship.saw), max(0, ship.cooldown - 1)
        victim = acts[impostor] - FIRST - self.rooms
        witnesses: list[int] = []
        if victim >= 0:
            alive[victim], bodies[victim], cooldown = False, rooms[victim], self.cooldown
            at = [o for o in ship.beside(impostor) if o != victim]
            witnesses = [o for o in at if acts[o] != DO]  # a task takes all attention
        for seat, act in acts.items():
            if alive[seat] and FIRST <= act < FIRST + self.rooms:
                rooms[seat] = act - FIRST
            elif alive[seat] and act == DO:
                open_tasks = list(left[seat])
                open_tasks.remove(rooms[seat])
                left[seat] = tuple(open_tasks)
        for seat in witnesses:
            saw[seat] = impostor
        after = ship._replace(
            rooms=tuple(rooms), alive=tuple(alive), left=tuple(left), bodies=tuple(bodies),
            saw=tuple(saw), cooldown=cooldown,
        )  # fmt: skip
        notes, layout, number = list(ship.notes), self.layout, ship.round
        for seat in after.living:
            room = rooms[seat]
            found = tuple([body for body, where in enumerate(bodies) if where == room])
            kill = (impostor, victim) if seat in witnesses else (NONE, NONE)
            note = look_note(layout, number, room, after.beside(seat), found, *kill)
            notes[seat] = (*notes[seat], note)
        if victim >= 0:
            line = f"Round {number}: player {impostor + 1} killed you."
            note = line, layout.at(number, "killed", impostor)
            notes[victim] = (*notes[victim], note)
        return after._replace(notes=tuple(notes))

    def _met(self, ship: Ship, reporter: int, acts: dict[int, int]) -> Ship:
        """Begin a meeting about the bodies in the reporter's room."""
        ship = self._reveal(ship, acts, (reporter,), "report", "reporter")
        room, living = ship.rooms[reporter], ship.living
        found = [body for body, where in enumerate(ship.bodies) if where == room]
        dead = [seat for seat, lives in enumerate(ship.alive) if not lives]
        bodies = " and ".join(f"player {body + 1}" for body in found)
        alive = ", ".join(f"player {seat + 1}" for seat in living)
        line = f"The body of {bodies} was found in {ROOMS[room]}. Alive: {alive}."
        at, number = self.layout.at, ship.round
        marks = at(number, "where", room) + at(number, "dead", *dead) + at(number, "body", *found)
        start = living.index(reporter)
        return ship.note(living, (line, marks))._replace(
            stage="talk",
            order=living[start:] + living[:start], bodies=(NONE,) * self.players,
        )  # fmt: skip

    def _counted(self, ship: Ship, impostor: int, acts: dict[int, int]) -> Ship:
        """Count the votes: who has more than any other and than nobody is ejected."""
        living = ship.living
        ship = self._reveal(ship, acts, living, "vote player {}", "vote")
        nobody = self.first_message - 1
        counts = Counter(acts.values())
        most = max(counts.values())
        first = [act for act, count in counts.items() if count == most]
        out = first[0] - nobody + self.players if len(first) == 1 else self.players
        ejected = "Nobody" if out == self.players else f"Player {out + 1}"
        line = f"{ejected} is ejected. All go to {ROOMS[0]}."
        ship = ship.note(living, (line, self.layout.at(ship.round, "out", out)))
        alive = tuple(lives and seat != out for seat, lives in enumerate(ship.alive))
        ship = ship._replace(
            alive=alive, rooms=(0,) * self.players, stage="play", said=(), order=(),
            cooldown=self.cooldown,
        )  # fmt: skip
        return self._next(ship, impostor)

    def _next(self, ship: Ship, impostor: int) -> Ship:
        """Return the position of the next round, or the end."""
        crew = [seat for seat in ship.living if seat != impostor]
        if not ship.alive[impostor] or (len(crew) > 1 and not any(ship.left[s] for s in crew)):
            return ship._replace(stage="over", winner=CREW)
        if len(crew) <= 1 or ship.round == self.rounds:
            return ship._replace(stage="over", winner=IMPOSTOR)
        return ship._replace(round=ship.round + 1)


def _bits(seats: tuple[int, ...]) -> int:
    """Return seats as bits."""
    return sum(1 << seat for seat in seats)
