"""Blocksworld and generated STRIPS domains: the text of the question, read again by a reader of its
own and played by rules of its own, agrees with what is scored."""

import itertools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from helpers.reasoning_problems import check_fault, draw_problems
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.planning.blocksworld import (
    ACTIONS,
    BlocksworldEnv,
    facts,
    rebuild,
    restack,
    start_facts,
)
from zerogym.envs.reasoning.planning.generated_strips import MAX_LENGTH, StripsEnv
from zerogym.envs.reasoning.planning.pddl import parse_plan
from zerogym.envs.reasoning.planning.pddl_task import PlanEnv
from zerogym.envs.reasoning.planning.strips import Atom, Grounded, Planning, shortest_plan

TASKS: tuple[type[PlanEnv], ...] = (BlocksworldEnv, StripsEnv)
LEVELS = (0.0, 1.0, 2.5)

each_task = pytest.mark.parametrize("task", TASKS)


class World:
    """A PDDL question as a reader of the text understands it."""

    def __init__(self, prompt: str) -> None:
        domain, problem = self._trees(prompt)
        self.actions = {part[1]: part for part in domain if part[0] == ":action"}
        sections = {part[0]: part for part in problem if isinstance(part, list)}
        self.objects = sections[":objects"][1:]
        self.start = frozenset(map(tuple, sections[":init"][1:]))
        self.goal = frozenset(map(tuple, sections[":goal"][1][1:]))

    @staticmethod
    def _trees(prompt: str) -> list[Any]:
        stack: list[list[Any]] = [[]]
        for token in re.findall(r"[()]|[^\s()]+", prompt):
            if token == "(":
                stack.append([])
            elif token == ")" and len(stack) > 1:
                done = stack.pop()
                stack[-1].append(done)
            else:
                stack[-1].append(token)
        return [tree for tree in stack[0] if isinstance(tree, list) and tree[0] == "define"]

    def after(self, state: frozenset[Atom], call: Atom) -> frozenset[Atom] | None:
        """The state after an action; None if it is not possible."""
        if call[0] not in self.actions or not set(call[1:]) <= set(self.objects):
            return None
        _, _, _, variables, _, needs, _, effects = self.actions[call[0]]
        if len(variables) != len(call) - 1:
            return None
        names = dict(zip(variables, call[1:], strict=True))
        bound = [tuple(names.get(word, word) for word in literal) for literal in needs[1:]]
        if not state.issuperset(bound):
            return None
        adds: set[Atom] = set()
        deletes: set[Atom] = set()
        for effect in effects[1:]:
            target, literal = (deletes, effect[1]) if effect[0] == "not" else (adds, effect)
            target.add(tuple(names.get(word, word) for word in literal))
        return (state - deletes) | adds

    def calls(self) -> Iterator[Atom]:
        """Every action with every objects."""
        for name, action in self.actions.items():
            for chosen in itertools.product(self.objects, repeat=len(action[3])):
                yield (name, *chosen)

    def works(self, plan: list[Atom]) -> bool:
        state: frozenset[Atom] | None = self.start
        for call in plan:
            state = self.after(state, call) if state is not None else None
        return state is not None and self.goal <= state

    def solvable_in(self, steps: int) -> bool:
        """Depth-first search of a bounded depth."""
        failed: dict[frozenset[Atom], int] = {}
        calls = list(self.calls())

        def search(state: frozenset[Atom], left: int) -> bool:
            if self.goal <= state:
                return True
            if left == 0 or failed.get(state, -1) >= left:
                return False
            failed[state] = left
            following = (self.after(state, call) for call in calls)
            return any(after is not None and search(after, left - 1) for after in following)

        return search(self.start, steps)


def disturbed(plan: list[Atom], world: World, rng: np.random.Generator) -> list[Atom]:
    """A plan with a step left out, repeated, exchanged or replaced, or none of it."""
    plan, calls = list(plan), list(world.calls())
    at = int(rng.integers(len(plan)))
    kind = int(rng.integers(5))
    if kind == 0:
        del plan[at]
    elif kind == 1:
        plan.insert(at, plan[at])
    elif kind == 2:
        plan[at] = calls[int(rng.integers(len(calls)))]
    elif kind == 3:
        plan.append(calls[int(rng.integers(len(calls)))])
    return plan


@each_task
def test_scores_agree_with_the_text_of_the_question(task: type[PlanEnv]) -> None:
    rng = np.random.default_rng(0)
    scores = []
    for problem in draw_problems(task, *LEVELS, count=20):
        world, plan = World(problem.prompt), parse_plan(problem.answer)
        assert plan is not None
        for _ in range(8):
            other = disturbed(plan, world, rng)
            text = "\n".join(f"({' '.join(call)})" for call in other)
            assert task.score(problem, text) == float(world.works(other)), (problem.prompt, text)
            scores.append(task.score(problem, text))
    assert 0.1 < np.mean(scores) < 0.8, "right and wrong plans are both among them"


@each_task
def test_shortest_plans_are_as_short_as_depth_first_search_says(task: type[PlanEnv]) -> None:
    rng = np.random.default_rng(5)
    for problem in (task.draw(rng, level, optimal=True) for level in [0.0, 1.0] * 6):
        world, fewest = World(problem.prompt), problem.data["fewest"]
        assert len(parse_plan(task.solve(problem)) or []) == fewest
        assert world.solvable_in(fewest)
        assert not world.solvable_in(fewest - 1)


@pytest.mark.parametrize(("difficulty", "length"), [(0, 2), (1, 3), (3, 5), (6, 8), (1e9, 12)])
def test_a_made_up_domain_needs_as_many_actions_as_required(difficulty: float, length: int) -> None:
    found = [p.answer.count("(") for p in draw_problems(StripsEnv, difficulty, count=10)]
    assert max(found) == length <= MAX_LENGTH
    assert np.mean(found) > 0.8 * length, "the exception stays one"


@pytest.mark.parametrize(("blocks", "standing"), [(2, 3), (3, 13), (4, 73), (5, 501)])
def test_the_number_of_arrangements_of_blocks(blocks: int, standing: int) -> None:
    """Known numbers (OEIS A000262); with a block in the hand, the others stand."""
    fewer = {2: 1, 3: 3, 4: 13, 5: 73}[blocks]
    names = list("abcde"[:blocks])
    start = frozenset(start_facts([[name] for name in names]))
    levels, _ = Grounded(Planning(ACTIONS, names, start, frozenset())).levels(10**6)
    assert sum(map(len, levels)) == standing + blocks * fewer


def test_the_sussman_anomaly_takes_six_actions() -> None:
    start = frozenset(start_facts([["a", "c"], ["b"]]))
    goal = frozenset({("on", "a", "b"), ("on", "b", "c")})
    plan = shortest_plan(Planning(ACTIONS, ["a", "b", "c"], start, goal))
    assert plan == [
        ("unstack", "c", "a"), ("put-down", "c"), ("pick-up", "b"), ("stack", "b", "c"),
        ("pick-up", "a"), ("stack", "a", "b"),
    ]  # fmt: skip
    nowhere = frozenset({("on", "a", "z")})
    assert shortest_plan(Planning(ACTIONS, ["a", "b"], start, nowhere)) is None


def test_two_plans_without_search() -> None:
    start, goal = [["a", "b", "c"], ["d"]], [["a", "b"], ["c", "d"]]
    assert restack(start, goal) == [
        ("unstack", "c", "b"), ("put-down", "c"), ("pick-up", "d"), ("stack", "d", "c"),
    ]  # fmt: skip
    assert rebuild(start, goal)[2:4] == [("unstack", "b", "a"), ("put-down", "b")]
    assert facts(goal) == [("on", "b", "a"), ("on", "d", "c"), ("ontable", "a"), ("ontable", "c")]


def test_larger_blocksworlds_are_solved_without_search() -> None:
    for problem in draw_problems(BlocksworldEnv, 6.0, count=20):
        plan = parse_plan(BlocksworldEnv.solve(problem))
        assert plan and World(problem.prompt).works(plan)


@each_task
def test_only_shortest_plans_are_right_if_the_question_says_so(task: type[PlanEnv]) -> None:
    env = task(difficulty=1, optimal=True)
    found = 0
    for seed in range(12):
        prompt, _ = env.reset(seed=seed)
        problem = env.get_state()["episode"].problem
        assert "as few actions as possible" in prompt
        world, plan = World(prompt), parse_plan(problem.answer)
        assert plan is not None and task.score(problem, problem.answer) == 1
        others = ([*plan, *more] for more in itertools.product(world.calls(), repeat=2))
        longer = next(filter(world.works, others), None)
        if longer is not None:
            found += 1
            answer = "\n".join(f"({' '.join(call)})" for call in longer)
            check_fault(task, problem, answer, "shorter")
            free = Problem(problem.prompt, problem.answer, data={**problem.data, "fewest": None})
            assert task.score(free, answer) == 1
    assert found > 5
    with pytest.raises(ValueError, match="optimal"):
        task(optimal=1)  # type: ignore[arg-type]


def test_optimal_blocksworlds_stay_small() -> None:
    problem = BlocksworldEnv.draw(np.random.default_rng(0), 1e9, optimal=True)
    assert len(problem.data["objects"]) == 6
    assert len(BlocksworldEnv.sample(np.random.default_rng(0), 1e9).data["objects"]) == 12


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("(pick-up a)(stack a b)", [("pick-up", "a"), ("stack", "a", "b")]),
        ("0.000: (Pick-Up A) [1]\n1.000: (stack A B) [1]\n; cost = 2", "same"),
        ("1. ( pick-up  a )\n2) (stack a b)", "same"),
        ("- (pick-up a),\n- (stack a b).", "same"),
        ("pick-up a\nstack a b", "same"),
        ("[(pick-up a), (stack a b)]", "same"),
        *[(text, None) for text in ("((pick-up a) (stack a b))", "(pick-up a) then (stack a b)")],
        *[(text, None) for text in ("(pick-up a", "()", "(pick-up a) ()", "", " \n ")],
        *[(text, None) for text in ("(" * 4000, "(a)" * 2000)],
    ],
)
def test_reading_a_plan(text: str, plan: Any) -> None:
    same = [("pick-up", "a"), ("stack", "a", "b")]
    assert parse_plan(text) == (same if plan == "same" else plan)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("(fly a)", "Step 1, (fly a): there is no such action"),
        ("(pick-up a b)", "takes 1 objects"),
        ("(pick-up q)", "there is no object q"),
        ("(pick-up b)\n(pick-up a)", "Step 1, (pick-up b): (clear b) does not hold"),
        ("(pick-up a)", "the goal does not hold"),
        ("I pick a up", "there is no such action"),
        ("so (pick-up a)", "not a plan"),
        ("(pick-up a)\n(stack a c)", ""),
        ("1. (PICK-UP A)\n2. (STACK A C)", ""),
    ],
)
def test_what_is_wrong_with_a_plan_is_said(answer: str, words: str) -> None:
    start, goal = [["a"], ["b", "c"]], [["b", "c", "a"]]
    data = {
        "objects": ["a", "b", "c"], "fewest": None,
        "start": [list(atom) for atom in start_facts(start)],
        "goal": [list(atom) for atom in facts(goal)],
    }  # fmt: skip
    check_fault(BlocksworldEnv, Problem("", "", data=data), answer, words)
