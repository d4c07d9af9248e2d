"""A game of three seats with whispers, notes and a vote, for the tests of channels."""

from dataclasses import dataclass
from typing import ClassVar

from zerogym.envs.games.talk.core.messages import EVERYONE, NOBODY
from zerogym.envs.games.talk.core.rules import OVER, Phase, TalkGame, TalkState
from zerogym.envs.registry import GAMES

TALK = [game.name for game in GAMES if game.target.startswith("talk.")]


@dataclass(frozen=True)
class Whispers(TalkGame):
    """Seat 0 whispers to seat 2, seat 1 notes, seat 2 says to all; each word has a reward."""

    name: ClassVar[str] = "whispers"
    num_seats: ClassVar[int] = 3
    num_actions: ClassVar[int] = 2
    max_turns: ClassVar[int] = 3
    small: ClassVar[bool] = True
    perfect_information: ClassVar[bool] = False
    payoff_range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def phase(self, state: TalkState) -> Phase:
        channels = (2, NOBODY, EVERYONE)
        made = len(state.turns)
        return OVER if made == 3 else Phase(made, (0, 1), channels[made], words="alone")

    def returns(self, state: TalkState) -> tuple[float, ...]:
        acts = [turn.act or 0 for turn in state.turns]
        return tuple(float(act) for act in (*acts, 0, 0, 0)[:3])

    def rules(self, seat: int) -> str:
        return "Say yes or no."

    def action_name(self, state: TalkState, action: int) -> str:
        return ("no", "yes")[action]
