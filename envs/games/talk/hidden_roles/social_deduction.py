"""Social deduction: a crew does tasks, an impostor among them kills, all discuss and vote.

The paper's game in rounds: `deduction_rounds.py` has what acts do, `deduction_ship.py` the state.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, equally_likely
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.games.talk.core.messages import Move, Turn
from zerogym.envs.games.talk.core.rules import Phase, TalkState
from zerogym.envs.games.talk.core.surveys import Survey
from zerogym.envs.games.talk.hidden_roles.deduction_notes import ROOMS, Note
from zerogym.envs.games.talk.hidden_roles.deduction_players import scripted
from zerogym.envs.games.talk.hidden_roles.deduction_rounds import Rounds
from zerogym.envs.games.talk.hidden_roles.deduction_ship import (
    CREW,
    IMPOSTOR,
    DeductionState,
    Ship,
)
from zerogym.errors import NoOracle

__all__ = ["SocialDeduction", "SocialDeductionEnv", "scripted"]

_IMPOSTOR, _CREW = {"role": IMPOSTOR}, {"role": CREW}  # read only
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
        return _IMPOSTOR if seat == state.deals[0] else _CREW

    def initial(self) -> DeductionState:
        """Nothing is dealt."""
        return DeductionState()

    def chance(self, state: TalkState) -> tuple[tuple[int, Fraction], ...]:
        """The impostor, then tasks, all equally likely."""
        return self._outcomes[bool(state.deals)]

    @cached_property
    def _outcomes(self) -> tuple[tuple[tuple[int, Fraction], ...], ...]:
        """The outcomes of the first move of chance, and those of each other."""
        return tuple(equally_likely(tuple(range(size))) for size in self.deal_sizes[:2])

    def phase(self, state: TalkState) -> Phase:
        """Deals, then rounds and meetings."""
        if len(state.deals) < self.players:
            return Phase(CHANCE)
        ship = ship_of(state)
        return self.phase_of(ship, state.deals[0], len(state.turns) - len(ship.readers))

    def apply(self, state: TalkState, action: int | Move) -> DeductionState:
        """Note an outcome of chance, an act, or a message with words."""
        phase, ship = self.now(state), ship_of(state)
        if phase.mover == CHANCE and not isinstance(action, Move):
            deals = (*state.deals, action)
            ship = self.begun(deals) if len(deals) == self.players else ship
            return DeductionState.at(deals, (), ship)
        act, words = (action.act, action.words) if isinstance(action, Move) else (int(action), "")
        # As `Turn(...)`, in half of the time.
        turns = (*state.turns, tuple.__new__(Turn, (phase.mover, phase.channel, act, words)))
        return DeductionState.at(state.deals, turns, self.moved(ship, state.deals[0], turns))

    def resample(self, state: TalkState, seat: int, rng: np.random.Generator) -> TalkState:
        """Refuse: no seat can list what others may have done unobserved.

        Raises:
            NoOracle: Always.
        """
        raise NoOracle(f"{self.name}: what is hidden cannot be redrawn, so it is not searched")

    def reads(self, state: TalkState, number: int, seat: int) -> bool:
        """Return True if a seat has read a turn: its own, and at meetings those of the living."""
        ship = ship_of(state)
        if number < len(ship.readers):
            return bool(ship.readers[number] >> seat & 1)
        return state.turns[number].seat == seat or (ship.stage == "talk" and ship.alive[seat])

    def knows(self, deal: int, seat: int, state: TalkState) -> bool:
        """The impostor knows who it is, each of the crew its own tasks."""
        impostor = state.deals[0]
        return seat == impostor if deal == 0 else deal == 1 + seat - (seat > impostor)

    def observe(self, state: TalkState, seat: int) -> NDArray[np.float32]:
        """Return seat, role, own tasks, and what the seat knows of each round."""
        vector = np.zeros(self.observation_size, dtype=np.float32)
        vector[seat] = 1
        if len(state.deals) == self.players:
            if seat == state.deals[0]:
                vector[self.players] = 1
            else:
                tasks = self.tasks_of(state.deals, seat)
                own = sum(room * self.rooms**place for place, room in enumerate(tasks))
                vector[self.players + 1 + own] = 1
            notes = self.notes(state, seat)
            vector[[place for _, marks in notes for place in marks]] = 1
        return vector

    def info_key(self, state: TalkState, seat: int) -> str:
        """Return the seat, and what it knows in words."""
        return f"{seat}|{self.situation(state, seat)}"

    def situation(self, state: TalkState, seat: int) -> str:
        """Return role and tasks, then what the seat has learned, a line each."""
        lines = [line for line, _ in self.notes(state, seat)]
        return "\n".join([self.holding(state, seat), *lines])

    def notes(self, state: TalkState, seat: int) -> tuple[Note, ...]:
        """Return what a seat has learned."""
        assert isinstance(state, DeductionState)
        return self.known(state.ship, state.made, seat) if state.ship.notes else ()

    def holding(self, state: TalkState, seat: int) -> str:
        """Return the seat, its role and all of its tasks."""
        return _holding(seat, self.tasks_of(state.deals, seat))

    def clock(self, state: TalkState) -> tuple[int, ...]:
        """Return the deals, the round, and in a meeting its messages and votes."""
        assert isinstance(state, DeductionState)
        ship = state.ship
        votes = len(state.made) if ship.stage == "vote" else 0
        stage = ("deal", "play", "talk", "vote", "over").index(ship.stage)
        return len(state.deals), ship.round, stage, len(state.said), votes

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
        before, now = self.notes(beginning, seat), self.notes(state, seat)
        return [line for line, _ in before] == [line for line, _ in now[: len(before)]]

    def survey(self, state: TalkState, seat: int) -> Survey | None:
        """Return the question about the impostor, to the living crew in a discussion."""
        ship = ship_of(state)
        begun = len(state.turns) > len(ship.readers)
        meets = ship.stage == "talk" or (ship.stage == "vote" and not begun)
        if not meets or not ship.alive[seat] or seat == state.deals[0]:
            return None
        options = tuple(f"player {other + 1}" for other in range(self.players))
        impostor = state.deals[0]
        return Survey("Who is the impostor?", options, impostor, against=(impostor,))

    def returns(self, state: TalkState) -> tuple[float, ...]:
        """1 for each seat of the side that has won and -1 for the others; zeros before the end."""
        ship = ship_of(state)
        if not ship.winner:
            return self._even
        return tuple(
            1.0 if (seat == state.deals[0]) == (ship.winner == IMPOSTOR) else -1.0
            for seat in range(self.players)
        )

    @cached_property
    def _even(self) -> tuple[float, ...]:
        return (0.0,) * self.players

    def rules(self, seat: int) -> str:
        """The rules in some lines."""
        return self._rules

    @cached_property
    def _rules(self) -> str:
        """The same for all seats."""
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

    def request(self, state: TalkState) -> str:
        """Return the request for a reply, which depends on the acts alone; kept for each list."""
        acts = self.now(state).acts
        text = self._requests.get(acts)
        if text is None:
            text = self._requests[acts] = super().request(state)
        return text

    @cached_property
    def _requests(self) -> dict[tuple[int, ...], str]:
        """Requests that were written, some thousands at most."""
        return {}

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


def ship_of(state: TalkState) -> Ship:
    """Return the position of a state."""
    assert isinstance(state, DeductionState)
    return state.ship


@lru_cache(maxsize=4096)
def _holding(seat: int, tasks: tuple[int, ...]) -> str:
    if not tasks:
        return f"You are player {seat + 1}, the impostor."
    rooms = ", ".join(ROOMS[room] for room in tasks)
    return f"You are player {seat + 1}, of the crew. Your tasks: {rooms}."


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
