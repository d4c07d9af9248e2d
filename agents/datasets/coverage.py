"""Coverage of the state space by a dataset: cells entered, and the entropy of states.

States of tabular environments are counted. Those of continuous environments are cells over at most
three numbers: the observation if it is so short; else, of a body, height, uprightness and speed;
else the first features. A bounded observed number is cut into 20 parts, others into steps of
`WIDTHS` (our choice). Cells ignore all other numbers; `state_entropy` uses the whole observation.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.datasets.stored import StoredDataset

PARTS, MAX_QUANTITIES = 20, 3
BODY = ("height", "upright", "speed")
WIDTH = 0.5  # of numbers without a width of their own
WIDTHS: Mapping[str, float] = MappingProxyType(
    {"height": 0.1, "upright": 0.25, "speed": 0.5, "x": 0.02, "y": 0.02}
)  # m, cosine, m/s, m, m
_BOUNDED = 1e4  # wider spaces count as unbounded
NEIGHBOUR, SAMPLE = 12, 1000  # of `state_entropy`

Cells = NDArray[np.int64]


def cells(dataset: StoredDataset, env: gym.Env[Any, Any]) -> tuple[tuple[str, ...], Cells, Cells]:
    """Return the names of the numbers, and the cells (N, q) before and after each transition."""
    states = [dataset.column(name) for name in ("observations", "next_observations")]
    if getattr(env.unwrapped, "num_states", None) is not None:
        return ("state",), *(each.argmax(axis=1)[:, None] for each in states)
    space = env.observation_space
    assert isinstance(space, gym.spaces.Box)
    measures = getattr(env.unwrapped, "measures", {})
    if space.shape[0] <= MAX_QUANTITIES or not measures:
        names = tuple(f"observation {i}" for i in range(min(space.shape[0], MAX_QUANTITIES)))
        low, high = (np.asarray(end, np.float64)[: len(names)] for end in (space.low, space.high))
        bounded = high - low < _BOUNDED
        width = np.where(bounded, (high - low) / PARTS, WIDTH)
        origin = np.where(bounded, low, 0.0)
        top = np.where(bounded, PARTS - 1, np.inf)  # the upper border is in the last cell
        numbers = [each[:, : len(names)] for each in states]
    else:
        names = BODY if set(BODY) <= set(measures) else tuple(measures)[:MAX_QUANTITIES]
        origin, top = np.zeros(1), np.full(1, np.inf)
        width = np.array([WIDTHS.get(name, WIDTH) for name in names])
        numbers = [np.column_stack([measures[name](each) for name in names]) for each in states]
    found = [
        np.minimum(np.floor((each - origin) / width), top).astype(np.int64) for each in numbers
    ]
    return names, found[0], found[1]


def state_entropy(observations: NDArray[Any], seed: int = 0) -> float:
    """Return the differential entropy of observations (N, k) in nats, from nearest neighbours.

    The estimate of Kozachenko and Leonenko ("Sample estimate of the entropy of a random vector",
    1987) with the 12th neighbour among at most 1,000 states, drawn from the seed: k mean log r +
    log of the volume of the unit ball + psi(n) - psi(12). Equal states count as 1e-6
    apart. Only differences between datasets of one environment are meaningful.
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
