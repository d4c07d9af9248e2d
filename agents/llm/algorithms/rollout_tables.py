"""The tables of parts that decide which episodes a step has: prompts and rollouts; no torch."""

from abc import abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from zerogym.agents.llm.algorithms.batch import all_equal
from zerogym.agents.llm.rollout.prompt import Prompt, TaskSpec
from zerogym.agents.llm.rollout.request import Request
from zerogym.agents.parts import Part, Table
from zerogym.agents.trajectory import Trajectory

_HERE = "zerogym.agents.llm.algorithms"
Group = list[Trajectory]  # episodes of the same problem and seat
Seats = list[Group]  # the groups of one problem, one for each seat


@dataclass(frozen=True)
class Draw:
    """A draw of prompts.

    Attributes:
        count: How many prompts.
        rng: Their random numbers.
        task: The task of the run, with its wrappers.
        state: JSON values that the part keeps, under its own keys; to be read only.
    """

    count: int
    rng: np.random.Generator
    task: TaskSpec
    state: Mapping[str, Any] = field(default_factory=dict)

    def seeds(self) -> list[int]:
        """Return a fresh seed for each prompt."""
        found: list[int] = self.rng.integers(2**31, size=self.count).tolist()
        return found


@dataclass(frozen=True)
class Outcome:
    """The outcome of a prompt in a step.

    Attributes:
        prompt: The prompt.
        episodes: Its episodes, of all seats, without those in which a tool failed by itself.
        advantage: Mean over its episodes of the mean absolute advantage of their own tokens; None
            unless the part `uses_advantages`, and where it was not trained on.
    """

    prompt: Prompt
    episodes: Sequence[Trajectory]
    advantage: float | None = None


class Prompts(Part):
    """A source of prompts: problems, mixtures, curricula.

    Attributes:
        uses_advantages: Whether it learns from advantages, which are then computed for it.
    """

    uses_advantages: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, draw: Draw) -> list[Prompt]:
        """Return `draw.count` prompts."""

    def learn(self, outcomes: Sequence[Outcome], state: dict[str, Any]) -> None:
        """Change the state, JSON values, by the outcomes of a step; the default keeps none.

        It is called once after each update. With a staleness of eta the prompts of step t are
        drawn from the state after the update of step t - eta - 1, as their episodes are played
        with the weights of then.
        """

    def task_specs(self, task: TaskSpec) -> dict[str, TaskSpec]:
        """Return all tasks that it may pose, by name; `task` is the run's."""
        return {"": task}

    def measures(self, state: Mapping[str, Any]) -> dict[str, float]:
        """Return numbers of a state for the log, by name."""
        return {}

    def check(self, task: TaskSpec) -> None:
        """Raise a ValueError if it cannot pose problems of the run's task."""


class Step:
    """A step as a rollouts part sees it.

    Args:
        problems: The number of problems with a use that it aims at.
        group_size: Episodes of a problem where neither request nor prompt says how many.
        least: Least episodes of a group that is trained on.
        draw: Draws so many prompts.
        rng: Random numbers of the part's own; those of the prompts and episodes do not depend on
            them.
        state: JSON values that the part keeps from one step to the next, and changes in place;
            empty at first.

    Attributes:
        metrics: Numbers that the part adds for the log of the step, by name.
    """

    def __init__(
        self,
        problems: int,
        group_size: int,
        least: int,
        draw: Callable[[int], list[Prompt]],
        rng: np.random.Generator,
        state: dict[str, Any],
    ) -> None:
        self.problems, self.group_size, self.least = problems, group_size, least
        self.draw, self.rng, self.state = draw, rng, state
        self.metrics: dict[str, float] = {}

    def teaches(self, group: Group) -> bool:
        """Return whether a group is large enough and its rewards are not all equal."""
        return len(group) >= self.least and not all_equal([each.reward for each in group])


# Yields requests, gets the groups that were played for each, and returns those of the batch.
Rolling = Generator[list[Request], list[Seats], list[Group]]


class Rollouts(Part):
    """A way from prompts to the groups of a step: by requests for episodes, as often as it likes.

    The groups of a request are those of each seat, without episodes in which a tool failed by
    itself, a seat of a game never moved, or which a filter drops, and without groups that are then
    smaller than the advantage needs, unless they join another.

    A part may keep what it finds in `Step.state`, which checkpoints have. The rollouts of step t
    find there what those of step t - 1 left, with any staleness: steps are rolled out in order,
    and what an update does to the weights is not in it.

    Attributes:
        numbered: Whether the random numbers of an episode depend on the number of its request and
            its place there alone, so that other requests may have any size.
        one_round: Whether it never requests a second time.
        drops_equal_groups: Whether groups of equal rewards are not trained on.
        surveys: Whether it needs what seats of games of talk believe after messages.
    """

    numbered: ClassVar[bool] = True
    one_round: ClassVar[bool] = False
    drops_equal_groups: ClassVar[bool] = False
    surveys: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, step: Step) -> Rolling:
        """Yield lists of requests, get the groups of each request, return those to train on."""


PROMPTS: Table[Prompts] = Table("prompts", Prompts, f"{_HERE}.prompts")
ROLLOUTS: Table[Rollouts] = Table("rollouts", Rollouts, f"{_HERE}.rollouts")
prompts, rollouts = PROMPTS.register, ROLLOUTS.register
