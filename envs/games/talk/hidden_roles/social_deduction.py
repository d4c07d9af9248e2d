"""Social deduction: a crew does tasks, an impostor among them kills, all discuss and vote.

The paper's game in rounds: `deduction_rounds.py` has what acts do, `deduction_ship.py` the state.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, equally_likely
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.games.talk.core.messages import Move, Turn
from zerogym.envs.games.talk.core.rules import Phase, TalkState
from zerogym.envs.games.talk.core.surveys import Survey
from zerogym.envs.games.talk.hidden_roles.deduction_rounds import DO, FIRST, REPORT, WAIT, Rounds
from zerogym.envs.games.talk.hidden_roles.deduction_ship import (
    CREW,
    IMPOSTOR,
    ROOMS,
    DeductionState,
    Ship,
)
from zerogym.errors import NoOracle

_NUMBER = re.compile(r"\d{1,3}")
_READ = 1000  # characters of a reply in which a lenient reader looks for a number
_LINE = 120  # characters of what a seat learns from a turn, without words, at most


@dataclass(frozen=True)
class SocialDeduction(Rounds):
    """The rules; `SocialDeductionEnv` has them in words, `Rounds` the parameters."""

    name: ClassVar[str] = "social_deduction"
    redrawn: ClassVar[bool] = False  # too much is hidden to be drawn anew

    @property
    def max_text(self) -> int:
        """The most characters of a text: two lines for each turn, beside words and lists."""
        return super().max_text + 2 * _LINE * self.max_turns

    def facts(self, state: TalkState, seat: int) -> dict[str, Any]:
        """Return the role: `impostor` or `crew`."""
        return {"role": IMPOSTOR if seat == state.deals[0] else CREW}

    def initial(self) -> DeductionState:
        """Nothing is dealt."""
        return DeductionState()

    def chance(self, state: TalkState) -> tuple[tuple[int, Fraction], ...]:
        """The impostor, then tasks, all equally likely."""
        return equally_likely(tuple(range(self.deal_sizes[len(state.deals)])))

    def phase(self, state: TalkState) -> Phase:
        """Deals, then rounds and meetings."""
        if len(state.deals) < self.players:
            return Phase(CHANCE)
        return self.phase_of(ship_of(state), state.deals[0])

    def apply(self, state: TalkState, action: int | Move) -> DeductionState:
        """Note an outcome of chance, an act, or a message with words."""
        phase, ship = self.now(state), ship_of(state)
        if phase.mover == CHANCE and not isinstance(action, Move):
            deals = (*state.deals, action)
            ship = self.begun(deals) if len(deals) == self.players else ship
            return DeductionState.at(deals, (), ship)
        made = action if isinstance(action, Move) else Move(int(action))
        turn = Turn(phase.mover, phase.channel, made.act, made.words)
        name = "" if made.act is None else self.action_name(state, made.act)
        ship = self.moved(ship, state.deals[0], turn, name)
        return DeductionState.at(state.deals, (*state.turns, turn), ship)

    def resample(self, state: TalkState, seat: int, rng: np.random.Generator) -> TalkState:
        """Refuse: no seat can list what others may have done unobserved.

        Raises:
            NoOracle: Always.
        """
        raise NoOracle(f"{self.name}: what is hidden cannot be redrawn, so it is not searched")

    def reads(self, state: TalkState, number: int, seat: int) -> bool:
        """Return True if a seat has read a turn: its own, and at meetings those of the living."""
        return bool(ship_of(state).readers[number] >> seat & 1)

    def knows(self, deal: int, seat: int, state: TalkState) -> bool:
        """The impostor knows who it is, each of the crew its own tasks."""
        impostor = state.deals[0]
        return seat == impostor if deal == 0 else deal == 1 + seat - (seat > impostor)

    def observe(self, state: TalkState, seat: int) -> NDArray[np.float32]:
        """Return seat, role, own tasks, and what the seat knows of each round."""
        vector, ship = np.zeros(self.observation_size, dtype=np.float32), ship_of(state)
        vector[seat] = 1
        if len(state.deals) == self.players:
            if seat == state.deals[0]:
                vector[self.players] = 1
            else:
                tasks = self.tasks_of(state.deals, seat)
                own = sum(room * self.rooms**place for place, room in enumerate(tasks))
                vector[self.players + 1 + own] = 1
            vector[list(ship.marks[seat])] = 1
        return vector

    def info_key(self, state: TalkState, seat: int) -> str:
        """Return the seat, and what it knows in words."""
        return f"{seat}|{self.situation(state, seat)}"

    def situation(self, state: TalkState, seat: int) -> str:
        """Return role and tasks, then what the seat has learned, a line each."""
        return "\n".join([self.holding(state, seat), *ship_of(state).lines[seat]])

    def holding(self, state: TalkState, seat: int) -> str:
        """Return the seat, its role and all of its tasks."""
        tasks = self.tasks_of(state.deals, seat)
        if not tasks:
            return f"You are player {seat + 1}, the impostor."
        rooms = ", ".join(ROOMS[room] for room in tasks)
        return f"You are player {seat + 1}, of the crew. Your tasks: {rooms}."

    def clock(self, state: TalkState) -> tuple[int, ...]:
        """Return the deals, the round, and in a meeting its messages and votes."""
        ship = ship_of(state)
        votes = len(ship.made) if ship.stage == "vote" else 0
        stage = ("deal", "play", "talk", "vote", "over").index(ship.stage)
        return len(state.deals), ship.round, stage, len(ship.said), votes

    def leads_to(self, beginning: TalkState, state: TalkState, seat: int) -> bool:
        """Return True if all that the seat knows in a beginning is what it knew by then."""
        deals, impostor = beginning.deals, beginning.deals[0]
        if (impostor == seat) != (state.deals[0] == seat):
            return False
        if len(deals) == self.players and self.tasks_of(deals, seat) != self.tasks_of(
            state.deals, seat
        ):
            return False
        if len(deals) < self.players:
            return True
        before, now = ship_of(beginning).lines[seat], ship_of(state).lines[seat]
        return before == now[: len(before)]

    def survey(self, state: TalkState, seat: int) -> Survey | None:
        """Return the question about the impostor, to the living crew in a discussion."""
        ship = ship_of(state)
        meets = ship.stage == "talk" or (ship.stage == "vote" and not ship.made)
        if not meets or not ship.alive[seat] or seat == state.deals[0]:
            return None
        options = tuple(f"player {other + 1}" for other in range(self.players))
        impostor = state.deals[0]
        return Survey("Who is the impostor?", options, impostor, against=(impostor,))

    def returns(self, state: TalkState) -> tuple[float, ...]:
        """1 for each seat of the side that has won and -1 for the others; zeros before the end."""
        ship = ship_of(state)
        if not ship.winner:
            return (0.0,) * self.players
        return tuple(
            1.0 if (seat == state.deals[0]) == (ship.winner == IMPOSTOR) else -1.0
            for seat in range(self.players)
        )

    def rules(self, seat: int) -> str:
        """The rules in some lines."""
        ring = ", ".join(ROOMS[: self.rooms])
        pause = "1 round" if self.cooldown == 1 else f"{self.cooldown} rounds"
        talks = "once" if self.talks == 1 else f"{self.talks} times"
        return (
            f"Social deduction: {self.players} players, one of them the impostor, on a "
            f"ship with the rooms {ring}, in a ring. All start in the {ROOMS[0]}.\nIn each of at "
            f"most {self.rounds} rounds all choose at once: go to a room next to yours, do a task "
            "of yours in your room, wait, or report a body in your room. The impostor may kill a "
            f"player in its room, but not for {pause} at the start and after a kill "
            "or a meeting. You observe who is in your room after each round, and kills in it "
            f"unless you do a task.\nAfter a report the living speak in turn, {talks} each, and "
            "vote at once; who has the most votes is ejected.\nThe crew wins when its living have "
            "done all tasks or the impostor is ejected, the impostor when one of the crew is left "
            "or the rounds are over."
        )

    def parse(self, state: TalkState, text: str) -> int | Move | None:  # type: ignore[override]
        """Return the act that a reply names, or words; if `lenient`, silence where it has none."""
        found = super().parse(state, text)
        if found is not None or not self.lenient:
            return found
        acts, number = self.now(state).acts, _NUMBER.search(text[:_READ])
        place = int(number[0]) - 1 if number and self.messages == "numbers" else -1
        silence = acts[-1] if ship_of(state).stage == "vote" else acts[0]
        return acts[place] if 0 <= place < len(acts) else silence

    def choices(self, state: TalkState) -> str:
        """The acts, or the forms of the messages."""
        ship = ship_of(state)
        if ship.stage != "talk":
            return super().choices(state)
        forms = (
            "i was in ROOM", "i saw player N in ROOM", "i saw player N kill", "i accuse player N",
            "say nothing",
        )  # fmt: skip
        return " or ".join(f"<answer>{form}</answer>" for form in forms)

    def result(self, state: TalkState, seat: int) -> str:
        """Return who was the impostor, and whether the seat has won."""
        won = "won" if self.returns(state)[seat] > 0 else "lost"
        return f"Player {state.deals[0] + 1} was the impostor. You have {won}."

    def action_name(self, state: TalkState, action: int) -> str:
        """`do task`, `go to lab`, `kill player 1`, `vote player 1`, `i saw player 1 in lab`."""
        if not 0 <= action < self.num_actions:
            raise ValueError(f"{self.name} has {self.num_actions} actions, got {action!r:.80}")
        return self.names[action]

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


def ship_of(state: TalkState) -> Ship:
    """Return the position of a state."""
    assert isinstance(state, DeductionState)
    return state.ship


def scripted(game: SocialDeduction, state: TalkState, seat: int) -> int:
    """Do tasks, report, and say whom it has observed killing; the impostor kills unobserved.

    The crew does its tasks by the shortest way and reports what it finds. Who has observed a kill
    says so; the others accuse whom somebody has observed, or say where they were. All vote for the
    player who is named by the first such message, and for nobody without one; who is named itself
    votes for the speaker. The impostor kills in a room with one other player, waits there until it
    can, and else goes on clockwise; in a meeting it says that its accuser has killed, or where it
    was.
    """
    ship, nobody = ship_of(state), game.first_message - 1
    accuser, accused = _accusation(game, ship, seat)
    if ship.stage == "vote":
        named = ship.saw[seat] if ship.saw[seat] >= 0 else accused
        if named == seat:
            named = accuser
        lives = 0 <= named != seat and ship.alive[named]
        return nobody - game.players + named if lives else nobody
    if ship.stage == "talk":
        return _message(game, ship, seat, accuser, accused)
    acts, room = game.legal(state), ship.rooms[seat]
    if seat == state.deals[0]:
        company = ship.beside(seat)
        kill = FIRST + game.rooms + company[0] if len(company) == 1 else -1
        if kill in acts:
            return kill
        return WAIT if len(company) == 1 else FIRST + (room + 1) % game.rooms
    if REPORT in acts or DO in acts:
        return REPORT if REPORT in acts else DO
    if not ship.left[seat]:
        return WAIT
    ways = [((task - room) % game.rooms, (room - task) % game.rooms) for task in ship.left[seat]]
    onward, back = min(ways, key=min)
    return FIRST + (room + (1 if onward <= back else -1)) % game.rooms


def _accusation(game: SocialDeduction, ship: Ship, seat: int) -> tuple[int, int]:
    """Return the speaker and the killer of the first message of another about a kill; -1 twice."""
    kills = game.num_actions - 2 * game.players
    for number, act in enumerate(ship.said):
        speaker = ship.order[number % len(ship.order)]
        if speaker != seat and kills <= act < kills + game.players:
            return speaker, act - kills
    return -1, -1


def _message(game: SocialDeduction, ship: Ship, seat: int, accuser: int, accused: int) -> int:
    """Return the message of a scripted player."""
    kills = game.num_actions - 2 * game.players
    if ship.saw[seat] >= 0 and ship.alive[ship.saw[seat]]:
        return kills + ship.saw[seat]
    if accused == seat:
        return kills + accuser
    if accused >= 0 and ship.alive[accused]:
        return kills + game.players + accused
    return game.first_message + 1 + ship.rooms[seat]


class SocialDeductionEnv(TalkEnv):
    """One seat of a game of social deduction, with given other players.

    Description:
        A crew does tasks in the rooms of a ship; one player, the impostor, is to kill them without
        being found out. Nobody knows more than it has observed: its room after each round, kills
        beside it, and what is said. A report of a body stops the round; the living speak in turn,
        beginning with the reporter, and vote at once. A player with more votes than any other, and
        than nobody, is ejected. Who is dead observes nothing more. A survey of the crew before and
        after each message, and its exact answer for players whose strategies are known, come from
        `zerogym.envs.games.talk.core.surveys`.

    Reward:
        At the end 1 for each player of the side that has won, -1 for the others. The crew wins when
        the impostor is ejected or all tasks of the living crew are done, the impostor when one of
        the crew is left or the rounds are over.

    Arguments:
        players: 4 to 6, default 4.
        rooms: 2 to 6, in a ring; default 3. All start in the first one, and are there again after
            a meeting.
        tasks: Of each of the crew, 1 to 3; default 3.
        rounds: 2 to 12, default 6.
        talks: Messages of each in a meeting, 1 to 3; default 1.
        cooldown: Rounds without a kill at the start, after a kill and after a meeting, 0 to 3;
            default 1.
        lenient: Whether the first number in a reply is that of an act in the list of
            `messages="numbers"`, and any other reply is silence: to wait, say nothing, vote nobody.
            By default it may be repeated, and then the game is lost, as in other games.
        messages: `templates` (default), `free`: words of the players' own in meetings, in the text
            view; or `numbers`: a list of the acts.

    Example:
        >>> env = SocialDeductionEnv(seat=1, opponent="scripted", messages="free")
        >>> _ = env.reset(seed=9)
        >>> for act in ("wait", "go to storage", "go to engine"):
        ...     text = env.step(f"I go on. <answer>{act}</answer>")[0]
        >>> print(text.partition("Reply")[0].rpartition("[you: go to engine]")[2].strip())
        Round 3: you are in engine with player 4. The body of player 3 is here.
        >>> text = env.step("<answer>report</answer>")[0]
        >>> text = env.step("<answer>Player 4 was here with it. [i accuse player 4]</answer>")[0]
        >>> print(text.rpartition("[you: ")[2].partition("Reply")[0].strip())
        i accuse player 4] Player 4 was here with it.
        [player 4: i was in engine]
        [player 1: i was in storage]

    Source:
        "Training Language Models for Social Deduction with Multi-Agent Reinforcement Learning"
        (2025, arXiv 2502.06060). Ours has rounds in place of seconds, rooms in a ring in place of a
        grid, reports by all, and a limit of rounds; left out are observers, several impostors, and
        rewards before the end.
    """

    rules_class = SocialDeduction
