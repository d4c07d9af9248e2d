"""Cog-DRIFT: each problem of a pool in easier forms first, with progress by problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from zerogym.agents.llm.algorithms.prompts.pool import pool_of
from zerogym.agents.llm.algorithms.rollout_tables import Draw, Outcome, Prompts, prompts
from zerogym.agents.llm.rollout.prompt import Prompt, TaskSpec
from zerogym.agents.settings import check_above, check_at_least
from zerogym.errors import UnknownName
from zerogym.wrappers.prompts.reformulate import FORMS

_WRAPPER = "Reformulate"


@prompts("cog_drift")
@dataclass(frozen=True)
class CogDrift(Prompts):
    """Pose each problem of a pool as multiple choice, then with gaps, then as it is.

    A problem moves to the next form when, in its present one, it has had at least `tries` episodes
    and the share of right ones is `promote_at` or more. The progress is that of the run, whatever
    the number of environments. A step poses the problems of the pool in random order. Only
    reasoning tasks have the forms. Left out: the reformulations by a language model.
    """

    source = (
        '"Cog-DRIFT: Exploration on Adaptively Reformulated Instances Enables Learning from Hard '
        'Reasoning Problems" (2026, arXiv 2604.04767)'
    )
    size: int = 64  # problems of the pool
    pool_seed: int = 0  # of the problems' seeds
    forms: tuple[str, ...] = FORMS  # some of mcq4, mcq10, cloze, open, from easy to hard
    promote_at: float = 0.5  # share of right replies that promotes a problem, in (0, 1]
    tries: int = 8  # episodes in a form before a problem can be promoted

    def __post_init__(self) -> None:
        super().__post_init__()
        check_at_least(self, size=1, pool_seed=0, tries=1)
        check_above(self, promote_at=0)
        if self.promote_at > 1:
            raise ValueError(f"promote_at must be in (0, 1], got {self.promote_at!r}")
        object.__setattr__(self, "forms", tuple(self.forms))
        if not self.forms:
            raise ValueError(f"forms must be some of {', '.join(FORMS)}")
        for form in self.forms:
            if form not in FORMS:
                raise UnknownName("form", form, list(FORMS))

    def task_specs(self, task: TaskSpec) -> dict[str, TaskSpec]:
        """Return the task inside the wrapper that poses its problems in a form."""
        return {"": replace(task, wrappers={_WRAPPER: {}, **task.wrappers})}

    def __call__(self, draw: Draw) -> list[Prompt]:
        [task] = self.task_specs(draw.task).values()
        problems = pool_of(self.size, self.pool_seed)
        places: list[int] = []
        while len(places) < draw.count:
            places += draw.rng.permutation(self.size).tolist()
        return [
            Prompt(
                task,
                problems[place],
                options={"form": self.forms[draw.state.get(str(problems[place]), [0])[0]]},
                key=str(problems[place]),
            )
            for place in places[: draw.count]
        ]

    def learn(self, outcomes: Sequence[Outcome], state: dict[str, Any]) -> None:
        """Count tries and right replies of each problem in its form, and promote it."""
        for outcome in outcomes:
            key = outcome.prompt.key
            level, tries, right = state.get(key, [0, 0, 0])
            if outcome.prompt.options["form"] != self.forms[level]:
                continue  # posed before it was promoted
            tries += len(outcome.episodes)
            right += sum(each.correct for each in outcome.episodes)
            mastered = tries >= self.tries and right >= self.promote_at * tries
            if mastered and level + 1 < len(self.forms):
                level, tries, right = level + 1, 0, 0
            state[key] = [level, tries, right]

    def measures(self, state: Mapping[str, Any]) -> dict[str, float]:
        """Return the share of the pool's problems that are in each form."""
        levels = [level for level, _, _ in state.values()]
        levels += [0] * (self.size - len(levels))
        return {form: levels.count(n) / self.size for n, form in enumerate(self.forms)}
