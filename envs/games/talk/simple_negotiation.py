"""Negotiation over resources: whoever gains more by trades wins.

After the game of this name in TextArena. Left out: holdings that are hidden or drawn, trades of
several kinds at once, and offers that stay open for more than one turn.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import permutations, product
from typing import ClassVar

import numpy as np

from zerogym.envs.games.core.game import equally_likely, win_or_loss
from zerogym.envs.games.core.parameters import check_choice, check_number
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.games.talk.core.folding import folded
from zerogym.envs.games.talk.core.rules import (
    DEALING,
    OVER,
    Phase,
    TalkGame,
    TalkState,
)
from zerogym.envs.games.talk.simple_negotiation_goods import (
    BASE,
    KINDS,
    Account,
    Holdings,
    Offer,
    gain,
    traded,
    values_of,
    worth,
)

SCORING = ("win", "gain")
EXAMPLE = "<answer>offer 1 wood for 2 wheat</answer> (what you give for what you get)"
ANSWERED = f"{EXAMPLE}, <answer>accept</answer> or <answer>pass</answer>"
UNANSWERED = f"{EXAMPLE} or <answer>pass</answer>"


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

    @cached_property
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
        if len(state.deals) < 2:
            return DEALING
        if len(state.turns) == self.turns:
            return OVER
        key = len(state.turns) % 2, self.pending(state) is not None
        account = self.account(state)
        phase = account.phases.get(key)
        if phase is None:
            mover, answers = key[0], (0, 1) if key[1] else (1,)
            acts = answers + self.possible(account.held[mover], account.held[1 - mover])
            phase = account.phases[key] = Phase(mover, acts, words="alone")
        return phase

    def possible(self, own: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
        """Return the acts that offer what one seat has for what the other has."""
        return tuple(
            number
            for number, (a, n, b, m) in enumerate(self.offers, start=2)
            if own[a] >= n and other[b] >= m
        )

    def pending(self, state: TalkState) -> Offer | None:
        """Return the offer of the last turn; None if it was none."""
        act = state.turns[-1].act if state.turns else None
        return self.offers[act - 2] if act is not None and act >= 2 else None

    @folded
    def account(self, before: Account | None, state: TalkState, made: int) -> Account:
        """Return what both seats have, as the accepted offers change it."""
        if before is None:
            held = (self.stock,) * self.kinds
            return Account((held, held), self._phases)
        if state.turns[made - 1].act != 0:
            return before
        seat, act = state.turns[made - 2].seat, state.turns[made - 2].act or 0
        return Account(traded(before.held, seat, self.offers[act - 2]), {})

    @cached_property
    def _phases(self) -> dict[tuple[int, bool], Phase]:
        """Phases before the first trade, which all games share."""
        return {}

    def holdings(self, state: TalkState) -> Holdings:
        """Return the units of each kind that each seat has."""
        return self.account(state).held

    @cached_property
    def values(self) -> tuple[tuple[int, ...], ...]:
        """The value of one unit of each kind, for each outcome of chance."""
        return tuple(values_of(deal, self.kinds) for deal in range(3**self.kinds))

    def chance(self, state: TalkState) -> tuple[tuple[int, Fraction], ...]:
        """The values of a seat, all equally likely."""
        return self._values_dealt

    @cached_property
    def _values_dealt(self) -> tuple[tuple[int, Fraction], ...]:
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
        if len(state.deals) < 2:
            return 0.0, 0.0
        one, two = map(self.gain, self.holdings(state), state.deals)
        return one, two

    def gain(self, units: tuple[int, ...], deal: int) -> float:
        """Return how much more these units are worth than those at first, by a seat's values."""
        values = self.values[deal]
        return float(sum([(n - self.stock) * one for n, one in zip(units, values, strict=True)]))

    def returns(self, state: TalkState) -> tuple[float, ...]:
        """The gains so far; or at the end, who has gained more."""
        if not self.zero_sum:
            return self.gains(state)
        if len(state.turns) < self.turns:
            return 0.0, 0.0
        first, second = self.gains(state)
        return win_or_loss(None if first == second else int(second > first))

    def rules(self, seat: int) -> str:
        """The rules in five lines."""
        return f"{self._rules} You are player {seat + 1}."

    @cached_property
    def _rules(self) -> str:
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
            f"There are {self.turns} turns together."
        )

    def holding(self, state: TalkState, seat: int) -> str:
        """Return holdings, own values and the turns that are left."""
        account = self.account(state)
        text = account.texts.get(seat)
        if text is None:
            text = account.texts[seat] = self.goods(account.held, state.deals[seat], seat)
        return f"{text} Turns left: {self.turns - len(state.turns)}."

    def goods(self, held: Holdings, deal: int, seat: int) -> str:
        """Return what both seats hold in words, with the values of one seat and its gain."""
        own = ", ".join(
            [f"{n} {kind}" for n, kind in zip(held[seat], self.worth[deal], strict=True)]
        )
        other = ", ".join([f"{n} {kind}" for n, kind in zip(held[1 - seat], KINDS, strict=False)])
        gained = f"{self.gain(held[seat], deal):+g}"
        return f"You have {own}; gain {gained}.\nThe other has {other}."

    @cached_property
    def worth(self) -> tuple[list[str], ...]:
        """The kinds with the value of one unit in words, for each outcome of chance."""
        return tuple(map(worth, self.values))

    def choices(self, state: TalkState) -> str:
        """The acts of the phase, of the offers an example."""
        return ANSWERED if self.pending(state) else UNANSWERED

    def result(self, state: TalkState, seat: int) -> str:
        """Return the own gain, and the winner where one is sought."""
        own, won = self.gains(state)[seat], self.returns(state)[seat]
        end = " You win." if won > 0 else " You lose." if won < 0 else " A draw."
        return f"You have gained {own:g}.{end if self.zero_sum else ''}"

    def action_name(self, state: TalkState, action: int) -> str:
        """`offer 2 wheat for 1 wood`, `accept` or `pass`."""
        return self.names[action]


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
        messages: `templates` (default); `numbers`, the same as a numbered list; or `free`: words of
            the seats' own, in the text view.

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
