"""Monte Carlo tree search: play by random continuations, for games of any size.

Kocsis and Szepesvári, "Bandit Based Monte-Carlo Planning" (2006): each simulation goes down the
tree by the UCB1 rule, adds one node, and plays on at random. Chance moves by its probabilities;
each seat goes for its own payoff. Where something is hidden, it is the information-set search of
Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search" (2012): each simulation
starts at a state drawn from what the seat to move cannot tell apart (`resample.py`), and a node is
an information set, so that hidden cards are never used. In games of perfect information a set is
one state and it is plain UCT, in which the ways to a position share their counts.

Left out: priors and evaluation networks, proofs of won positions (MCTS-Solver), reuse of the tree
from move to move, and beliefs that learn from the others' moves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from random import Random
from typing import Any

import numpy as np

from zerogym.envs.games.core import CHANCE, TERMINAL, Game
from zerogym.envs.games.resample import resample

Node = dict[int, list[float]]  # action: visits, sum of payoffs in [0, 1], times it was legal


@dataclass(frozen=True)
class Found:
    """What a search says of one action.

    Attributes:
        visits: Simulations that began with it.
        value: Their mean payoff for the seat to move.
    """

    visits: int
    value: float


class MCTS:
    """A player that searches anew at each move.

    Args:
        game: The rules.
        simulations: Continuations played for each move.
        exploration: The constant c of UCB1, for payoffs scaled to [0, 1]. The default is the one
            of the paper on information sets; the play hardly depends on it.
        many_observers: Where something is hidden: every seat's nodes are its own information sets
            (the paper's MO-ISMCTS). Else all nodes are those of the seat that searches (SO-ISMCTS),
            whose opponents then answer moves that they cannot see. Default: where moves are
            simultaneous.

    Example:
        >>> from zerogym.envs.games.tic_tac_toe import TicTacToe
        >>> MCTS(TicTacToe(), 200).choose("XX.OO....", np.random.default_rng(0))
        2
    """

    def __init__(
        self,
        game: Game[Any],
        simulations: int = 100,
        exploration: float = 0.7,
        many_observers: bool | None = None,
    ) -> None:
        if simulations < 1:
            raise ValueError(f"simulations must be at least 1, got {simulations!r}")
        self.game = game
        self.simulations = simulations
        self.exploration = exploration
        self.many_observers = game.simultaneous if many_observers is None else many_observers

    def choose(self, state: Any, rng: np.random.Generator, deterministic: bool = False) -> int:
        """The action visited most; of equal ones the one worth more.

        The search is random in any case: `deterministic` changes nothing.
        """
        found = self.search(state, rng)
        return max(found, key=lambda action: (found[action].visits, found[action].value))

    def search(self, state: Any, rng: np.random.Generator) -> dict[int, Found]:
        """Visits and value of each legal action, for the seat to move.

        Exactly one number is drawn from `rng`, whatever the search does.
        """
        seed = int(rng.integers(2**63))
        search = _Search(self, self.game.to_move(state), Random(seed))
        root = search.add(state)
        hidden = None if self.game.perfect_information else np.random.default_rng(seed)
        for _ in range(self.simulations):
            search.simulate(state if hidden is None else resample(self.game, state, hidden))
        low, high = self.game.payoff_range
        return {
            action: Found(int(visits), low + (high - low) * (total / visits if visits else 0.0))
            for action, (visits, total, _) in (
                (action, root.get(action, [0.0, 0.0, 0.0])) for action in self.game.legal(state)
            )
        }


class _Search:
    """The tree of one search."""

    def __init__(self, player: MCTS, seat: int, rng: Random) -> None:
        self.game, self.seat, self.random = player.game, seat, rng.random
        self.exploration, self.many_observers = player.exploration, player.many_observers
        self.tree: dict[Any, Node] = {}
        low, high = self.game.payoff_range
        self.low, self.scale = low, 1 / (high - low) if high > low else 1.0

    def key(self, state: Any, mover: int) -> Any:
        if self.game.perfect_information:
            return state
        return mover, self.game.info_key(state, mover if self.many_observers else self.seat)

    def add(self, state: Any) -> Node:
        return self.tree.setdefault(self.key(state, self.game.to_move(state)), {})

    def simulate(self, state: Any) -> None:
        game, path = self.game, []
        while (mover := game.to_move(state)) != TERMINAL:
            if mover == CHANCE:
                state = game.apply(state, sample(game.chance(state), self.random()))
                continue
            key = self.key(state, mover)
            node = self.tree.get(key)
            if node is None:
                self.tree[key] = {}
                state = self.play_out(state)
                break
            action = self.select(node, game.legal(state))
            path.append((node[action], mover))
            state = game.apply(state, action)
        payoffs = game.payoff(state)
        for edge, mover in path:
            edge[0] += 1
            edge[1] += (payoffs[mover] - self.low) * self.scale

    def select(self, node: Node, legal: Sequence[int]) -> int:
        """A legal action that was never tried, else the one of the highest upper bound.

        The bound counts how often an action was legal, not how often the node was visited: in an
        information set, states may differ in what others can do.
        """
        best, best_bound, untried = -1, -1.0, []
        for action in legal:
            edge = node.get(action)
            if edge is None:
                edge = node[action] = [0.0, 0.0, 0.0]
            edge[2] += 1
            visits = edge[0]
            if not visits:
                untried.append(action)
            elif not untried:
                bound = edge[1] / visits + self.exploration * sqrt(log(edge[2]) / visits)
                if bound > best_bound:
                    best, best_bound = action, bound
        return untried[int(self.random() * len(untried))] if untried else best

    def play_out(self, state: Any) -> Any:
        game, random = self.game, self.random
        while (mover := game.to_move(state)) != TERMINAL:
            if mover == CHANCE:
                state = game.apply(state, sample(game.chance(state), random()))
            else:
                legal = game.legal(state)
                state = game.apply(state, legal[int(random() * len(legal))])
        return state


def sample(outcomes: Sequence[tuple[int, Fraction]], uniform: float) -> int:
    """The outcome of chance at a place `uniform` in [0, 1)."""
    for outcome, probability in outcomes:
        uniform -= probability.numerator / probability.denominator
        if uniform < 0:
            return outcome
    return outcomes[-1][0]
