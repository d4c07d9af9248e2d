"""Rounds and meetings of a game of social deduction: what each act does, and who learns of it."""

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import ClassVar

from zerogym.envs.games.core.parameters import check_flag, check_number
from zerogym.envs.games.talk.core.messages import EVERYONE, SEALED, Turn
from zerogym.envs.games.talk.core.rules import OVER, Phase, TalkGame
from zerogym.envs.games.talk.hidden_roles.deduction_ship import CREW, IMPOSTOR, NONE, ROOMS, Ship

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
    def places(self) -> dict[str, int]:
        """First places of the parts of a round in the vector, and its `width`."""
        acts, seats = self.num_actions, self.players
        sizes = {
            "act": acts, "room": self.rooms, "beside": seats, "body": seats, "killer": seats,
            "victim": seats, "killed": seats, "reporter": seats, "where": self.rooms,
            "dead": seats, "said": self.talks * seats * acts, "vote": seats * acts,
            "out": seats + 1,
        }  # fmt: skip
        ends = list(accumulate(sizes.values()))
        starts = dict(zip(sizes, [0, *ends[:-1]], strict=True))
        return starts | {"width": ends[-1]}

    @property
    def head(self) -> int:
        """Places of the vector before its rounds: seat, role and tasks."""
        return int(self.players + 1 + self.rooms**self.tasks)

    @property
    def observation_size(self) -> int:
        """Seat, role, own tasks, and what is known of each round."""
        _ = super().observation_size  # free words are no vector
        return self.head + self.rounds * self.places["width"]

    def _at(self, ship: Ship, part: str, *offsets: int) -> tuple[int, ...]:
        """Return places of this round in the vector."""
        start = self.head + (ship.round - 1) * self.places["width"] + self.places[part]
        return tuple(start + offset for offset in offsets)

    def tasks_of(self, deals: tuple[int, ...], seat: int) -> tuple[int, ...]:
        """Return the rooms of a seat's tasks, the impostor has none; they must be dealt."""
        if deals[0] == seat:
            return ()
        number, rooms = deals[1 + seat - (seat > deals[0])], []
        for _ in range(self.tasks):
            number, room = divmod(number, self.rooms)
            rooms.append(room)
        return tuple(sorted(rooms))

    def neighbours(self, room: int) -> list[int]:
        """Return the rooms next to a room."""
        return sorted({(room + 1) % self.rooms, (room - 1) % self.rooms} - {room})

    def begun(self, deals: tuple[int, ...]) -> Ship:
        """Return the position after all deals."""
        seats = range(self.players)
        return Ship(
            1, "play", (0,) * self.players, (True,) * self.players, (NONE,) * self.players,
            tuple(self.tasks_of(deals, seat) for seat in seats), self.cooldown,
            saw=(NONE,) * self.players, lines=((),) * self.players, marks=((),) * self.players,
        )  # fmt: skip

    def phase_of(self, ship: Ship, impostor: int) -> Phase:
        """Return who may do what next."""
        if ship.stage == "over":
            return OVER
        if ship.stage == "talk":
            seat = ship.order[len(ship.said) % len(ship.order)]
            return Phase(seat, self._messages(ship, seat), EVERYONE, words="alone")
        seat = ship.living[len(ship.made)]
        if ship.stage == "vote":
            votes = [FIRST + self.rooms + self.players + o for o in ship.living if o != seat]
            return Phase(seat, (*votes, self.first_message - 1), SEALED, words="none")
        room = ship.rooms[seat]
        acts = [WAIT, *([DO] if room in ship.left[seat] else [])]
        acts += [REPORT] if room in ship.bodies else []
        acts += [FIRST + other for other in self.neighbours(room)]
        if seat == impostor and not ship.cooldown:
            acts += [FIRST + self.rooms + other for other in ship.beside(seat)]
        return Phase(seat, tuple(acts), SEALED, words="none")

    def _messages(self, ship: Ship, seat: int) -> tuple[int, ...]:
        """Return the messages of a speaker: of rooms, and of others who live."""
        start, rooms = self.first_message + 1, self.rooms
        own, others = range(start, start + rooms), [o for o in ship.living if o != seat]
        where = [start + rooms + other * rooms + room for other in others for room in range(rooms)]
        last = start + rooms + self.players * rooms
        kills = [last + other for other in others]
        return (start - 1, *own, *where, *kills, *(kill + self.players for kill in kills))

    def moved(self, ship: Ship, impostor: int, turn: Turn, name: str) -> Ship:
        """Return the position after a turn, whose act has a name; it is empty for words alone."""
        seat, act = turn.seat, NONE if turn.act is None else turn.act
        line = f"{': ' * bool(name)}{name}] {turn.words}".rstrip()
        if ship.stage == "talk":
            number, living = len(ship.said), sum(1 << other for other in ship.living)
            marks = self._at(ship, "said", number * self.num_actions + act) if act >= 0 else ()
            others = tuple(other for other in ship.living if other != seat)
            ship = ship.note((seat,), f"[you{line}", marks)
            ship = ship.note(others, f"[player {seat + 1}{line}", marks)
            ship = ship._replace(said=(*ship.said, act), readers=(*ship.readers, living))
            over = len(ship.said) == self.talks * len(ship.order)
            return ship._replace(stage="vote") if over else ship
        part, offset = ("act", act) if ship.stage == "play" else ("vote", seat * self.num_actions)
        marks = self._at(ship, part, offset + (act if part == "vote" else 0))
        ship = ship.note((seat,), f"[you{line}", marks)
        readers = (*ship.readers, 1 << seat)
        ship = ship._replace(made=(*ship.made, (seat, act)), readers=readers)
        if len(ship.made) < len(ship.living):
            return ship
        return self._counted(ship, impostor) if part == "vote" else self._played(ship, impostor)

    def _reveal(self, ship: Ship, seats: tuple[int, ...], name: str, part: str) -> Ship:
        """Let the living read acts of this stage; `{}` in their name is a player."""
        readers, first = list(ship.readers), len(ship.readers) - len(ship.made)
        for place, (seat, act) in enumerate(ship.made):
            if seat not in seats:
                continue
            readers[first + place] = sum(1 << other for other in ship.living)
            others = tuple(other for other in ship.living if other != seat)
            offset = seat * self.num_actions + act if part == "vote" else seat
            whom = act - FIRST - self.rooms - self.players
            words = "vote nobody" if whom == self.players and part == "vote" else name
            line = f"[player {seat + 1}: {words.format(whom + 1)}]"
            ship = ship.note(others, line, self._at(ship, part, offset))
        return ship._replace(readers=tuple(readers))

    def _played(self, ship: Ship, impostor: int) -> Ship:
        """Let a round happen: a report alone, else a kill, moves and tasks."""
        acts = dict(ship.made)
        reporters = [seat for seat, act in ship.made if act == REPORT]
        if reporters:
            return self._met(ship, reporters[0])
        rooms, alive, left = list(ship.rooms), list(ship.alive), list(ship.left)
        bodies, saw, cooldown = list(ship.bodies), list(ship.saw), max(0, ship.cooldown - 1)
        victim = acts[impostor] - FIRST - self.rooms
        witnesses: list[int] = []
        if victim >= 0:
            alive[victim], bodies[victim], cooldown = False, rooms[victim], self.cooldown
            at = [o for o in ship.beside(impostor) if o != victim]
            witnesses = [o for o in at if acts[o] != DO]  # a task takes all attention
        for seat, act in ship.made:
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
            saw=tuple(saw), cooldown=cooldown, made=(),
        )  # fmt: skip
        for seat in after.living:
            after = self._look(after, seat, impostor if seat in witnesses else NONE, victim)
        if victim >= 0:
            line = f"Round {ship.round}: player {impostor + 1} killed you."
            after = after.note((victim,), line, self._at(ship, "killed", impostor))
        return self._next(after, impostor)

    def _look(self, ship: Ship, seat: int, killer: int, victim: int) -> Ship:
        """Let a seat observe its room after a round, and a kill that it has witnessed."""
        room, others = ship.rooms[seat], ship.beside(seat)
        bodies = [body for body, where in enumerate(ship.bodies) if where == room]
        line = f"Round {ship.round}: you are in {ROOMS[room]} {_with(others)}."
        marks = (*self._at(ship, "room", room), *self._at(ship, "beside", *others))
        marks += self._at(ship, "body", *bodies)
        line += "".join(f" The body of player {body + 1} is here." for body in bodies)
        if killer >= 0:
            line += f" You saw player {killer + 1} kill player {victim + 1}."
            marks += (*self._at(ship, "killer", killer), *self._at(ship, "victim", victim))
        return ship.note((seat,), line, marks)

    def _met(self, ship: Ship, reporter: int) -> Ship:
        """Begin a meeting about the bodies in the reporter's room."""
        ship = self._reveal(ship, (reporter,), "report", "reporter")
        room, living = ship.rooms[reporter], ship.living
        found = [body for body, where in enumerate(ship.bodies) if where == room]
        dead = [seat for seat, lives in enumerate(ship.alive) if not lives]
        bodies = " and ".join(f"player {body + 1}" for body in found)
        alive = ", ".join(f"player {seat + 1}" for seat in living)
        line = f"The body of {bodies} was found in {ROOMS[room]}. Alive: {alive}."
        marks = (*self._at(ship, "where", room), *self._at(ship, "dead", *dead))
        marks += self._at(ship, "body", *found)
        start = living.index(reporter)
        return ship.note(living, line, marks)._replace(
            stage="talk", made=(), said=(),
            order=living[start:] + living[:start], bodies=(NONE,) * self.players,
        )  # fmt: skip

    def _counted(self, ship: Ship, impostor: int) -> Ship:
        """Count the votes: who has more than any other and than nobody is ejected."""
        living = ship.living
        ship = self._reveal(ship, living, "vote player {}", "vote")
        nobody = self.first_message - 1
        counts = {act: sum(one == act for _, one in ship.made) for _, act in ship.made}
        most = max(counts.values())
        first = [act for act, count in counts.items() if count == most]
        out = first[0] - nobody + self.players if len(first) == 1 else self.players
        ejected = "Nobody" if out == self.players else f"Player {out + 1}"
        line = f"{ejected} is ejected. All go to {ROOMS[0]}."
        ship = ship.note(living, line, self._at(ship, "out", out))
        alive = tuple(lives and seat != out for seat, lives in enumerate(ship.alive))
        ship = ship._replace(
            alive=alive, rooms=(0,) * self.players, stage="play", made=(), said=(), order=(),
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


def _with(others: list[int]) -> str:
    """Return company in words: `alone`, or `with player 1 and player 3`."""
    return "with " + " and ".join(f"player {o + 1}" for o in others) if others else "alone"
