"""Colonel Blotto: both spread their coins over fields at the same time; more fields win.

Actions and payoffs are those of OpenSpiel's `blotto` with two players. Left out: more players,
fields of unequal worth, and unequal purses.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from operator import gt, lt
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import TERMINAL, Game, result_text, uniform_over_best
from zerogym.envs.games.core.parameters import check_number
from zerogym.envs.games.core.replies import written_move
from zerogym.envs.games.views.single_seat import SingleSeatEnv

MAX_FIELDS = 8
MAX_ACTIONS = 5000
_NUMBER = "(?:0|[1-9][0-9]{0,3})"
_NUMBERS = re.compile(f"{_NUMBER}(?:[ ,;/]+{_NUMBER})*")

Moves = tuple[int, ...]  # of seat 0, then of seat 1


@dataclass(frozen=True)
class Blotto(Game[Moves]):
    """The rules; `BlottoEnv` has them in words. A state is the moves made so far.

    Actions: all ways to spread the coins, in lexicographic order: (0, 0, 10), (0, 1, 9), ...
    `observe` is a float32 vector (2 + 2 fields,): seat one-hot (2), own coins of each field and,
    after the round, the opponent's, as shares of all coins.

    Args:
        coins: Of each player, at least 1.
        fields: 2 to 8; there must be no more than 5,000 ways to spread the coins.
    """

    coins: int = 10
    fields: int = 3
    name: ClassVar[str] = "blotto"
    perfect_information: ClassVar[bool] = False
    simultaneous: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("coins", self.coins, 1, MAX_ACTIONS)
        check_number("fields", self.fields, 2, MAX_FIELDS)
        if self.num_actions > MAX_ACTIONS:
            raise ValueError(f"coins on fields have {self.num_actions} ways, limit {MAX_ACTIONS}")

    @property
    def num_actions(self) -> int:
        """Ways to spread the coins."""
        return comb(self.coins + self.fields - 1, self.fields - 1)

    @property
    def observation_size(self) -> int:
        """The seat, and both spreads."""
        return 2 + 2 * self.fields

    @property
    def enumerable(self) -> bool:
        """If pairs of moves are fewer than 20,000, as 10 coins on 3 fields have 4,356."""
        return self.num_actions <= 140

    def initial(self) -> Moves:
        """Nobody has moved."""
        return ()

    def to_move(self, state: Moves) -> int:
        """Seat 0, then seat 1, which sees nothing of it."""
        return TERMINAL if len(state) == 2 else len(state)

    def legal(self, state: Moves) -> tuple[int, ...]:
        """All ways to spread the coins."""
        return () if len(state) == 2 else tuple(range(self.num_actions))

    def apply(self, state: Moves, action: int) -> Moves:
        """Note the move."""
        return (*state, action)

    def resample(self, state: Moves, seat: int, rng: np.random.Generator) -> Moves:
        """Another move of the other, if it has moved."""
        return tuple(rng.integers(self.num_actions, size=seat).tolist())

    def payoff(self, state: Moves) -> tuple[float, float]:
        """1 for whoever has more coins on more fields, -1 for the other, 0 if both on as many."""
        won = self._fields_won(state)
        sign = float(won[0] > won[1]) - float(won[0] < won[1])
        return sign, -sign

    def observe(self, state: Moves, seat: int) -> NDArray[np.float32]:
        """The seat, the own coins, and at the end the opponent's."""
        vector = np.zeros(self.observation_size, dtype=np.float32)
        vector[seat] = 1
        for place, spread in enumerate(self._known(state, seat)):
            start = 2 + place * self.fields
            vector[start : start + self.fields] = np.array(spread) / self.coins
        return vector

    def info_key(self, state: Moves, seat: int) -> str:
        """The seat and what it knows: `0:`, `0:4 3 3`."""
        return f"{seat}:{', '.join(map(_spread_text, self._known(state, seat)))}"

    def rules(self, seat: int) -> str:
        """The rules in two lines."""
        coins = "1 coin" if self.coins == 1 else f"{self.coins} coins"
        return (
            f"Colonel Blotto: you and your opponent have {coins} each. Both spread them "
            f"over {self.fields} fields at the same time.\n"
            "More coins win a field, as many win it for nobody. More fields win the game."
        )

    def describe(self, state: Moves, seat: int) -> str:
        """The form of an answer, or both spreads and who has won."""
        text, known = f"You are player {seat + 1}.", self._known(state, seat)
        if self.to_move(state) == TERMINAL:
            won, (own, other) = self._fields_won(state), map(_spread_text, known)
            return (
                f"{text} Your coins: {own}. Opponent's: {other}.\n"
                f"Fields: you {won[seat]}, opponent {won[1 - seat]}. "
                f"{result_text(self.payoff(state)[seat])}."
            )
        if known:
            return f"{text} Your coins: {_spread_text(known[0])}. Opponent is choosing."
        if self.to_move(state) != seat:
            return text
        form = " ".join("abcdefgh"[: self.fields])
        return (
            f"{text}\nReply <answer>{form}</answer>: {self.fields} whole numbers of coins, one for "
            f"each field, {self.coins} in sum."
        )

    def action_name(self, state: Moves, action: int) -> str:
        """The coins of the fields, `4 3 3`."""
        return _spread_text(spreads(self.coins, self.fields)[action])

    def parse(self, state: Moves, text: str) -> int | None:
        """The spread a reply names, exactly; commas and brackets are as good as blanks."""
        move = written_move(text).strip("{}")
        if len(state) == 2 or not _NUMBERS.fullmatch(move):
            return None
        ways, spread = spreads(self.coins, self.fields), tuple(map(int, re.findall("[0-9]+", move)))
        index = bisect_left(ways, spread)
        return index if ways[index : index + 1] == (spread,) else None

    def _known(self, state: Moves, seat: int) -> list[tuple[int, ...]]:
        """The own spread, if it is made, and at the end the opponent's."""
        known = (state[seat], state[1 - seat]) if len(state) == 2 else state[seat : seat + 1]
        return [spreads(self.coins, self.fields)[move] for move in known]

    def _fields_won(self, state: Moves) -> tuple[int, int]:
        first, second = (spreads(self.coins, self.fields)[move] for move in state)
        return sum(map(gt, first, second)), sum(map(lt, first, second))


def scripted(game: Blotto, state: Moves, seat: int) -> list[float]:
    """Coins spread as evenly as can be, any of those ways.

    It wins 0.32 a game (10 coins, 3 fields) against random play; a best response always wins.
    """
    ways = spreads(game.coins, game.fields)
    return uniform_over_best([max(spread) - min(spread) < 2 for spread in ways])


@lru_cache(maxsize=8)
def spreads(coins: int, fields: int) -> tuple[tuple[int, ...], ...]:
    """All ways to put coins on fields, in lexicographic order.

    Example:
        >>> spreads(2, 2)
        ((0, 2), (1, 1), (2, 0))
    """
    if fields == 1:
        return ((coins,),)
    return tuple(
        (here, *rest) for here in range(coins + 1) for rest in spreads(coins - here, fields - 1)
    )


def _spread_text(spread: tuple[int, ...]) -> str:
    return " ".join(map(str, spread))


class BlottoEnv(SingleSeatEnv):
    """One seat of Colonel Blotto, against a given opponent.

    Description:
        Two players spread their coins over some fields at the same time. More coins win a field,
        as many win it for nobody; more fields win the game. An episode is one round.

    Observation:
        `view="text"`: the rules and the form of an answer; at the end both spreads.
        `view="numeric"`: float32 vector (2 + 2 fields,): seat, own coins, at the end theirs.

    Action:
        `view="text"`: the whole reply; the coins of each field, such as `4 3 3`, are read from
        `<answer>...</answer>`, else from the last line.
        `view="numeric"`: the index among all spreads in lexicographic order.

    Reward:
        1 for a win, 0 for a draw, -1 for a loss; `info["score"]` 1, 0.5 or 0.

    Episode end:
        After the move. A reply that is no such spread may be repeated up to `max_retries` times,
        then the game is lost, as it is at once by an illegal number.

    Arguments:
        seat: 0, 1 or `random` (default); both move at the same time.
            `reset(options={"seat": 0})` pins the seat of one episode.
        max_retries: Further replies after one without a legal move; default 2.
        coins: Of each player, at least 1; default 10.
        fields: 2 to 8; default 3. There must be no more than 5,000 ways to spread the coins.

    Example:
        >>> env = BlottoEnv(seat=0, opponent="scripted")
        >>> print(env.reset(seed=0)[0].splitlines()[-1])
        Reply <answer>a b c</answer>: 3 whole numbers of coins, one for each field, 10 in sum.
        >>> print(env.step("I give up one field: <answer>5, 5, 0</answer>")[0])
        You are player 1. Your coins: 5 5 0. Opponent's: 3 4 3.
        Fields: you 2, opponent 1. You win.

    Source:
        Borel, "La théorie du jeu et les équations intégrales à noyau symétrique" (1921).
    """

    rules_class = Blotto
