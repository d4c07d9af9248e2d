"""A fixed pool of problems of the run's task."""

from dataclasses import dataclass

import numpy as np

from zerogym.agents.llm.algorithms.rollout_tables import Draw, Prompts, prompts
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.settings import check_at_least


@prompts("pool")
@dataclass(frozen=True)
class Pool(Prompts):
    """Pose the problems of a fixed pool again and again; with `size=1` always the same one.

    A step has different problems as far as the pool is large enough. Left out: the choice of the
    example by the variance of its accuracy in an earlier run.
    """

    source = (
        '"Reinforcement Learning for Reasoning in Large Language Models with One Training Example" '
        "(2025, arXiv 2504.20571)"
    )
    size: int = 64  # problems, drawn from pool_seed
    pool_seed: int = 0  # of the problems' seeds
    seeds: tuple[int, ...] = ()  # of the problems, in place of size and pool_seed

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, size=1, pool_seed=0)
        object.__setattr__(self, "seeds", tuple(self.seeds))
        if any(seed < 0 for seed in self.seeds):
            raise ValueError(f"seeds must be at least 0, got {min(self.seeds)}")

    def __call__(self, draw: Draw) -> list[Prompt]:
        return [Prompt(draw.task, seed) for seed in self.chosen(draw)]

    def chosen(self, draw: Draw) -> list[int]:
        """Return the seeds of the problems of a draw: as different as the pool allows."""
        problems = self.seeds or pool_of(self.size, self.pool_seed)
        found: list[int] = []
        while len(found) < draw.count:
            order = draw.rng.permutation(len(problems)).tolist()
            found += [problems[place] for place in order]
        return found[: draw.count]


def pool_of(size: int, seed: int) -> list[int]:
    """Return the seeds of the problems of a pool; a larger pool begins with a smaller one's."""
    found: list[int] = np.random.default_rng(seed).integers(2**31, size=size).tolist()
    return found
