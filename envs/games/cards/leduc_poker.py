"""Leduc poker: two betting rounds, one public card, and information to win and to give away.

Actions, deals and information sets are those of OpenSpiel's `leduc_poker` with its default
arguments. Left out: more than two players, and suits merged by isomorphism.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, equally_likely
from zerogym.envs.games.views.single_seat import SingleSeatEnv

CARDS = ("Js", "Jh", "Qs", "Qh", "Ks", "Kh")
FOLD, CALL, RAISE = 0, 1, 2  # to call nothing is to check
RAISES = (2, 4)  # chips, by round
MAX_RAISES = 2  # a round
_LETTERS = "fcr"
_LONGEST = 4  # moves of a round: check, raise, raise, call
_NAMES = ("fold", "call", "raise")


class LeducState(NamedTuple):
    """Cards of seat 0, of seat 1 and public (indices into `CARDS`), and each round's moves."""

    cards: tuple[int, ...] = ()
    first: str = ""
    second: str = ""


@dataclass(frozen=True)
class LeducPoker(Game[LeducState]):
    """The rules; `LeducPokerEnv` has them in words. Actions: 0 fold, 1 check or call, 2 raise.

    `observe` is a float32 vector (38,): seat one-hot (2), own card one-hot (6), public card
    one-hot (6), and for each of two rounds and four moves one-hot fold, call or raise (24); zeros
    where it is not known or not made.
    """

    name: ClassVar[str] = "leduc_poker"
    num_actions: ClassVar[int] = 3
    observation_size: ClassVar[int] = 38
    payoff_range: ClassVar[tuple[float, float]] = (-13.0, 13.0)
    perfect_information: ClassVar[bool] = False
    enumerable: ClassVar[bool] = True

    def initial(self) -> LeducState:
        """No card is dealt."""
        return LeducState()

    def to_move(self, state: LeducState) -> int:
        """Chance deals before each round; seat 0 opens both rounds."""
        cards, first, second = state
        if len(cards) < 2:
            return CHANCE
        moves = first if len(cards) == 2 else second
        if not moves:
            return 0
        last = moves[-1]
        if last == "f":
            return TERMINAL
        if last == "c" and len(moves) > 1:
            return CHANCE if len(cards) == 2 else TERMINAL
        return len(moves) % 2

    def legal(self, state: LeducState) -> tuple[int, ...]:
        """Fold only after a raise; raise unless two were made in this round."""
        if self.to_move(state) < 0:
            return ()
        moves = _betting(state)
        if moves[-1:] != "r":
            return (CALL, RAISE)
        return (FOLD, CALL, RAISE) if moves.count("r") < MAX_RAISES else (FOLD, CALL)

    def chance(self, state: LeducState) -> tuple[tuple[int, Fraction], ...]:
        """The next card, uniformly from those left."""
        return equally_likely(tuple(c for c in range(len(CARDS)) if c not in state.cards))

    def apply(self, state: LeducState, action: int) -> LeducState:
        """Deal a card, or append a move."""
        cards, first, second = state
        if len(cards) == 3:
            return LeducState(cards, first, second + _LETTERS[action])
        if len(cards) < 2 or (len(first) > 1 and first[-1] == "c"):
            return LeducState((*cards, action), first, second)
        return LeducState(cards, first + _LETTERS[action], second)

    def payoff(self, state: LeducState) -> tuple[float, float]:
        """The loser's stake goes to the winner: by a fold, a pair, or the higher card."""
        winner = _winner(state)
        if winner is None:
            return (0.0, 0.0)
        chips = float(_stakes(state)[1 - winner])
        return (chips, -chips) if winner == 0 else (-chips, chips)

    def observe(self, state: LeducState, seat: int) -> NDArray[np.float32]:
        """Seat, own card, public card and moves, one-hot."""
        vector = np.zeros(self.observation_size, dtype=np.float32)
        vector[seat] = 1
        if seat < len(state.cards):
            vector[2 + state.cards[seat]] = 1
        if len(state.cards) == 3:
            vector[8 + state.cards[2]] = 1
        for start, moves in ((14, state.first), (14 + 3 * _LONGEST, state.second)):
            for place, letter in enumerate(moves):
                vector[start + 3 * place + _LETTERS.index(letter)] = 1
        return vector

    def info_key(self, state: LeducState, seat: int) -> str:
        """Own card and moves, then public card and moves, for example `Qs:cc:Kh:r`."""
        card = CARDS[state.cards[seat]] if seat < len(state.cards) else "?"
        if len(state.cards) < 3:
            return f"{card}:{state.first}"
        return f"{card}:{state.first}:{CARDS[state.cards[2]]}:{state.second}"

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        return (
            "Leduc poker: six cards, J < Q < K in suits s and h (suits do not matter), ante 1.\n"
            "One card each and a betting round, then one public card and a second round. A raise "
            "adds 2 in round 1, 4 in round 2; at most two raises a round.\n"
            "After the second round a pair with the public card wins, else the higher card; equal "
            f"cards share.\nYou move {'first' if seat == 0 else 'second'} in each round."
        )

    def situation(self, state: LeducState, seat: int) -> str:
        """Own and public card, moves so far and stakes."""
        text = f"Your card: {CARDS[state.cards[seat]]}. Round 1: {_round_text(state.first, seat)}."
        if len(state.cards) == 3:
            public = CARDS[state.cards[2]]
            text += f"\nPublic card: {public}. Round 2: {_round_text(state.second, seat)}."
        stakes = _stakes(state)
        return f"{text}\nIn the pot: you {stakes[seat]}, opponent {stakes[1 - seat]}."

    def request(self, state: LeducState) -> str:
        """For one of the legal moves."""
        names = [f"<answer>{self.action_name(state, a)}</answer>" for a in self.legal(state)]
        return f"Reply {', '.join(names[:-1])} or {names[-1]}."

    def action_name(self, state: LeducState, action: int) -> str:
        """`fold`, `call`, `raise`; `check` where there is nothing to call."""
        return _name(_betting(state), action)

    def result(self, state: LeducState, seat: int) -> str:
        won = int(self.payoff(state)[seat])
        chips = f"{abs(won)} chip{'s' if abs(won) > 1 else ''}"
        result = f"You {'win' if won > 0 else 'lose'} {chips}." if won else "You share the pot."
        if "f" in state.first + state.second:  # nobody shows a card after a fold
            return result
        return f"Opponent's card: {CARDS[state.cards[1 - seat]]}. {result}"


def scripted(game: LeducPoker, state: LeducState, seat: int) -> int:
    """Play by hand strength: raise with a K or a pair, else call; fold a J in the second round.

    Against random play it wins 1.32 chips a hand; a best response wins 1.08 from it.
    """
    legal = game.legal(state)
    rank = state.cards[seat] // 2
    paired = len(state.cards) == 3 and rank == state.cards[2] // 2
    if rank == 2 or paired:
        return legal[-1]
    return FOLD if rank == 0 and len(state.cards) == 3 and FOLD in legal else CALL


def _betting(state: LeducState) -> str:
    """The moves of the present round."""
    return state.first if len(state.cards) == 2 else state.second


def _name(moves: str, action: int) -> str:
    return "check" if action == CALL and moves[-1:] != "r" else _NAMES[action]


def _round_text(moves: str, seat: int) -> str:
    words = []
    for place, letter in enumerate(moves):
        name = _name(moves[:place], _LETTERS.index(letter))
        words.append(f"you {name}" if place % 2 == seat else f"opponent {name}s")
    return ", ".join(words) or "none"


def _stakes(state: LeducState) -> list[int]:
    """Chips that each seat has put in."""
    stakes = [1, 1]
    for size, moves in zip(RAISES, (state.first, state.second), strict=True):
        for place, letter in enumerate(moves):
            if letter != "f":
                stakes[place % 2] = max(stakes) + (size if letter == "r" else 0)
    return stakes


def _winner(state: LeducState) -> int | None:
    """The seat that wins a finished hand; None if it is shared."""
    moves = state.second or state.first
    if moves[-1] == "f":
        return len(moves) % 2  # the folder moved last
    first, second, public = (card // 2 for card in state.cards)
    if first == second:
        return None
    return 0 if first == public or (second != public and first > second) else 1


class LeducPokerEnv(SingleSeatEnv):
    """One seat of Leduc poker, against a given opponent.

    Description:
        Six cards, J < Q < K in two suits that do not matter; each of two players antes 1 chip and
        gets one card. They bet, one public card is turned, they bet again. The first player opens
        both rounds; a raise adds 2 chips in the first and 4 in the second, at most twice a round.
        A pair with the public card wins, else the higher card; equal cards share. An episode is
        one hand. Played perfectly, a hand gains the second player about 0.086 chips.

    Observation:
        `view="text"`: the rules (once), then cards, moves, stakes and the legal replies.
        `view="numeric"`: float32 vector (38,) of seat, cards and moves, one-hot.

    Action:
        `view="text"`: the whole reply; the move, `fold`, `check`, `call` or `raise`, is read from
        `<answer>...</answer>`, else from the last line.
        `view="numeric"`: 0 fold, 1 check or call, 2 raise.

    Reward:
        0 until the end, then the chips won, -13 to 13. `info["score"]` is `(chips + 13) / 26`.

    Episode end:
        At the end of the hand. A reply that names no legal move may be repeated up to `max_retries`
        times, then the hand is forfeited at -13 chips, as it is at once by an illegal number.

    Example:
        >>> env = LeducPokerEnv(seat=0)
        >>> first, info = env.reset(seed=5)
        >>> print(env.step("A good card: <answer>raise</answer>")[0])
        Your card: Ks. Round 1: you raise, opponent calls.
        Public card: Jh. Round 2: none.
        In the pot: you 3, opponent 3.
        Reply <answer>check</answer> or <answer>raise</answer>.

    Source:
        Southey et al., "Bayes' Bluff: Opponent Modelling in Poker" (2005, arXiv 1207.1411).
    """

    rules_class = LeducPoker
