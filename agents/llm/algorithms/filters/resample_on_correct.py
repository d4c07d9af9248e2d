"""GRPO-RoC: of twice as many episodes the cleaner right ones and any of the wrong ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from zerogym.agents.llm.algorithms.batch import Floats, Places
from zerogym.agents.llm.algorithms.episode_tables import Filter, Groups, episode_filter
from zerogym.agents.trajectory import Trajectory


@episode_filter("roc")
@dataclass(frozen=True)
class ResampleOnCorrect(Filter):
    """Keep half of each group: wrong episodes at random, right ones rather with few failed calls.

    Right episodes are drawn one after the other with probabilities in proportion to the inverse of
    their share of failed tool calls, which is 1/2 without a call; those without a failure come
    first. Half of the wrong ones stay, rounded down (our choice); set `group_size` to twice the
    size. The authors' code takes the right ones in order of the share. Left out: the penalty of
    repeated answer tags.
    """

    source = "rStar2-Agent: Agentic Reasoning Technical Report (2025, arXiv 2508.20722)"

    share: float = 0.5  # share of a group that stays, in (0, 1], rounded up

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.share <= 1:
            raise ValueError(f"share must be in (0, 1], got {self.share!r}")

    def __call__(self, groups: Groups, rng: np.random.Generator) -> list[list[bool]]:
        """Return whether each episode stays."""
        return [self._of_group(group, rng) for group in groups]

    def _of_group(self, group: Sequence[Trajectory], rng: np.random.Generator) -> list[bool]:
        right = np.array([item.correct for item in group], dtype=bool)  # (G,)
        faults = np.array([failed_share(item) for item in group])  # (G,)
        few_wrong = int(self.share * (~right).sum())
        few_right = ceil(self.share * len(group)) - few_wrong
        stays = np.zeros(len(group), dtype=bool)
        stays[drawn(np.flatnonzero(~right), np.ones(len(group)), few_wrong, rng)] = True
        stays[drawn(np.flatnonzero(right), faults, few_right, rng)] = True
        return [bool(each) for each in stays]


def failed_share(trajectory: Trajectory) -> float:
    """Return the share of an episode's tool calls that failed; 1/2 without a call."""
    calls = trajectory.info.get("tool_calls", 0)
    return trajectory.info.get("failed_calls", 0) / calls if calls else 0.5


def drawn(places: Places, penalties: Floats, count: int, rng: np.random.Generator) -> Places:
    """Return so many of the places, drawn without replacement in proportion to `1 / penalty`.

    Exponential times with these rates end in the order of such draws; places without a penalty come
    before all others, in any order.

    Args:
        places: The numbers to draw from (N,).
        penalties: Of each number, at least 0.
        count: How many; all if there are fewer.
        rng: The random numbers.
    """
    own = penalties[places]  # (N,)
    times = rng.exponential(size=len(places)) * np.where(own > 0, own, 1.0)
    return places[np.lexsort((times, own > 0))[:count]]
