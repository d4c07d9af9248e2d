"""Deal or no deal: items are divided by proposals, and each knows only its own values.

Left out: the source's dialogues in natural language as data, its selection of a division by both
after the talk (a proposal that is accepted is the deal here), and pools that are drawn. Fair
payoffs are those of "A Fairness-Driven Method for Learning Human-Compatible Negotiation Strategies"
(2024, arXiv 2409.18335); its search over offers that a language model proposes is left out, `mcts`
searches all of them.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import sqrt
from typing import ClassVar, Literal, get_args

import numpy as np

from zerogym.envs.games.core.game import CHANCE
from zerogym.envs.games.core.parameters import check_number, check_numbers
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.games.talk.core.rules import OVER, Phase, TalkGame, TalkState
from zerogym.errors import UnknownName

KINDS = ("books", "hats", "balls", "pens")
Payoffs = Literal["own", "egalitarian", "nash"]
FAIR = {
    "egalitarian": "Both get the smaller of what the items are worth to either.",
    "nash": "Both get the root of the product of what the items are worth to each.",
}
Vector = tuple[int, ...]  # a number for each kind


@dataclass(frozen=True)
class DealOrNoDeal(TalkGame):
    """The rules; `DealOrNoDealEnv` has them in words.

    Acts: the divisions in the order of `divisions`, as what the proposer takes; then accept.

    Attributes:
        counts: Items of each kind, 1 to 4 each, of 2 to 4 kinds.
        total: Value of all items together for each seat, 1 to 20.
        turns: Proposals together before there is no deal, 2 to 10.
        payoffs: `own`: the value of what a seat gets; `egalitarian`: of both the smaller value;
            `nash`: of both the root of the product of values.
    """

    counts: Vector = (1, 2, 3)
    total: int = 10
    turns: int = 4
    payoffs: Payoffs = "own"
    name: ClassVar[str] = "deal_or_no_deal"
    perfect_information: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse pools without two fitting vectors of values."""
        super().__post_init__()
        check_numbers("counts", self.counts, 1, 4, len(KINDS))
        check_number("total", self.total, 1, 20)
        check_number("turns", self.turns, 2, 10)
        if self.payoffs not in get_args(Payoffs):
            raise UnknownName("payoffs", self.payoffs, list(get_args(Payoffs)))
        if len(self.counts) < 2 or not self.partners:
            raise ValueError(
                f"counts {self.counts} and total {self.total} leave no values of two seats that fit"
            )

    @cached_property
    def divisions(self) -> tuple[Vector, ...]:
        """All that the proposer may take."""
        return tuple(product(*(range(count + 1) for count in self.counts)))

    @cached_property
    def vectors(self) -> tuple[Vector, ...]:
        """All values of one item of each kind with the right total."""
        ranges = [range(self.total // count + 1) for count in self.counts]
        return tuple(v for v in product(*ranges) if worth(v, self.counts) == self.total)

    @cached_property
    def partners(self) -> dict[int, tuple[int, ...]]:
        """Each vector's number and those that fit it.

        Each kind is worth something to somebody, and some kind to both.
        """
        found = {}
        for number, one in enumerate(self.vectors):
            fitting = [
                other
                for other, two in enumerate(self.vectors)
                if all(a + b for a, b in zip(one, two, strict=True))
                and any(a * b for a, b in zip(one, two, strict=True))
            ]
            if fitting:
                found[number] = tuple(fitting)
        return found

    @property
    def num_actions(self) -> int:
        """Divisions, and accept."""
        return len(self.divisions) + 1

    @property
    def max_turns(self) -> int:
        """Proposals and answers."""
        return self.turns

    @property
    def deal_sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The values of both seats."""
        return (len(self.vectors),) * 2

    @property
    def small(self) -> bool:
        """Few values, divisions and turns."""
        pairs = sum(map(len, self.partners.values()))
        return pairs * len(self.divisions) ** self.turns < 10_000

    @property
    def payoff_range(self) -> tuple[float, float]:
        """Nothing, or everything."""
        return 0.0, float(self.total)

    def phase(self, state: TalkState) -> Phase:
        """Two vectors of values, then proposals in turn until one is accepted."""
        if len(state.deals) < 2:
            return Phase(CHANCE)
        made = len(state.turns)
        accept = len(self.divisions)
        if made == self.turns or (state.turns and state.turns[-1].act == accept):
            return OVER
        offered = self.offer(state)
        acts = range(self.num_actions if offered and offered[0] != made % 2 else accept)
        return Phase(made % 2, tuple(acts), words="alone")

    def offer(self, state: TalkState) -> tuple[int, Vector] | None:
        """Return the last proposal: its seat, and what that takes."""
        for turn in reversed(state.turns):
            if turn.act is not None and turn.act < len(self.divisions):
                return turn.seat, self.divisions[turn.act]
        return None

    def chance(self, state: TalkState) -> tuple[tuple[int, Fraction], ...]:
        """The values of a seat, so that all fitting pairs are equally likely."""
        if state.deals:
            fitting = self.partners[state.deals[0]]
            return tuple((number, Fraction(1, len(fitting))) for number in fitting)
        pairs = sum(map(len, self.partners.values()))
        return tuple((one, Fraction(len(two), pairs)) for one, two in self.partners.items())

    def knows(self, deal: int, seat: int, state: TalkState) -> bool:
        """Its own values."""
        return deal == seat

    def redeal(self, state: TalkState, seat: int, rng: np.random.Generator) -> Vector:
        """Other values of the other seat, all that fit equally likely."""
        fitting = self.partners[state.deals[seat]]
        other = fitting[int(rng.integers(len(fitting)))]
        return (state.deals[0], other) if seat == 0 else (other, state.deals[1])

    def returns(self, state: TalkState) -> tuple[float, ...]:
        """Return the payoffs by the proposal that is accepted."""
        offered = self.offer(state)
        if offered is None or state.turns[-1].act != len(self.divisions):
            return 0.0, 0.0
        values = self.outcome(state, *offered)
        if self.payoffs == "own":
            return values
        fair = min(values) if self.payoffs == "egalitarian" else sqrt(values[0] * values[1])
        return fair, fair

    def outcome(self, state: TalkState, seat: int, taken: Vector) -> tuple[float, float]:
        """Return the values of both if a seat takes some items and the other the rest."""
        left = tuple(count - own for count, own in zip(self.counts, taken, strict=True))
        parts = (taken, left) if seat == 0 else (left, taken)
        first, second = (worth(self.vectors[state.deals[s]], parts[s]) for s in (0, 1))
        return float(first), float(second)

    def agreements(self, state: TalkState) -> tuple[tuple[float, ...], ...]:
        """The values of all divisions to both."""
        return tuple(self.outcome(state, 0, taken) for taken in self.divisions)

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        pool = ", ".join(f"{n} {kind}" for n, kind in zip(self.counts, KINDS, strict=False))
        return (
            f"Deal or no deal: two players divide {pool}. An item is worth points, to each other "
            f"ones,\nbut {self.total} all together to either. In turn, propose what you take, "
            "or accept what the other proposed.\n"
            f"After {self.turns} messages without a deal both get 0. You are player {seat + 1}."
            + (f" {FAIR[self.payoffs]}" if self.payoffs in FAIR else "")
        )

    def holding(self, state: TalkState, seat: int) -> str:
        """Return the seat's values, and the messages that are left."""
        values = zip(KINDS, self.vectors[state.deals[seat]], strict=False)
        worths = ", ".join(f"{kind} {value}" for kind, value in values)
        left = self.turns - len(state.turns)
        return f"Your points for one of each: {worths}. Messages left: {left}."

    def choices(self, state: TalkState) -> str:
        """A division, and perhaps accept."""
        kinds, most = KINDS[: len(self.counts)], ", ".join(map(str, self.counts))
        numbers = f"<answer>take {' '.join('N' for _ in kinds)}</answer>"
        text = f"{numbers}, the {', '.join(kinds)} that you take (at most {most})"
        accept = len(self.divisions) in self.phase(state).acts
        return f"<answer>accept</answer> or {text}" if accept else text

    def result(self, state: TalkState, seat: int) -> str:
        """Return the points of the seat; the values of the other stay hidden."""
        deal = state.turns[-1].act == len(self.divisions)
        return f"{'A deal' if deal else 'No deal'}: you get {self.returns(state)[seat]:g} points."

    def action_name(self, state: TalkState, action: int) -> str:
        """`take 1 0 2` or `accept`."""
        if action == len(self.divisions):
            return "accept"
        return f"take {' '.join(map(str, self.divisions[action]))}"


def worth(values: Vector, items: Vector) -> int:
    """Return the value of some items."""
    return sum(value * count for value, count in zip(values, items, strict=True))


def pareto_divisions(game: DealOrNoDeal, state: TalkState) -> list[Vector]:
    """Return what the first seat takes in the divisions that no other one is better than.

    Another one is better if it gives neither seat less and one of them more.
    """
    pairs = {taken: game.outcome(state, 0, taken) for taken in game.divisions}
    return [
        taken
        for taken, (own, other) in pairs.items()
        if not any(a >= own and b >= other and a + b > own + other for a, b in pairs.values())
    ]


def egalitarian_division(game: DealOrNoDeal, state: TalkState) -> tuple[Vector, float]:
    """Return what the first seat takes where the smaller value is greatest, and that value.

    This is the egalitarian bargaining solution (Kalai, 1977); of equal ones, the first division.
    """
    smaller = {taken: min(game.outcome(state, 0, taken)) for taken in game.divisions}
    best = max(smaller, key=lambda taken: smaller[taken])
    return best, smaller[best]


def nash_division(game: DealOrNoDeal, state: TalkState) -> tuple[Vector, float]:
    """Return what the first seat takes where the product of payoffs is greatest, and the product.

    This is the bargaining solution of Nash (1950), where no deal is worth 0 to both; of equal
    products, the first division.
    """
    products = {taken: np.prod(game.outcome(state, 0, taken)) for taken in game.divisions}
    best = max(products, key=lambda taken: products[taken])
    return best, float(products[best])


def scripted(game: DealOrNoDeal, state: TalkState, seat: int) -> int:
    """Accept what is worth the present demand, else take that much and leave many items.

    The demand falls from everything to half of it with the turns; in the last turn anything is
    better than nothing. Against random play it gets 2.9 points as the first and 6.1 as the second,
    random play itself 0.6; of two of them the first gets 7.6 and the second, which has to take what
    is left in the last turn, 5.2.
    """
    made = len(state.turns)
    demand = game.total * (1 - made / (2 * game.turns))
    values = game.vectors[state.deals[seat]]
    offered = game.offer(state)
    acts = game.legal(state)
    if offered and acts[-1] == len(game.divisions):
        value = game.outcome(state, *offered)[seat]
        if value >= demand or (made == game.turns - 1 and value > 0):
            return acts[-1]
    enough = [n for n, taken in enumerate(game.divisions) if worth(values, taken) >= demand]
    return min(enough, key=lambda n: (sum(game.divisions[n]), -worth(values, game.divisions[n])))


class DealOrNoDealEnv(TalkEnv):
    """One seat of deal or no deal, against a given opponent.

    Description:
        Two players divide some books, hats and balls. An item has another value to each, and all
        together the same to both; each knows its own values only. In turn they propose what they
        take of the pool or accept. Without a deal both get nothing. Values are drawn so that each
        kind is worth something to somebody and some kind to both: there is a gain in talking.

    Reward:
        0 until the end, then the value of what the seat gets, or with fair `payoffs` the same for
        both; `info["welfare"]` is the sum.

    Arguments:
        counts: Items of each kind, 1 to 4 each, of 2 to 4 kinds; default (1, 2, 3).
        total: Value of all items together for each seat, 1 to 20; default 10.
        turns: Messages of both together before there is no deal, 2 to 10; default 4.
        payoffs: `own` (default), the value of what a seat gets; `egalitarian`, the smaller value
            of both; or `nash`, the root of the product of values.
        messages: `templates` (default); `numbers`, the same as a numbered list; or `free`: words of
            the seats' own, in the text view.

    Example:
        >>> env = DealOrNoDealEnv(seat=0, opponent="scripted", messages="free")
        >>> print(env.reset(seed=0)[0])
        Deal or no deal: two players divide 1 books, 2 hats, 3 balls. An item is worth points, to each other ones,
        but 10 all together to either. In turn, propose what you take, or accept what the other proposed.
        After 4 messages without a deal both get 0. You are player 1.
        Your points for one of each: books 4, hats 3, balls 0. Messages left: 4.
        Nothing is said yet.
        Reply <answer>words</answer>, or <answer>take N N N</answer>, the books, hats, balls that you take (at most 1, 2, 3).

    Source:
        Lewis et al., "Deal or No Deal? End-to-End Learning for Negotiation Dialogues" (2017,
        arXiv 1706.05125).
    """  # noqa: E501 (the example shows a text)

    rules_class = DealOrNoDeal
    strongest = "mcts:400"
