"""First-price sealed-bid auction: the highest bid wins at its price, and bids are hidden.

Moves, chance and payoffs are those of OpenSpiel's `first_sealed_auction`. Left out: values that are
not uniform or not independent, reserve prices, and bids that gain nothing when they win.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, equally_likely
from zerogym.envs.games.core.parameters import check_number
from zerogym.envs.games.views.single_seat import SingleSeatEnv

NOBODY = -1


class AuctionState(NamedTuple):
    """The values dealt and the bids made so far, in the order of the seats, and who has won."""

    values: tuple[int, ...] = ()
    bids: tuple[int, ...] = ()
    winner: int = NOBODY


@dataclass(frozen=True)
class FirstSealedAuction(Game[AuctionState]):
    """The rules; `FirstSealedAuctionEnv` has them in words. Actions are bids, 0 to value - 1.

    `observe` is a float32 vector (players + 2 * max_value,): the seat, the own value from 1 and the
    own bid from 0, one-hot, zeros where there is none yet.
    """

    players: int = 2
    max_value: int = 10

    name: ClassVar[str] = "first_sealed_auction"
    perfect_information: ClassVar[bool] = False
    zero_sum: ClassVar[bool] = False
    simultaneous: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("players", self.players, 2, 10)
        check_number("max_value", self.max_value, 1, 1000)

    @property
    def num_seats(self) -> int:
        """Each is a bidder."""
        return self.players

    @property
    def num_actions(self) -> int:
        """The highest bid is one less than the highest value."""
        return self.max_value

    @property
    def observation_size(self) -> int:
        """The seat, its value and its bid."""
        return self.players + 2 * self.max_value

    @property
    def payoff_range(self) -> tuple[float, float]:
        """Nobody can lose; a bid of 0 can win all."""
        return (0.0, float(self.max_value))

    @property
    def enumerable(self) -> bool:
        """Two bidders with values up to 10 have 7,096 states."""
        return self.players == 2 and self.max_value <= 10

    def initial(self) -> AuctionState:
        """No value is dealt."""
        return AuctionState()

    def to_move(self, state: AuctionState) -> int:
        """Chance deals values, then each seat bids, then chance names the winner."""
        values, bids, winner = state
        if winner != NOBODY:
            return TERMINAL
        if len(values) < self.players or len(bids) == self.players:
            return CHANCE
        return len(bids)

    def legal(self, state: AuctionState) -> tuple[int, ...]:
        """All bids below the own value."""
        values, bids, _ = state
        if len(values) < self.players or len(bids) == self.players:
            return ()
        return tuple(range(values[len(bids)]))

    def chance(self, state: AuctionState) -> tuple[tuple[int, Fraction], ...]:
        """Values from 1, all equally likely; then one of the seats with the highest bid."""
        if len(state.values) < self.players:
            return equally_likely(tuple(range(1, self.max_value + 1)))
        best = (seat for seat, bid in enumerate(state.bids) if bid == max(state.bids))
        return equally_likely(tuple(best))

    def apply(self, state: AuctionState, action: int) -> AuctionState:
        """Deal a value, note a bid, or name the winner."""
        values, bids, _ = state
        if len(values) < self.players:
            return AuctionState((*values, action), bids)
        if len(bids) < self.players:
            return AuctionState(values, (*bids, action))
        return AuctionState(values, bids, action)

    def payoff(self, state: AuctionState) -> tuple[float, ...]:
        """The winner's value less its bid; 0 for the others."""
        gains = zip(state.values, state.bids, strict=True)
        return tuple(
            float(value - bid) if seat == state.winner else 0.0
            for seat, (value, bid) in enumerate(gains)
        )

    def observe(self, state: AuctionState, seat: int) -> NDArray[np.float32]:
        """The seat, its value and its bid, one-hot."""
        vector = np.zeros(self.observation_size, dtype=np.float32)
        vector[seat] = 1
        if seat < len(state.values):
            vector[self.players + state.values[seat] - 1] = 1
        if seat < len(state.bids):
            vector[self.players + self.max_value + state.bids[seat]] = 1
        return vector

    def info_key(self, state: AuctionState, seat: int) -> str:
        """The seat, its value and its bid, for example `0:7:3`."""
        own = [str(dealt[seat]) if seat < len(dealt) else "?" for dealt in state[:2]]
        return f"{seat}:{own[0]}:{own[1]}"

    def rules(self, seat: int) -> str:
        """The rules in three lines."""
        return (
            f"Auction with {self.players} bidders. The item is worth 1 to {self.max_value} to each "
            "bidder, all equally likely;\nyou know only your value. Each names one bid below its "
            "value, which no other sees.\nThe highest bid wins, by lot among equals. Who wins gets "
            "value minus bid, the others 0."
        )

    def situation(self, state: AuctionState, seat: int) -> str:
        """The own value and bid."""
        text = f"You are bidder {seat + 1}. Your value: {state.values[seat]}."
        if seat < len(state.bids):
            text += f" Your bid: {state.bids[seat]}."
        return text

    def request(self, state: AuctionState) -> str:
        """For a bid below the own value."""
        highest = state.values[self.to_move(state)] - 1
        if highest == 0:
            return "Reply <answer>0</answer>, the only bid below your value."
        return f"Reply <answer>bid</answer>, a whole number from 0 to {highest}."

    def action_name(self, state: AuctionState, action: int) -> str:
        """The bid."""
        return str(action)

    def result(self, state: AuctionState, seat: int) -> str:
        if seat == state.winner:
            return f"You win the item: {self.payoff(state)[seat]:g}."
        return f"Bidder {state.winner + 1} wins the item for {state.bids[state.winner]}. You get 0."


def scripted(game: FirstSealedAuction, state: AuctionState, seat: int) -> Sequence[float]:
    """Bid half of the value with two bidders, two thirds with three, and so on, rounded down.

    Probabilities of the legal bids. It is the equilibrium where values are not whole numbers; here,
    with two bidders and values to 10, no other answer to it gets more than 0.005 above its 1.88.
    Against random play it gets 2.02 and random play 1.22, exactly; the most possible is 2.15.
    """
    bid = state.values[seat] * (game.players - 1) // game.players
    return [float(action == bid) for action in game.legal(state)]


class FirstSealedAuctionEnv(SingleSeatEnv):
    """One seat of a first-price sealed-bid auction, against given opponents.

    Description:
        An item is worth 1 to 10 to each of two bidders, all values equally likely and independent.
        Each knows its own value and names one bid below it, unseen by the other. The highest bid
        wins, by lot among equals; its bidder gets its value less the bid, the other 0.
        It is not zero-sum: who bids much hurts both. An episode is one auction.

    Observation:
        `view="text"`: the rules, the own value and the legal bids. `view="numeric"`: float32 vector
        (22,): the seat (2), the own value (10) and the own bid (10), one-hot.

    Action:
        `view="text"`: the whole reply; the bid is read from `<answer>...</answer>`, else from the
        last line. `view="numeric"`: the bid, 0 to value - 1.

    Reward:
        0 until the end, then the value less the bid for the winner, 0 for the others.
        `info["score"]` is the same divided by 10, the highest value.

    Episode end:
        When all have bid. A reply that names no legal bid may be repeated `max_retries`
        times, then it gets 0, as it does at once for an illegal number.

    Arguments:
        seat: A number from 0, or `random` (default).
            `reset(options={"seat": 0})` pins the seat of one episode.
        players: Bidders, 2 to 10; default 2.
        max_value: The highest value, to 1000; default 10.

    Example:
        >>> env = FirstSealedAuctionEnv(seat=0)
        >>> print(env.reset(seed=0)[0])
        Auction with 2 bidders. The item is worth 1 to 10 to each bidder, all equally likely;
        you know only your value. Each names one bid below its value, which no other sees.
        The highest bid wins, by lot among equals. Who wins gets value minus bid, the others 0.
        You are bidder 1. Your value: 7.
        Reply <answer>bid</answer>, a whole number from 0 to 6.
        >>> print(env.step("<answer>3</answer>")[0])
        You are bidder 1. Your value: 7. Your bid: 3.
        You win the item: 4.

    Source:
        Vickrey, "Counterspeculation, Auctions, and Competitive Sealed Tenders" (1961).
    """

    rules_class = FirstSealedAuction
