"""Beliefs of a seat about what is hidden from it: the question, replies, scores, and Bayes' rule.

After any message a trainer may pose `game.survey(state, seat)` to a seat, in words or by its
options, and score the reply; the game goes on as if it had not. What a speaker's message adds to
the score of a listener is a reward for speaking, and these rewards add up to last minus first
score, as in "Training Language Models for Social Deduction with Multi-Agent Reinforcement
Learning" (2025, arXiv 2502.06060). Left out: beliefs from words of a seat's own, which have no
exact probability.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, log
from typing import TYPE_CHECKING

from zerogym.envs.games.core.tabular_policy import Strategy, branches

if TYPE_CHECKING:
    from zerogym.envs.games.talk.core.rules import TalkGame, TalkState

LEAST = 1e-6  # a belief below counts as this, so that no score is infinite
MAX_REPLY = 1000  # characters
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,6})?")


@dataclass(frozen=True)
class Survey:
    """A question about what is hidden from a seat.

    Attributes:
        question: In words.
        options: The possible answers.
        answer: The number of the right one, which the seat does not know.
        against: Seats to which a right belief of others is a loss.
    """

    question: str
    options: tuple[str, ...]
    answer: int
    against: tuple[int, ...] = ()

    @property
    def choice(self) -> str:
        """The question with its options, of which one is to be chosen."""
        return f"{self.question} Reply <answer>OPTION</answer>, one of: {', '.join(self.options)}."

    @property
    def request(self) -> str:
        """The question to a language model or a person."""
        numbers = " ".join("N" for _ in self.options)
        return (
            f"{self.question} Reply <answer>{numbers}</answer>: how likely you think each is, "
            f"in the order {', '.join(self.options)}."
        )

    def read(self, answer: str) -> tuple[float, ...] | None:
        """Return the belief that an answer states, summing to 1; None if it is none.

        Example:
            >>> Survey("Which?", ("cat", "dog"), 0).read("30 10")
            (0.75, 0.25)
        """
        parts = answer[: MAX_REPLY + 1].replace("%", " ").replace(",", " ").split()
        if len(answer) > MAX_REPLY or len(parts) != len(self.options):
            return None
        if not all(_NUMBER.fullmatch(part) for part in parts):
            return None
        numbers = [float(part) for part in parts]
        return tuple(number / sum(numbers) for number in numbers) if sum(numbers) > 0 else None

    def score(self, belief: Sequence[float]) -> float:
        """Return the logarithm of the belief in the right answer, 0 or less.

        Raises:
            ValueError: If it is no belief over the options.
        """
        fits = len(belief) == len(self.options) and all(isfinite(p) and p >= 0 for p in belief)
        if not fits or abs(sum(belief) - 1) > 1e-6:
            raise ValueError(f"a belief has {len(self.options)} probabilities, got {belief!r:.80}")
        return log(max(LEAST, belief[self.answer]))


def exact_belief(
    game: "TalkGame", state: "TalkState", seat: int, profile: Sequence[Strategy]
) -> tuple[float, ...]:
    """Return what a seat should believe, by Bayes' rule, of players with known strategies.

    Args:
        game: The rules, which have a survey for this seat.
        state: Of the seat's information set; what is hidden in it does not matter.
        seat: Who believes.
        profile: The strategy of each seat.

    Raises:
        ValueError: If there is no survey, if a turn has words, or if no strategy leads here.
    """
    survey = game.survey(state, seat)
    if survey is None or any(turn.words for turn in state.turns):
        raise ValueError(f"{game.name} has no exact belief of seat {seat} here")
    weights: dict[TalkState, float] = {game.initial(): 1.0}
    belief, now = [0.0] * len(survey.options), game.clock(state)
    key = game.info_key(state, seat)  # what a seat knows may depend on what is hidden
    while weights:
        following: dict[TalkState, float] = {}
        for before, weight in weights.items():
            for child, probability in branches(game, before, profile):
                if probability == 0 or not game.leads_to(child, state, seat):
                    continue
                if game.clock(child) != now:
                    following[child] = following.get(child, 0.0) + weight * probability
                elif game.info_key(child, seat) == key and (found := game.survey(child, seat)):
                    belief[found.answer] += weight * probability
        weights = following
    if sum(belief) == 0:
        raise ValueError(f"{game.name}: these strategies never lead to this information set")
    return tuple(weight / sum(belief) for weight in belief)
