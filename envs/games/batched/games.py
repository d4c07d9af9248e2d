"""Many games at once: all are stepped by look-up in the tables of `tables.py`.

Left out: games that are too large to enumerate, except connect four, which has bitboards.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.batched.base import (
    Batch,
    Bools,
    Floats,
    Games,
    Indices,
    check_actions,
    check_n,
)
from zerogym.envs.games.batched.connect_four import BatchedConnectFour
from zerogym.envs.games.batched.tables import compiled
from zerogym.envs.games.board.connect_four import ConnectFour
from zerogym.envs.games.core.game import Game


def make_batched(game: Game[Any], n: int, seed: int | None = None) -> Games:
    """Many games at once, in the way that the game allows.

    Raises:
        ValueError: If the game is too large to enumerate, and not connect four.
    """
    if isinstance(game, ConnectFour):
        return BatchedConnectFour(n, seed)
    return BatchedGame(game, n, seed)


class BatchedGame:
    """`n` games of the same rules, stepped at once; a game that ends begins anew.

    Observations are made on demand, by `observe`, of the seats to move. An illegal
    action forfeits, as in the other environments.

    Args:
        game: The rules.
        n: Number of games.
        seed: Of all chance, and of `random_actions`.

    Raises:
        ValueError: If the game is too large to enumerate.

    Example:
        >>> from zerogym.envs.games.board.tic_tac_toe import TicTacToe
        >>> games = BatchedGame(TicTacToe(), n=2)
        >>> for cell in (0, 3, 1, 4):
        ...     batch = games.step(np.array([cell, cell]))
        >>> games.step(np.array([2, 5])).payoffs.tolist()  # three in a row, and none
        [[1.0, -1.0], [0.0, 0.0]]
    """

    def __init__(self, game: Game[Any], n: int, seed: int | None = None) -> None:
        self.game = game
        self.n = check_n(n)
        self.tables = compiled(game)
        self._rng = np.random.default_rng(seed)
        self._codes = self._deal(n)
        self._vectors: Floats | None = None

    def reset(self, seed: int | None = None) -> Batch:
        """Begin all games anew; with a seed, chance too."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._codes = self._deal(self.n)
        seats = self.game.num_seats
        return self._batch(
            np.zeros((self.n, seats), dtype=np.float32), np.zeros(self.n, dtype=bool)
        )

    def step(self, actions: NDArray[np.integer[Any]]) -> Batch:
        """One move in each game: integers (n,).

        Raises:
            ValueError: If there are not `n` integers.
        """
        width = self.game.num_actions + 1
        column = check_actions(actions, self.n, none=width - 1)
        codes = self._draw(self.tables.following[self._codes * width + column])
        done = codes >= len(self.tables.states)
        ended = np.flatnonzero(done)
        payoffs = np.zeros((self.n, self.game.num_seats), dtype=np.float32)
        payoffs[ended] = self.tables.ends[codes[ended] - len(self.tables.states)]
        codes[ended] = self._deal(len(ended))
        self._codes = codes
        return self._batch(payoffs, done)

    def observe(self) -> Floats:
        """Observations of the seats to move: float32 (n, observation_size)."""
        if self._vectors is None:
            states = zip(self.tables.states, self.tables.movers.tolist(), strict=True)
            self._vectors = np.stack([self.game.observe(state, seat) for state, seat in states])
        return self._vectors[self._codes]

    def states(self) -> list[Any]:
        """The state of the rules, for each game."""
        return [self.tables.states[code] for code in self._codes.tolist()]

    def random_actions(self) -> Indices:
        """Legal actions, equally likely: (n,)."""
        place = (self._rng.random(self.n) * self.tables.counts[self._codes]).astype(np.int64)
        return self.tables.legal[self._codes * (self.game.num_actions + 1) + place]

    def get_state(self) -> dict[str, Any]:
        """A snapshot of all games and the generator."""
        # Without a copy: codes are never changed in place.
        return {"codes": self._codes, "rng": self._rng.bit_generator.state}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot of `get_state`; it can be used any number of times."""
        self._codes = state["codes"]
        self._rng.bit_generator.state = state["rng"]

    def _batch(self, payoffs: Floats, done: Bools) -> Batch:
        codes = self._codes
        return Batch(self.tables.movers[codes], self.tables.masks[codes], payoffs, done)

    def _deal(self, count: int) -> Indices:
        return self._draw(np.full(count, self.tables.start))

    def _draw(self, codes: Indices) -> Indices:
        """Replace lotteries by what is drawn."""
        found = self.tables
        first = len(found.states) + len(found.ends)
        where = np.flatnonzero(codes >= first) if len(found.last) else ()
        if len(where):
            lottery = codes[where] - first
            ticket = lottery + self._rng.random(len(where))
            index = np.searchsorted(found.bounds, ticket, side="right")
            # A ticket just below the end of a lottery may be rounded up to the next one.
            codes[where] = found.outcomes[np.minimum(index, found.last[lottery])]
        return codes
