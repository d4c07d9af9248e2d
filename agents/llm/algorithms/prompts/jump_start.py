"""Jump-start: the oracle plays the first replies, fewer and fewer as the policy learns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from zerogym.agents.llm.algorithms.rollout_tables import Draw, Outcome, Prompts, prompts
from zerogym.agents.llm.rollout.prompt import Prompt
from zerogym.agents.settings import check_at_least


@prompts("jump_start")
@dataclass(frozen=True)
class JumpStart(Prompts):
    """Let the oracle play the first replies of fresh problems, so many in each stage.

    Its replies are in the context and not trained on. Once the mean return of the last `window`
    episodes of a stage, oracle and policy together, is `threshold` or more, the next stage begins;
    the last one goes on for ever. A reply that would end the episode is left to the policy. That
    episodes of training are judged, and not separate ones, is our choice.
    """

    source = '"Jump-Start Reinforcement Learning" (2022, arXiv 2204.02372)'
    stages: tuple[int, ...] = (2, 1, 0)  # replies of the oracle, fewer and fewer
    threshold: float = 0.5  # mean return that is good enough for the next stage
    window: int = 64  # episodes of a stage that are averaged

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, window=1)
        object.__setattr__(self, "stages", tuple(self.stages))
        falling = all(one > other for one, other in pairwise(self.stages))
        if not self.stages or not falling or self.stages[-1] < 0:
            raise ValueError(f"stages must be fewer and fewer replies, got {self.stages}")

    def __call__(self, draw: Draw) -> list[Prompt]:
        guided = self.stages[draw.state.get("stage", 0)]
        return [Prompt(draw.task, seed, guided=guided) for seed in draw.seeds()]

    def learn(self, outcomes: Sequence[Outcome], state: dict[str, Any]) -> None:
        """Go on to the next stage if the last episodes of this one were good enough."""
        stage, returns = state.get("stage", 0), list(state.get("returns", ()))
        for outcome in outcomes:
            if outcome.prompt.guided == self.stages[stage]:
                returns += [each.reward for each in outcome.episodes]
        returns = returns[-self.window :]
        enough = len(returns) == self.window and sum(returns) / self.window >= self.threshold
        if enough and stage + 1 < len(self.stages):
            stage, returns = stage + 1, []
        state |= {"stage": stage, "returns": returns}

    def measures(self, state: Mapping[str, Any]) -> dict[str, float]:
        """Return the number of the oracle's replies."""
        return {"guided": self.stages[state["stage"]]}
