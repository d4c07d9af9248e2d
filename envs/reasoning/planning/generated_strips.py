"""Planning problems of generated STRIPS domains, with words that mean nothing.

Left out: domains that model something, and actions with more than two parameters.
"""

from dataclasses import replace
from itertools import product

import numpy as np

from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.planning.pddl import domain_text
from zerogym.envs.reasoning.planning.pddl_task import PlanEnv
from zerogym.envs.reasoning.planning.strips import (
    Action,
    Atom,
    Grounded,
    Pattern,
    Planning,
    actions_as_data,
    shortest_plan,
    written,
)

MAX_LENGTH = 12  # of the shortest plan
MAX_STATES = 1500  # searched for a goal that is far enough
ATTEMPTS = 25  # domains; then the farthest goal found is taken
NOTE = "An atom that an action both adds and deletes is true after it."

Found = tuple[list[Atom], list[Atom]]  # a shortest plan, and the goal that it reaches

# letters that make no word of PDDL, such as `not`, and hardly any of English
_FIRST, _VOWELS, _THIRD = "bdfgklmrtvz", "aeiou", "bdlmnrv"
_ENDINGS = ("", *_VOWELS, "ak", "en", "is", "ot", "ur")

Predicates = list[tuple[str, int]]  # names and numbers of parameters


class StripsEnv(PlanEnv):
    """Find a plan in a domain that was made up for this one question, stated in PDDL.

    Description:
        Predicates, actions, objects and the atoms true at the start are drawn, all with nonsense
        names, so that nothing but the rules helps. The goal holds in a state that breadth-first
        search has reached, and in none that is nearer to the start: the length of the shortest
        plan is exact. The plan is executed action by action; any plan that reaches the goal scores.

    Difficulty:
        The shortest plan has `2 + difficulty` actions (a fractional part is the chance of one
        more), at most 12; in the rare case that 25 domains have no such goal, as many as they
        have. There are 3 to 6 objects, 3 to 5 predicates and 3 to 6 actions, more from difficulty
        to difficulty.

    Example:
        >>> env = StripsEnv(difficulty=0)
        >>> print(env.reset(seed=2)[0].splitlines()[-3])
          (:goal (and (givis mod kolak) (zole mod mod))))
        >>> print(env.oracle_action())
        <answer>(livo kolak)
        (runo mod kolak)</answer>
        >>> env.step(env.oracle_action())[1]
        1.0

    Source:
        STRIPS: "A new approach to the application of theorem proving to problem solving" (1971,
        Artificial Intelligence 2). Random PDDL domains as questions for language models: "Reasoning
        Core: A Scalable RL Environment for LLM Symbolic Reasoning" (2025, arXiv 2509.18083). How
        domains are drawn is our choice.
    """

    @staticmethod
    def draw(rng: np.random.Generator, difficulty: float, optimal: bool) -> Problem:
        """Draw a domain, a start, and a goal whose distance follows the difficulty."""
        difficulty = min(difficulty, float(MAX_LENGTH))
        length = min(MAX_LENGTH, round_randomly(rng, 2 + difficulty))
        planning, predicates, (plan, goal) = _farthest(rng, difficulty, length)
        planning = replace(planning, goal=frozenset(goal))
        actions = list(planning.actions.values())
        others = [(a.name, *[pick(rng, planning.objects) for _ in range(a.arity)]) for a in actions]
        return StripsEnv.pose(
            ("made-up", domain_text("made-up", predicates, actions)),
            planning,
            plan,
            optimal,
            others[:3],
            note=f"{NOTE} ",
            is_new=True,
            actions=actions_as_data(actions),
        )

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search breadth-first."""
        plan = shortest_plan(StripsEnv.planning_of(problem.data)) or []
        return "\n".join(map(written, plan))


def _farthest(
    rng: np.random.Generator, difficulty: float, length: int
) -> tuple[Planning, Predicates, Found]:
    """Draw a domain with a goal at the required distance, else the best of `ATTEMPTS` domains."""
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
    """Draw some atoms that first hold together after `length` steps, or as many as possible."""
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
    """Draw atoms of a state that no nearer one has all of; empty if there are none."""
    goal = []
    for bit in shuffled(rng, [n for n in range(len(grounded.atoms)) if state >> n & 1]):
        left = [other for other in nearer if other >> bit & 1]
        if len(left) < len(nearer):
            goal.append(grounded.atoms[bit])
            nearer = left
        if not nearer:
            return goal
    return []


def draw_domain(rng: np.random.Generator, difficulty: float) -> tuple[Planning, Predicates]:
    """Draw predicates, actions, objects and a start; no goal yet."""
    sizes = [round_randomly(rng, 3 + min(difficulty, 12) * share) for share in (0.25, 0.2, 0.25)]
    names = _words(rng, sum(sizes))
    objects, names = sorted(names[: sizes[0]]), names[sizes[0] :]
    predicates = [(name, draw_int(rng, 1, 2)) for name in sorted(names[: sizes[1]])]
    actions = {name: _action(rng, name, predicates) for name in sorted(names[sizes[1] :])}
    start = frozenset(
        (name, *chosen)
        for name, arity in predicates
        for chosen in product(objects, repeat=arity)
        if rng.random() < 1 / len(objects)
    )
    return Planning(actions, objects, start, frozenset()), predicates


def _words(rng: np.random.Generator, count: int) -> list[str]:
    """Draw different words of three to five letters, such as `gam` or `zipo`."""
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(pick(rng, part) for part in (_FIRST, _VOWELS, _THIRD, _ENDINGS))] = None
    return list(found)


def _action(rng: np.random.Generator, name: str, predicates: Predicates) -> Action:
    """Draw one or two parameters, two or three needs (some deleted), and one or two adds."""
    arity = draw_int(rng, 1, 2)
    patterns: list[Pattern] = [("", ())]
    mentioned: set[int] = set()
    while len(mentioned) < arity:
        patterns = [
            (predicate, tuple(draw_int(rng, 0, arity - 1) for _ in range(places)))
            for predicate, places in sample_of(rng, predicates * 2, draw_int(rng, 3, 4))
        ]
        patterns = list(dict.fromkeys(patterns))
        mentioned = {place for _, places in patterns for place in places}
    split = max(1, len(patterns) - draw_int(rng, 1, 2))
    needs, adds = patterns[:split], patterns[split:] or patterns[:1]
    deletes = sample_of(rng, needs, draw_int(rng, 1, len(needs)))
    return Action(name, arity, tuple(needs), tuple(adds), tuple(deletes))
