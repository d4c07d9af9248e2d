"""Exact best responses, and exploitability.

For a seat whose opponents play known strategies, the states of one of its information sets are
weighted by chance and the opponents alone, and the action with the greatest weighted value is
taken, from the last information sets to the first. Exact for games of perfect recall and of
perfect information, of any number of seats, zero-sum or not. All states are held in memory, however
many: games that are too large are not refused, so that a patient caller may try. Best responses as
in Johanson et al., "Accelerating Best Response Calculation in Large Extensive Games" (2011),
without its accelerations. Left out: those accelerations.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import Game
from zerogym.envs.games.core.tabular_policy import Strategy, TabularPolicy
from zerogym.envs.games.core.tree import Edges, Tree, compiled

TIE = 1e-12

Floats = NDArray[np.float64]


def _respond(tree: Tree, seat: int, opponent: Floats) -> tuple[Floats, Floats]:
    """The answer over slots, uniform for the others, and the values of all states for the seat.

    Args:
        tree: The game.
        seat: Who answers.
        opponent: What the others do, over slots.
    """
    answer, values = tree.uniform(), np.zeros(tree.size)
    weights: list[Floats] = []
    reach = np.zeros(tree.size)  # of a state, by chance and the others alone
    reach[0] = 1.0
    levels = tree.levels(seat)
    for edges in levels:
        weights.append(np.where(edges.mover == seat, 1.0, edges.weights(opponent)))
        np.add.at(reach, edges.child, reach[edges.parent] * weights[-1])
    values[tree.leaves] = tree.payoffs[:, seat]
    for edges, weight in zip(reversed(levels), reversed(weights), strict=True):
        mine = edges.mover == seat
        own = edges.take(mine)
        if len(own.slot):
            chosen = _best(tree, own, reach[own.parent] * values[own.child])
            answer[own.slot] = chosen
            weight[mine] = chosen
        np.add.at(values, edges.parent, weight * values[edges.child])
    return answer, values


def _best(tree: Tree, moves: Edges, gains: Floats) -> Floats:
    """1 for the best action of each information set, the first of equal ones; 0 for the others."""
    slots, place = np.unique(moves.slot, return_inverse=True)
    totals = np.bincount(place, gains)
    starts = np.flatnonzero(np.diff(tree.set_of_slot[slots], prepend=-1))
    counts = np.diff(starts, append=len(slots))
    highest = np.repeat(np.maximum.reduceat(totals, starts), counts)
    good = np.where(totals >= highest - TIE, np.arange(len(slots)), len(slots))
    first = np.repeat(np.minimum.reduceat(good, starts), counts)
    return np.asarray(first == np.arange(len(slots)), dtype=np.float64)[place]


@lru_cache(maxsize=32)
def best_response(game: Game[Any], seat: int, opponent: Strategy) -> tuple[TabularPolicy, float]:
    """The best that a seat can do when all others play `opponent`, and what it wins by it.

    Where `opponent` never lets the game come, the answer is the first legal action.

    Returns:
        The deterministic policy of the seat, and its expected payoff.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> best_response(KuhnPoker(), 0, TabularPolicy(KuhnPoker(), {}))[1]
        0.5
    """
    tree = compiled(game)
    answer, values = _respond(tree, seat, tree.slots(opponent, seat))
    rows = tree.rows(answer)
    own = {
        key: rows[key] for key, mover in zip(tree.keys, tree.mover, strict=True) if mover == seat
    }
    return TabularPolicy(game, own), float(values[0])


def nash_conv(game: Game[Any], strategy: Strategy) -> float:
    """The sum of what each seat could gain by a best response; 0 exactly at equilibria.

    `strategy` has the part of every seat.
    """
    tree = compiled(game)
    values = np.zeros((tree.size, game.num_seats))
    values[tree.leaves] = tree.payoffs
    slots = tree.slots(strategy)
    for edges in reversed(tree.levels(0)):
        np.add.at(values, edges.parent, edges.weights(slots)[:, None] * values[edges.child])
    responses = [best_response(game, seat, strategy)[1] for seat in range(game.num_seats)]
    return float(sum(responses) - values[0].sum())


def exploitability(game: Game[Any], strategy: Strategy) -> float:
    """`nash_conv / num_seats`: what a seat loses on average to a perfect adversary.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> round(exploitability(KuhnPoker(), TabularPolicy(KuhnPoker(), {})), 7)
        0.4583333
    """
    return nash_conv(game, strategy) / game.num_seats
