"""Levels of the letter grid: places of the letters on a torus, and its observations.

Every episode has another level, so events and rewards are functions of the observations: they hold
for stored transitions of any episode.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.control.core.arrays import Array, namespace
from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.gridworlds.letter_formulas import LETTERS
from zerogym.envs.control.tabular.layouts import MOVES
from zerogym.envs.control.tabular.mdp import TabularMDP, deterministic_mdp
from zerogym.envs.control.tabular.product_mdp import MissionReward
from zerogym.envs.control.temporal.reward_machines import RewardMachine

SIDE = 7
PLACES = SIDE**2
EACH = 2  # places of every letter
FAR = SIDE // 2  # the farthest that a cell can be, along an axis
MISSION_SIZE = len(LETTERS) + 2  # numbers about the mission in an observation
WIDTH = PLACES + EACH * 2 * len(LETTERS) + MISSION_SIZE  # of an observation
_WON = -2  # column of an observation; the last one is 1 if the mission has failed
_DRAWS = 64  # at a time

Level = tuple[int, ...]  # the places of the letters: a, a, b, b, ...


@dataclass(frozen=True, eq=False)
class Won(MissionReward):
    """The observed change of "the mission would be true if the episode ended now"."""

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        return next_obs[..., _WON] - obs[..., _WON]


@dataclass(frozen=True)
class OnLetter:
    """True where a step ends on a letter: the way to it is zero."""

    letter: str

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        first = PLACES + 2 * EACH * LETTERS.index(self.letter)
        return (next_obs[..., first] == 0) & (next_obs[..., first + 1] == 0)


@dataclass(frozen=True)
class Visit(OnLetter):
    """1 for a step that ends on a letter, else 0."""

    def __call__(self, obs: Array, action: Array, next_obs: Array) -> Array:
        on = super().__call__(obs, action, next_obs)
        return namespace(next_obs).where(on, 1.0, 0.0)


EVENTS = MappingProxyType({letter: OnLetter(letter) for letter in LETTERS})
_VISITS = [
    Task(f"visit_{letter}", f"Go to letter {letter} and stay there.", Visit(letter))
    for letter in LETTERS
]
VISITS = MappingProxyType({task.name: task for task in _VISITS})


def observations(machine: RewardMachine, level: Level) -> NDArray[np.float32]:
    """Return the observation of each state; (N * 49, WIDTH)."""
    count = len(machine)
    holds = np.zeros(count)
    for state in range(count):  # states are numbered as they are reached: its own is set before
        holds[machine.next_state[state]] = holds[state] + machine.reward[state]
    lost = machine.over & (holds == 0)
    effects = np.zeros((count, len(LETTERS)))
    for i, event in enumerate(machine.events):
        after = machine.next_state[:, 1 << i]
        moves = np.where(lost[after], -1.0, 1.0)
        effects[:, LETTERS.index(event)] = np.where(after == np.arange(count), 0.0, moves)
    mission = np.concatenate([effects, holds[:, None], lost[:, None]], axis=1)  # (N, 14)
    obs = np.empty((count, PLACES, WIDTH), dtype=np.float32)
    obs[:, :, :PLACES] = np.eye(PLACES)
    # From each cell the way to each letter, down and right in units of 3, the farthest, over the
    # edges if that is shorter; of both places the nearer one first.
    cells = np.stack(np.divmod(np.arange(PLACES), SIDE), axis=1)  # (49, 2)
    away = (cells[list(level)] - cells[:, None] + FAR) % SIDE - FAR  # (49, 24, 2)
    pairs = away.reshape(PLACES, len(LETTERS), EACH, 2)
    nearer = np.abs(pairs).sum(axis=3).argsort(axis=2, kind="stable")  # (49, 12, 2)
    pairs = np.take_along_axis(pairs, nearer[..., None], axis=2)
    obs[:, :, PLACES:-MISSION_SIZE] = pairs.reshape(PLACES, -1) / FAR
    obs[:, :, -MISSION_SIZE:] = mission[:, None]
    return obs.reshape(count * PLACES, WIDTH)


def lowest() -> NDArray[np.float32]:
    """Return the lower bound of each number of an observation; (WIDTH,)."""
    low = np.full(WIDTH, -1.0, dtype=np.float32)
    low[:PLACES] = low[-2:] = 0.0
    return low


@cache
def torus() -> TabularMDP:
    """Return the MDP of the cells without letters; every cell is a start."""
    cells = np.arange(PLACES)
    table = [
        (cells // SIDE + down) % SIDE * SIDE + (cells % SIDE + right) % SIDE
        for down, right in MOVES.values()
    ]
    return deterministic_mdp(
        np.stack(table, axis=1), np.eye(PLACES, dtype=np.float32), tuple(range(PLACES))
    )


def draw_level(rng: np.random.Generator) -> Level:
    """Draw places of all letters such that the free cells are connected and adjoin all letters."""
    while True:  # about one draw in a hundred is good
        drawn = rng.random((_DRAWS, PLACES)).argsort(axis=1)[:, : EACH * len(LETTERS)]
        good = np.flatnonzero(_are_open(drawn))
        if len(good):
            return tuple(drawn[good[0]].tolist())


def _are_open(levels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return True for levels (B, 24) where no cell is enclosed by letters; (B,)."""
    blank = np.ones((len(levels), PLACES), dtype=bool)
    np.put_along_axis(blank, levels, False, axis=1)
    table = torus().outcomes[:, :, 0]  # (49, 5), the cell itself is among its neighbours
    reached = blank & (blank.cumsum(axis=1) == 1)  # the first cell without a letter
    while True:
        found = reached | (reached & blank)[:, table].any(axis=2)
        if np.array_equal(found, reached):
            return np.asarray(reached.all(axis=1))
        reached = found


@lru_cache(maxsize=64)
def holds_of(level: Level) -> Mapping[str, NDArray[np.bool_]]:
    """Return the places (49,) of each letter."""
    return {
        letter: np.isin(np.arange(PLACES), level[EACH * i : EACH * (i + 1)])
        for i, letter in enumerate(LETTERS)
    }
