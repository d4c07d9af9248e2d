"""Backgammon with three checkers a side (hyper-backgammon), or with all fifteen.

The small game is the one that is played and has been solved under this name: the whole board and
all rules, but turns of some ten moves where the large game has up to a hundred, and some 27 moves
to a game. Actions, dice and the limit of turns are OpenSpiel's (2.0), but of its actions that reach
the same position only the lowest is legal. There the small game has no payoffs; here the
winner has one. Left out: the doubling cube; other openings; and, as in OpenSpiel, that the first
half of a double may have to leave room for the second.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, equally_likely, result_text
from zerogym.envs.games.core.parameters import check_flag, check_number
from zerogym.envs.games.core.render import Board
from zerogym.envs.games.core.replies import written_move
from zerogym.envs.games.dice.backgammon_board import (
    BAR,
    HOME,
    Dice,
    Side,
    is_whole,
    opening,
    picture_rows,
    plays,
    worth,
)
from zerogym.envs.games.dice.backgammon_notation import read, steps, tell, write
from zerogym.envs.games.views.single_seat import SingleSeatEnv
from zerogym.errors import UnknownName

SCORINGS = {"winloss_scoring": 1, "enable_gammons": 2, "full_scoring": 3}  # highest payoff
MAX_LISTED = 900  # characters of moves that are listed
# Both orders of two dice after each other, then doubles: OpenSpiel's numbers of rolls.
ROLLS: tuple[Dice, ...] = tuple(
    dice for dice in combinations(range(1, 7), 2) for _ in range(2)
) + tuple((die, die) for die in range(1, 7))
OPENING_ROLLS = 30  # without doubles; of each two, the first lets the first seat begin


class BackgammonState(NamedTuple):
    """Both sides, each in its own numbers; the roll; and whose it is."""

    sides: tuple[Side, Side]
    dice: Dice | tuple[()] = ()  # the lower one first; empty before a roll
    player: int = 0  # who rolls or has rolled; open before the first roll
    again: bool = False  # in the second half of a double
    turns: int = 0  # begun so far


@dataclass(frozen=True)
class Backgammon(Game[BackgammonState]):
    """The rules; `BackgammonEnv` has them in words.

    An action is up to two steps: the place where the first starts, plus 26 times that of the
    second, plus 676 if the lower die is played first; `BackgammonEnv` has the places. A double is
    two such actions.

    `observe` is a float32 vector (168,), see there; with fifteen checkers (218,), for there each
    point and bar also has the number of checkers beyond three, of 12.
    """

    hyper_backgammon: bool = True
    scoring_type: str = "winloss_scoring"
    max_player_turns: int = 500

    name: ClassVar[str] = "backgammon"
    num_actions: ClassVar[int] = 1352

    def __post_init__(self) -> None:
        if self.scoring_type not in list(SCORINGS):  # a list: what is given may have no hash
            raise UnknownName("scoring_type", self.scoring_type, list(SCORINGS))
        check_flag("hyper_backgammon", self.hyper_backgammon)
        check_number("max_player_turns", self.max_player_turns, 1, 1_000_000)

    @property
    def checkers(self) -> int:
        """Number of checkers of each side."""
        return 3 if self.hyper_backgammon else 15

    @property
    def payoff_range(self) -> tuple[float, float]:
        """Up to twice or three times the stake, if the scoring says so."""
        most = float(SCORINGS[self.scoring_type])
        return -most, most

    @property
    def observation_size(self) -> int:
        """Two sides, two dice and four numbers."""
        return 2 * (25 * self._units + 1) + 12 + 4

    def initial(self) -> BackgammonState:
        """Before the roll that decides who begins."""
        side = opening(self.checkers)
        return BackgammonState((side, side))

    def to_move(self, state: BackgammonState) -> int:
        """Chance before each roll, then the player who has rolled."""
        sides, dice, player, _, turns = state
        # A side is sorted: its first checker is off when all are. As in OpenSpiel, the limit is
        # passed when one more turn is begun, be it the first half of a double.
        if not sides[0][0] or not sides[1][0] or turns > self.max_player_turns:
            return TERMINAL
        return player if dice else CHANCE

    def legal(self, state: BackgammonState) -> tuple[int, ...]:
        """One action for each position that can be reached; one that passes if there is no move."""
        return tuple(self.reached(state)) if self.to_move(state) >= 0 else ()

    def chance(self, state: BackgammonState) -> tuple[tuple[int, Fraction], ...]:
        """36 rolls; the first is no double and also says who begins."""
        if self.to_move(state) != CHANCE:
            return ()
        return _OUTCOMES if state.turns else _FIRST_OUTCOMES

    def apply(self, state: BackgammonState, action: int) -> BackgammonState:
        """Roll, or play: then the other side rolls, or after half a double the same plays again."""
        sides, dice, player, again, turns = state
        if not dice:
            first = action % 2 if turns == 0 else player
            return BackgammonState(sides, ROLLS[action], first, False, turns)
        own, other = self.reached(state)[action]
        after = (other, own) if player else (own, other)
        if not again:
            turns += 1
            if dice[0] == dice[1] and is_whole(action):
                return BackgammonState(after, dice, player, True, turns)
        return BackgammonState(after, (), 1 - player, False, turns)

    def payoff(self, state: BackgammonState) -> tuple[float, float]:
        """The stake, twice of a gammon, three times of a backgammon; nothing if nobody is off."""
        if state.sides[0][0] and state.sides[1][0]:
            return (0.0, 0.0)
        winner = 0 if not state.sides[0][0] else 1
        won = float(min(_stake(state.sides[1 - winner]), SCORINGS[self.scoring_type]))
        return (won, -won) if winner == 0 else (-won, won)

    def observe(self, state: BackgammonState, seat: int) -> NDArray[np.float32]:
        """Both sides, the dice, and four numbers."""
        sides, dice, _, again, turns = state
        vector = np.zeros(self.observation_size, dtype=np.float32)
        units, size = self._units, 25 * self._units + 1
        for start, side in ((0, sides[seat]), (size, sides[1 - seat])):
            for place in set(side) - {0}:
                count, first = side.count(place), start + (place - 1) * units
                vector[first : first + min(count, 3)] = 1
                if count > 3:
                    vector[first + 3] = (count - 3) / 12
            vector[start + size - 1] = side.count(0) / self.checkers
        for index, die in enumerate(dice):
            vector[2 * size + 6 * index + die - 1] = 1
        share = turns / (self.max_player_turns + 1)
        vector[-4:] = self.to_move(state) == seat, again, seat, share
        return vector

    def info_key(self, state: BackgammonState, seat: int) -> str:
        """Everything: both see all there is. The seat, because both can have the same decisions."""
        sides = "|".join(",".join(map(str, side)) for side in state.sides)
        dice = "".join(map(str, state.dice))
        return f"{seat}:{sides}:{state.player}:{dice}{'+' * state.again}:{state.turns}"

    def rules(self, seat: int) -> str:
        """The rules in five lines."""
        return (
            f"Backgammon with {self.checkers} checkers each. Yours go down from point 24 to 1 and "
            "off, the\nopponent's up. A die moves a checker: 24/18; a double is two such moves. "
            "Play both dice if\nyou can. Two opposing checkers or more close a point; one is hit "
            "(*) and starts again from\nthe bar, before its side moves any other: bar/21. Bear off "
            f"(5/off) when all are on 6 to 1.\nFirst with all off wins; when no turns are left, it "
            f"is a draw. {_SCORING_RULES[self.scoring_type]}You are player {seat + 1}."
        )

    def describe(self, state: BackgammonState, seat: int) -> str:
        """Both sides in the reader's numbers, the roll, and the moves or the result."""
        own, other = (tell(state.sides[each], each == seat) for each in (seat, 1 - seat))
        mover = self.to_move(state)
        left = max(self.max_player_turns - state.turns, 0)
        text = f"You: {own}. Opponent: {other}. Turns left: {left}."
        if mover == TERMINAL:
            won = self.payoff(state)[seat]
            points = f" {abs(won):g} points" if abs(won) > 1 else ""
            return f"{text}\n{result_text(won)}{points}."
        if mover == CHANCE:
            return text
        whose = "Your" if mover == seat else "The opponent's"
        half = (", second half" if state.again else ", first half") * (len(set(state.dice)) == 1)
        text = f"{text}\n{whose} dice: {' '.join(map(str, state.dice))}{half}."
        return f"{text}\n{self._request(state)}" if mover == seat else text

    def board(self, state: BackgammonState) -> Board:
        """The board as a picture shows it: points 13 to 24 of X above, 12 to 1 below."""
        return Board(picture_rows(state.sides))

    def action_name(self, state: BackgammonState, action: int) -> str:
        """In common notation, in the mover's numbers: `24/18 13/9`."""
        return write(steps(*self._roll(state), action))

    def parse(self, state: BackgammonState, text: str) -> int | None:
        """The move that a reply writes, in any order of its steps."""
        move = written_move(text)
        if move.endswith("(2"):  # the bracket after it was taken for one around the move
            move += ")"
        return read(move, *self._roll(state)) if self.to_move(state) >= 0 else None

    @property
    def _units(self) -> int:
        return 3 if self.hyper_backgammon else 4

    def reached(self, state: BackgammonState) -> dict[int, tuple[Side, Side]]:
        """Each legal action, and where it leaves the mover's side and the other one."""
        return plays(*self._roll(state))

    def _roll(self, state: BackgammonState) -> tuple[Side, Side, Dice, int]:
        sides, dice, player = state[:3]
        assert dice, "no roll to play"
        return sides[player], sides[1 - player], dice, player

    def _request(self, state: BackgammonState) -> str:
        names = [self.action_name(state, action) for action in self.reached(state)]
        listed = ", ".join(names)
        if len(listed) > MAX_LISTED:
            form = f"{len(names)} moves, written as {names[0]} or {names[-1]}"
        else:
            form = f"Moves: {listed}"
        return f"{form}.\nReply <answer>move</answer>."


_SCORING_RULES = {
    "winloss_scoring": "",
    "enable_gammons": "That pays 2 if the loser has none off.\n",
    "full_scoring": "That pays 2 if the loser has none off, 3 if one is on\n"
    "the bar, too, or on the winner's 6 to 1. ",
}
_OUTCOMES = equally_likely(tuple(range(36)))
_FIRST_OUTCOMES = equally_likely(tuple(range(OPENING_ROLLS)))


def _stake(loser: Side) -> int:
    """3 if the loser has none off and one on the bar or in the winner's home, 2 if none off."""
    if not loser[-1]:
        return 1
    return 3 if loser[0] >= BAR - HOME else 2


def scripted(game: Backgammon, state: BackgammonState, seat: int) -> int:
    """Race, and count what the opponent can hit: the pips ahead, less those that blots may lose.

    A blot costs the pips it has come, times the chance that a roll hits it. Of 10,000 games against
    random play, seats in turn, it wins 82.5%; of 1,000 with fifteen checkers 97.2%.
    """
    found = game.reached(state)
    return max(found, key=lambda action: worth(*found[action]))


class BackgammonEnv(SingleSeatEnv):
    """One seat of backgammon with three checkers a side, against a given opponent.

    Description:
        Hyper-backgammon: the board and the rules of backgammon with three checkers a side, which
        start on 24, 23 and 22. It is the small backgammon that people play, it has been solved
        exactly, and a move is one of a dozen at most. In turn each player rolls two dice and moves
        its checkers towards its home, points 6 to 1, and then off; a checker alone can be hit and
        starts again from the bar. Who begins is rolled for.

    Observation:
        `view="text"`: the rules (once), then the checkers of both sides, both in the own numbers,
        the dice, and the legal moves; where these are very many, only their form.
        `view="numeric"`: float32 vector (168,): for the own and for the opponent's side, whether
        there are at least 1, 2 and 3 checkers on points 1 to 24, in that side's own numbers, and on
        the bar, then the share that is off; both dice, one-hot (6); whether it is the own turn,
        whether it is the second half of a double, the seat, and the share of turns begun.

    Action:
        `view="text"`: the whole reply; the move, in common notation, is read from
        `<answer>...</answer>`, else from the last line: `24/18 13/9`, `24/18/14`, `6/4(2)`,
        `bar/21`, `3/off`, `pass`.
        `view="numeric"`: 0 to 1351, OpenSpiel's numbers: where the first step starts, plus 26
        times where the second does, plus 676 if the lower die is played first. Places 0 to 23 are
        the points from the first seat's 24 to its 1, 24 is the bar, 25 no step. Of the numbers that
        lead to the same position only the lowest is legal. A double is two moves of two steps.

    Reward:
        0 until the end, then 1 for a win, -1 for a loss, 0 for a draw. With the scoring for it,
        2 for a gammon (the loser has none off), 3 for a backgammon (and one on the bar or in the
        winner's home). `info["score"]` is the same as a number in [0, 1].

    Episode end:
        When a side has all checkers off; as a draw, when more than `max_player_turns` turns are
        begun. A reply that names no legal move may be repeated up to `max_retries` times, then the
        game is lost by the highest payoff, as it is at once by an illegal number.

    Arguments:
        hyper_backgammon: Three checkers a side rather than fifteen; default True.
        scoring_type: `winloss_scoring` (default), `enable_gammons` or `full_scoring`, which also
            counts backgammons.
        max_player_turns: Turns of both together after which it is a draw; default 500.

    Example:
        >>> env = BackgammonEnv(seat=0)
        >>> print(env.reset(seed=0)[0])
        Backgammon with 3 checkers each. Yours go down from point 24 to 1 and off, the
        opponent's up. A die moves a checker: 24/18; a double is two such moves. Play both dice if
        you can. Two opposing checkers or more close a point; one is hit (*) and starts again from
        the bar, before its side moves any other: bar/21. Bear off (5/off) when all are on 6 to 1.
        First with all off wins; when no turns are left, it is a draw. You are player 1.
        You: 24 23 22. Opponent: 2 3 8. Turns left: 499.
        Your dice: 1 2.
        Moves: 24/23 23/21, 24/23 22/20, 24/22 23/22, 23/22 22/20, 23/21 22/21, 22/20/19.
        Reply <answer>move</answer>.
        >>> print(env.step("<answer>24/23 22/20</answer>")[0])
        You: 23(2) 20. Opponent: 4(2) 8. Turns left: 497.
        Your dice: 3 3, first half.
        Moves: 23/20(2), 23/20 20/17, 20/17/14.
        Reply <answer>move</answer>.

    Source:
        Hugh Sconyers introduced and solved hyper-backgammon in the early 1990s; rules at
        https://bkgm.com/variants/HyperBackgammon.html. Scoring and limit as in OpenSpiel:
        Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games" (2019).
    """

    rules_class = Backgammon
