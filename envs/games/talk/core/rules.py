"""Rules with messages: phases, channels, private knowledge, rewards at any step.

A game is written as its phases, what each act does, and its returns; the state is only what chance
has dealt and what the seats have done. The text view with its transcript, the numeric view,
information sets and what may be redrawn follow. With `messages="templates"` it is a game of the
common protocol, so that exact solvers apply where it is small; "numbers" is the same with the acts
in a numbered list, for models that hardly write; "free" has words of the seats' own beside or
instead of the acts, in the text view alone. Left out: interruptions, and messages of which a seat
knows only that they were sent.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game
from zerogym.envs.games.core.parameters import check_choice
from zerogym.envs.games.core.replies import written_move
from zerogym.envs.games.core.seat_views import MAX_OBSERVATION
from zerogym.envs.games.talk.core.messages import (
    EVERYONE,
    MAX_LISTED,
    MAX_WORDS,
    SEALED,
    Move,
    Turn,
    numbered,
    public_part,
    split_act,
    spoken,
    without_reasoning,
)
from zerogym.envs.games.talk.core.surveys import Survey
from zerogym.envs.games.talk.core.transcripts import Transcripts

MESSAGES = ("templates", "free", "numbers")


class TalkState(NamedTuple):
    """Everything that has happened. A tuple, because games make and compare many of them.

    Attributes:
        deals: Outcomes of chance, in their order.
        turns: Moves of the seats, in their order.
    """

    deals: tuple[int, ...] = ()
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True)
class Phase:
    """The moves that are possible next.

    Attributes:
        mover: The seat to move, `CHANCE` or `TERMINAL`.
        acts: Numbers of the actions that may be chosen, increasing.
        channel: Who reads the move, as in a `Turn`.
        words: With free messages: `none` but the act, words `beside` an act, words `alone`, too, or
            words `instead` of an act, never beside one.
    """

    mover: int
    acts: tuple[int, ...] = ()
    channel: int = EVERYONE
    words: str = "beside"


OVER = Phase(TERMINAL)
_new = tuple.__new__
DEALING = Phase(CHANCE)


@dataclass(frozen=True)
class TalkGame(Game[TalkState]):
    """Base of the games of talk.

    A subclass has `phase`, `returns`, `rules`, `max_turns`, `action_name`, which does not depend on
    the state, and where chance deals `chance`, `deal_sizes`, `knows`, `redeal` and `holding`.

    `observe` is float32: the seat one-hot, each deal one-hot, zeros where the seat does not know
    it, and each turn that it reads as the act one-hot, zeros for the others.

    Attributes:
        messages: `templates`, `free` or `numbers`.
    """

    messages: str = "templates"
    zero_sum: ClassVar[bool] = False
    deal_sizes: ClassVar[tuple[int, ...]] = ()  # number of outcomes of each move of chance
    _last: ClassVar[tuple[TalkState | None, Phase]] = (None, OVER)

    def __post_init__(self) -> None:
        """Refuse other kinds of messages."""
        check_choice("messages", self.messages, MESSAGES)

    @abstractmethod
    def phase(self, state: TalkState) -> Phase:
        """Return who may do what next."""

    def now(self, state: TalkState) -> Phase:
        """Return the phase of a state, kept while the same state is looked at again."""
        last = self._last
        if last[0] is state:
            return last[1]
        phase = self.phase(state)
        self.__dict__["_last"] = (state, phase)
        return phase

    @abstractmethod
    def returns(self, state: TalkState) -> tuple[float, ...]:
        """Return the sum of each seat's rewards so far."""

    @property
    @abstractmethod
    def max_turns(self) -> int:
        """Return the most turns of all seats together."""

    def knows(self, deal: int, seat: int, state: TalkState) -> bool:
        """Return True if a seat knows the outcome of a move of chance, by its number."""
        return True

    def holding(self, state: TalkState, seat: int) -> str:
        """Return what chance has dealt to a seat, in words; empty for nothing."""
        return ""

    def agreements(self, state: TalkState) -> tuple[tuple[float, ...], ...]:
        """Return the payoffs of all that the seats could agree on, given the deals of a state.

        Empty where the game is not about one agreement. Without one no seat gets anything.
        """
        return ()

    def survey(self, state: TalkState, seat: int) -> Survey | None:
        """Return a question about what is hidden from a seat; None where there is none."""
        return None

    def clock(self, state: TalkState) -> tuple[int, ...]:
        """Return where the game stands, as far as all seats know."""
        return len(state.deals), len(state.turns)

    def leads_to(self, beginning: TalkState, state: TalkState, seat: int) -> bool:
        """Return True if the last move of a beginning is what a seat knows of it in a state."""
        deals, turns = len(beginning.deals), len(beginning.turns)
        known = deals and self.knows(deals - 1, seat, state)
        if known and beginning.deals[-1] != state.deals[deals - 1]:
            return False
        if turns == 0 or not self.reads(state, turns - 1, seat):
            return True
        return beginning.turns[-1] == state.turns[turns - 1]

    def redeal(self, state: TalkState, seat: int, rng: np.random.Generator) -> tuple[int, ...]:
        """Return deals that a seat cannot distinguish from those of the state, at random."""
        return state.deals

    @property
    def is_free(self) -> bool:
        """Return True if seats may write words of their own."""
        return self.messages == "free"

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The act of each name, in lower case."""
        start = self.initial()
        return {self.action_name(start, act).lower(): act for act in range(self.num_actions)}

    @cached_property
    def plain_replies(self) -> dict[str, int]:
        """The act of each reply that is an act's name in the answer tag, and nothing else."""
        start = self.initial()
        names = (self.action_name(start, act) for act in range(self.num_actions))
        replies = (f"<answer>{name}</answer>" for name in names)
        read = {reply: self.numbers.get(written_move(reply)) for reply in replies}
        return {reply: act for reply, act in read.items() if act is not None}

    @property
    def small(self) -> bool:
        """Return True if all states can be enumerated with templates."""
        return False

    @property
    def enumerable(self) -> bool:
        """The states are finitely many with templates only."""
        return self.small and not self.is_free

    @property
    def max_text(self) -> int:
        """The most characters of a text: the transcript grows by words."""
        listed = self.num_actions * MAX_LISTED * (self.messages == "numbers")
        return MAX_OBSERVATION + listed + self.is_free * self.max_turns * (MAX_WORDS + 1)

    @property
    def observation_size(self) -> int:
        """Seat, deals and turns.

        Raises:
            ValueError: If messages are free: words are no vector.
        """
        if self.is_free:
            raise ValueError(f"{self.name} with messages='free' has only view='text'")
        return self.num_seats + sum(self.deal_sizes) + self.max_turns * self.num_actions

    def reads(self, state: TalkState, number: int, seat: int) -> bool:
        """Return True if a seat reads a turn, by its number; its own ones always."""
        turn = state.turns[number]
        if turn.channel != SEALED or turn.seat == seat:
            return turn.seat == seat or turn.channel in (EVERYONE, seat)
        sealed = [one.channel == SEALED for one in state.turns]
        return sum(sealed[:number]) < sum(sealed) - sum(sealed) % self.num_seats

    def initial(self) -> TalkState:
        """Nothing has happened."""
        return TalkState()

    def to_move(self, state: TalkState) -> int:
        """Return the mover of the phase."""
        return self.now(state).mover

    def legal(self, state: TalkState) -> tuple[int, ...]:
        """Return the acts of the phase; with free messages, the moves without words."""
        return self.now(state).acts

    def apply(self, state: TalkState, action: int | Move) -> TalkState:
        """Note an outcome of chance, an act, or a move with words."""
        phase = self.now(state)
        if phase.mover == CHANCE and not isinstance(action, Move):
            return TalkState((*state.deals, action), state.turns)
        act, words = (action.act, action.words) if isinstance(action, Move) else (int(action), "")
        # As `Turn(...)` and `TalkState(...)`, in half of the time.
        turn = _new(Turn, (phase.mover, phase.channel, act, words))
        return _new(TalkState, (state.deals, (*state.turns, turn)))

    def payoff(self, state: TalkState) -> tuple[float, ...]:
        """Return the sum of all rewards."""
        return self.returns(state)

    def resample(self, state: TalkState, seat: int, rng: np.random.Generator) -> TalkState:
        """Return other deals, and other acts where the seat does not read them."""
        found = TalkState(self.redeal(state, seat, rng))
        for number, turn in enumerate(state.turns):
            if not self.reads(state, number, seat):
                acts = self.now(found).acts
                turn = turn._replace(act=acts[int(rng.integers(len(acts)))], words="")
            found = TalkState(found.deals, (*found.turns, turn))
        return found

    def observe(self, state: TalkState, seat: int) -> NDArray[np.float32]:
        """Return seat, known deals and turns that are read, one-hot."""
        vector = np.zeros(self.observation_size, dtype=np.float32)
        vector[seat], place = 1, self.num_seats
        for number, size in enumerate(self.deal_sizes):
            if number < len(state.deals) and self.knows(number, seat, state):
                vector[place + state.deals[number]] = 1
            place += size
        for number, turn in enumerate(state.turns):
            if turn.act is not None and self.reads(state, number, seat):
                vector[place + number * self.num_actions + turn.act] = 1
        return vector

    def info_key(self, state: TalkState, seat: int) -> str:
        """Return the seat, what it knows of the deals, and the turns that it reads."""
        deals = [
            str(deal) if self.knows(number, seat, state) else "?"
            for number, deal in enumerate(state.deals)
        ]
        turns = [
            f"{number}:{turn.act}{turn.words and repr(turn.words)}"
            for number, turn in enumerate(state.turns)
            if self.reads(state, number, seat)
        ]
        return f"{seat}|{','.join(deals)}|{','.join(turns)}"

    def situation(self, state: TalkState, seat: int) -> str:
        """Return what the seat holds, and the transcript as it reads it."""
        held = self.holding(state, seat)
        text = self.transcripts.read(state, seat) or "Nothing is said yet."
        return f"{held}\n{text}" if held else text

    @cached_property
    def transcripts(self) -> Transcripts:
        """Those that were read last."""
        return Transcripts(self, type(self).reads is TalkGame.reads)

    def request(self, state: TalkState) -> str:
        """Return the request for a reply of the seat to move: its acts, and where words may be."""
        phase = self.now(state)
        if self.messages == "numbers":
            return numbered([self.action_name(state, act) for act in phase.acts])
        offered = self.choices(state)
        if self.messages != "free" or phase.words == "none":
            return f"Reply {offered}."
        words = "<answer>words"
        if phase.words in ("alone", "instead"):
            return f"Reply {words}</answer>, or {offered}."
        return f"Reply {offered}; words may stand before it: {words} [act]</answer>."

    def choices(self, state: TalkState) -> str:
        """Return the acts of the phase as they are written."""
        acts = self.now(state).acts
        return " or ".join(f"<answer>{self.action_name(state, act)}</answer>" for act in acts)

    def write(self, state: TalkState, action: int) -> str:
        """Return a reply that names an act, or its number where acts are listed."""
        acts = self.now(state).acts if self.messages == "numbers" else ()
        return (
            f"<answer>{acts.index(action) + 1}</answer>" if acts else super().write(state, action)
        )

    def parse(self, state: TalkState, text: str) -> int | Move | None:  # type: ignore[override]
        """Return the act that a reply names, with words where they are free; None if it has none.

        Words are read from the answer tag only. An act among words stands in square brackets,
        once; a message that is empty or longer than `MAX_WORDS` is no move.
        """
        phase, named = self.now(state), self.plain_replies.get(text)
        if named is None:
            text = without_reasoning(text)
            named = self.numbers.get(written_move(text))
        if named is not None:  # an act of another phase is a fault, and no words
            return named if named in phase.acts else None
        if self.messages == "numbers":
            return {str(n): act for n, act in enumerate(phase.acts, 1)}.get(written_move(text))
        if not self.is_free or phase.words == "none":
            return None
        answer = public_part(text)
        parts = None if answer is None else split_act(answer)
        if parts is None:
            return None
        words, written = spoken(parts[0]), parts[1]
        if words is None or (written is None and phase.words == "beside"):
            return None
        if written is not None and words and phase.words == "instead":
            return None
        act = None if written is None else self.numbers.get(written, -1)
        if act is not None and act not in phase.acts:
            return None
        return Move(act, words) if words else act
