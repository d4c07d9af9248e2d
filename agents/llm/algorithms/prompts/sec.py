"""SEC: categories are arms of a bandit, whose reward is the absolute advantage."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.envs.registration import load_env_creator

from zerogym.agents.llm.algorithms.rollout_tables import Draw, Outcome, Prompts, prompts
from zerogym.agents.llm.rollout.prompt import Prompt, TaskSpec
from zerogym.agents.settings import check_above
from zerogym.envs.lookup import find_spec


@prompts("sec")
@dataclass(frozen=True)
class SEC(Prompts):
    """Draw the category or the difficulty of each prompt where learning is fastest.

    Each arm c has a value Q(c), at first 0. An arm is drawn with probability proportional to
    exp(Q(c) / temperature); after a step, each arm with episodes moves by
    Q(c) <- alpha * r + (1 - alpha) * Q(c), where r is the mean absolute advantage of its episodes.
    The numbers of alpha and temperature are our choice: the paper tunes them for each task.
    """

    source = '"Self-Evolving Curriculum for LLM Reasoning" (2025, arXiv 2505.14970)'
    uses_advantages = True
    categories: tuple[str, ...] = ()  # the arms; without any arm all categories of the task
    difficulties: tuple[float, ...] = ()  # the arms, in place of categories
    alpha: float = 0.5  # step of a value, in (0, 1]
    temperature: float = 1.0  # of the draw, above 0; low: the arm with the largest value

    def __post_init__(self) -> None:
        super().__post_init__()
        check_above(self, alpha=0, temperature=0)
        if self.alpha > 1:
            raise ValueError(f"alpha must be in (0, 1], got {self.alpha!r}")
        if self.categories and self.difficulties:
            raise ValueError("the arms of sec are categories or difficulties, not both")

    def check(self, task: TaskSpec) -> None:
        """Raise a ValueError if there are no two arms."""
        if len(self.arms(task)) < 2:
            raise ValueError(
                f"sec needs two arms, and {task.env} has no categories: set difficulties, say 1,2,3"
            )

    def arms(self, task: TaskSpec) -> list[dict[str, Any]]:
        """Return the options of `reset` of each arm."""
        if self.difficulties:
            return [{"difficulty": float(one)} for one in self.difficulties]
        names = self.categories
        if not names:
            entry = find_spec(task.env).entry_point
            creator = load_env_creator(entry) if isinstance(entry, str) else entry
            names = getattr(creator, "categories", ())
        return [{"category": name} for name in names]

    def __call__(self, draw: Draw) -> list[Prompt]:
        arms = self.arms(draw.task)
        values = np.array([draw.state.get(_name(arm), 0.0) for arm in arms]) / self.temperature
        shares = np.exp(values - values.max())  # (arms,)
        places = draw.rng.choice(len(arms), size=draw.count, p=shares / shares.sum()).tolist()
        return [
            Prompt(draw.task, seed, options=arms[place])
            for place, seed in zip(places, draw.seeds(), strict=True)
        ]

    def learn(self, outcomes: Sequence[Outcome], state: dict[str, Any]) -> None:
        """Move the value of each arm that had episodes in the step."""
        found: dict[str, list[float]] = defaultdict(list)
        for outcome in outcomes:
            # Groups that the update left out, all of whose rewards are equal, taught nothing.
            found[_name(outcome.prompt.options)].append(outcome.advantage or 0.0)
        for name, sizes in found.items():
            reward = sum(sizes) / len(sizes)
            state[name] = self.alpha * reward + (1 - self.alpha) * state.get(name, 0.0)

    def measures(self, state: Mapping[str, Any]) -> dict[str, float]:
        """Return the value of each arm."""
        return dict(state)


def _name(arm: Any) -> str:
    [(_, value)] = dict(arm).items()
    return str(value)
