"""Kuhn poker: the smallest poker with bluffing, and its exact equilibria are known.

With a fourth card, three can play (Szafron, Gibson and Sturtevant 2013), after rules of OpenSpiel.
Left out: more than three players.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, equally_likely
from zerogym.envs.games.core.parameters import check_number
from zerogym.envs.games.views.single_seat import SingleSeatEnv

CARDS = "JQKA"  # two players have the first three
PASS, BET = 0, 1  # check or fold; bet or call
_LETTERS = "pb"


@dataclass(frozen=True)
class KuhnState:
    """Cards dealt so far (indices into `CARDS`, seat 0 first) and moves so far, `p` or `b` each."""

    cards: tuple[int, ...] = ()
    moves: str = ""


@dataclass(frozen=True)
class KuhnPoker(Game[KuhnState]):
    """The rules; `KuhnPokerEnv` has them in words. Actions: 0 check or fold, 1 bet or call.

    With two players, `observe` is a float32 vector (11,): seat one-hot (2), own card one-hot (3),
    and for each of three moves one-hot check/fold or bet/call (6), zeros where it is not known or
    not made. With three there are 3 + 4 + 10 numbers.

    Attributes:
        players: 2 or 3.
    """

    players: int = 2
    name: ClassVar[str] = "kuhn_poker"
    num_actions: ClassVar[int] = 2
    perfect_information: ClassVar[bool] = False
    enumerable: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse other numbers of players."""
        check_number("players", self.players, 2, 3)

    @property
    def num_seats(self) -> int:
        """All players."""
        return self.players

    @property
    def observation_size(self) -> int:
        """Seat, card, and the longest hand: all but one check, and then all answer a bet."""
        return self.players + (self.players + 1) + 2 * (2 * self.players - 1)

    @property
    def payoff_range(self) -> tuple[float, float]:
        """From a bet that is lost to one that all have called."""
        return (-2.0, 2.0 * (self.players - 1))

    def initial(self) -> KuhnState:
        """No card is dealt."""
        return KuhnState()

    def to_move(self, state: KuhnState) -> int:
        """Chance until all have a card, then the seats in turn until all have answered a bet."""
        if len(state.cards) < self.players:
            return CHANCE
        bet = state.moves.find(_LETTERS[BET])
        over = len(state.moves) == self.players + max(bet, 0)
        return TERMINAL if over else len(state.moves) % self.players

    def legal(self, state: KuhnState) -> tuple[int, ...]:
        """Both actions, while the hand lasts."""
        return (PASS, BET) if self.to_move(state) >= 0 else ()

    def chance(self, state: KuhnState) -> tuple[tuple[int, Fraction], ...]:
        """The next card, uniformly from those left."""
        left = (card for card in range(self.players + 1) if card not in state.cards)
        return equally_likely(tuple(left))

    def apply(self, state: KuhnState, action: int) -> KuhnState:
        """Deal a card, or append a move."""
        if self.to_move(state) == CHANCE:
            return KuhnState((*state.cards, action), state.moves)
        return KuhnState(state.cards, state.moves + _LETTERS[action])

    def payoff(self, state: KuhnState) -> tuple[float, ...]:
        """Chips won: 1 to the pot of each, and another of those who bet or call."""
        shown = self._in_showdown(state)
        winner = max(shown, key=lambda seat: state.cards[seat])
        called = _LETTERS[BET] in state.moves
        stakes = [2.0 if called and seat in shown else 1.0 for seat in range(self.players)]
        won = [-chips for chips in stakes]
        won[winner] += sum(stakes)
        return tuple(won)

    def observe(self, state: KuhnState, seat: int) -> NDArray[np.float32]:
        """Seat, own card and moves, one-hot."""
        vector = np.zeros(self.observation_size, dtype=np.float32)
        vector[seat] = 1
        if seat < len(state.cards):
            vector[self.players + state.cards[seat]] = 1
        for place, letter in enumerate(state.moves):
            vector[2 * self.players + 1 + 2 * place + _LETTERS.index(letter)] = 1
        return vector

    def info_key(self, state: KuhnState, seat: int) -> str:
        """Own card and moves, for example `Q:pb`."""
        card = CARDS[state.cards[seat]] if seat < len(state.cards) else "?"
        return f"{card}:{state.moves}"

    def rules(self, seat: int) -> str:
        """The rules in three lines."""
        cards = " < ".join(CARDS[: self.players + 1])
        end = "Two checks or a call: the" if self.players == 2 else "Checks only or calls: the"
        highest, others = ("higher", "") if self.players == 2 else ("highest", "3 players, ")
        order = ("first", "second", "third")[seat]
        return (
            f"Kuhn poker: {others}cards {cards}, one each, ante 1. Check or bet 1; "
            "after a bet, fold or call.\n"
            f"{end} {highest} card wins. You move {order}."
        )

    def situation(self, state: KuhnState, seat: int) -> str:
        """Own card and moves so far."""
        return f"Your card: {CARDS[state.cards[seat]]}. Moves: {self._moves_text(state, seat)}."

    def request(self, state: KuhnState) -> str:
        """For one of both moves."""
        check, bet = (self.action_name(state, action) for action in (PASS, BET))
        return f"Reply <answer>{check}</answer> or <answer>{bet}</answer>."

    def action_name(self, state: KuhnState, action: int) -> str:
        """`check` or `bet`; after a bet `fold` or `call`."""
        if _LETTERS[BET] in state.moves:
            return "call" if action == BET else "fold"
        return "bet" if action == BET else "check"

    def _in_showdown(self, state: KuhnState) -> list[int]:
        """The seats that compete for the pot at the end: all, or after a bet who matched it."""
        bet = state.moves.find(_LETTERS[BET])
        if bet < 0:
            return list(range(self.players))
        answers = enumerate(state.moves[bet:], start=bet)
        return sorted(place % self.players for place, move in answers if move == _LETTERS[BET])

    def _player(self, seat: int) -> str:
        return "opponent" if self.players == 2 else f"player {seat + 1}"

    def _moves_text(self, state: KuhnState, seat: int) -> str:
        moves = []
        for place, letter in enumerate(state.moves):
            before, mover = KuhnState(state.cards, state.moves[:place]), place % self.players
            name = self.action_name(before, _LETTERS.index(letter))
            moves.append(f"you {name}" if mover == seat else f"{self._player(mover)} {name}s")
        return ", ".join(moves) or "none"

    def result(self, state: KuhnState, seat: int) -> str:
        won = int(self.payoff(state)[seat])
        chips = f"{abs(won)} chip{'s' if abs(won) > 1 else ''}"
        result = f"You {'win' if won > 0 else 'lose'} {chips}."
        shown = self._in_showdown(state)
        if len(shown) == 1:  # nobody shows a card after folds
            return result
        for other in reversed([each for each in shown if each != seat]):
            name = self._player(other).capitalize()
            result = f"{name}'s card: {CARDS[state.cards[other]]}. {result}"
        return result


def scripted(game: KuhnPoker, state: KuhnState, seat: int) -> int:
    """Play the worth of the card, without a bluff: K bets and calls, Q checks and calls, J neither.

    With three players it is the highest card and the one below it. Against random play it wins 1/6
    chip a hand as the first and 1/4 as the second of two; a best response wins 1/6 from it in
    either seat.
    """
    above = game.players - state.cards[seat]
    return BET if above == 0 or (above == 1 and _LETTERS[BET] in state.moves) else PASS


class KuhnPokerEnv(SingleSeatEnv):
    """One seat of Kuhn poker, against a given opponent.

    Description:
        Three cards J < Q < K; each of two players antes 1 chip and gets one card. The first may
        check or bet 1 chip. After a bet the other folds or calls; after a check the second may
        check or bet, and that bet too is folded or called. At two checks or a call the higher card
        wins the pot. An episode is one hand. Played perfectly, a hand gains the second player 1/18
        chip. With three players there is a fourth card, and a bet is answered by both others.

    Observation:
        `view="text"`: the rules (once), then the own card, the moves and the legal replies.
        `view="numeric"`: float32 vector (11,) of seat, own card and moves, one-hot; (17,) with
        three players.

    Action:
        `view="text"`: the whole reply; the move, `check`, `bet`, `fold` or `call`, is read from
        `<answer>...</answer>`, else from the last line.
        `view="numeric"`: 0 check or fold, 1 bet or call.

    Reward:
        0 until the end, then the chips won: -2, -1, 1 or 2, with three players up to 4.
        `info["score"]` is the same as a number in [0, 1]: `(chips + 2) / 4`, or `/ 6`.

    Episode end:
        At the end of the hand. A reply that names no legal move may be repeated up to `max_retries`
        times, then the hand is forfeited at -2 chips, as it is at once by an illegal number.

    Arguments:
        opponent: `random` (default), `scripted` (never bluffs), `cfr` (an equilibrium), `mcts` or
            `mcts:200` (tree search with so many simulations), a `TabularPolicy`, any policy, or a
            mixture, of which one is drawn for each episode: `random+cfr`.
        players: 2 (default) or 3; three have a fourth card, A, above K.

    Example:
        >>> env = KuhnPokerEnv(seat=0, opponent="cfr")
        >>> print(env.reset(seed=5)[0])
        Kuhn poker: cards J < Q < K, one each, ante 1. Check or bet 1; after a bet, fold or call.
        Two checks or a call: the higher card wins. You move first.
        Your card: K. Moves: none.
        Reply <answer>check</answer> or <answer>bet</answer>.
        >>> print(env.step("Let us set a trap: <answer>check</answer>")[0])
        Your card: K. Moves: you check, opponent checks.
        Opponent's card: Q. You win 1 chip.

    Source:
        Kuhn, "A Simplified Two-Person Poker" (1950), in Contributions to the Theory of Games I.
    """

    rules_class = KuhnPoker
