"""A match of several hands of Kuhn poker, won by whoever has more chips at its end.

The game of "SPIRAL: Self-Play on Zero-Sum Games Incentivizes Reasoning" (2025, arXiv 2506.24119) is
five hands, the first move changing hands. A state is the tuple of all hands so far. Left out: ante
and stakes other than 1.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.cards.kuhn_poker import CARDS, KuhnPoker, KuhnState
from zerogym.envs.games.cards.kuhn_poker import scripted as scripted_hand
from zerogym.envs.games.core.game import TERMINAL, Game
from zerogym.envs.games.core.parameters import check_number
from zerogym.envs.games.views.single_seat import SingleSeatEnv

HAND = KuhnPoker()
State = tuple[KuhnState, ...]

_DECK = range(3)
_ROUND = 3 + 3 + 6  # own card, card shown by the opponent, moves
MAX_ROUNDS = 12  # so that texts are not too long


@dataclass(frozen=True)
class KuhnMatch(Game[State]):
    """The rules; `KuhnMatchEnv` has them in words. Actions: 0 check or fold, 1 bet or call.

    `observe` is a float32 vector (2 + 12 * rounds,): seat one-hot (2), then for each round the own
    card (3), the opponent's card if it was shown (3) and the three moves (6), as in `KuhnPoker`.

    Attributes:
        rounds: Hands of a match. Seat 0 moves first in the first, seat 1 in the second, and so on.
    """

    rounds: int = 5
    name: ClassVar[str] = "kuhn_match"
    num_actions: ClassVar[int] = 2
    perfect_information: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse other numbers of rounds."""
        check_number("rounds", self.rounds, 1, MAX_ROUNDS)

    @property
    def observation_size(self) -> int:
        """The seat, and all rounds."""
        return 2 + _ROUND * self.rounds

    @property
    def enumerable(self) -> bool:
        """One hand has 58 states and 30 ends, two have 1,768 states, three too many."""
        return self.rounds <= 2

    @property
    def searchable(self) -> bool:
        """Three hands have 53,068 states, which are solved in a second."""
        return self.rounds <= 3

    def initial(self) -> State:
        """No card is dealt."""
        return (KuhnState(),)

    def to_move(self, state: State) -> int:
        """Chance deals each hand; the first move alternates."""
        mover = HAND.to_move(state[-1])
        return mover if mover < 0 else self._place(mover, len(state) - 1)

    def legal(self, state: State) -> tuple[int, ...]:
        """Both actions, while the match lasts."""
        return HAND.legal(state[-1])

    def chance(self, state: State) -> tuple[tuple[int, Fraction], ...]:
        """The next card of the hand."""
        return HAND.chance(state[-1])

    def apply(self, state: State, action: int) -> State:
        """In the present hand; when it is over, the next one begins."""
        hand = HAND.apply(state[-1], action)
        over = HAND.to_move(hand) == TERMINAL and len(state) < self.rounds
        return (*state[:-1], hand, KuhnState()) if over else (*state[:-1], hand)

    def payoff(self, state: State) -> tuple[float, float]:
        """1 for the match, -1 for its loss, 0 for equal chips."""
        lead = self._lead(state, 0)
        won = float((lead > 0) - (lead < 0))
        return (won, -won)

    def observe(self, state: State, seat: int) -> NDArray[np.float32]:
        """Seat, and cards and moves of all rounds."""
        vector = np.zeros(self.observation_size, dtype=np.float32)
        vector[seat] = 1
        for index, hand in enumerate(state):
            place, start = self._place(seat, index), 2 + _ROUND * index
            known = HAND.observe(hand, place)[2:]  # own card and moves
            vector[start : start + 3] = known[:3]
            vector[start + 6 : start + _ROUND] = known[3:]
            if self._is_shown(hand):
                vector[start + 3 + hand.cards[1 - place]] = 1
        return vector

    def info_key(self, state: State, seat: int) -> str:
        """The seat, and each round as it knows it: `0|J:bbK|Q:`."""
        known = [str(seat)]
        for index, hand in enumerate(state):
            place = self._place(seat, index)
            shown = CARDS[hand.cards[1 - place]] if self._is_shown(hand) else ""
            known.append(HAND.info_key(hand, place) + shown)
        return "|".join(known)

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        hand, _, _ = HAND.rules(seat).rpartition(" You move")
        order = "first" if seat == 0 else "second"
        rounds = "1 round" if self.rounds == 1 else f"{self.rounds} rounds"
        return (
            f"{hand}\nA match has {rounds} with new cards, the first move alternates; "
            f"more chips in the end win it. You move {order} in round 1."
        )

    def describe(self, state: State, seat: int) -> str:
        """All rounds so far, the chips, and what may be answered or how the match ended."""
        lines = []
        for number, hand in enumerate(state, start=1):
            text = HAND.describe(hand, self._place(seat, number - 1))
            if HAND.to_move(hand) == TERMINAL:
                lines.append(f"Round {number}: {text}".replace("\n", " "))
            else:
                chips = self._lead(state, seat)
                lines.append(f"Round {number} of {self.rounds}. Your chips: {chips:+d}.\n{text}")
        if self.to_move(state) == TERMINAL:
            result = {1.0: "You win", 0.0: "Nobody wins", -1.0: "You lose"}
            chips = self._lead(state, seat)
            lines.append(f"{result[self.payoff(state)[seat]]} the match. Your chips: {chips:+d}.")
        return "\n".join(lines)

    def action_name(self, state: State, action: int) -> str:
        """`check` or `bet`; after a bet `fold` or `call`."""
        return HAND.action_name(state[-1], action)

    def resample(self, state: State, seat: int, rng: np.random.Generator) -> State:
        """A state that the seat cannot tell from this one: unseen cards are drawn anew."""
        hands = []
        for index, hand in enumerate(state):
            place = self._place(seat, index)
            others = [card for card in _DECK if card != hand.cards[place]]
            drawn = others[int(rng.integers(2))]
            other = hand.cards[1 - place] if self._is_shown(hand) else drawn
            own = hand.cards[place]
            hands.append(KuhnState((own, other) if place == 0 else (other, own), hand.moves))
        return tuple(hands)

    def _place(self, seat: int, index: int) -> int:
        """0 for the seat that moves first in a round, and the seat of such a place."""
        return (seat + index) % 2

    def _is_shown(self, hand: KuhnState) -> bool:
        """True if the cards were shown: the hand ended without a fold."""
        return HAND.to_move(hand) == TERMINAL and hand.moves[-2:] in ("pp", "bb")

    def _lead(self, state: State, seat: int) -> int:
        """Chips won in finished rounds."""
        return sum(
            int(HAND.payoff(hand)[self._place(seat, index)])
            for index, hand in enumerate(state)
            if HAND.to_move(hand) == TERMINAL
        )


def scripted(game: KuhnMatch, state: State, seat: int) -> int:
    """In each hand the worth of the card: K bets and calls, Q checks and calls, J neither.

    Of five hands against random play it wins 55% of the matches, and loses 31%.
    """
    return scripted_hand(HAND, state[-1], game._place(seat, len(state) - 1))


class KuhnMatchEnv(SingleSeatEnv):
    """One seat of a match of Kuhn poker, against a given opponent.

    Description:
        Several hands of Kuhn poker (see `KuhnPoker`), each with new cards; the seats take turns in
        moving first. Chips are counted over all hands, and whoever has more in the end wins the
        match: careful play is best in the lead, and risks behind.

    Observation:
        `view="text"`: the rules (once), then all rounds so far, the chips, the own card, the moves
        and the legal replies. `view="numeric"`: float32 vector (62,) of seat and rounds, one-hot.

    Action:
        `view="text"`: the whole reply; the move, `check`, `bet`, `fold` or `call`, is read from
        `<answer>...</answer>`, else from the last line.
        `view="numeric"`: 0 check or fold, 1 bet or call.

    Reward:
        0 until the end, then 1 for the match, 0 for equal chips, -1 for its loss. `info["score"]`
        is the same as a number in [0, 1]: 1, 0.5 or 0.

    Episode end:
        After the last hand. A reply that names no legal move may be repeated up to `max_retries`
        times, then the match is lost, as it is at once by an illegal number.

    Arguments:
        rounds: Hands of a match, 1 to 12; default 5.
        opponent: `random` (default), `scripted` (never bluffs), `mcts` or `mcts:200` (tree search
            with so many simulations), a policy, or a mixture such as `random+scripted`.
        seat: 0 (first in the first hand), 1 or `random` (default).
            `reset(options={"seat": 0})` pins the seat of one episode.

    Example:
        >>> env = KuhnMatchEnv(seat=0, opponent="scripted")
        >>> print(env.reset(seed=5)[0].partition("win it. ")[2])
        You move first in round 1.
        Round 1 of 5. Your chips: +0.
        Your card: K. Moves: none.
        Reply <answer>check</answer> or <answer>bet</answer>.
        >>> print(env.step("<answer>bet</answer>")[0])
        Round 1: Your card: K. Moves: you bet, opponent calls. Opponent's card: Q. You win 2 chips.
        Round 2 of 5. Your chips: +2.
        Your card: Q. Moves: opponent checks.
        Reply <answer>check</answer> or <answer>bet</answer>.

    Source:
        Liu et al., "SPIRAL: Self-Play on Zero-Sum Games Incentivizes Reasoning via Multi-Agent
        Multi-Turn Reinforcement Learning" (2025, arXiv 2506.24119), where it is one of three games.
    """

    rules_class = KuhnMatch
