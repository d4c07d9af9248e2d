"""Base of tasks whose question is a planning problem in PDDL and whose answer is a plan."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from zerogym.envs.problems import Difficulty
from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick
from zerogym.envs.reasoning.mistakes import wrong_among, wrong_plans
from zerogym.envs.reasoning.planning.pddl import PLAN_FORMAT, parse_plan, problem_text
from zerogym.envs.reasoning.planning.strips import (
    Action,
    Atom,
    Planning,
    actions_from_data,
    fault,
    written,
)
from zerogym.envs.reasoning.renaming import Bag, Term, key_up_to_names
from zerogym.envs.splits import Split


class PlanEnv(ReasoningEnv):
    """Base of tasks that are answered by a PDDL plan.

    Observation:
        The question as text: domain and problem in PDDL.

    Action:
        The reply as text; the answer is read from `<answer>...</answer>` (else the last
        `\\boxed{...}`, else the last line): actions such as `(stack a b)`, one a line, in any
        case, numbered or not.

    Reward:
        1 if every action is possible in its turn and the goal holds at the end, else 0. With
        `optimal=True` the plan must also have as few actions as possible.

    Arguments:
        optimal: Whether only shortest plans are right; the question says so. Default: any plan.
    """

    actions: ClassVar[Mapping[str, Action]] = {}  # empty if each problem has its own

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
        """Draw a problem; with `optimal` only a shortest plan is right."""

    @classmethod
    def sample(cls, rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a problem for which any plan is right."""
        return cls.draw(rng, difficulty, optimal=False)

    @classmethod
    def planning_of(cls, data: Mapping[str, Any]) -> Planning:
        """Return the planning problem from the data of a problem."""
        start, goal = (frozenset(map(tuple, data[key])) for key in ("start", "goal"))
        actions = cls.actions or actions_from_data(data["actions"])
        return Planning(actions, data["objects"], start, goal)

    @classmethod
    def fault(cls, problem: Problem, answer: str) -> str:
        """Return the action that fails, or what is missing at the end."""
        plan, fewest = parse_plan(answer), problem.data["fewest"]
        if plan is None:
            return f"This is not a plan: {PLAN_FORMAT}."
        found = fault(cls.planning_of(problem.data), plan)
        if not found and fewest is not None and len(plan) > fewest:
            return "The plan reaches the goal, but a shorter one does too."
        return found

    @classmethod
    def pose(
        cls,
        domains: tuple[str, str],
        planning: Planning,
        plan: list[Atom],
        optimal: bool,
        others: list[Atom],
        *,
        note: str = "",
        is_new: bool = False,
        **data: Any,
    ) -> Problem:
        """Write a problem.

        Args:
            domains: Name and text of the domain.
            planning: The planning problem.
            plan: The answer.
            optimal: Whether only shortest plans are right.
            others: Calls for the end of wrong plans.
            note: What precedes the request for an answer.
            is_new: Whether the domain belongs to what distinguishes this problem from others.
            **data: More data than objects, start and goal.
        """
        name, domain = domains
        start, goal = sorted(planning.start), sorted(planning.goal)
        text = problem_text(name, planning.objects, start, goal)
        which = (
            "Only a plan with as few actions as possible is right."
            if optimal
            else "Any plan that reaches the goal is right."
        )
        steps = list(map(written, plan))
        answer = "\n".join(steps)
        numbered = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
        data |= {
            "objects": list(planning.objects),
            "start": [list(atom) for atom in start],
            "goal": [list(atom) for atom in goal],
            "fewest": len(plan) if optimal else None,
        }
        return Problem(
            prompt=f"{domain}\n{text}\n{note}Answer with a plan: {PLAN_FORMAT}. {which}",
            answer=answer,
            solution=f"{numbered}\nThe plan is\n{answer}",
            distractors=wrong_among(
                cls, data, wrong_plans(steps, list(map(written, others)), "\n")
            ),
            data=data,
            canonical=f"{domain}\n{text}" if is_new else text,
        )

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return domain, start and goal up to names and the order of atoms."""
        data = problem.data
        names = {*data["objects"]}
        statements: list[Term] = [("start", *atom) for atom in data["start"]]
        statements += [("goal", *atom) for atom in data["goal"]]
        for name, arity, *parts in data.get("actions", ()):
            effects = [Bag((predicate, *at) for predicate, at in part) for part in parts]
            statements.append(("action", name, arity, *effects))
            names |= {name, *(predicate for part in parts for predicate, _ in part)}
        return f"{data['fewest']} {key_up_to_names(statements, sorted(names))}"

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """Return the plan up to an action that is another action of it."""
        steps = problem.answer.split("\n")
        chosen = draw_int(rng, 0, len(steps) - 1)
        others = [step for step in steps if step != steps[chosen]]
        if not others:
            return super().corrupt(problem, rng)
        flawed = [*steps[:chosen], pick(rng, others)]
        return "\n".join(f"{number}. {step}" for number, step in enumerate(flawed, start=1))

    def _sample(self, difficulty: float) -> Problem:
        return self.draw(self.np_random, difficulty, self.optimal)
