"""The rules of a game, walked once into tables that numpy can step through.

A successor is a decision (somebody is to move), an end (known by its payoffs alone) or a lottery (a
move of chance, with all that chance does until the next decision folded into it). Left out: games
that are too large to enumerate, and rewards before the end, which come with the payoff here.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.batched.base import Bools, Floats, Indices
from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game, forfeit
from zerogym.envs.games.core.tabular_policy import check_enumerable

Lottery = tuple[tuple[int, Fraction], ...]  # codes and their chances


@dataclass(frozen=True)
class Tables:
    """A game as tables; codes below `decisions` are decisions, then come ends, then lotteries.

    Attributes:
        states: Of the rules, for each decision.
        start: Code of the beginning.
        following: (decisions * (num_actions + 1),) codes; the last of a row is that of no action.
        masks: (decisions, num_actions).
        counts: (decisions,) of legal actions.
        legal: (decisions * (num_actions + 1),) the legal actions, the last one repeated to the end
            of the row.
        movers: (decisions,).
        ends: (ends, num_seats) payoffs.
        bounds: (outcomes,) of all lotteries in turn: the number of the lottery plus the probability
            of this outcome or an earlier one.
        outcomes: (outcomes,) codes of decisions and ends.
        last: (lotteries,) index of the last outcome of each.
    """

    states: list[Any]
    start: int
    following: Indices
    masks: Bools
    counts: Indices
    legal: Indices
    movers: Indices
    ends: Floats
    bounds: NDArray[np.float64]
    outcomes: Indices
    last: Indices


class _Walk:
    """Codes while the rules are walked: of ends ~0, ~1, and so on, of lotteries their chances."""

    def __init__(self, game: Game[Any]) -> None:
        self.game = game
        self.states: list[Any] = []  # in the order of their codes
        self.decisions: dict[Hashable, int] = {}
        self.ends: dict[tuple[float, ...], int] = {}
        self.lotteries: dict[Lottery, int] = {}

    def code(self, state: Any) -> int | Lottery:
        """The code of a state: a decision, the complement of an end, or a lottery."""
        mover = self.game.to_move(state)
        if mover == TERMINAL:
            return self.end(self.game.payoff(state))
        if mover != CHANCE:
            if state not in self.decisions:
                self.decisions[state] = len(self.states)
                self.states.append(state)
            return self.decisions[state]
        folded: dict[int, Fraction] = {}
        for outcome, probability in self.game.chance(state):
            code = self.code(self.game.apply(state, outcome))
            for each, part in code if isinstance(code, tuple) else ((code, Fraction(1)),):
                folded[each] = folded.get(each, Fraction(0)) + part * probability
        lottery = tuple(folded.items())
        self.lotteries.setdefault(lottery, len(self.lotteries))
        return lottery

    def end(self, payoffs: tuple[float, ...]) -> int:
        """The code of an end with these payoffs."""
        return ~self.ends.setdefault(payoffs, len(self.ends))

    def final(self, code: int | Lottery) -> int:
        """When all are known: decisions, then ends, then lotteries."""
        if isinstance(code, tuple):
            return len(self.decisions) + len(self.ends) + self.lotteries[code]
        return code if code >= 0 else len(self.decisions) + ~code


@lru_cache(maxsize=4)
def compiled(game: Game[Any]) -> Tables:
    """The tables of a game, made once a process; tic-tac-toe takes a tenth of a second.

    Raises:
        ValueError: If the game is too large to enumerate.
    """
    check_enumerable(game)
    walk = _Walk(game)
    start = walk.code(game.initial())
    rows = []
    for state in walk.states:  # grows while it is read
        none: int | Lottery = walk.end(forfeit(game, game.to_move(state)))
        row = [none] * (game.num_actions + 1)
        for action in game.legal(state):
            row[action] = walk.code(game.apply(state, action))
        rows.append(row)
    chances = [
        (number + float(sum(p for _, p in lottery[: place + 1])), walk.final(code))
        for lottery, number in walk.lotteries.items()
        for place, (code, _) in enumerate(lottery)
    ]
    every, offered = range(game.num_actions), [game.legal(state) for state in walk.states]
    padded = [actions + actions[-1:] * (len(every) + 1 - len(actions)) for actions in offered]
    return Tables(
        states=walk.states,
        start=walk.final(start),
        following=np.array([walk.final(code) for row in rows for code in row]),
        masks=np.array([[action in actions for action in every] for actions in offered]),
        counts=np.array([len(actions) for actions in offered]),
        legal=np.array(padded).ravel(),
        movers=np.array([game.to_move(state) for state in walk.states]),
        ends=np.array(list(walk.ends), dtype=np.float32),
        bounds=np.array([bound for bound, _ in chances]),
        outcomes=np.array([code for _, code in chances], dtype=np.int64),
        last=np.cumsum([len(lottery) for lottery in walk.lotteries], dtype=np.int64) - 1,
    )
