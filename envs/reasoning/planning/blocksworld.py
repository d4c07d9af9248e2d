"""Blocksworld: restack named blocks, with the problem given as PDDL.

Left out: towers of limited height, several hands, blocks that look alike.
"""

import itertools

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.planning.pddl import domain_text, problem_text
from zerogym.envs.reasoning.planning.pddl_task import (
    ANY_PLAN,
    SHORTEST_PLAN,
    PlanEnv,
    plan_distractors,
    plan_fault,
    worked_plan,
    write_plan,
)  # fmt: skip
from zerogym.envs.reasoning.planning.strips import Action, Atom, Planning, shortest_plan

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

Towers = list[list[str]]  # each from the bottom up


class BlocksworldEnv(PlanEnv):
    """Find a plan that turns the given towers of blocks into the wanted ones, stated in PDDL.

    Description:
        The four-action Blocksworld: a hand picks a clear block up from the table or unstacks it
        from another block, and puts it down on the table or stacks it on a clear block. Start and
        goal are random towers of the same blocks. The plan is executed action by action; any plan
        that reaches the goal scores.

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
        start = _towers(rng, blocks)
        goal = start
        while _facts(goal) == _facts(start):
            goal = _towers(rng, blocks)
        planning = _planning(sorted(blocks), sorted(_start(start)), sorted(_facts(goal)))
        plan = (shortest_plan(planning) or []) if optimal else _restack(start, goal)
        return _pose(planning, plan, optimal, ("stack", *sample_of(rng, blocks, 2)))

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
        return write_plan(_rebuild(_towers_of(planning.start), _towers_of(planning.goal)))

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


def _pose(planning: Planning, plan: list[Atom], optimal: bool, other: Atom) -> Problem:
    start, goal = sorted(planning.start), sorted(planning.goal)
    text = problem_text("blocks", planning.objects, start, goal)
    fewest = len(plan) if optimal else None
    return Problem(
        prompt=f"{DOMAIN}\n{text}\n{SHORTEST_PLAN if optimal else ANY_PLAN}",
        answer=write_plan(plan),
        solution=worked_plan(plan),
        distractors=plan_distractors(planning, fewest, plan, other),
        data={
            "objects": list(planning.objects),
            "start": [list(atom) for atom in start],
            "goal": [list(atom) for atom in goal],
            "fewest": fewest,
        },
        canonical=text,
    )


def _towers(rng: np.random.Generator, blocks: list[str]) -> Towers:
    """Blocks in random order; each on a random tower or the start of a new one."""
    towers: Towers = []
    for block in shuffled(rng, blocks):
        place = draw_int(rng, 0, len(towers))
        if place == len(towers):
            towers.append([])
        towers[place].append(block)
    return towers


def _facts(towers: Towers) -> list[Atom]:
    """What stands where, in an order that only depends on where things stand."""
    atoms: list[Atom] = []
    for tower in towers:
        atoms.append(("ontable", tower[0]))
        atoms += [("on", upper, lower) for lower, upper in itertools.pairwise(tower)]
    return sorted(atoms)


def _start(towers: Towers) -> list[Atom]:
    return [*_facts(towers), *[("clear", tower[-1]) for tower in towers], ("handempty",)]


def _towers_of(atoms: frozenset[Atom]) -> Towers:
    above = {atom[2]: atom[1] for atom in atoms if atom[0] == "on"}
    towers = []
    for bottom in sorted(atom[1] for atom in atoms if atom[0] == "ontable"):
        tower = [bottom]
        while tower[-1] in above:
            tower.append(above[tower[-1]])
        towers.append(tower)
    return towers


def _restack(start: Towers, goal: Towers) -> list[Atom]:
    """Take down only what stands wrongly, then build: at most twice the shortest plan."""
    kept = [tower[: _standing(tower, goal)] for tower in start]
    plan: list[Atom] = []
    for tower, rest in zip(start, kept, strict=True):
        plan += _take_down(tower, max(1, len(rest)))
    standing = {block for rest in kept for block in rest}
    return plan + _build(goal, standing)


def _rebuild(start: Towers, goal: Towers) -> list[Atom]:
    """Everything to the table, then build."""
    down = [call for tower in start for call in _take_down(tower, 1)]
    return down + _build(goal, {tower[0] for tower in goal})


def _standing(tower: list[str], goal: Towers) -> int:
    """How many blocks from the bottom already stand as in the goal."""
    for wanted in goal:
        if wanted[0] == tower[0]:
            same = [a == b for a, b in zip(tower, wanted, strict=False)]
            return same.index(False) if False in same else len(same)
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
