"""Goofspiel: both bid a card for each prize at the same time, and every card is spent once.

Actions, prizes and payoffs are those of OpenSpiel's `goofspiel` with `imp_info=False`. Left out:
more than two players, bids that stay hidden (`imp_info`), and payoffs in points.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, equally_likely, result_text
from zerogym.envs.games.core.parameters import check_number
from zerogym.envs.games.views.single_seat import SingleSeatEnv
from zerogym.errors import UnknownName

ORDERS = {"descending": "from N down", "ascending": "from 1 up", "random": "in random order"}


class BidState(NamedTuple):
    """Prizes turned by chance, and bids: seat 0 and seat 1 of round 1, of round 2, ... (0 is 1)."""

    prizes: tuple[int, ...] = ()
    bids: tuple[int, ...] = ()


@dataclass(frozen=True)
class Goofspiel(Game[BidState]):
    """The rules; `GoofspielEnv` has them in words. Actions: card n is n - 1.

    The last cards are played by themselves, so there are N - 1 rounds to decide. `observe` is a
    float32 vector (2 + 3 N (N - 1),): seat one-hot (2), and for each of these rounds the prize, the
    own bid and the opponent's, one-hot each (3 N); zeros where it is not known.

    Args:
        num_cards: N, 2 to 13: cards 1 to N in either hand and as prizes.
        points_order: `descending`, `ascending` or `random`, of the prizes.
    """

    num_cards: int = 4
    points_order: str = "descending"
    name: ClassVar[str] = "goofspiel"
    perfect_information: ClassVar[bool] = False
    simultaneous: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("num_cards", self.num_cards, 2, 13)
        if self.points_order not in list(ORDERS):  # a list, because what is given may have no hash
            raise UnknownName("points_order", self.points_order, list(ORDERS))

    @property
    def num_actions(self) -> int:
        """The cards of a hand."""
        return self.num_cards

    @property
    def observation_size(self) -> int:
        """The seat, and three cards of each round."""
        return 2 + 3 * self.num_cards * (self.num_cards - 1)

    @property
    def enumerable(self) -> bool:
        """Up to four cards, or three in random order."""
        return self.num_cards + (self.points_order == "random") <= 4

    @property
    def searchable(self) -> bool:
        """Five cards in a known order have 26,931 states, which are solved in half a second."""
        return self.num_cards + (self.points_order == "random") <= 5

    def initial(self) -> BidState:
        """Both hands are full."""
        return BidState()

    def to_move(self, state: BidState) -> int:
        """Chance turns a prize if the order is random; seat 0 bids, then seat 1."""
        rounds, place = divmod(len(state.bids), 2)
        if rounds == self.num_cards - 1:
            return TERMINAL
        return CHANCE if self.points_order == "random" and len(state.prizes) == rounds else place

    def legal(self, state: BidState) -> tuple[int, ...]:
        """The cards left in the hand of the seat to move."""
        seat = self.to_move(state)
        return () if seat < 0 else self._hand(state, seat, seat)

    def chance(self, state: BidState) -> tuple[tuple[int, Fraction], ...]:
        """The next prize, uniformly from those left."""
        return equally_likely(tuple(p for p in range(self.num_cards) if p not in state.prizes))

    def apply(self, state: BidState, action: int) -> BidState:
        """Turn a prize, or append a bid."""
        if self.to_move(state) == CHANCE:
            return BidState((*state.prizes, action), state.bids)
        return BidState(state.prizes, (*state.bids, action))

    def resample(self, state: BidState, seat: int, rng: np.random.Generator) -> BidState:
        """If the other has bid in this round, another of its cards."""
        hand = self._hand(state, 0, 1)
        hidden = [hand[int(rng.integers(len(hand)))]] if len(state.bids) % 2 else []
        return BidState(state.prizes, (*self._known_bids(state, 1), *hidden))

    def payoff(self, state: BidState) -> tuple[float, float]:
        """1 for more points, -1 for fewer, 0 for as many."""
        points = self.points(state)
        sign = float(points[0] > points[1]) - float(points[0] < points[1])
        return sign, -sign

    def points(self, state: BidState) -> tuple[int, int]:
        """Points won so far by either seat."""
        totals = [0, 0]
        for prize, (first, second) in self._rounds(state):
            totals[first < second] += (first != second) * (prize + 1)
        return totals[0], totals[1]

    def prize(self, state: BidState, place: int) -> int:
        """The prize of a round (0 is 1 point); the last is what is left."""
        if self.points_order != "random":
            return place if self.points_order == "ascending" else self.num_cards - 1 - place
        left = (prize for prize in range(self.num_cards) if prize not in state.prizes)
        return (*state.prizes, *left)[place]

    def observe(self, state: BidState, seat: int) -> NDArray[np.float32]:
        """The seat, and prize and bids of each round; of an unfinished round only the own bid."""
        vector = np.zeros((self.num_cards - 1, 3, self.num_cards), dtype=np.float32)
        begun = min(len(state.bids) // 2 + 1, self.num_cards - 1)
        for place in range(len(state.prizes) if self.points_order == "random" else begun):
            vector[place, 0, self.prize(state, place)] = 1
        for index, bid in enumerate(self._known_bids(state, seat)):
            vector[index // 2, 1 + (index % 2 != seat), bid] = 1
        return np.concatenate([np.eye(2, dtype=np.float32)[seat], vector.ravel()])

    def info_key(self, state: BidState, seat: int) -> str:
        """Seat, prizes if random, and known bids, for example `1::3,4,2,1`."""
        known = (state.prizes, self._known_bids(state, seat))
        prizes, bids = (",".join(str(card + 1) for card in cards) for cards in known)
        return f"{seat}:{prizes}:{bids}"

    def rules(self, seat: int) -> str:
        """The rules in three lines."""
        order = ORDERS[self.points_order].replace("N", str(self.num_cards))
        return (
            f"Goofspiel: you and your opponent have the cards 1 to {self.num_cards} each, and the "
            f"same prizes come {order}.\n"
            "For each prize both bid one card at the same time; the higher card wins the prize, "
            "equal cards lose it for both. Bid cards are gone.\n"
            "The last cards are played by themselves. More points win."
        )

    def describe(self, state: BidState, seat: int) -> str:
        """Rounds and points so far, and prize and hands, or who has won."""
        lines = [f"You are player {seat + 1}."]
        for prize, pair in self._rounds(state):
            own, other = pair[seat] + 1, pair[1 - seat] + 1
            lines.append(f"Prize {prize + 1}: you bid {own}, opponent {other}.")
        points, mover = self.points(state), self.to_move(state)
        score = f"Points: you {points[seat]}, opponent {points[1 - seat]}."
        if mover == TERMINAL:
            return "\n".join([*lines, f"{score} {result_text(self.payoff(state)[seat])}."])
        hands = (self._hand(state, owner, seat) for owner in (seat, 1 - seat))
        mine, others = (" ".join(str(card + 1) for card in hand) for hand in hands)
        lines.append(f"{score} Your cards: {mine}. Opponent's cards: {others}.")
        if mover >= 0:
            lines.append(f"Prize now: {self.prize(state, len(state.bids) // 2) + 1}.")
        if mover == seat:
            lines[-1] += " Reply <answer>card</answer>, one of your cards."
        return "\n".join(lines)

    def action_name(self, state: BidState, action: int) -> str:
        """The number of the card."""
        return str(action + 1)

    def _known_bids(self, state: BidState, seat: int) -> tuple[int, ...]:
        """Bids that a seat knows: all of complete rounds, else its own."""
        return state.bids[: len(state.bids) - (len(state.bids) % 2 and seat)]

    def _hand(self, state: BidState, owner: int, seat: int) -> tuple[int, ...]:
        """Cards of one seat, as far as another knows."""
        gone = self._known_bids(state, seat)[owner::2]
        return tuple(card for card in range(self.num_cards) if card not in gone)

    def _rounds(self, state: BidState) -> list[tuple[int, tuple[int, int]]]:
        """Prize and bids of each complete round, at the end with that of the last cards."""
        pairs = list(zip(state.bids[::2], state.bids[1::2], strict=False))
        if len(pairs) == self.num_cards - 1:
            pairs.append((self._hand(state, 0, 0)[0], self._hand(state, 1, 1)[0]))
        return [(self.prize(state, place), pair) for place, pair in enumerate(pairs)]


def scripted(game: Goofspiel, state: BidState, seat: int) -> int:
    """The card that is nearest to the prize; the higher of two.

    With four cards it wins 0.71 a game against random play, but a best response always wins.
    """
    prize = game.prize(state, len(state.bids) // 2)
    return min(game.legal(state), key=lambda card: (abs(card - prize), -card))


class GoofspielEnv(SingleSeatEnv):
    """One seat of goofspiel, against a given opponent.

    Description:
        Two players have the cards 1 to N each; prizes of 1 to N points come one by one. Both bid a
        card for each at the same time: the higher wins it, equal cards lose it for both, and bid
        cards are gone. The last cards are played by themselves. More points win.

    Observation:
        `view="text"`: the rules (once), then rounds, points, prize and the cards left.
        `view="numeric"`: float32 vector (2 + 3 N (N - 1),) of seat, prizes and bids, one-hot.

    Action:
        `view="text"`: the whole reply; the card, 1 to N, is read from `<answer>...</answer>`, else
        from the last line. `view="numeric"`: 0 to N - 1.

    Reward:
        0 until the end, then 1 for a win, 0 for a draw, -1 for a loss; `info["score"]` 1, 0.5 or 0.

    Episode end:
        After N - 1 rounds. A reply that names no card of the hand may be repeated up to
        `max_retries` times, then the game is lost, as it is at once by an illegal number.

    Arguments:
        seat: 0, 1 or `random` (default); both bid at the same time.
            `reset(options={"seat": 0})` pins the seat of one episode.
        num_cards: N, 2 to 13; default 4.
        points_order: `descending` (default), `ascending` or `random`, of the prizes.

    Example:
        >>> env = GoofspielEnv(seat=0, opponent="scripted")
        >>> first, info = env.reset(seed=0)
        >>> print(env.step("<answer>1</answer>")[0])
        You are player 1.
        Prize 4: you bid 1, opponent 4.
        Points: you 0, opponent 4. Your cards: 2 3 4. Opponent's cards: 1 2 3.
        Prize now: 3. Reply <answer>card</answer>, one of your cards.

    Source:
        Ross, "Goofspiel: The Game of Pure Strategy" (1971), Journal of Applied Probability.
    """

    rules_class = Goofspiel
