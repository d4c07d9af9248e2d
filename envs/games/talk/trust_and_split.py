"""Trust-and-split: ten coins, of which nobody knows alone who values them more.

Left out: three further messages of each seat and hands that are repeated from round to round, which
the source's code has as variants.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from zerogym.envs.games.core.game import CHANCE, equally_likely
from zerogym.envs.games.core.parameters import check_number, check_numbers
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.games.talk.core.messages import SEALED
from zerogym.envs.games.talk.core.rules import OVER, Phase, TalkGame, TalkState
from zerogym.envs.games.talk.core.surveys import Survey

HANDS = ("rock", "paper", "scissors")  # each beats the one before it
COINS = 10
HIGH, LOW = 10, 1  # value of a coin for the hand that beats the other, and for the other
_HAND = re.compile(r"\b(?:rock|paper|scissors)\b", re.IGNORECASE)


@dataclass(frozen=True)
class TrustAndSplit(TalkGame):
    """The rules; `TrustAndSplitEnv` has them in words.

    Acts: the claims in their order, then a message for each of `HANDS`, then `say nothing`.

    Attributes:
        rounds: 1 to 6.
        talks: Messages of each seat in a round, 0 to 2.
        claims: The numbers of coins that may be claimed, increasing, of 0 to 10.
    """

    rounds: int = 1
    talks: int = 1
    claims: tuple[int, ...] = (0, 5, 10)
    name: ClassVar[str] = "trust_and_split"
    perfect_information: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse other numbers."""
        super().__post_init__()
        check_number("rounds", self.rounds, 1, 6)
        check_number("talks", self.talks, 0, 2)
        check_numbers("claims", self.claims, 0, COINS, COINS + 1)
        if list(self.claims) != sorted(set(self.claims)) or len(self.claims) < 2:
            raise ValueError(f"claims must be two or more and increase, got {self.claims!r:.80}")

    @property
    def num_actions(self) -> int:
        """Claims and messages."""
        return len(self.claims) + len(HANDS) + 1

    @property
    def turns_a_round(self) -> int:
        """Messages in turn, then two claims."""
        return 2 * self.talks + 2

    @property
    def max_turns(self) -> int:
        """All rounds."""
        return self.rounds * self.turns_a_round

    @property
    def deal_sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """A hand for each seat in each round."""
        return (len(HANDS),) * (2 * self.rounds)

    @property
    def small(self) -> bool:
        """One round of few claims and messages."""
        ends = 6 * (len(HANDS) + 1) ** (2 * self.talks) * len(self.claims) ** 2
        return self.rounds == 1 and ends < 10_000

    @property
    def payoff_range(self) -> tuple[float, float]:
        """The least and the most of a round, in every round."""
        shares = [share(own, other) for own in self.claims for other in self.claims]
        return self.rounds * LOW * min(shares), self.rounds * HIGH * max(shares)

    def phase(self, state: TalkState) -> Phase:
        """Two hands, messages in turn (of the second seat first in even rounds), two claims."""
        over, made = divmod(len(state.turns), self.turns_a_round)
        if over == self.rounds:
            return OVER
        if len(state.deals) < 2 * over + 2:
            return Phase(CHANCE)
        claims = tuple(range(len(self.claims)))
        if made >= 2 * self.talks:
            return Phase(made - 2 * self.talks, claims, SEALED, words="none")
        texts = tuple(range(len(self.claims), self.num_actions))
        return Phase((over + made) % 2, texts, words="alone")

    def chance(self, state: TalkState) -> tuple[tuple[int, Fraction], ...]:
        """A hand, not that of the first seat for the second."""
        taken = state.deals[-1:] if len(state.deals) % 2 else ()
        return equally_likely(tuple(hand for hand in range(len(HANDS)) if hand not in taken))

    def knows(self, deal: int, seat: int, state: TalkState) -> bool:
        """Its own hands, and those of rounds that are over."""
        return deal % 2 == seat or deal // 2 < len(state.turns) // self.turns_a_round

    def redeal(self, state: TalkState, seat: int, rng: np.random.Generator) -> tuple[int, ...]:
        """Another hand of the other seat in a round that is not over."""
        deals = list(state.deals)
        if len(deals) // 2 > len(state.turns) // self.turns_a_round:
            hands = [hand for hand in range(len(HANDS)) if hand != deals[-2 + seat]]
            deals[-1 - seat] = hands[int(rng.integers(2))]
        return tuple(deals)

    def survey(self, state: TalkState, seat: int) -> Survey | None:
        """Return the question about the other's hand, while a round is played."""
        if len(state.deals) % 2 or len(state.turns) == self.max_turns:
            return None
        return Survey("Which hand does the other have?", HANDS, state.deals[-1 - seat])

    def values(self, state: TalkState, number: int) -> tuple[int, int]:
        """Return the value of a coin for each seat in a round."""
        first, second = state.deals[2 * number : 2 * number + 2]
        return (HIGH, LOW) if (first - second) % 3 == 1 else (LOW, HIGH)

    def claimed(self, state: TalkState, number: int) -> tuple[int, int]:
        """Return the claims of both seats in a round that is over."""
        end = (number + 1) * self.turns_a_round
        first, second = state.turns[end - 2 : end]
        return self.claims[first.act or 0], self.claims[second.act or 0]

    def returns(self, state: TalkState) -> tuple[float, ...]:
        """Sum value times coins over the rounds that are over."""
        total = [0.0, 0.0]
        for number in range(len(state.turns) // self.turns_a_round):
            values, (first, second) = self.values(state, number), self.claimed(state, number)
            total[0] += values[0] * share(first, second)
            total[1] += values[1] * share(second, first)
        return tuple(total)

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        times = "1 round" if self.rounds == 1 else f"{self.rounds} rounds, whose points add up"
        each = "a message" if self.talks == 1 else f"{self.talks} messages"
        talk = f"both write {each} in turn, then " if self.talks else ""
        return (
            f"Trust and split, {times}. In each, both have a different hand of rock, paper and "
            "scissors, and know their own only.\n"
            f"A coin is worth {HIGH} points to the hand that beats the other, and {LOW} to the "
            f"other.\nFirst {talk}both claim coins of {COINS}, at the same time. Claims of more "
            f"than {COINS} together are cut in proportion.\nYou are player {seat + 1}."
        )

    def holding(self, state: TalkState, seat: int) -> str:
        """Return the hands that the seat knows, and its points."""
        over = len(state.turns) // self.turns_a_round
        lines = []
        for number in range(len(state.deals) // 2):
            pair = state.deals[2 * number : 2 * number + 2]
            both = f"Your hand: {HANDS[pair[seat]]}"
            both += f", the other's: {HANDS[pair[1 - seat]]}." if number < over else "."
            lines.append(both if self.rounds == 1 else f"Round {number + 1}: {both}")
        points = self.returns(state)
        if over:
            lines.append(f"Points: you {points[seat]:.4g}, other {points[1 - seat]:.4g}.")
        return "\n".join(lines)

    def result(self, state: TalkState, seat: int) -> str:
        """Return that it is over: the points stand above."""
        return "All coins are split."

    def action_name(self, state: TalkState, action: int) -> str:
        """`claim 5`, `my hand is rock` or `say nothing`."""
        if action < len(self.claims):
            return f"claim {self.claims[action]}"
        hand = action - len(self.claims)
        return f"my hand is {HANDS[hand]}" if hand < len(HANDS) else "say nothing"

    def named_hand(self, state: TalkState, seat: int) -> int | None:
        """Return the hand that a seat named last in this round; None for none or several."""
        start = len(state.turns) // self.turns_a_round * self.turns_a_round
        found = None
        for turn in state.turns[start:]:
            if turn.seat != seat or turn.channel == SEALED:
                continue
            act = None if turn.act is None else turn.act - len(self.claims)
            words = {word.lower() for word in _HAND.findall(turn.words)}
            if act is not None and act < len(HANDS):
                found = act
            elif len(words) == 1:
                found = HANDS.index(words.pop())
        return found


def share(own: int, other: int) -> float:
    """Return the coins for a claim beside another.

    Example:
        >>> share(5, 5), share(10, 10), share(10, 5)
        (5.0, 5.0, 6.666666666666667)
    """
    return COINS * own / max(COINS, own + other)


def scripted(game: TrustAndSplit, state: TalkState, seat: int) -> int:
    """Name the own hand, and leave all coins to the hand that beats the other, if both are known.

    Else it claims as near to half as it can. Two of them get 50 points each on average, where two
    that claim all get 27.5; against random play it gets 22.2 (random itself: 21.4). It believes
    everything: the best answer gets 52.5 points from it as the first and 55 as the second to speak.
    """
    hand = state.deals[-2 + seat]
    acts = game.legal(state)
    if acts[0] >= len(game.claims):
        return len(game.claims) + hand
    other = game.named_hand(state, 1 - seat)
    if other is None or other == hand:
        return min(acts, key=lambda act: abs(2 * game.claims[act] - COINS))
    return acts[-1] if (hand - other) % 3 == 1 else acts[0]


class TrustAndSplitEnv(TalkEnv):
    """One seat of trust-and-split, against a given opponent.

    Description:
        Both have different hands of rock, paper and scissors. A coin is worth 10 points to the hand
        that beats the other and 1 to the other, but each knows its own hand only, so they have to
        talk. Then both claim coins. To claim all is best whatever the other claims, and gives 55
        points together; to leave all to the winning hand gives 100, but the losing seat nothing in
        this round, so that trust is worth something in the next.

    Arguments:
        rounds: 1 (default) to 6, each with new hands.
        talks: Messages of each seat in a round, 0 to 2; default 1.
        claims: The numbers of coins that may be claimed; default (0, 5, 10). The source has 0 to 10.
        messages: `templates` (default); `numbers`, the same as a numbered list; or `free`: words of
            the seats' own, in the text view.

    Example:
        >>> env = TrustAndSplitEnv(seat=0, opponent="scripted", messages="free")
        >>> print(env.reset(seed=0)[0])
        Trust and split, 1 round. In each, both have a different hand of rock, paper and scissors, and know their own only.
        A coin is worth 10 points to the hand that beats the other, and 1 to the other.
        First both write a message in turn, then both claim coins of 10, at the same time. Claims of more than 10 together are cut in proportion.
        You are player 1.
        Your hand: paper.
        Nothing is said yet.
        Reply <answer>words</answer>, or <answer>my hand is rock</answer> or <answer>my hand is paper</answer> or <answer>my hand is scissors</answer> or <answer>say nothing</answer>.
        >>> print(env.step("<answer>I hold paper, honestly.</answer>")[0])
        Your hand: paper.
        [you] I hold paper, honestly.
        [player 2: my hand is rock]
        Reply <answer>claim 0</answer> or <answer>claim 5</answer> or <answer>claim 10</answer>.
        >>> env.step("<answer>claim 10</answer>")[4]["welfare"]
        100.0

    Source:
        "Learning Robust Social Strategies with Large Language Models" (2025, arXiv 2511.19405).
    """  # noqa: E501 (the example shows a text)

    rules_class = TrustAndSplit
