"""Blocksworld: restack named blocks, with the problem given as PDDL.

Left out: towers of limited height, several hands, blocks that look alike.
"""

from string import ascii_lowercase

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import round_randomly, sample_of
from zerogym.envs.reasoning.planning.pddl import domain_text
from zerogym.envs.reasoning.planning.pddl_task import PlanEnv
from zerogym.envs.reasoning.planning.strips import Action, Planning, shortest_plan, written
from zerogym.envs.reasoning.planning.towers import (
    draw_towers,
    facts,
    rebuild,
    restack,
    start_facts,
    towers_of,
)

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
    """Find a plan that turns the given towers of blocks into those of the goal, stated in PDDL.

    Description:
        The four-action Blocksworld: a hand picks a clear block up from the table or unstacks it
        from another block, and puts it down on the table or stacks it on a clear block. Start and
        goal are random towers of the same blocks. The plan is executed action by action; any plan
        that reaches the goal scores. For train and test, problems that differ in the names of
        blocks are different ones.

    Difficulty:
        `3 + difficulty` blocks (a fractional part is the chance of one more), at most 12; with
        `optimal=True` at most 6.

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

    actions = ACTIONS

    @staticmethod
    def draw(rng: np.random.Generator, difficulty: float, optimal: bool) -> Problem:
        """Draw two different arrangements of some blocks; with `optimal` search a shortest plan."""
        count = round_randomly(rng, 3 + min(difficulty, MAX_BLOCKS))
        most = MAX_SEARCHED if optimal else MAX_BLOCKS
        blocks = sample_of(rng, ascii_lowercase, min(count, most))
        goal = start = draw_towers(rng, blocks)
        while facts(goal) == facts(start):
            goal = draw_towers(rng, blocks)
        atoms = frozenset(start_facts(start)), frozenset(facts(goal))
        planning = Planning(ACTIONS, sorted(blocks), *atoms)
        plan = (shortest_plan(planning) or []) if optimal else restack(start, goal)
        others = [("stack", *sample_of(rng, blocks, 2))]
        return BlocksworldEnv.pose(("blocks", DOMAIN), planning, plan, optimal, others)

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search breadth-first; with more than 6 blocks, all to the table and then up."""
        planning = BlocksworldEnv.planning_of(problem.data)
        if len(planning.objects) <= MAX_SEARCHED:
            plan = shortest_plan(planning) or []
        else:
            plan = rebuild(towers_of(planning.start), towers_of(planning.goal))
        return "\n".join(map(written, plan))
