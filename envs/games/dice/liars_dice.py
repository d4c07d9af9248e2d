"""Liar's dice with one hidden die each: bids that rise until one is doubted.

Actions, rolls and information sets are those of OpenSpiel's `liars_dice`. Left out: several dice
each, more than two players, and its other rule of bidding.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import (
    CHANCE,
    TERMINAL,
    Game,
    equally_likely,
    result_text,
    win_or_loss,
)
from zerogym.envs.games.core.parameters import check_number
from zerogym.envs.games.views.single_seat import SingleSeatEnv

_SOLVED_SIDES = 4  # up to 8,000 states
_SEARCHED_SIDES = 6  # up to 295,000


class LiarsState(NamedTuple):
    """Dice rolled so far (0 is a 1), and actions of the seats in turn."""

    dice: tuple[int, ...] = ()
    calls: tuple[int, ...] = ()


@dataclass(frozen=True)
class LiarsDice(Game[LiarsState]):
    """The rules; `LiarsDiceEnv` has them in words.

    Actions: the bids in rising order, `1x1` to `1xN` (N sides) and `2x1` to `2xN`, then `liar`.
    `observe` is a float32 vector (3 + 3 N,): seat one-hot (2), own die one-hot (N), bids made
    (2 N), whether the last was doubted (1).

    Args:
        dice_sides: N, 2 to 20.
    """

    dice_sides: int = 6
    name: ClassVar[str] = "liars_dice"
    perfect_information: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_number("dice_sides", self.dice_sides, 2, 20)

    @property
    def num_actions(self) -> int:
        """The bids and `liar`."""
        return 2 * self.dice_sides + 1

    @property
    def observation_size(self) -> int:
        """Seat, die, bids and doubt."""
        return 3 + 3 * self.dice_sides

    @property
    def enumerable(self) -> bool:
        """With four sides or fewer."""
        return self.dice_sides <= _SOLVED_SIDES

    @property
    def searchable(self) -> bool:
        """Up to six sides: two seconds for a best response, four for an equilibrium."""
        return self.dice_sides <= _SEARCHED_SIDES

    @property
    def liar(self) -> int:
        """The action that doubts the last bid."""
        return 2 * self.dice_sides

    def initial(self) -> LiarsState:
        """No die is rolled."""
        return LiarsState()

    def to_move(self, state: LiarsState) -> int:
        """Chance rolls both dice, then the seats move in turn until one doubts."""
        if len(state.dice) < 2:
            return CHANCE
        calls = state.calls
        return TERMINAL if calls and calls[-1] == self.liar else len(calls) % 2

    def legal(self, state: LiarsState) -> tuple[int, ...]:
        """Higher bids than the last one; to doubt it, if there is one."""
        calls = state.calls
        if not calls:
            return tuple(range(self.liar)) if len(state.dice) == 2 else ()
        return tuple(range(calls[-1] + 1, self.liar + 1))

    def chance(self, state: LiarsState) -> tuple[tuple[int, Fraction], ...]:
        """A fair die."""
        return equally_likely(tuple(range(self.dice_sides)))

    def apply(self, state: LiarsState, action: int) -> LiarsState:
        """Roll a die, or append a move."""
        if len(state.dice) < 2:
            return LiarsState((*state.dice, action), state.calls)
        return LiarsState(state.dice, (*state.calls, action))

    def payoff(self, state: LiarsState) -> tuple[float, float]:
        """1 for the bidder if the doubted bid is true, else for the doubter."""
        doubter = (len(state.calls) - 1) % 2
        winner = 1 - doubter if self._is_true(state) else doubter
        return win_or_loss(winner)

    def resample(self, state: LiarsState, seat: int, rng: np.random.Generator) -> LiarsState:
        """The other die rolled anew: what search takes for the unknown."""
        other = int(rng.integers(self.dice_sides))
        own = state.dice[seat]
        return LiarsState((own, other) if seat == 0 else (other, own), state.calls)

    def observe(self, state: LiarsState, seat: int) -> NDArray[np.float32]:
        """Seat, own die, and the moves made: bids only rise, so their order is known."""
        vector = np.zeros(self.observation_size, dtype=np.float32)
        vector[seat] = 1
        if seat < len(state.dice):
            vector[2 + state.dice[seat]] = 1
        for call in state.calls:
            vector[2 + self.dice_sides + call] = 1
        return vector

    def info_key(self, state: LiarsState, seat: int) -> str:
        """Own die and moves, for example `3:1x3,2x1`."""
        die = str(state.dice[seat] + 1) if seat < len(state.dice) else "?"
        return f"{die}:{','.join(map(self._call_name, state.calls))}"

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        most = self.dice_sides
        return (
            f"Liar's dice: you and your opponent each roll one hidden die with faces 1 to {most}.\n"
            "The bid 1x2 says: at least one of the two dice shows a 2; 2x2: both do. "
            f"A {most} is a joker and counts as any face.\n"
            f"Bids must rise: 1x1 < ... < 1x{most} < 2x1 < ... < 2x{most}. Instead of bidding, say "
            "liar: you win if the last bid is false, else you lose.\n"
            f"You move {'first' if seat == 0 else 'second'}."
        )

    def situation(self, state: LiarsState, seat: int) -> str:
        """Own die and moves so far."""
        moves = [
            f"{'you' if place % 2 == seat else 'opponent'} {self._call_name(call)}"
            for place, call in enumerate(state.calls)
        ]
        return f"Your die: {state.dice[seat] + 1}. Moves: {', '.join(moves) or 'none'}."

    def result(self, state: LiarsState, seat: int) -> str:
        """The other die, whether the bid is true, and who has won."""
        is_true = str(self._is_true(state)).lower()
        other, result = state.dice[1 - seat] + 1, result_text(self.payoff(state)[seat])
        return f"Opponent's die: {other}. The bid is {is_true}. {result}."

    def action_name(self, state: LiarsState, action: int) -> str:
        """`2x3` for two dice that show 3; `liar`."""
        return self._call_name(action)

    def request(self, state: LiarsState) -> str:
        legal = self.legal(state)
        bids = [self._call_name(call) for call in legal if call != self.liar]
        if not bids:
            return "Reply <answer>liar</answer>."
        span = f"from {bids[0]} to {bids[-1]}" if len(bids) > 1 else f"only {bids[0]}"
        doubt = " or <answer>liar</answer>" if self.liar in legal else ""
        return f"Reply <answer>bid</answer> ({span}){doubt}."

    def _call_name(self, call: int) -> str:
        if call == self.liar:
            return "liar"
        return f"{call // self.dice_sides + 1}x{call % self.dice_sides + 1}"

    def _is_true(self, state: LiarsState) -> bool:
        """Return True if the last bid before the doubt is true."""
        more_than, face = divmod(state.calls[-2], self.dice_sides)
        return sum(die in (face, self.dice_sides - 1) for die in state.dice) > more_than


def scripted(game: LiarsDice, state: LiarsState, seat: int) -> int:
    """The move that is most likely right if the other die were any face; the lowest of equal ones.

    It ignores what bids tell. With six sides it wins 85 % against random play; a best response wins
    72 % against it.
    """
    legal = game.legal(state)
    worth = {bid: _chance_of(game, bid, state.dice[seat]) for bid in legal if bid != game.liar}
    if game.liar in legal:
        worth[game.liar] = 1 - _chance_of(game, state.calls[-1], state.dice[seat])
    return max(worth, key=lambda call: (worth[call], -call))


def _chance_of(game: LiarsDice, bid: int, die: int) -> Fraction:
    """The probability that a bid is true, given the own die only."""
    more_than, face = divmod(bid, game.dice_sides)
    good = {face, game.dice_sides - 1}
    missing = more_than + 1 - (die in good)
    return (Fraction(1), Fraction(len(good), game.dice_sides), Fraction(0))[missing]


class LiarsDiceEnv(SingleSeatEnv):
    """One seat of liar's dice, against a given opponent.

    Description:
        Two players roll one die each and hide it. In turn they bid how many of the two dice show a
        face: `1x4`, at least one 4; `2x4`, both. The highest face is a joker and counts as any.
        Bids rise, first by number, then by face. Instead of bidding a player may say `liar`: if the
        last bid is true the bidder wins, else the doubter.

    Observation:
        `view="text"`: the rules (once), then the own die, the moves and the legal replies.
        `view="numeric"`: float32 vector (3 + 3 N,) for N sides: seat, own die, bids, doubt.

    Action:
        `view="text"`: the whole reply; the move, such as `2x4` or `liar`, is read from
        `<answer>...</answer>`, else from the last line.
        `view="numeric"`: 0 to 2 N - 1, the bids in rising order; 2 N, liar.

    Reward:
        0 until the end, then 1 for a win, -1 for a loss. `info["score"]` is 1 or 0.

    Episode end:
        After `liar`. A reply that names no legal move may be repeated up to `max_retries` times,
        then the game is lost, as it is at once by an illegal number.

    Arguments:
        opponent: A name (`random` by default; the error for a wrong name lists them), or a policy.
            `cfr`, an equilibrium, and the oracle need up to 4 s and 200 MB, once a process.
        dice_sides: 2 to 20; default 6.

    Example:
        >>> env = LiarsDiceEnv(seat=0, dice_sides=3)
        >>> first, info = env.reset(seed=0)
        >>> print(env.step("<answer>1x3</answer>")[0])
        Your die: 2. Moves: you 1x3, opponent 2x1.
        Reply <answer>bid</answer> (from 2x2 to 2x3) or <answer>liar</answer>.

    Source:
        A folk game; the variant is that of Lanctot et al., "OpenSpiel: A Framework for
        Reinforcement Learning in Games" (2019, arXiv 1908.09453).
    """

    rules_class = LiarsDice
