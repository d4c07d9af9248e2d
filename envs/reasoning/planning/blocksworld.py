"""Blocksworld: restack named blocks, with the problem given as PDDL.

Left out: towers of limited height, several hands, blocks that look alike.
"""

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import round_randomly, sample_of
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
from zerogym.envs.reasoning.planning.strips import Action, Atom, Planning, shortest_plan
from zerogym.envs.reasoning.planning.towers import (
    draw_towers,
    facts,
    rebuild,
    restack,
    start_facts,
    towers_of,
)

LETTERS = "abcdefghijklmnopqrstuvwxyz"
MAX_BLOCKS = 12
MAX_SEARCHED = 6  # blocks; breadth-first search of more takes seconds
PREDICATES = (("on", 2), ("ontable", 1), ("clear", 1), ("holding", 1), ("handempty", 0))
_ONE, _EMPTY = (0,), ("handempty", ())
ACTIONS = {
    action.name: action
    for action in (
        Action(
            "pick-up", 1,
            needs=(("clear", _ONE), ("ontable", _ONE), _EMPTY),
            adds=(("holding", _ONE),),
            deletes=(("clear", _ONE), ("ontable", _ONE), _EMPTY),
        ),
        Action(
            "put-down", 1,
            needs=(("holding", _ONE),),
            adds=(("clear", _ONE), ("ontable", _ONE), _EMPTY),
            deletes=(("holding", _ONE),),
        ),
        Action(
            "stack", 2,
            needs=(("holding", _ONE), ("clear", (1,))),
            adds=(("on", (0, 1)), ("clear", _ONE), _EMPTY),
            deletes=(("holding", _ONE), ("clear", (1,))),
        ),
        Action(
            "unstack", 2,
            needs=(("on", (0, 1)), ("clear", _ONE), _EMPTY),
            adds=(("holding", _ONE), ("clear", (1,))),
            deletes=(("on", (0, 1)), ("clear", _ONE), _EMPTY),
        ),
    )
}  # fmt: skip
DOMAIN = domain_text("blocks", PREDICATES, ACTIONS.values())


class BlocksworldEnv(PlanEnv):
    """Find a plan that turns the given towers of blocks into the wanted ones, stated in PDDL.

    Description:
        The four-action Blocksworld: a hand picks a clear block up from the table or unstacks it
        from another block, and puts it down on the table or stacks it on a clear block. Start and
        goal are random towers of the same blocks. The plan is executed action by action; any plan
        that reaches the goal scores. For train and test, problems that differ in the names of
        blocks are different ones.

    Observation:
        The question as text: domain and problem in PDDL.

    Action:
        The reply as text; the answer is read from `<answer>...</answer>` (else the last
        `\\boxed{...}`, else the last line): actions such as `(stack a b)`, one a line, in any
        case, numbered or not.

    Reward:
        1 if every action is possible in its turn and the goal holds at the end, else 0. With
        `optimal=True` the plan must also have as few actions as possible.

    Episode end:
        After a right reply, or `max_attempts` of them.

    Difficulty:
        `3 + difficulty` blocks (a fractional part is the chance of one more), at most 12; with
        `optimal=True` at most 6.

    Arguments:
        `difficulty` (default 1), `split`, `category` (none here), `max_attempts` (default 1),
        `render_mode`: see `ReasoningEnv`.
        optimal: Whether only shortest plans are right; the question says so. Default: any plan.

    Example:
        >>> env = BlocksworldEnv(difficulty=0)
        >>> print("\\n".join(env.reset(seed=2)[0].splitlines()[17:-2]))
          (:init (clear r) (handempty) (on a w) (on r a) (ontable w))
          (:goal (and (on a r) (ontable r) (ontable w))))
        >>> env.step(env.oracle_action())[1]
        1.0

    Source:
        The four-action domain is that of the second International Planning Competition; "On the
        Planning Abilities of Large Language Models: A Critical Investigation" (2023, arXiv
        2305.15771) made it a test of language models. How towers are drawn is our choice.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw two different arrangements of some blocks."""
        return BlocksworldEnv.draw(rng, difficulty, optimal=False)

    @staticmethod
    def draw(rng: np.random.Generator, difficulty: float, optimal: bool) -> Problem:
        """As `sample`; with `optimal` the shortest plan is searched."""
        count = round_randomly(rng, 3 + min(difficulty, MAX_BLOCKS))
        blocks = sample_of(rng, LETTERS, min(count, MAX_SEARCHED if optimal else MAX_BLOCKS))
        start = draw_towers(rng, blocks)
        goal = start
        while facts(goal) == facts(start):
            goal = draw_towers(rng, blocks)
        planning = _planning(sorted(blocks), sorted(start_facts(start)), sorted(facts(goal)))
        plan = (shortest_plan(planning) or []) if optimal else restack(start, goal)
        return _pose(planning, plan, optimal, [("stack", *sample_of(rng, blocks, 2))])

    @staticmethod
    def score(problem: Problem, answer: str) -> float:
        """1 for any plan that works, or for any shortest one."""
        return float(_fault(problem, answer) == "")

    @staticmethod
    def solve(problem: Problem) -> str:
        """Breadth-first search; of more than 6 blocks, everything to the table and then up."""
        planning = _planning_of(problem)
        if len(planning.objects) <= MAX_SEARCHED:
            return write_plan(shortest_plan(planning) or [])
        return write_plan(rebuild(towers_of(planning.start), towers_of(planning.goal)))

    @staticmethod
    def explain(problem: Problem, answer: str) -> str:
        """Names the action that fails, or what is missing at the end."""
        return _fault(problem, answer)


def _fault(problem: Problem, answer: str) -> str:
    return plan_fault(_planning_of(problem), problem.data["fewest"], answer)


def _planning(objects: list[str], start: list[Atom], goal: list[Atom]) -> Planning:
    return Planning(ACTIONS, objects, frozenset(start), frozenset(goal))


def _planning_of(problem: Problem) -> Planning:
    data = problem.data
    return _planning(data["objects"], *([tuple(a) for a in data[k]] for k in ("start", "goal")))


def _pose(planning: Planning, plan: list[Atom], optimal: bool, others: list[Atom]) -> Problem:
    start, goal = sorted(planning.start), sorted(planning.goal)
    text = problem_text("blocks", planning.objects, start, goal)
    fewest = len(plan) if optimal else None
    return Problem(
        prompt=f"{DOMAIN}\n{text}\n{SHORTEST_PLAN if optimal else ANY_PLAN}",
        answer=write_plan(plan),
        solution=worked_plan(plan),
        distractors=plan_distractors(planning, fewest, plan, others),
        data={
            "objects": list(planning.objects),
            "start": [list(atom) for atom in start],
            "goal": [list(atom) for atom in goal],
            "fewest": fewest,
        },
        canonical=text,
    )
