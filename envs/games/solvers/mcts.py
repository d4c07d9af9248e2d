"""Monte Carlo tree search: play by random continuations, for games of any size.

Kocsis and Szepesvári, "Bandit Based Monte-Carlo Planning" (2006): each simulation goes down the
tree by the UCB1 rule, adds one node, and plays on at random. Chance moves by its probabilities;
each seat goes for its own payoff. Where something is hidden, it is the information-set search of
Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search" (2012): each simulation
starts at a state drawn from what the seat to move cannot tell apart (`core/determinization.py`),
and a node is an information set, so that hidden cards are never used. In games of perfect
information a set is one state and it is plain UCT, in which the ways to a position share their
counts. There, for two seats and zero sums, ends of the game are carried back as proofs: a position
is proven if a move wins it, or if all its moves are proven, and proven losses are not visited again
(Winands, Björnsson and Saito, "Monte-Carlo Tree Search Solver", 2008, with draws, and without its
other changes).

Left out: priors and evaluation networks, proofs across chance, reuse of the tree from move to move,
and beliefs that learn from the others' moves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from random import Random
from typing import Any

import numpy as np

from zerogym.envs.games.core.determinization import can_redraw, resample
from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game
from zerogym.errors import NoOracle

TIE = 1e-9


@dataclass(slots=True)
class Edge:
    """Statistics of an action: payoffs scaled to [0, 1], for the seat that acts."""

    visits: int = 0
    total: float = 0.0
    offered: int = 0  # visits of the node in which the action was legal
    proof: float | None = None


Node = dict[int, Edge]
Step = tuple[Any, int, Node, Edge]  # a state, its mover, the node, and what was done


@dataclass(frozen=True)
class Found:
    """The result of a search for one action.

    Attributes:
        visits: Simulations that began with it.
        value: Their mean payoff for the seat to move.
        proven: That is no mean, but what follows from perfect play.
    """

    visits: int
    value: float
    proven: bool = False


class MCTS:
    """A player that searches anew at each move.

    Of 200 games of connect four (100 at 400 simulations), seats in turn, it wins 96% against random
    play with 20 simulations and all with 100 and 400; against the scripted player 14%, 47% and 73%.

    Args:
        game: The rules.
        simulations: Continuations played for each move.
        exploration: The constant c of UCB1, for payoffs scaled to [0, 1]. The default is the one
            of the paper on information sets; the play hardly depends on it.
        many_observers: Where something is hidden, every seat's nodes are its own information sets
            (the paper's MO-ISMCTS), as they are by default. Else all nodes are those of the seat
            that searches (SO-ISMCTS), whose opponents answer moves that they cannot see, and alike
            with all cards: so it bets with Q in Kuhn poker, though only K will call and J fold.

    Example:
        >>> from zerogym.envs.games.board.tic_tac_toe import TicTacToe
        >>> MCTS(TicTacToe(), 200).choose("XX.OO....", np.random.default_rng(0))
        2
    """

    def __init__(
        self,
        game: Game[Any],
        simulations: int = 100,
        exploration: float = 0.7,
        many_observers: bool = True,
    ) -> None:
        if simulations < 1:
            raise ValueError(f"simulations must be at least 1, got {simulations!r}")
        if not can_redraw(game):
            raise NoOracle(
                f"{game!r:.200}: what is hidden cannot be redrawn, so it is not searched"
            )
        self.game = game
        self.simulations = simulations
        self.exploration = exploration
        self.many_observers = many_observers

    def choose(self, state: Any, rng: np.random.Generator, deterministic: bool = False) -> int:
        """The action visited most, of equal ones the one worth more; proofs go first.

        The search is random in any case: `deterministic` changes nothing.
        """
        found = self.search(state, rng)
        low, high = self.game.payoff_range
        solved = all(each.proven for each in found.values())

        def worth(action: int) -> tuple[float, ...]:
            each = found[action]
            won = each.proven and each.value >= high - TIE
            lost = each.proven and each.value <= low + TIE
            return won, not lost, solved and each.value, each.visits, each.value

        return max(found, key=worth)

    def search(self, state: Any, rng: np.random.Generator) -> dict[int, Found]:
        """Visits and value of each legal action, for the seat to move.

        Exactly one number is drawn from `rng`, whatever the search does. It ends early if the
        position is proven.
        """
        seed = int(rng.integers(2**63))
        search = _Search(self, state, Random(seed))
        hidden = None if self.game.perfect_information else np.random.default_rng(seed)
        for _ in range(self.simulations):
            search.simulate(state if hidden is None else resample(self.game, state, hidden))
            if state in search.proofs:
                break
        return {action: search.report(action) for action in self.game.legal(state)}


class _Search:
    """The tree of one search."""

    def __init__(self, player: MCTS, state: Any, rng: Random) -> None:
        self.game, self.random = player.game, rng.random
        self.exploration, self.many_observers = player.exploration, player.many_observers
        self.seat = self.game.to_move(state)
        self.root: Node = {}
        self.tree: dict[Any, Node] = {self.key(state, self.seat): self.root}
        self.proofs: dict[Any, float] = {}  # of seat 0, scaled
        open_duel = self.game.perfect_information and self.game.num_seats == 2
        self.proves = open_duel and self.game.zero_sum
        low, high = self.game.payoff_range
        self.low, self.range = low, high - low or 1.0

    def key(self, state: Any, mover: int) -> Any:
        if self.game.perfect_information:
            return state
        return mover, self.game.info_key(state, mover if self.many_observers else self.seat)

    def report(self, action: int) -> Found:
        edge = self.root.get(action, Edge())
        value = edge.total / edge.visits if edge.visits else 0.0
        if edge.proof is not None:
            value = edge.proof
        return Found(edge.visits, self.low + self.range * value, edge.proof is not None)

    def simulate(self, state: Any) -> None:
        """Go down, add a node, play on, and carry the payoffs up."""
        game, path, certain = self.game, list[Step](), 0
        while (mover := game.to_move(state)) != TERMINAL:
            if mover == CHANCE:
                certain = len(path)
                state = game.apply(state, sample(game.chance(state), self.random()))
                continue
            if self.proofs and state in self.proofs:
                proof = self.proofs[state]
                return self.back_up(path, (proof, 1 - proof), certain)
            key = self.key(state, mover)
            node = self.tree.get(key)
            if node is None:
                self.tree[key] = {}
                return self.back_up(path, self.scaled(self.play_out(state)), len(path))
            action = self.select(node, game.legal(state))
            path.append((state, mover, node, node[action]))
            state = game.apply(state, action)
        return self.back_up(path, self.scaled(state), certain if self.proves else len(path))

    def scaled(self, state: Any) -> Sequence[float]:
        return [(payoff - self.low) / self.range for payoff in self.game.payoff(state)]

    def back_up(self, path: list[Step], payoffs: Sequence[float], certain: int) -> None:
        """Count a simulation; the payoffs are proven for its steps from `certain` on."""
        proof: float | None = payoffs[0]
        for index in reversed(range(len(path))):
            state, mover, node, edge = path[index]
            edge.visits += 1
            edge.total += payoffs[mover]
            if index < certain:
                proof = None
            if proof is None:
                continue
            edge.proof = proof if mover == 0 else 1 - proof
            proof = None
            proofs = [each.proof for each in node.values() if each.proof is not None]
            if edge.proof >= 1 or len(proofs) == len(node):
                best = max(proofs)
                proof = self.proofs[state] = best if mover == 0 else 1 - best

    def select(self, node: Node, legal: Sequence[int]) -> int:
        """A legal action that was never tried, else the one of the highest upper bound.

        The bound counts how often an action was legal, not how often the node was visited: in an
        information set, states may differ in what others can do. Proven losses are left out.
        """
        best, best_bound, untried = -1, -1.0, []
        for action in legal:
            edge = node.get(action)
            if edge is None:
                edge = node[action] = Edge()
            edge.offered += 1
            visits = edge.visits
            if not visits:
                untried.append(action)
            elif not untried and edge.proof != 0:
                bound = edge.total / visits + self.exploration * sqrt(log(edge.offered) / visits)
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
