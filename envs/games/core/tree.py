"""A game as arrays, walked once by its rules and then level by level by numpy.

The solvers for hidden information pass over the whole game again and again; with arrays a pass
over Leduc poker takes milliseconds. Histories that meet in one state are one node. Left out: games
without perfect recall, whose information sets cannot be put in an order.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game
from zerogym.envs.games.core.tabular_policy import Strategy

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

NO_SLOT = -1  # of the outcomes of chance


@dataclass(frozen=True)
class Edges:
    """Moves: from the state `parent` to the state `child`.

    Attributes:
        parent: (E,) indices of states.
        child: (E,).
        slot: (E,) index of the action among all actions of all information sets, or `NO_SLOT`.
        chance: (E,) the probability of an outcome of chance, 1 for actions.
        mover: (E,) seats, or `CHANCE`.
    """

    parent: Indices
    child: Indices
    slot: Indices
    chance: Floats
    mover: Indices

    def take(self, which: Any) -> "Edges":
        """Some of the edges, by index or mask."""
        return Edges(*(getattr(self, name)[which] for name in self.__dataclass_fields__))

    def weights(self, strategy: Floats) -> Floats:
        """Probabilities of the moves under a strategy over all slots: (E,)."""
        return np.where(self.slot == NO_SLOT, self.chance, strategy[self.slot])


@dataclass(frozen=True)
class Tree:
    """All states, moves and information sets of a game.

    Attributes:
        size: Number of states; the initial one is 0.
        edges: All moves, those of a state in increasing order of its actions.
        leaves: (L,) terminal states.
        payoffs: (L, num_seats).
        keys: Of the information sets, K of them.
        examples: A state of each.
        mover: (K,) its seat.
        starts: (K,) its first slot.
        set_of_slot: (A,).
        set_of_state: (size,), -1 for chance and terminal states.
    """

    size: int
    edges: Edges
    leaves: Indices
    payoffs: Floats
    keys: list[str]
    examples: list[Any]
    mover: Indices
    starts: Indices
    set_of_slot: Indices
    set_of_state: Indices

    def levels(self, seat: int) -> list[Edges]:
        """The moves in an order that a seat's reasoning can follow, parents before children.

        All states of one of its information sets are parents in the same level. With perfect
        recall there is such an order for each seat, though perhaps not one for all.
        """
        parent, child = self.edges.parent, self.edges.child
        own = self.set_of_state.copy()
        own[own >= 0] = np.where(self.mover[own[own >= 0]] == seat, own[own >= 0], -1)
        members = np.flatnonzero(own >= 0)
        level = np.zeros(self.size, dtype=np.int64)
        for _ in range(self.size + 1):
            before = level.copy()
            np.maximum.at(level, child, level[parent] + 1)
            deepest = np.zeros(len(self.keys), dtype=np.int64)
            np.maximum.at(deepest, own[members], level[members])
            level[members] = deepest[own[members]]
            if np.array_equal(level, before):
                order = np.argsort(level[parent], kind="stable")
                cuts = np.flatnonzero(np.diff(level[parent][order])) + 1
                return [self.edges.take(part) for part in np.split(order, cuts)]
        raise ValueError("a seat forgets what it knew: its information sets have no order")

    def uniform(self) -> Floats:
        """All actions equally likely, over slots: (A,)."""
        return 1 / np.bincount(self.set_of_slot, minlength=len(self.keys))[self.set_of_slot]

    def rows(self, strategy: Floats) -> dict[str, tuple[float, ...]]:
        """A strategy over slots as a table over information sets."""
        parts = np.split(strategy, self.starts[1:])
        return {key: tuple(part.tolist()) for key, part in zip(self.keys, parts, strict=True)}

    def slots(self, strategy: Strategy, without: int | None = None) -> Floats:
        """The probabilities of a strategy, over slots: (A,); uniform for the seat `without`."""
        found = self.uniform()
        ends = [*self.starts[1:].tolist(), len(found)]
        for index, (start, end) in enumerate(zip(self.starts.tolist(), ends, strict=True)):
            if self.mover[index] != without:
                found[start:end] = strategy.probabilities(self.examples[index])
        return found


@dataclass
class _Walk:
    """Everything that is collected while the rules are walked."""

    numbers: dict[Any, int] = field(default_factory=dict)
    edges: list[tuple[int, int, int, float, int]] = field(default_factory=list)
    leaves: dict[int, tuple[float, ...]] = field(default_factory=dict)
    sets: dict[tuple[int, str], tuple[int, int]] = field(default_factory=dict)  # number, slot
    examples: list[Any] = field(default_factory=list)
    set_of_state: dict[int, int] = field(default_factory=dict)
    num_slots: int = 0


@lru_cache(maxsize=4)
def compiled(game: Game[Any]) -> Tree:
    """The tree of a game, walked once a process.

    Example:
        >>> from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
        >>> tree = compiled(KuhnPoker())
        >>> tree.size, len(tree.keys), len(tree.leaves)
        (58, 12, 30)
    """
    walk = _Walk({game.initial(): 0})
    queue = [game.initial()]
    for state in queue:  # grows while it is read
        index, mover = walk.numbers[state], game.to_move(state)
        if mover == TERMINAL:
            walk.leaves[index] = game.payoff(state)
            continue
        for action, slot, probability in _choices(game, walk, state, mover):
            child = game.apply(state, action)
            if child not in walk.numbers:
                walk.numbers[child] = len(walk.numbers)
                queue.append(child)
            walk.edges.append((index, walk.numbers[child], slot, probability, mover))
    return _arrays(walk)


def _choices(game: Game[Any], walk: _Walk, state: Any, mover: int) -> list[tuple[int, int, float]]:
    """Actions or outcomes with their slots and chances; notes the information set."""
    if mover == CHANCE:
        return [(outcome, NO_SLOT, float(p)) for outcome, p in game.chance(state)]
    legal = game.legal(state)
    key = (mover, game.info_key(state, mover))
    if key not in walk.sets:
        walk.sets[key] = (len(walk.sets), walk.num_slots)
        walk.examples.append(state)
        walk.num_slots += len(legal)
    number, start = walk.sets[key]
    walk.set_of_state[walk.numbers[state]] = number
    return [(action, start + place, 1.0) for place, action in enumerate(legal)]


def _arrays(walk: _Walk) -> Tree:
    parent, child, slot, chance, mover = zip(*walk.edges, strict=True)
    edges = Edges(
        np.array(parent), np.array(child), np.array(slot), np.array(chance), np.array(mover)
    )
    starts = np.array([start for _, start in walk.sets.values()], dtype=np.int64)
    lengths = np.diff(starts, append=walk.num_slots)
    set_of_state = np.full(len(walk.numbers), -1)
    set_of_state[list(walk.set_of_state)] = list(walk.set_of_state.values())
    return Tree(
        size=len(walk.numbers),
        edges=edges,
        leaves=np.array(list(walk.leaves)),
        payoffs=np.array(list(walk.leaves.values()), dtype=np.float64),
        keys=[key for _, key in walk.sets],
        examples=walk.examples,
        mover=np.array([seat for seat, _ in walk.sets], dtype=np.int64),
        starts=starts,
        set_of_slot=np.repeat(np.arange(len(starts)), lengths),
        set_of_state=set_of_state,
    )
