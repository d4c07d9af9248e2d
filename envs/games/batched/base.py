"""The interface of many games that are stepped at once."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float32]
Indices = NDArray[np.int64]


class Batch(NamedTuple):
    """The result of a step, of all games.

    Attributes:
        movers: (n,) the seats to move; of games that have just ended, in the next one.
        masks: bool (n, num_actions), their legal actions.
        payoffs: float32 (n, num_seats), zeros but for games that have just ended.
        done: bool (n,), which those are.
    """

    movers: Indices
    masks: Bools
    payoffs: Floats
    done: Bools


class Games(Protocol):
    """`n` games of the same rules, stepped at once; a game that ends begins anew.

    All arrays that are returned are new, contiguous and the caller's to change, so that
    `torch.from_numpy` makes tensors of them without a copy; `step` reads actions from a tensor in
    main memory as from an array.
    """

    @property
    def n(self) -> int:
        """Number of games."""

    def reset(self, seed: int | None = None) -> Batch:
        """Begin all games anew; with a seed, chance too."""

    def step(self, actions: NDArray[np.integer[Any]]) -> Batch:
        """One move in each game: integers (n,); an illegal one forfeits.

        Raises:
            ValueError: If there are not `n` integers.
        """

    def observe(self) -> Floats:
        """Observations of the seats to move: float32 (n, observation_size)."""

    def states(self) -> list[Any]:
        """The state of the rules, for each game."""

    def random_actions(self) -> Indices:
        """Legal actions, equally likely: (n,)."""

    def get_state(self) -> dict[str, Any]:
        """A snapshot of all games and the generator."""

    def set_state(self, state: dict[str, Any]) -> None:
        """Go back to a snapshot of `get_state`; it can be used any number of times."""


def check_actions(actions: Any, n: int, none: int) -> Indices:
    """Actions as indices 0 to `none`, which stands for all that are no action of the game.

    Raises:
        ValueError: If there are not `n` integers.
    """
    found = np.asarray(actions)
    if found.shape != (n,) or found.dtype.kind not in "iu":
        raise ValueError(f"step() takes {n} integers, got {found.dtype} {found.shape}")
    # As unsigned numbers, negative ones are too large, too.
    indices: Indices = np.minimum(found.astype(np.uint64), none).astype(np.int64)
    return indices


def check_n(n: int) -> int:
    """Return the number of games if it is one, else raise ValueError."""
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n!r}")
    return n
