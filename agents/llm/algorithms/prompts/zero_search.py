"""Noise that rises while a policy trains: the simulated search engine grows less reliable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zerogym.agents.llm.algorithms.rollout_tables import Draw, Outcome, Prompts, prompts
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.envs.tools.search.noise import noise_probability


@prompts("zero_search")
@dataclass(frozen=True)
class ZeroSearch(Prompts):
    """Pose fresh problems with a noise that rises by ZeroSearch's schedule (`noise_probability`).

    The environment is one whose `reset` takes the option `noise`, such as zerogym/Search-v0 with
    `engine="simulated"`. After `steps` steps the noise stays at `end`. The defaults of `start` and
    `end` are those of the paper's public scripts, that of `steps` is our choice. Left out: the
    language model that writes the documents.
    """

    source = (
        '"ZeroSearch: Incentivize the Search Capability of LLMs without Searching" (2025, arXiv '
        "2505.04588)"
    )
    steps: int = 200  # steps of training over which the noise rises
    start: float = 0.25  # probability of a noisy document at first, in [0, 1]
    end: float = 0.5  # the same at the end, in [0, 1]
    base: float = 4.0  # how late the noise comes, above 0; 1 is a straight line

    def __post_init__(self) -> None:
        super().__post_init__()
        noise_probability(0, self.steps, self.start, self.end, self.base)  # checks the ranges

    def __call__(self, draw: Draw) -> list[Prompt]:
        noise = self.measures(draw.state)["noise"]
        return [Prompt(draw.task, seed, options={"noise": noise}) for seed in draw.seeds()]

    def learn(self, outcomes: Sequence[Outcome], state: dict[str, Any]) -> None:
        """Count a step."""
        state["step"] = state.get("step", 0) + 1

    def measures(self, state: Mapping[str, Any]) -> dict[str, float]:
        """Return the probability of a noisy document."""
        step = min(state.get("step", 0), self.steps)
        return {"noise": noise_probability(step, self.steps, self.start, self.end, self.base)}
