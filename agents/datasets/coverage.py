"""How much of a world a dataset has seen: cells that were entered, and how far states lie apart.

States of finite worlds are counted as they are. Those of continuous worlds are cells over at most
three numbers: those observed if there are so few; else, of a body, its height, how upright it is
and its speed; else the first that the world measures. A bounded number that is observed is cut into
20 parts, others into steps of `WIDTHS` (our choice).

Cells know nothing of the other numbers; `state_entropy` looks at all of them.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.stored import StoredDataset

PARTS, MOST_QUANTITIES = 20, 3
BODY = ("height", "upright", "speed")
WIDTH = 0.5  # of numbers without a width of their own
WIDTHS: Mapping[str, float] = MappingProxyType(
    {"height": 0.1, "upright": 0.25, "speed": 0.5, "x": 0.02, "y": 0.02}
)  # m, cosine, m/s, m, m
_BOUNDED = 1e4  # wider spaces count as unbounded
NEIGHBOUR, SAMPLE = 12, 1000  # of `state_entropy`

Cells = NDArray[np.int64]


def cells(dataset: StoredDataset, env: gym.Env[Any, Any]) -> tuple[tuple[str, ...], Cells, Cells]:
    """What states are told apart by, and the cells (N, q) before and after each transition."""
    seen = [dataset.column(name) for name in ("observations", "next_observations")]
    if getattr(env.unwrapped, "num_states", None) is not None:
        return ("state",), *(each.argmax(axis=1)[:, None] for each in seen)
    space = env.observation_space
    assert isinstance(space, gym.spaces.Box)
    measures = getattr(env.unwrapped, "measures", {})
    if space.shape[0] <= MOST_QUANTITIES or not measures:
        names = tuple(f"observation {i}" for i in range(min(space.shape[0], MOST_QUANTITIES)))
        low, high = (np.asarray(end, np.float64)[: len(names)] for end in (space.low, space.high))
        bounded = high - low < _BOUNDED
        width = np.where(bounded, (high - low) / PARTS, WIDTH)
        origin = np.where(bounded, low, 0.0)
        top = np.where(bounded, PARTS - 1, np.inf)  # the upper border is in the last cell
        numbers = [each[:, : len(names)] for each in seen]
    else:
        names = BODY if set(BODY) <= set(measures) else tuple(measures)[:MOST_QUANTITIES]
        origin, top = np.zeros(1), np.full(1, np.inf)
        width = np.array([WIDTHS.get(name, WIDTH) for name in names])
        numbers = [np.column_stack([measures[name](each) for name in names]) for each in seen]
    found = [
        np.minimum(np.floor((each - origin) / width), top).astype(np.int64) for each in numbers
    ]
    return names, found[0], found[1]


def state_entropy(observations: NDArray[Any], seed: int = 0) -> float:
    """Differential entropy of observations (N, k) in nats, from distances to near ones.

    The estimate of Kozachenko and Leonenko ("Sample estimate of the entropy of a random vector",
    1987) with the 12th neighbour among at most 1,000 states, drawn from the seed: k mean log r +
    log of the volume of the unit ball + psi(n) - psi(12). States that are the same count as 1e-6
    apart. Only its differences between datasets of one world mean something.
    """
    order = np.random.default_rng(seed).permutation(len(observations))[:SAMPLE]
    points = np.asarray(observations, np.float64)[order]
    n, size = points.shape
    if n <= NEIGHBOUR:
        raise ValueError(f"state_entropy needs more than {NEIGHBOUR} states, got {n}")
    apart = np.array(
        [np.partition(np.linalg.norm(points - p, axis=1), NEIGHBOUR)[NEIGHBOUR] for p in points]
    )
    ball = size / 2 * math.log(math.pi) - math.lgamma(size / 2 + 1)
    harmonic = float(np.sum(1 / np.arange(NEIGHBOUR, n)))  # psi(n) - psi(12)
    return float(size * np.log(np.maximum(apart, 1e-6)).mean() + ball + harmonic)
