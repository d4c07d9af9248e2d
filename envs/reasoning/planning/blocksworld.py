"""Blocksworld: restack named blocks, with the problem given as PDDL.

Left out: towers of limited height, several hands, blocks that look alike.
"""

import itertools
from string import ascii_lowercase

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.planning.pddl import domain_text
from zerogym.envs.reasoning.planning.pddl_task import PlanEnv
from zerogym.envs.reasoning.planning.strips import Action, Atom, Planning, shortest_plan, written

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

Towers = list[list[str]]  # each from the bottom up


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
        `optimal=True` at most 6. At 0 there are 26 problems up to the names of blocks (21 train, 5
        test).

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


def draw_towers(rng: np.random.Generator, blocks: list[str]) -> Towers:
    """Put blocks in random order; each on a random tower or the start of a new one."""
    towers: Towers = []
    for block in shuffled(rng, blocks):
        place = draw_int(rng, 0, len(towers))
        if place == len(towers):
            towers.append([])
        towers[place].append(block)
    return towers


def facts(towers: Towers) -> list[Atom]:
    """Return the facts that describe towers, sorted."""
    on = [("on", upper, lower) for tower in towers for lower, upper in itertools.pairwise(tower)]
    return sorted([*on, *[("ontable", tower[0]) for tower in towers]])


def start_facts(towers: Towers) -> list[Atom]:
    """Return all that holds in Blocksworld while these towers stand and the hand is empty."""
    return [*facts(towers), *[("clear", tower[-1]) for tower in towers], ("handempty",)]


def towers_of(atoms: frozenset[Atom]) -> Towers:
    """Return the towers that facts describe."""
    above = {atom[2]: atom[1] for atom in atoms if atom[0] == "on"}
    towers = []
    for bottom in sorted(atom[1] for atom in atoms if atom[0] == "ontable"):
        tower = [bottom]
        while tower[-1] in above:
            tower.append(above[tower[-1]])
        towers.append(tower)
    return towers


def restack(start: Towers, goal: Towers) -> list[Atom]:
    """Take down only what stands wrongly, then build: at most twice the shortest plan."""
    kept = [tower[: _standing(tower, goal)] for tower in start]
    plan: list[Atom] = []
    for tower, rest in zip(start, kept, strict=True):
        plan += _take_down(tower, max(1, len(rest)))
    standing = {block for rest in kept for block in rest}
    return plan + _build(goal, standing)


def rebuild(start: Towers, goal: Towers) -> list[Atom]:
    """Everything to the table, then build."""
    down = [call for tower in start for call in _take_down(tower, 1)]
    return down + _build(goal, {tower[0] for tower in goal})


def _standing(tower: list[str], goal: Towers) -> int:
    """Return the number of blocks from the bottom that already stand as in the goal."""
    for target in goal:
        if target[0] == tower[0]:
            pairs = zip(tower, target, strict=False)
            return len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return 0


def _take_down(tower: list[str], keep: int) -> list[Atom]:
    plan: list[Atom] = []
    for place in range(len(tower) - 1, keep - 1, -1):
        plan += [("unstack", tower[place], tower[place - 1]), ("put-down", tower[place])]
    return plan


def _build(goal: Towers, standing: set[str]) -> list[Atom]:
    plan: list[Atom] = []
    for tower in goal:
        for lower, upper in itertools.pairwise(tower):
            if upper not in standing:
                plan += [("pick-up", upper), ("stack", upper, lower)]
    return plan
