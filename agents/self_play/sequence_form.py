"""A mixture of whole strategies as one strategy, and mean payoffs of strategies against each other.

To draw one of several strategies for each episode is the same as to play, at each information set,
their average weighted by how likely each is to come there by its own moves (Kuhn 1953). In sequence
form (von Stengel 1996), where a strategy is the probabilities of its own sequences of moves, that
is a plain average, and payoffs are products. It needs perfect recall: seats must know their own
earlier moves. Left out: games without it, such as tic-tac-toe, whose boards do not tell the order
of the marks, and games of more than two seats, whose opponents would be drawn together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.tabular_policy import Strategy, TabularPolicy
from zerogym.envs.games.core.tree import NO_SLOT, Tree, compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Sequences:
    """The sequence form of a game of two seats.

    Attributes:
        tree: The game.
        before: (A,) of each slot, the one its seat chose last before it, or `NO_SLOT`.
        last: (L, 2) of each leaf, the slot that each seat chose last, or `NO_SLOT`.
        weights: (L, 2) of each leaf, its chance times its payoffs.
    """

    tree: Tree
    before: Indices
    last: Indices
    weights: Floats

    def plan(self, slots: Floats) -> Floats:
        """Probabilities of own sequences up to each slot, from those of its moves: (A,)."""
        plan, before = slots, np.ones_like(slots)
        while True:
            earlier = np.where(self.before == NO_SLOT, 1.0, plan[self.before])
            if np.array_equal(earlier, before, equal_nan=True):
                return plan
            plan, before = slots * earlier, earlier


@lru_cache(maxsize=4)
def sequences(game: Game[Any]) -> Sequences:
    """The sequence form, made once a process.

    Raises:
        ValueError: If the game is not of two seats, or a seat does not know its own earlier moves.
    """
    if game.num_seats != 2:
        raise ValueError(f"mixtures are mixed for two seats, {game.name} has {game.num_seats}")
    tree = compiled(game)
    last = np.full((tree.size, 2), NO_SLOT)
    chance = np.zeros(tree.size)
    chance[0] = 1.0
    for edges in tree.levels(0):
        for seat in range(2):
            own = edges.mover == seat
            last[edges.child, seat] = np.where(own, edges.slot, last[edges.parent, seat])
        np.add.at(chance, edges.child, chance[edges.parent] * edges.chance)
    before = _before(tree, last)
    if before is None:
        raise ValueError(f"nothing can be mixed: {game.name} does not tell seats their past moves")
    weights = chance[tree.leaves, None] * tree.payoffs
    return Sequences(tree, before[tree.set_of_slot], last[tree.leaves], weights)


def _before(tree: Tree, last: Indices) -> Indices | None:
    """The last move of the seat before each information set; None if that is not unique.

    Args:
        tree: The game.
        last: (size, 2) of each state, what each seat chose last on one of the ways there.
    """
    found = np.full(len(tree.keys), NO_SLOT)
    decisions = np.flatnonzero(tree.set_of_state >= 0)
    sets = tree.set_of_state[decisions]
    mine = last[decisions, tree.mover[sets]]
    found[sets] = mine
    known = np.array_equal(found[sets], mine)
    for seat in range(2):  # and all ways to a state agree
        edges = tree.edges
        expected = np.where(edges.mover == seat, edges.slot, last[edges.parent, seat])
        known = known and np.array_equal(last[edges.child, seat], expected)
    return found if known else None


@lru_cache(maxsize=4096)
def own_plan(game: Game[Any], seat: int, strategy: Strategy) -> Floats:
    """A seat's probabilities of its own sequences under a strategy, kept by identity: (A,)."""
    found = sequences(game)
    return found.plan(found.tree.slots(strategy, without=1 - seat))


def mixed(
    game: Game[Any], seat: int, members: Sequence[Strategy], weights: Sequence[float]
) -> TabularPolicy:
    """The strategy of a seat that for each episode draws one of several.

    Uniform where none of them ever comes by its own moves.

    Args:
        game: The rules.
        seat: Whose strategies are mixed.
        members: At least one.
        weights: Of the members, not negative; they need not sum to 1.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> bettor = TabularPolicy(KuhnPoker(), {"J:": (0, 1)})
        >>> caller = TabularPolicy(KuhnPoker(), {"J:": (1, 0), "J:pb": (0, 1)})
        >>> both = mixed(KuhnPoker(), 0, [bettor, caller], [1, 1])
        >>> both.table["J:"], both.table["J:pb"]  # who bets never has the second decision
        ((0.5, 0.5), (0.0, 1.0))
    """
    tree = sequences(game).tree
    plans = np.stack([own_plan(game, seat, member) for member in members])
    total = np.average(plans, axis=0, weights=np.asarray(weights, dtype=np.float64))
    sums = np.add.reduceat(total, tree.starts)[tree.set_of_slot]
    slots = np.where(sums > 0, total / np.where(sums > 0, sums, 1.0), tree.uniform())
    movers = zip(tree.rows(slots).items(), tree.mover.tolist(), strict=True)
    return TabularPolicy(game, {key: row for (key, row), mover in movers if mover == seat})


def exact_payoff(game: Game[Any], first: Strategy, second: Strategy) -> float:
    """The mean payoff of the first seat.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> uniform = TabularPolicy(KuhnPoker(), {})
        >>> round(exact_payoff(KuhnPoker(), uniform, uniform), 9)
        0.125
    """
    found = sequences(game)
    reach = found.weights[:, 0].copy()
    for seat, strategy in enumerate((first, second)):
        plan = own_plan(game, seat, strategy)
        reach *= np.where(found.last[:, seat] == NO_SLOT, 1.0, plan[found.last[:, seat]])
    return float(reach.sum())
