"""The repeated prisoner's dilemma, with or without a message before each choice.

Left out: a random end, noise, discounting, and other matrices (`economic/matrix.py` has them
without messages).
"""

from dataclasses import dataclass
from typing import ClassVar

from zerogym.envs.games.core.parameters import check_number, check_numbers
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.games.talk.core.messages import SEALED
from zerogym.envs.games.talk.core.rules import OVER, Phase, TalkGame, TalkState

COOPERATE, DEFECT = 0, 1
NAMES = ("cooperate", "defect", "i will cooperate", "i will defect", "say nothing")


@dataclass(frozen=True)
class TalkingDilemma(TalkGame):
    """The rules; `TalkingDilemmaEnv` has them in words.

    Acts: 0 cooperate, 1 defect, then the messages of `NAMES`.

    Attributes:
        rounds: 1 to 10.
        points: Four numbers from 0 to 100: for both cooperating, for cooperating alone, for
            defecting alone, for both defecting. The third is the greatest, then come the first, the
            fourth and the second.
        talks: Messages of each seat in a round, 0 or 1.
    """

    rounds: int = 2
    points: tuple[int, ...] = (3, 0, 5, 1)
    talks: int = 1
    name: ClassVar[str] = "talking_dilemma"
    num_actions: ClassVar[int] = len(NAMES)
    perfect_information: ClassVar[bool] = False
    simultaneous: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse what is no dilemma."""
        super().__post_init__()
        check_number("rounds", self.rounds, 1, 10)
        check_numbers("points", self.points, 0, 100, 4)
        check_number("talks", self.talks, 0, 1)
        if len(self.points) != 4 or not self._is_dilemma():
            raise ValueError(
                "points must be four numbers R, S, T, P with T > R > P > S, "
                f"got {self.points!r:.80}"
            )

    def _is_dilemma(self) -> bool:
        both, alone, against, neither = self.points
        return against > both > neither > alone

    @property
    def turns_a_round(self) -> int:
        """Messages and choices of both seats."""
        return 2 * self.talks + 2

    @property
    def max_turns(self) -> int:
        """A message, if any, and a choice of each seat in each round."""
        return self.turns_a_round * self.rounds

    @property
    def small(self) -> bool:
        """Two rounds with messages have 2,000 states, three 70,000; six without have 8,000."""
        return self.rounds <= (2 if self.talks else 6)

    @property
    def payoff_range(self) -> tuple[float, float]:
        """To cooperate or to defect alone in each round."""
        return float(self.points[1] * self.rounds), float(self.points[2] * self.rounds)

    def phase(self, state: TalkState) -> Phase:
        """Messages at once, then choices at once."""
        made = len(state.turns)
        if made == self.max_turns:
            return OVER
        if made % self.turns_a_round < 2 * self.talks:
            return Phase(made % 2, (2, 3, 4), SEALED, words="alone")
        return Phase(made % 2, (COOPERATE, DEFECT), SEALED, words="none")

    def choices_made(self, state: TalkState) -> list[tuple[int, int]]:
        """Return the choices of both seats in each round that is over."""
        acts, size = [turn.act or 0 for turn in state.turns], self.turns_a_round
        ends = range(size, len(acts) + 1, size)
        return [(acts[end - 2], acts[end - 1]) for end in ends]

    def returns(self, state: TalkState) -> tuple[float, ...]:
        """Sum the points of the rounds that are over."""
        both, alone, against, neither = self.points
        table = {(0, 0): (both, both), (0, 1): (alone, against), (1, 0): (against, alone)}
        cells = [table.get(pair, (neither, neither)) for pair in self.choices_made(state)]
        return float(sum(cell[0] for cell in cells)), float(sum(cell[1] for cell in cells))

    def rules(self, seat: int) -> str:
        """The rules in three lines."""
        both, alone, against, neither = self.points
        times = "1 round" if self.rounds == 1 else f"{self.rounds} rounds, whose points add up"
        way = "both write a message, then both choose, at the same time. Messages bind nobody."
        if not self.talks:
            way = "both choose, at the same time."
        return (
            f"Talking dilemma, {times}. In each {way}\n"
            f"Points, you (other): both cooperate {both} ({both}), both defect {neither} "
            f"({neither}),\nyou cooperate alone {alone} ({against}), you defect alone {against} "
            f"({alone})."
        )

    def holding(self, state: TalkState, seat: int) -> str:
        """Return the seat and the points so far."""
        own = self.returns(state)
        return f"You are player {seat + 1}. Points: you {own[seat]:g}, other {own[1 - seat]:g}."

    def result(self, state: TalkState, seat: int) -> str:
        """Return that it is over: the points are in the first line."""
        return "All rounds are over."

    def action_name(self, state: TalkState, action: int) -> str:
        """A choice or a message."""
        return NAMES[action]


def scripted(game: TalkingDilemma, state: TalkState, seat: int) -> int:
    """Promise to cooperate, cooperate, and then do what the other did last: tit for tat.

    In two rounds it gets 3.75 from random play (random itself: 4.5) and 6 from itself; the best
    answer to it gets 8, by a defection in the last round.
    """
    if len(state.turns) % game.turns_a_round < 2 * game.talks:
        return 2
    rounds = game.choices_made(state)
    return rounds[-1][1 - seat] if rounds else COOPERATE


class TalkingDilemmaEnv(TalkEnv):
    """One seat of the repeated prisoner's dilemma with messages, against a given opponent.

    Description:
        In each round both write a message at the same time, then both choose at the same time.
        Messages bind nobody, so by backward induction both defect in every round, whatever is
        said; who keeps promises and expects the same gets more. Points come after each round.

    Arguments:
        rounds: 1 to 10; default 2.
        points: Four numbers R, S, T, P with T > R > P > S: for both cooperating, for cooperating
            alone, for defecting alone, for both defecting; default (3, 0, 5, 1).
        talks: Messages of each seat in a round, 0 or 1 (default).
        messages: `templates` (default); `numbers`, the same as a numbered list; or `free`: words of
            the seats' own, in the text view.

    Example:
        >>> env = TalkingDilemmaEnv(rounds=1, seat=0, opponent="scripted", messages="free")
        >>> print(env.reset(seed=0)[0])
        Talking dilemma, 1 round. In each both write a message, then both choose, at the same time. Messages bind nobody.
        Points, you (other): both cooperate 3 (3), both defect 1 (1),
        you cooperate alone 0 (5), you defect alone 5 (0).
        You are player 1. Points: you 0, other 0.
        Nothing is said yet.
        Reply <answer>words</answer>, or <answer>i will cooperate</answer> or <answer>i will defect</answer> or <answer>say nothing</answer>.
        >>> print(env.step("It is naive. <answer>Let us both gain.</answer>")[0])
        You are player 1. Points: you 0, other 0.
        [you] Let us both gain.
        [player 2: i will cooperate]
        Reply <answer>cooperate</answer> or <answer>defect</answer>.
        >>> env.step("<answer>defect</answer>")[1]
        5.0

    Source:
        Axelrod, "The Evolution of Cooperation" (1984); Farrell and Rabin, "Cheap Talk" (1996).
    """  # noqa: E501 (the example shows a text)

    rules_class = TalkingDilemma
