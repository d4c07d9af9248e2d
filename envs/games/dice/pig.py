"""Pig: roll a die for points as often as you dare; a 1 loses the points of the turn.

Moves, chance and payoffs are those of OpenSpiel's `pig`, with its horizon. Left out: more than two
players, and exact play at full size, where states repeat and the solvers here do not apply.
"""

from collections.abc import Sequence
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
from zerogym.envs.games.core.parameters import check_flag, check_number
from zerogym.envs.games.views.single_seat import SingleSeatEnv

ROLL, HOLD = 0, 1
NAMES = ("roll", "hold")
END_RACE = 29  # points from the goal at which `scripted` begins to roll until it wins


class PigState(NamedTuple):
    """Points of both, of this turn; whose turn; whether the die is rolling; moves so far.

    Points beyond the goal are not counted, so that equal positions are equal states.
    """

    scores: tuple[int, int] = (0, 0)
    turn_total: int = 0
    player: int = 0
    rolling: bool = False
    moves: int = 0


@dataclass(frozen=True)
class Pig(Game[PigState]):
    """The rules; `PigEnv` has them in words. Actions: 0 roll, 1 hold.

    `observe` is a float32 vector (3 * winscore + 6,): own points, the opponent's points and points
    of this turn, each one-hot (winscore + 1), the seat, whether it is its turn, moves / horizon.
    """

    winscore: int = 50
    horizon: int = 300
    diceoutcomes: int = 6
    piglet: bool = False

    name: ClassVar[str] = "pig"
    num_actions: ClassVar[int] = 2

    def __post_init__(self) -> None:
        check_number("winscore", self.winscore, 1, 1000)
        check_number("horizon", self.horizon, 1, 1_000_000)
        check_number("diceoutcomes", self.diceoutcomes, 2, 100)
        check_flag("piglet", self.piglet)

    @property
    def observation_size(self) -> int:
        """Three one-hot counts and three numbers."""
        return 3 * (self.winscore + 1) + 3

    @property
    def enumerable(self) -> bool:
        """Every state is two scores, a turn total, a player, a phase and a number of moves."""
        return 2 * self.winscore**3 * self.horizon < 20_000

    def initial(self) -> PigState:
        """No points."""
        return PigState()

    def to_move(self, state: PigState) -> int:
        """Chance while the die rolls, then the player whose turn it is."""
        scores, _, player, rolling, moves = state
        # As in OpenSpiel, the outcome of the last roll is ignored: the game ends when it begins.
        if moves >= self.horizon or self.winscore in scores:
            return TERMINAL
        return CHANCE if rolling else player

    def legal(self, state: PigState) -> tuple[int, ...]:
        """Both, but a player with enough points can only hold, and wins."""
        scores, turn_total, player, rolling, moves = state
        if rolling or moves >= self.horizon or self.winscore in scores:
            return ()
        return (HOLD,) if scores[player] + turn_total >= self.winscore else (ROLL, HOLD)

    def chance(self, state: PigState) -> tuple[tuple[int, Fraction], ...]:
        """Faces from 0; 0 is the one that loses. A piglet's die has only 0 and the others."""
        face = Fraction(1, self.diceoutcomes)
        if self.piglet:
            return ((0, face), (1, 1 - face))
        return equally_likely(tuple(range(self.diceoutcomes)))

    def apply(self, state: PigState, action: int) -> PigState:
        """Begin a roll, see what it is, or add the points of the turn to the score."""
        scores, turn_total, player, rolling, moves = state
        if not rolling:
            if action == ROLL:
                return PigState(scores, turn_total, player, True, moves + 1)
            own = scores[player] + turn_total
            scores = (scores[0], own) if player else (own, scores[1])
            return PigState(scores, 0, 1 - player, False, moves + 1)
        if action == 0:
            return PigState(scores, 0, 1 - player, False, moves)
        turn_total += 1 if self.piglet else action + 1
        turn_total = min(turn_total, self.winscore - scores[player])
        return PigState(scores, turn_total, player, False, moves)

    def payoff(self, state: PigState) -> tuple[float, float]:
        """1 for the winner, -1 for the loser; 0 if nobody has won in time."""
        return win_or_loss(
            state.scores.index(self.winscore) if self.winscore in state.scores else None
        )

    def observe(self, state: PigState, seat: int) -> NDArray[np.float32]:
        """Counts, one-hot, then the seat, the turn and the time."""
        vector = np.zeros(self.observation_size, dtype=np.float32)
        counts = (state.scores[seat], state.scores[1 - seat], state.turn_total)
        for place, count in enumerate(counts):
            vector[place * (self.winscore + 1) + count] = 1
        vector[-3:] = seat, state.player == seat, state.moves / self.horizon
        return vector

    def info_key(self, state: PigState, seat: int) -> str:
        """Everything: both see all there is. The seat, because both can have the same decisions."""
        phase = "rolling" if state.rolling else state.player
        return f"{seat}:{state.scores}:{state.turn_total}:{phase}:{state.moves}"

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        gain = "1" if self.piglet else "its number"
        faces = "coin (1 or 2)" if self.diceoutcomes == 2 else f"die (1 to {self.diceoutcomes})"
        order = "first" if seat == 0 else "second"
        points = "1 point wins" if self.winscore == 1 else f"{self.winscore} points win"
        return (
            f"Pig: {points}. Roll the {faces} as often as you like: a 1 loses "
            f"the turn's\npoints and ends the turn, any other roll adds {gain} to them.\nHold to "
            "bank them and end the turn. When no moves of both together are left, it is a draw.\n"
            f"You are player {seat + 1} and move {order}."
        )

    def describe(self, state: PigState, seat: int) -> str:
        """The points, the moves that are left, and what may be answered or how it ended."""
        own, other = state.scores[seat], state.scores[1 - seat]
        text = f"You (player {seat + 1}) have {own}, opponent {other}"
        mover = self.to_move(state)
        if mover == TERMINAL:
            won = self.payoff(state)[seat]
            result = result_text(won) if won else "No moves are left: a draw"
            return f"{text}. {result}."
        whose = "your" if state.player == seat else "the opponent's"
        left = self.horizon - state.moves
        text = f"{text}, {whose} turn {state.turn_total}. Moves left: {left}."
        if mover != seat:
            return text
        replies = [f"<answer>{NAMES[action]}</answer>" for action in self.legal(state)]
        return f"{text}\nReply {' or '.join(replies)}."

    def action_name(self, state: PigState, action: int) -> str:
        """`roll` or `hold`."""
        return NAMES[action]


def scripted(game: Pig, state: PigState, seat: int) -> Sequence[float]:
    """Roll to win near the end, else keep pace: Neller and Presser's rule of thumb for any goal.

    Probabilities of the legal moves. If either score is within 29 points of the goal, roll until
    you win. Else hold at 21 points, plus an eighth of the points that the opponent is ahead. Of
    10,000 games against random play at the default 50 points it wins 95.5%, seats in turn.
    """
    own, other = state.scores[seat], state.scores[1 - seat]
    if own + state.turn_total >= game.winscore:
        return (1.0,)  # only holding is legal
    racing = max(own, other) >= game.winscore - END_RACE
    hold = not racing and state.turn_total >= 21 + round((other - own) / 8)
    return (0.0, 1.0) if hold else (1.0, 0.0)


class PigEnv(SingleSeatEnv):
    """One seat of the dice game pig, against a given opponent.

    Description:
        In a turn a player rolls a die as often as it likes. A 1 loses what the turn has gained and
        passes the die on; any other roll adds its points to the turn. Holding adds the points of
        the turn to the score and passes the die on. The first with 50 points wins; after 300 moves
        of both together it is a draw. With a six-sided die and a goal of 35 or less, it is best
        never to hold before the goal is reached; at higher goals, when to hold depends on both
        scores. The first player wins 54.6% of games that both play perfectly, and 53.1% of those
        to 100 points.

    Observation:
        `view="text"`: the rules (once), then both scores, the points of the turn and the moves
        left. `view="numeric"`: float32 vector (156,): own score, the opponent's score and the
        points of the turn, each one-hot (51), the seat, whether it is its turn, and the share of
        moves made.

    Action:
        `view="text"`: the whole reply; `roll` or `hold` is read from `<answer>...</answer>`, else
        from the last line. `view="numeric"`: 0 roll, 1 hold. With enough points to win, only
        holding is legal.

    Episode end:
        When a player holds with the goal reached, or when no moves are left. A reply that names no
        legal move may be repeated up to `max_retries` times, then the game is lost, as it is at
        once by an illegal number.

    Arguments:
        winscore: Points that win, 1 to 1,000; default 50.
        horizon: Moves of both together after which it is a draw, to 1,000,000; default 300.
        diceoutcomes: Faces of the die, 2 to 100; default 6.
        piglet: Whether any roll but 1 counts one point, whatever it shows; default False.

    Example:
        >>> env = PigEnv(seat=0)
        >>> print(env.reset(seed=0)[0])
        Pig: 50 points win. Roll the die (1 to 6) as often as you like: a 1 loses the turn's
        points and ends the turn, any other roll adds its number to them.
        Hold to bank them and end the turn. When no moves of both together are left, it is a draw.
        You are player 1 and move first.
        You (player 1) have 0, opponent 0, your turn 0. Moves left: 300.
        Reply <answer>roll</answer> or <answer>hold</answer>.
        >>> print(env.step("<answer>roll</answer>")[0])
        You (player 1) have 0, opponent 0, your turn 4. Moves left: 299.
        Reply <answer>roll</answer> or <answer>hold</answer>.

    Source:
        Scarne, "Scarne on Dice" (1945). Neller and Presser, "Optimal Play of the Dice Game Pig"
        (2004) and "Practical Play of the Dice Game Pig" (2010), UMAP Journal.
    """

    rules_class = Pig
