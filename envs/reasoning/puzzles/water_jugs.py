"""Water jugs: measure an amount by filling, emptying and pouring.

Left out: a bound on the number of actions, and more than three jugs.
"""

import re
from functools import partial
from itertools import accumulate, permutations

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of
from zerogym.envs.reasoning.mistakes import wrong_among
from zerogym.envs.reasoning.puzzles.steps import listed_steps, step_texts
from zerogym.envs.reasoning.search import shortest_path

NAMES = "ABC"
MIN_LITRES, MAX_LITRES = 3, 20
MAX_DEPTH = 10  # actions of the shortest plan; the search stops there

_ACTION = re.compile(
    r"(?:(fill|empty) (?:up |out )?(?:the )?(?:jug )?([a-c])"
    r"|pour (?:from )?(?:the )?(?:jug )?([a-c]) ?(?:->|→|=>|>|into|to)? ?(?:the )?(?:jug )?([a-c]))"
)

State = tuple[int, ...]  # litres in each jug
Action = tuple[int, int]  # from jug, to jug; -1 is the tap and the drain
Parents = dict[State, tuple[State, Action] | None]
Goals = dict[tuple[int, int], tuple[int, State]]  # for a jug and litres: actions, and a state


class WaterJugsEnv(ReasoningEnv):
    """Measure an amount of water with jugs that have no marks; any plan that does it scores.

    Description:
        Three jugs of given sizes hold some water. An action fills a jug, empties it, or pours from
        one to another until the first is empty or the second is full. At the end a named jug must
        hold a named amount, drawn among those whose shortest plan has the required length.

    Action:
        The reply as text; the answer is a list of actions such as `fill A, pour A->B, empty B`,
        read from `<answer>...</answer>`, else the last `\\boxed{...}`, else the last line.

    Reward:
        1 if after the last action the named jug holds the amount, else 0.

    Difficulty:
        The shortest plan has `2 + 2 * difficulty` actions (a fractional part is the chance of one
        more, at most 10; fewer if the jugs drawn have no such goal). The jugs have 3 to 20 litres.

    Example:
        >>> env = WaterJugsEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        Three jugs can hold these litres: A 6, B 11, C 12. Now A holds 1, B holds 2, C holds 9.
        You can fill a jug, empty it, or pour from one jug into another until the first is
        empty or the second is full. At the end jug C must hold exactly 7.
        Answer with the actions in order, separated by commas, such as:
        fill A, pour A->B, empty B
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>fill C, pour C->A</answer>")[1]
        1.0

    Source:
        A puzzle from the Annales Stadenses (13th century). As a test of planning: "Mechanization in
        problem solving: the effect of Einstellung" (1942). Drawing the target by the length of its
        shortest plan is our choice.
    """

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw jugs, and a target among the amounts of the required depth."""
        most = min(MAX_DEPTH, 2 + round_randomly(rng, 2 * min(difficulty, 100.0)))
        sizes = sample_of(rng, range(MIN_LITRES, MAX_LITRES + 1), len(NAMES))
        start = [draw_int(rng, 0, size - 1) for size in sizes]
        goals, parents = search(sizes, start, most)
        depth = max(goals.values())[0]
        jug, target = pick(rng, [goal for goal, (found, _) in goals.items() if found == depth])
        plan, state = list[Action](), goals[jug, target][1]
        while (last := parents[state]) is not None:
            state, action = last
            plan.insert(0, action)
        answer = _listed(plan)
        full = ", ".join([f"{NAMES[i]} {size}" for i, size in enumerate(sizes)])
        prompt = (
            f"Three jugs can hold these litres: {full}. Now {_held(tuple(start))}.\n"
            "You can fill a jug, empty it, or pour from one jug into another until the first is\n"
            "empty or the second is full. "
            f"At the end jug {NAMES[jug]} must hold exactly {target}.\n"
            "Answer with the actions in order, separated by commas, such as:\n"
            "fill A, pour A->B, empty B"
        )
        data = {"sizes": sizes, "start": start, "jug": jug, "target": target}
        return Problem(
            prompt=prompt,
            answer=answer,
            solution="\n".join([*_work_out(sizes, start, plan), f"Plan: {answer}"]),
            distractors=wrong_among(WaterJugsEnv, data, map(_listed, _wrong_plans(rng, jug, plan))),
            data=data,
            canonical=f"{sizes} {start} {jug} {target}",
        )

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Return the action that cannot be read, or what the jugs hold at the end."""
        data = problem.data
        sizes, state = data["sizes"], tuple(data["start"])
        for number, piece in enumerate(step_texts(listed_steps(answer)), start=1):
            match = _ACTION.fullmatch(piece)
            if match is None:
                return f"Action {number} is not of the form fill A, empty A or pour A->B."
            kind, only, source, into = match.groups()
            if kind is None:
                action = ord(source) - 97, ord(into) - 97
            else:
                action = (-1, ord(only) - 97) if kind == "fill" else (ord(only) - 97, -1)
            if action[0] == action[1]:
                return f"Action {number} pours a jug into itself."
            state = apply(sizes, state, action)
        return "" if state[data["jug"]] == data["target"] else f"At the end {_held(state)}."

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return sizes, contents and target up to the names of jugs."""
        data = problem.data
        pairs = enumerate(zip(data["sizes"], data["start"], strict=True))
        jugs = sorted((size, held, jug == data["jug"]) for jug, (size, held) in pairs)
        return f"{jugs} {data['target']}"

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search breadth-first: a shortest plan."""
        data = problem.data
        sizes, start = data["sizes"], tuple(data["start"])

        def following(state: State) -> list[tuple[Action, State]]:
            return [(action, apply(sizes, state, action)) for action in every_action(len(sizes))]

        return _listed(
            shortest_path(start, following, lambda state: state[data["jug"]] == data["target"])
        )


def every_action(jugs: int) -> list[Action]:
    """Return fill, empty and pour, for each jug and pair of jugs."""
    return list(permutations(range(-1, jugs), 2))


def apply(sizes: list[int], state: State, action: Action) -> State:
    """Return the litres after an action."""
    source, target = action
    litres = list(state)
    if source < 0:
        litres[target] = sizes[target]
    elif target < 0:
        litres[source] = 0
    else:
        total, size = litres[source] + litres[target], sizes[target]
        litres[source], litres[target] = (0, total) if total <= size else (total - size, size)
    return tuple(litres)


def search(sizes: list[int], start: list[int], depth: int | None = None) -> tuple[Goals, Parents]:
    """Find every amount with the fewest actions, at most `depth`, and the state before each."""
    frontier: list[State] = [tuple(start)]
    parents: Parents = {frontier[0]: None}
    goals: Goals = dict.fromkeys(enumerate(start), (0, frontier[0]))
    choices, count = every_action(len(sizes)), 0
    while frontier and count != depth:
        count += 1
        following = []
        for state in frontier:
            for action in choices:
                after = apply(sizes, state, action)
                if after not in parents:
                    parents[after] = state, action
                    following.append(after)
        for after in following:
            for place in enumerate(after):
                if place not in goals:
                    goals[place] = count, after
        frontier = following
    return goals, parents


def _name(action: Action) -> str:
    source, target = action
    if source < 0:
        return f"fill {NAMES[target]}"
    return f"empty {NAMES[source]}" if target < 0 else f"pour {NAMES[source]}->{NAMES[target]}"


def _listed(plan: list[Action]) -> str:
    return ", ".join(map(_name, plan))


def _held(state: State) -> str:
    return ", ".join([f"{NAMES[i]} holds {litres}" for i, litres in enumerate(state)])


def _work_out(sizes: list[int], start: list[int], plan: list[Action]) -> list[str]:
    """Return what the jugs hold after each action."""
    states = list(accumulate(plan, partial(apply, sizes), initial=tuple(start)))[1:]
    named = zip(map(_name, plan), states, strict=True)
    return [f"{name[0].upper()}{name[1:]}: now {_held(state)}." for name, state in named]


def _wrong_plans(rng: np.random.Generator, jug: int, plan: list[Action]) -> list[list[Action]]:
    """Leave out the last action or one, turn the last round, or add one too many."""
    place = draw_int(rng, 0, len(plan) - 2)
    wrong = [plan[:-1], [*plan[:place], *plan[place + 1 :]], [*plan[:-1], plan[-1][::-1]]]
    return [*wrong, [*plan, (jug, -1)], [*plan, (-1, jug)]]
