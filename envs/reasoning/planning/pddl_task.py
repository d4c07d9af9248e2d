"""What tasks have in common whose question is PDDL and whose answer is a plan."""

from abc import abstractmethod

import numpy as np

from zerogym.envs.problems import Difficulty
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.planning.mistakes import numbered, out_of_order, wrong_plans
from zerogym.envs.reasoning.planning.pddl import PLAN_FORMAT, parse_plan
from zerogym.envs.reasoning.planning.strips import Atom, Planning, fault, written
from zerogym.envs.splits import Split

_ASK = f"Answer with a plan: {PLAN_FORMAT}."
ANY_PLAN = f"{_ASK} Any plan that reaches the goal is right."
SHORTEST_PLAN = f"{_ASK} Only a plan with as few actions as possible is right."


class PlanEnv(ReasoningEnv):
    """Base of tasks that are answered by a PDDL plan.

    Args:
        difficulty: A number >= 0, or a pair from which each episode draws uniformly.
        split: `train` or `test`; the two never share a problem.
        category: None: there is one kind.
        optimal: Whether only shortest plans are right.
        max_attempts: Replies per problem.
        render_mode: None or `ansi`.
    """

    def __init__(
        self,
        difficulty: Difficulty | None = None,
        split: Split = "train",
        category: str | None = None,
        optimal: bool = False,
        max_attempts: int = 1,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(difficulty, split, category, max_attempts, render_mode)
        if not isinstance(optimal, bool):
            raise ValueError(f"optimal must be True or False, got {optimal!r}")
        self.optimal = optimal

    @staticmethod
    @abstractmethod
    def draw(rng: np.random.Generator, difficulty: float, optimal: bool) -> Problem:
        """Draw a problem; `optimal` asks for a shortest plan."""

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """The plan up to an action that is not its turn."""
        flawed = out_of_order(problem.answer.split("\n"), rng)
        return flawed or super().corrupt(problem, rng)

    def _sample(self, difficulty: float) -> Problem:
        return self.draw(self.np_random, difficulty, self.optimal)


def plan_fault(planning: Planning, fewest: int | None, answer: str) -> str:
    """What is wrong with an answer; empty if it is right. `fewest` actions must do, if given."""
    plan = parse_plan(answer)
    if plan is None:
        return f"This is not a plan: {PLAN_FORMAT}."
    found = fault(planning, plan)
    if not found and fewest is not None and len(plan) > fewest:
        return "The plan reaches the goal, but a shorter one does too."
    return found


def write_plan(plan: list[Atom]) -> str:
    """One action a line."""
    return "\n".join(map(written, plan))


def worked_plan(plan: list[Atom]) -> str:
    """The numbered steps, and the plan as it is answered."""
    return f"{numbered(list(map(written, plan)))}\nThe plan is\n{write_plan(plan)}"


def plan_distractors(
    planning: Planning, fewest: int | None, plan: list[Atom], others: list[Atom]
) -> tuple[str, ...]:
    """Plans with a typical mistake that are wrong."""
    wrong = wrong_plans(plan, others, lambda steps: write_plan(list(steps)))
    return tuple(text for text in wrong if plan_fault(planning, fewest, text))
