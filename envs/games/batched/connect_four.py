"""Many games of connect four at once: the bitboards of its rules as numpy vectors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.batched.base import Batch, Bools, Floats, Indices, check_actions, check_n
from zerogym.envs.games.board.connect_four import COLUMNS, ROWS, ConnectFour, ConnectFourState

Boards = NDArray[np.uint64]

_BITS = ROWS + 1  # of a column, from its bottom up; the last stays empty
_FLOOR = np.array([1 << _BITS * column for column in range(COLUMNS)] + [0], dtype=np.uint64)
_COLUMN = _FLOOR * np.uint64((1 << ROWS) - 1)  # the last entry is of no column
_CEILING = _FLOOR[:COLUMNS] << np.uint64(ROWS - 1)
_FULL = np.bitwise_or.reduce(_COLUMN)
_STEPS = (1, _BITS, _BITS - 1, _BITS + 1)
_SHOWN = np.array(
    [_BITS * column + row for row in reversed(range(ROWS)) for column in range(COLUMNS)]
)


class BatchedConnectFour:
    """As `BatchedGame`, for connect four.

    Args:
        n: Number of games.
        seed: Of `random_actions`.

    Example:
        >>> games = BatchedConnectFour(n=1)
        >>> for column in (0, 1, 0, 1, 0, 1, 0):
        ...     batch = games.step(np.array([column]))
        >>> batch.payoffs.tolist(), batch.done.tolist()
        ([[1.0, -1.0]], [True])
    """

    def __init__(self, n: int, seed: int | None = None) -> None:
        self.game = ConnectFour()
        self.n = check_n(n)
        self._rng = np.random.default_rng(seed)
        self._own: Boards  # of the seat to move
        self._other: Boards
        self._movers: Indices
        self._clear()

    def reset(self, seed: int | None = None) -> Batch:
        """Begin all games anew."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._clear()
        return self._batch(np.zeros((self.n, 2), dtype=np.float32), np.zeros(self.n, dtype=bool))

    def step(self, actions: NDArray[np.integer[Any]]) -> Batch:
        """One move in each game: integers (n,).

        Raises:
            ValueError: If there are not `n` integers.
        """
        column = check_actions(actions, self.n, none=COLUMNS)
        taken = self._own | self._other
        disc = (taken + _FLOOR[column]) & _COLUMN[column]  # 0 where the column is full
        moved = self._own | disc
        gain = _has_four(moved).astype(np.float32) - (disc == 0)  # of the mover; 0 if nobody wins
        done = (gain != 0) | ((taken | disc) == _FULL)
        gain[self._movers == 1] *= -1
        self._own, self._other, self._movers = self._other, moved, 1 - self._movers
        ended = np.flatnonzero(done)
        for kept in (self._own, self._other, self._movers):
            kept[ended] = 0
        return self._batch(np.stack([gain, -gain], axis=1), done)

    def observe(self) -> Floats:
        """Observations of the seats to move: float32 (n, 126)."""
        boards = np.stack([self._own, self._other, _FULL & ~(self._own | self._other)], axis=1)
        parts = boards.astype("<u8").view(np.uint8).reshape(self.n, 3, 8)
        bits = np.unpackbits(parts, axis=2, bitorder="little")  # (n, 3, 64)
        # `take`, because it leaves the rows in their order, where `bits[:, :, _SHOWN]` does not.
        return bits.take(_SHOWN, axis=2).reshape(self.n, -1).astype(np.float32)

    def states(self) -> list[Any]:
        """The state of the rules, for each game."""
        boards = zip(self._own.tolist(), self._other.tolist(), self._movers.tolist(), strict=True)
        return [
            ConnectFourState((other, own) if mover else (own, other), mover)
            for own, other, mover in boards
        ]

    def random_actions(self) -> Indices:
        """Legal columns, equally likely: (n,)."""
        counts = self._masks().cumsum(axis=1, dtype=np.int8)
        place = (self._rng.random(self.n) * counts[:, -1]).astype(np.int8)
        return (counts <= place[:, None]).sum(axis=1)

    def get_state(self) -> dict[str, Any]:
        """A snapshot of all games and the generator."""
        boards = tuple(kept.copy() for kept in (self._own, self._other, self._movers))
        return {"boards": boards, "rng": self._rng.bit_generator.state}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot of `get_state`; it can be used any number of times."""
        self._own, self._other, self._movers = (kept.copy() for kept in state["boards"])
        self._rng.bit_generator.state = state["rng"]

    def _clear(self) -> None:
        self._own, self._other = (np.zeros(self.n, dtype=np.uint64) for _ in range(2))
        self._movers = np.zeros(self.n, dtype=np.int64)

    def _masks(self) -> Bools:
        taken = self._own | self._other
        masks: Bools = (taken[:, None] & _CEILING) == 0
        return masks

    def _batch(self, payoffs: Floats, done: Bools) -> Batch:
        return Batch(self._movers.copy(), self._masks(), payoffs, done)


def _has_four(boards: Boards) -> Bools:
    """True where four discs are in a row, column or diagonal."""
    found = np.zeros(len(boards), dtype=bool)
    for step in _STEPS:
        pairs = boards & (boards >> np.uint64(step))
        found |= (pairs & (pairs >> np.uint64(2 * step))) != 0
    return found
