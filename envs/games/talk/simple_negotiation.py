"""Negotiation over resources: whoever gains more by trades wins.

After the game of this name in TextArena. Left out: holdings that are hidden or drawn, trades of
several kinds at once, and offers that stay open for more than one turn.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, permutations, product
from typing import ClassVar

import numpy as np

from zerogym.envs.games.core.game import CHANCE, equally_likely, win_or_loss
from zerogym.envs.games.core.parameters import check_choice, check_number
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.games.talk.core.rules import OVER, Phase, TalkGame, TalkState

KINDS = ("wheat", "wood", "sheep", "brick", "ore")
BASE = (5, 10, 15, 25, 40)  # value of one, which differs by a fifth from seat to seat
SCORING = ("win", "gain")
Offer = tuple[int, int, int, int]  # kind and number given, kind and number received


@dataclass(frozen=True)
class SimpleNegotiation(TalkGame):
    """The rules; `SimpleNegotiationEnv` has them in words.

    Acts: 0 accept, 1 pass, then the offers.

    Attributes:
        kinds: Of resources, 2 to 5.
        stock: Of each kind for each seat, 1 to 20.
        most: Units of a kind in an offer, 1 to 5.
        turns: Of both seats together, 2 to 12.
        scoring: `win`: 1 for the greater gain and -1 for the other; `gain`: the gain itself.
    """

    kinds: int = 3
    stock: int = 5
    most: int = 2
    turns: int = 8
    scoring: str = "win"
    name: ClassVar[str] = "simple_negotiation"
    perfect_information: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse other numbers."""
        super().__post_init__()
        for name, low, high in (
            ("kinds", 2, 5),
            ("stock", 1, 20),
            ("most", 1, 5),
            ("turns", 2, 12),
        ):
            check_number(name, getattr(self, name), low, high)
        check_choice("scoring", self.scoring, SCORING)

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """All offers."""
        numbers = range(1, self.most + 1)
        pairs = permutations(range(self.kinds), 2)
        return tuple((a, n, b, m) for a, b in pairs for n, m in product(numbers, numbers))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All acts in words."""
        return (
            "accept",
            "pass",
            *(f"offer {n} {KINDS[a]} for {m} {KINDS[b]}" for a, n, b, m in self.offers),
        )

    @property
    def num_actions(self) -> int:
        """Accept, pass, offers."""
        return len(self.names)

    @property
    def max_turns(self) -> int:
        """As given."""
        return self.turns

    @property
    def deal_sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The values of both seats: each kind a fifth less, as in the table, or a fifth more."""
        return (3**self.kinds,) * 2

    @property
    def zero_sum(self) -> bool:  # type: ignore[override]
        """True where only the greater gain counts."""
        return self.scoring == "win"

    @property
    def small(self) -> bool:
        """Few kinds and turns."""
        return int(9**self.kinds * (len(self.offers) + 2) ** self.turns) < 20_000

    @property
    def payoff_range(self) -> tuple[float, float]:
        """A win and a loss; or bounds of the gain, by an offer in every second turn."""
        if self.zero_sum:
            return -1.0, 1.0
        greatest = self.most * BASE[self.kinds - 1] * 6 / 5 - BASE[0] * 4 / 5
        return -greatest * (self.turns // 2), greatest * (self.turns // 2)

    def phase(self, state: TalkState) -> Phase:
        """Two lists of values, then offers and answers in turn."""
        made = len(state.turns)
        if len(state.deals) < 2:
            return Phase(CHANCE)
        if made == self.turns:
            return OVER
        held = self.holdings(state)
        start = (0, 1) if self.pending(state) else (1,)
        return Phase(
            made % 2, start + self.possible(*held[made % 2 :], *held[: made % 2]), words="alone"
        )

    def possible(self, own: list[int], other: list[int]) -> tuple[int, ...]:
        """Return the acts that offer what one seat has for what the other has."""
        if min(own) >= self.most <= min(other):
            return self.all_offers
        return tuple(
            number
            for number, (a, n, b, m) in enumerate(self.offers, start=2)
            if own[a] >= n and other[b] >= m
        )

    @cached_property
    def all_offers(self) -> tuple[int, ...]:
        """The acts that are offers."""
        return tuple(range(2, self.num_actions))

    def pending(self, state: TalkState) -> Offer | None:
        """Return the offer of the last turn; None if it was none."""
        act = state.turns[-1].act if state.turns else None
        return self.offers[act - 2] if act is not None and act >= 2 else None

    def trades(self, state: TalkState) -> list[tuple[int, Offer]]:
        """Return the accepted offers and the seats that made them."""
        return [
            (one.seat, self.offers[one.act - 2])
            for one, two in pairwise(state.turns)
            if two.act == 0 and one.act is not None
        ]

    def holdings(self, state: TalkState) -> list[list[int]]:
        """Return the units of each kind that each seat has."""
        held = [[self.stock] * self.kinds, [self.stock] * self.kinds]
        for seat, (a, n, b, m) in self.trades(state):
            held[seat][a] -= n
            held[1 - seat][a] += n
            held[seat][b] += m
            held[1 - seat][b] -= m
        return held

    @cached_property
    def values(self) -> tuple[tuple[int, ...], ...]:
        """The value of one unit of each kind, for each outcome of chance."""
        kinds = range(self.kinds)
        return tuple(
            tuple(BASE[kind] * (4 + deal // 3**kind % 3) // 5 for kind in kinds)
            for deal in range(3**self.kinds)
        )

    def chance(self, state: TalkState) -> tuple[tuple[int, Fraction], ...]:
        """The values of a seat, all equally likely."""
        return equally_likely(tuple(range(3**self.kinds)))

    def knows(self, deal: int, seat: int, state: TalkState) -> bool:
        """Its own values."""
        return deal == seat

    def redeal(self, state: TalkState, seat: int, rng: np.random.Generator) -> tuple[int, ...]:
        """Other values of the other seat."""
        other = int(rng.integers(3**self.kinds))
        return (state.deals[0], other) if seat == 0 else (other, state.deals[1])

    def gains(self, state: TalkState) -> tuple[float, float]:
        """Return by how much the trades have raised the value of each seat's holdings."""
        total = [0, 0]
        for seat, offer in self.trades(state):
            total[seat] += gain(offer, self.values[state.deals[seat]])
            total[1 - seat] -= gain(offer, self.values[state.deals[1 - seat]])
        return float(total[0]), float(total[1])

    def returns(self, state: TalkState) -> tuple[float, ...]:
        """The gains so far; or at the end, who has gained more."""
        if not self.zero_sum:
            return self.gains(state)
        first, second = self.gains(state) if len(state.turns) == self.turns else (0.0, 0.0)
        return win_or_loss(None if first == second else int(second > first))

    def rules(self, seat: int) -> str:
        """The rules in five lines."""
        goods = ", ".join(KINDS[: self.kinds])
        aim = (
            "Whoever has gained more at the end wins."
            if self.zero_sum
            else ("Your points are what you gain, whatever the other does.")
        )
        return (
            f"Negotiation: two players trade {goods}, {self.stock} of each at first. What one is "
            "worth differs from player to player by up to a fifth, and each knows its own values "
            "only.\nA trade changes the value of what you have. "
            f"{aim}\nOffer up to {self.most} of one kind for up to {self.most} of another; the "
            "other accepts in its next turn, or the offer is void.\n"
            f"There are {self.turns} turns together. You are player {seat + 1}."
        )

    def holding(self, state: TalkState, seat: int) -> str:
        """Return holdings, own values and the turns that are left."""
        held, values = self.holdings(state), self.values[state.deals[seat]]
        own = ", ".join(
            f"{n} {kind} (worth {value} each)"
            for n, kind, value in zip(held[seat], KINDS, values, strict=False)
        )
        other = ", ".join(f"{n} {kind}" for n, kind in zip(held[1 - seat], KINDS, strict=False))
        left = self.turns - len(state.turns)
        gained = f"{self.gains(state)[seat]:+g}"
        return f"You have {own}; gain {gained}.\nThe other has {other}. Turns left: {left}."

    def choices(self, state: TalkState) -> str:
        """The acts of the phase, of the offers an example."""
        text = "<answer>offer 1 wood for 2 wheat</answer> (what you give for what you get)"
        kept = "<answer>pass</answer>"
        return (
            f"{text}, <answer>accept</answer> or {kept}"
            if self.pending(state)
            else (f"{text} or {kept}")
        )

    def result(self, state: TalkState, seat: int) -> str:
        """Return the own gain, and the winner where one is sought."""
        own, won = self.gains(state)[seat], self.returns(state)[seat]
        end = " You win." if won > 0 else " You lose." if won < 0 else " A draw."
        return f"You have gained {own:g}.{end if self.zero_sum else ''}"

    def action_name(self, state: TalkState, action: int) -> str:
        """`offer 2 wheat for 1 wood`, `accept` or `pass`."""
        return self.names[action]


def gain(offer: Offer, values: tuple[int, ...]) -> int:
    """Return what an offer is worth to the seat that makes it, with its values."""
    given, units, received, more = offer
    return more * values[received] - units * values[given]


def scripted(game: SimpleNegotiation, state: TalkState, seat: int) -> int:
    """Trade where the own gain is greater than that of the other at the values of the table.

    It offers what is no loss to the other at those values, the best for itself, and nothing twice.
    Where only the own gain counts it accepts every gain. Against random play it wins 93 of 100
    games and loses 5.
    """
    values, table = game.values[state.deals[seat]], BASE[: game.kinds]
    acts, pending = game.legal(state), game.pending(state)
    if pending:
        edge = -gain(pending, values) - game.zero_sum * gain(pending, table)
        if edge > 0:
            return 0
    made = {turn.act for turn in state.turns if turn.seat == seat}
    best, found = 0.0, 1
    for act in acts:
        if act < 2 or act in made:
            continue
        other = -gain(game.offers[act - 2], table)
        edge = gain(game.offers[act - 2], values) - game.zero_sum * other
        if other >= 0 and edge > best:
            best, found = edge, act
    return found


class SimpleNegotiationEnv(TalkEnv):
    """One seat of a negotiation over resources, against a given opponent.

    Description:
        Both hold the same resources, but value them a little differently, and know only their own
        values. In turn they offer one kind for another, accept the offer of the turn before, or
        pass. Whoever has gained more by trades, at its own values, wins. A seat that never trades
        cannot lose: with perfect play it is a draw, and any win is the other's mistake. With
        `scoring="gain"` trades are worth something to both.

    Reward:
        `scoring="win"`: 0 until the end, then 1 for the greater gain, 0 for equal ones, -1.
        `scoring="gain"`: what each trade gains, at once.

    Arguments:
        kinds: Of resources, 2 to 5; default 3.
        stock: Of each kind for each seat, 1 to 20; default 5.
        most: Units of a kind in an offer, 1 to 5; default 2.
        turns: Of both seats together, 2 to 12; default 8.
        scoring: `win` (default) or `gain`.
        messages: `templates` (default), or `free`: words of the seats' own, in the text view.

    Example:
        >>> env = SimpleNegotiationEnv(seat=0, opponent="scripted", messages="free", turns=2)
        >>> print(env.reset(seed=0)[0])
        Negotiation: two players trade wheat, wood, sheep, 5 of each at first. What one is worth differs from player to player by up to a fifth, and each knows its own values only.
        A trade changes the value of what you have. Whoever has gained more at the end wins.
        Offer up to 2 of one kind for up to 2 of another; the other accepts in its next turn, or the offer is void.
        There are 2 turns together. You are player 1.
        You have 5 wheat (worth 6 each), 5 wood (worth 12 each), 5 sheep (worth 15 each); gain +0.
        The other has 5 wheat, 5 wood, 5 sheep. Turns left: 2.
        Nothing is said yet.
        Reply <answer>words</answer>, or <answer>offer 1 wood for 2 wheat</answer> (what you give for what you get) or <answer>pass</answer>.
        >>> print(env.step("<answer>I need no sheep. [offer 1 sheep for 1 wood]</answer>")[0])
        You have 5 wheat (worth 6 each), 6 wood (worth 12 each), 4 sheep (worth 15 each); gain -3.
        The other has 5 wheat, 4 wood, 6 sheep. Turns left: 0.
        [you: offer 1 sheep for 1 wood] I need no sheep.
        [player 2: accept]
        You have gained -3. You lose.

    Source:
        Guertler et al., "TextArena" (2025, arXiv 2504.11442); it is a training game of "SPIRAL"
        (2025, arXiv 2506.24119).
    """  # noqa: E501 (the example shows a text)

    rules_class = SimpleNegotiation
