"""Planning problems of generated STRIPS domains, with words that mean nothing.

Left out: domains that model something, and actions with more than two parameters.
"""

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import pick, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.planning.nonsense_domains import Predicates, draw_domain
from zerogym.envs.reasoning.planning.pddl import domain_text, problem_text
from zerogym.envs.reasoning.planning.pddl_task import (
    ANY_PLAN,
    SHORTEST_PLAN,
    PlanEnv,
    plan_distractors,
    plan_fault,
    worked_plan,
    write_plan,
)
from zerogym.envs.reasoning.planning.strips import (
    Atom,
    Grounded,
    Planning,
    actions_as_data,
    actions_from_data,
    shortest_plan,
)  # fmt: skip

MAX_LENGTH = 12  # of the shortest plan
MAX_STATES = 1500  # searched for a goal that is far enough
ATTEMPTS = 25  # domains; then the farthest goal found is taken
NOTE = "An atom that an action both adds and deletes is true after it."

Found = tuple[list[Atom], list[Atom]]  # a shortest plan, and the goal that it reaches


class StripsEnv(PlanEnv):
    """Find a plan in a domain that was made up for this one question, stated in PDDL.

    Description:
        Predicates, actions, objects and the atoms true at the start are drawn, all with nonsense
        names, so that nothing but the rules helps. The goal holds in a state that breadth-first
        search has reached, and in none that is nearer to the start: the length of the shortest
        plan is exact. The plan is executed action by action; any plan that reaches the goal scores.

    Observation:
        The question as text: domain and problem in PDDL.

    Action:
        The reply as text; the answer is read from `<answer>...</answer>` (else the last
        `\\boxed{...}`, else the last line): actions such as `(zipo gam)`, one a line, in any
        case, numbered or not.

    Reward:
        1 if every action is possible in its turn and the goal holds at the end, else 0. With
        `optimal=True` the plan must also have as few actions as possible.

    Episode end:
        After a right reply, or `max_attempts` of them.

    Difficulty:
        The shortest plan has `2 + difficulty` actions (a fractional part is the chance of one
        more), at most 12; in the rare case that 25 domains have no such goal, as many as they
        have. There are 3 to 6 objects, 3 to 5 predicates and 3 to 6 actions, more from difficulty
        to difficulty.

    Arguments:
        `difficulty` (default 1), `split`, `category` (none here), `max_attempts` (default 1),
        `render_mode`: see `ReasoningEnv`.
        optimal: Whether only shortest plans are right; the question says so. Default: any plan.

    Example:
        >>> env = StripsEnv(difficulty=0)
        >>> print(env.reset(seed=2)[0].splitlines()[-3])
          (:goal (and (gibi bido bido))))
        >>> print(env.oracle_action())
        <answer>(kerak dimen bido)
        (zumen dimen bido)</answer>
        >>> env.step(env.oracle_action())[1]
        1.0

    Source:
        STRIPS: "A new approach to the application of theorem proving to problem solving" (1971,
        Artificial Intelligence 2). Random PDDL domains as questions for language models: "Reasoning
        Core: A Scalable RL Environment for LLM Symbolic Reasoning" (2025, arXiv 2509.18083). How
        domains are drawn is our choice.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a domain, a start, and a goal as far away as the difficulty says."""
        return StripsEnv.draw(rng, difficulty, optimal=False)

    @staticmethod
    def draw(rng: np.random.Generator, difficulty: float, optimal: bool) -> Problem:
        """As `sample`; `optimal` only changes what is asked."""
        difficulty = min(difficulty, float(MAX_LENGTH))
        length = min(MAX_LENGTH, round_randomly(rng, 2 + difficulty))
        planning, predicates, (plan, goal) = _farthest(rng, difficulty, length)
        planning = Planning(planning.actions, planning.objects, planning.start, frozenset(goal))
        return _pose(rng, planning, predicates, plan, optimal)

    @staticmethod
    def score(problem: Problem, answer: str) -> float:
        """1 for any plan that works, or for any shortest one."""
        return float(_fault(problem, answer) == "")

    @staticmethod
    def solve(problem: Problem) -> str:
        """Breadth-first search."""
        return write_plan(shortest_plan(_planning_of(problem)) or [])

    @staticmethod
    def explain(problem: Problem, answer: str) -> str:
        """Names the action that fails, or what is missing at the end."""
        return _fault(problem, answer)


def _fault(problem: Problem, answer: str) -> str:
    return plan_fault(_planning_of(problem), problem.data["fewest"], answer)


def _planning_of(problem: Problem) -> Planning:
    data = problem.data
    start, goal = (frozenset(tuple(atom) for atom in data[key]) for key in ("start", "goal"))
    return Planning(actions_from_data(data["actions"]), data["objects"], start, goal)


def _pose(
    rng: np.random.Generator,
    planning: Planning,
    predicates: Predicates,
    plan: list[Atom],
    optimal: bool,
) -> Problem:
    start, goal = sorted(planning.start), sorted(planning.goal)
    actions = list(planning.actions.values())
    text = "\n".join(
        (
            domain_text("made-up", predicates, actions),
            problem_text("made-up", planning.objects, start, goal),
        )
    )
    others = [(a.name, *[pick(rng, planning.objects) for _ in range(a.arity)]) for a in actions]
    fewest = len(plan) if optimal else None
    return Problem(
        prompt=f"{text}\n{NOTE} {SHORTEST_PLAN if optimal else ANY_PLAN}",
        answer=write_plan(plan),
        solution=worked_plan(plan),
        distractors=plan_distractors(planning, fewest, plan, others[:3]),
        data={
            "actions": actions_as_data(actions),
            "objects": list(planning.objects),
            "start": [list(atom) for atom in start],
            "goal": [list(atom) for atom in goal],
            "fewest": fewest,
        },
        canonical=text,
    )


def _farthest(
    rng: np.random.Generator, difficulty: float, length: int
) -> tuple[Planning, Predicates, Found]:
    """A domain with a goal at the wanted distance, else the best of `ATTEMPTS` domains."""
    best: tuple[Planning, Predicates, Found] | None = None
    tries = 0
    while best is None or (len(best[2][0]) < length and tries < ATTEMPTS):
        tries += 1
        planning, predicates = draw_domain(rng, difficulty)
        found = _far_goal(rng, planning, length)
        if found and (best is None or len(found[0]) > len(best[2][0])):
            best = planning, predicates, found
    return best


def _far_goal(rng: np.random.Generator, planning: Planning, length: int) -> Found | None:
    """Some atoms that first hold together after `length` steps, or after as many as possible."""
    grounded = Grounded(planning)
    levels, came = grounded.levels(MAX_STATES, depth=length)
    for depth in range(min(length, len(levels) - 1), 1, -1):
        nearer = [state for level in levels[:depth] for state in level]
        for state in sample_of(rng, levels[depth], 3):
            goal = _distinctive(rng, grounded, state, nearer)
            if goal:
                return grounded.path(state, came), goal
    return None


def _distinctive(
    rng: np.random.Generator, grounded: Grounded, state: int, nearer: list[int]
) -> list[Atom]:
    """Atoms of a state that no nearer one has all of; empty if there are none."""
    goal = []
    for bit in shuffled(rng, [n for n in range(len(grounded.atoms)) if state >> n & 1]):
        left = [other for other in nearer if other >> bit & 1]
        if len(left) < len(nearer):
            goal.append(grounded.atoms[bit])
            nearer = left
        if not nearer:
            return goal
    return []
