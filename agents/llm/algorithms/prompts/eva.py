"""eva: parameters of problems that evolve where the best and the worst reply differ most."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerogym.agents.llm.algorithms.rollout_tables import Draw, Outcome, Prompts, prompts
from zerogym.agents.llm.algorithms.rollouts.proposals import categories_of
from zerogym.agents.llm.rollout.prompt import Prompt, TaskSpec
from zerogym.agents.settings import check_above, check_at_least
from zerogym.agents.trajectory import Trajectory


def regret(episodes: Sequence[Trajectory]) -> float:
    """Return the best reward of a seat less its worst one; the largest of all seats."""
    seats: dict[str, list[float]] = {}
    for each in episodes:
        seats.setdefault(each.seat, []).append(each.reward)
    return max((max(own) - min(own) for own in seats.values()), default=0.0)


@prompts("eva")
@dataclass(frozen=True)
class Eva(Prompts):
    """Draw earlier parameters by their regret, and change them a little.

    Parameters are the difficulty of a problem, and its category where the task has several. A step
    keeps those of its prompts with their regret: the difference between the best and the worst
    reward of the group. The next prompts take earlier parameters with probability proportional to
    the regret and move the difficulty by a normal number, or change the category; a share is drawn
    evenly, as are all before any regret is above 0. Our choice: parameters of a generator in place
    of texts that a language model rewrites, and the numbers.
    """

    source = (
        '"Scalable Reinforcement Post-Training Beyond Static Human Prompts: Evolving Alignment via '
        'Asymmetric Self-Play" (2024, arXiv 2411.00062)'
    )
    hardest: float = 8.0  # largest difficulty
    fresh: float = 0.25  # share of prompts that are drawn evenly, in [0, 1]
    width: float = 0.5  # standard deviation of the change of a difficulty, above 0
    switch: float = 0.1  # probability that a change is one of the category
    size: int = 64  # parameters that are kept, the latest

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, hardest=0, fresh=0, switch=0, size=1)
        check_above(self, width=0)
        if self.fresh > 1 or self.switch > 1:
            raise ValueError(f"fresh and switch are at most 1, got {self.fresh}, {self.switch}")

    def check(self, task: TaskSpec) -> None:
        """Raise a ValueError unless the task draws problems by difficulty."""
        categories_of(task)

    def __call__(self, draw: Draw) -> list[Prompt]:
        names = categories_of(draw.task)
        kept = draw.state.get("kept", [])
        regrets = np.array([one["regret"] for one in kept])
        found = []
        for seed in draw.seeds():
            if not regrets.any() or draw.rng.random() < self.fresh:
                options: dict[str, Any] = {"difficulty": draw.rng.uniform(0, self.hardest)}
                if names:
                    options["category"] = names[int(draw.rng.integers(len(names)))]
            else:
                place = int(draw.rng.choice(len(kept), p=regrets / regrets.sum()))
                options = self._changed(kept[place]["options"], names, draw.rng)
            options["difficulty"] = round(float(options["difficulty"]), 3)
            found.append(Prompt(draw.task, seed, options=options))
        return found

    def _changed(
        self, options: Mapping[str, Any], names: Sequence[str], rng: np.random.Generator
    ) -> dict[str, Any]:
        others = [name for name in names if name != options.get("category")]
        if others and rng.random() < self.switch:
            return {**options, "category": others[int(rng.integers(len(others)))]}
        moved = rng.normal(options["difficulty"], self.width)
        return {**options, "difficulty": float(np.clip(moved, 0, self.hardest))}

    def learn(self, outcomes: Sequence[Outcome], state: dict[str, Any]) -> None:
        """Keep the parameters of a step's prompts with their regret."""
        kept = state.setdefault("kept", [])
        kept += [
            {"options": dict(one.prompt.options), "regret": regret(one.episodes)}
            for one in outcomes
            if one.episodes
        ]
        del kept[: -self.size]

    def measures(self, state: Mapping[str, Any]) -> dict[str, float]:
        """Return means of what is kept."""
        kept = state.get("kept", [])
        if not kept:
            return {}
        levels = [one["options"]["difficulty"] for one in kept]
        return {
            "regret": sum(one["regret"] for one in kept) / len(kept),
            "difficulty": sum(levels) / len(levels),
        }
