"""Fresh problems of the run's task, in any number."""

from dataclasses import dataclass

from zerogym.agents.llm.algorithms.rollout_tables import Draw, Prompts, prompts
from zerogym.agents.llm.rollout.prompt import Prompt


@prompts("endless")
@dataclass(frozen=True)
class Endless(Prompts):
    """Pose a fresh problem of the run's task with each prompt."""

    def __call__(self, draw: Draw) -> list[Prompt]:
        return [Prompt(draw.task, seed) for seed in draw.seeds()]
