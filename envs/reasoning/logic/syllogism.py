"""Syllogisms and chains of them: does a categorical conclusion follow?

Validity is decided by the regions of the Venn diagram when a problem is drawn, and by chaining
implications when it is solved. Left out: the reading in which only subjects have members, premises
in other words than the four standard forms.
"""

from functools import cache
from itertools import product

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import draw_int, pick, round_randomly, sample_of, shuffled
from zerogym.envs.reasoning.listings import parse_yes_no
from zerogym.envs.reasoning.logic.syllogism_twins import crossed, needs_chain, parts, with_decoy
from zerogym.envs.reasoning.logic.venn import (
    Statement,
    follows,
    follows_by_chaining,
    inhabitable,
    inside,
    named_regions,
    negation,
    say,
)
from zerogym.envs.reasoning.logic.words import KINDS

MAX_PREMISES = 8
READINGS = {
    "modern": '"All a are b" is also true if there are no a at all.',
    "existential": "There is at least one member of every kind that is mentioned.",
}


class SyllogismEnv(ReasoningEnv):
    """Say whether a conclusion about kinds follows from premises such as "No a are b".

    Description:
        Two paths of premises lead from one kind of the conclusion to the other, their lines in
        random order. The reading of "all" is stated in the prompt and is the category: `modern`
        ("All a are b" is true if there are no a: 15 of the 256 two-premise forms are valid) or
        `existential` (every kind has members: the classical 24). If the answer is yes, one path is
        a chain that proves the conclusion and needs each of its premises. If it is no, the two
        paths have exchanged their ends, by two kinds that change places. Else the lines are the
        same: neither words, nor single premises, nor the shape of the paths tell the answer. An
        argument and its twin are on the same side of the split.

    Answer:
        Yes or no.

    Reward:
        1 if the answer is right, else 0. Any constant answer scores 1/2.

    Difficulty:
        Paths of `2 + difficulty` premises (a fractional part is the chance of one more, at most 8).
        At 0 there are, up to kinds and order, 270 pairs (216 train, 54 test) of an argument and its
        twin.

    Example:
        >>> env = SyllogismEnv(difficulty=0)
        >>> print(env.reset(seed=3)[0])
        "All a are b" is also true if there are no a at all.
        Premises:
        All sailors are historians.
        All collectors are waiters.
        Some waiters are sailors.
        All historians are collectors.
        Conclusion: Some historians are waiters.
        Does the conclusion follow from the premises? Answer yes or no.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>yes</answer>")[1]
        1.0

    Source:
        Aristotle, "Prior Analytics"; the 15 and 24 valid forms are the standard lists of textbooks.
        How language models fare: "A Systematic Comparison of Syllogistic Reasoning in Humans and
        Language Models" (2024, arXiv 2311.00445). The chains and twins are our choice.
    """

    categories = ("modern", "existential")
    binary = ("modern", "existential")
    read = staticmethod(parse_yes_no)
    unreadable = "The answer is neither yes nor no."

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a valid argument that has an invalid twin, and take one of the two."""
        category = pick(rng, SyllogismEnv.categories)
        is_valid = bool(rng.random() < 0.5)
        count = round_randomly(rng, min(2 + difficulty, MAX_PREMISES))
        kinds = sample_of(rng, KINDS, 2 * count)
        pair = None
        while pair is None:  # required for both answers, so that the forms do not tell the answer
            chain, conclusion, steps = _valid_chain(rng, count, category, kinds)
            pair = _with_twin(rng, chain, conclusion, category == "existential")
        premises = pair[not is_valid]
        if not is_valid:
            steps = _counterexample(premises, conclusion, kinds, category == "existential")
        listed = shuffled(rng, premises)
        said = [f"{say(premise, kinds)}." for premise in listed]
        goal = f"{say(conclusion, kinds)}."
        answer = "yes" if is_valid else "no"
        return Problem(
            prompt=f"{READINGS[category]}\nPremises:\n" + "\n".join(said) + f"\nConclusion: {goal}"
            "\nDoes the conclusion follow from the premises? Answer yes or no.",
            answer=answer,
            solution="\n".join([*steps, f"So: {answer}"]),
            distractors=("no" if is_valid else "yes", "it cannot be decided"),
            category=category,
            data={"premises": [list(p) for p in listed], "conclusion": list(conclusion)},
            canonical=f"{category}: {' '.join(sorted(said))} / {goal}",
        )

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return what an argument and its twin share, up to kinds and order."""
        shared = parts(problem.data["premises"], problem.data["conclusion"])
        return f"{problem.category}: {shared}"

    @staticmethod
    def solve(problem: Problem) -> str:
        """Follow what the premises and the conclusion's negation imply, to a contradiction."""
        premises = [Statement(*premise) for premise in problem.data["premises"]]
        conclusion = Statement(*problem.data["conclusion"])
        kinds = 1 + max(number for _, *ends in [*premises, conclusion] for number in ends)
        is_valid = follows_by_chaining(
            premises, conclusion, kinds, problem.category == "existential"
        )
        return "yes" if is_valid else "no"

    @classmethod
    def corrupt(cls, problem: Problem, rng: np.random.Generator) -> str:
        """The steps, or a beginning of them, with the wrong conclusion drawn."""
        steps = problem.solution.split("\n")[:-1]
        kept = steps[: draw_int(rng, 0, len(steps))]
        return "\n".join([*kept, f"So: {problem.distractors[0]}"])


@cache
def valid_forms(existential: bool) -> tuple[tuple[Statement, Statement, Statement], ...]:
    """All valid forms: major premise, minor premise, conclusion.

    Kind 0 is the conclusion's subject, 1 the middle term, 2 the conclusion's predicate.

    Example:
        >>> len(valid_forms(False)), len(valid_forms(True))
        (15, 24)
    """
    forms = []
    for moods, major_turned, minor_turned in product(product("AEIO", repeat=3), (0, 1), (0, 1)):
        major = Statement(moods[0], *((2, 1) if major_turned else (1, 2)))
        minor = Statement(moods[1], *((1, 0) if minor_turned else (0, 1)))
        conclusion = Statement(moods[2], 0, 2)
        if follows([major, minor], conclusion, 3, existential):
            forms.append((major, minor, conclusion))
    return tuple(forms)


@cache
def _forms_that_conclude(mood: str, existential: bool) -> tuple[tuple[Statement, Statement], ...]:
    return tuple((a, b) for a, b, conclusion in valid_forms(existential) if conclusion.mood == mood)


def _valid_chain(
    rng: np.random.Generator, count: int, category: str, kinds: list[str]
) -> tuple[list[Statement], Statement, list[str]]:
    """Premises in the order of their path, their conclusion, and the steps from these to that.

    Begins with one valid form, then replaces a premise by two that imply it, through a new kind.
    """
    existential = category == "existential"
    major, minor, end = pick(rng, valid_forms(existential))
    conclusion = Statement(end.mood, 0, 1)
    path = [0, 2, 1]
    premises = [_renamed(minor, (0, 2, 1)), _renamed(major, (0, 2, 1))]
    steps = [_step(premises[1], premises[0], conclusion, kinds)]
    for new in range(3, count + 1):
        place = draw_int(rng, 0, len(premises) - 1)
        target = premises[place]
        major, minor = pick(rng, _forms_that_conclude(target.mood, existential))
        names = (target.subject, new, target.predicate)
        pair = [_renamed(minor, names), _renamed(major, names)]
        steps.append(_step(pair[1], pair[0], target, kinds))
        premises[place : place + 1] = pair if path[place] == target.subject else pair[::-1]
        path.insert(place + 1, new)
    return premises, conclusion, steps[::-1]


def _renamed(statement: Statement, names: tuple[int, int, int]) -> Statement:
    return Statement(statement.mood, names[statement.subject], names[statement.predicate])


def _step(first: Statement, second: Statement, result: Statement, kinds: list[str]) -> str:
    return f"{say(first, kinds)}; {say(second, kinds)}; therefore {say(result, kinds)}."


def _with_twin(
    rng: np.random.Generator, chain: list[Statement], conclusion: Statement, existential: bool
) -> tuple[list[Statement], list[Statement]] | None:
    """An argument whose chain matters, and its invalid twin; None if a draw gave none."""
    argument = with_decoy(rng, chain)
    twin = crossed(rng, argument, conclusion, existential)
    if twin is None or not needs_chain(argument, conclusion, existential):
        return None
    return argument, twin


def _counterexample(
    premises: list[Statement], conclusion: Statement, kinds: list[str], existential: bool
) -> list[str]:
    """A world in which the premises are true and the conclusion is not: who lives there."""
    statements = [*premises, negation(conclusion)]
    regions = inhabitable(statements, len(kinds))
    needed = [named_regions(s, len(kinds)) for s in statements if s.mood in "IO"]
    if existential:
        needed += inside(len(kinds))
    chosen = {(regions & some).bit_length() - 1 for some in needed}
    lines = ["Suppose that only these exist:"]
    for region in sorted(chosen):
        member = [kind for index, kind in enumerate(kinds) if region >> index & 1]
        lines.append(f"- somebody who is among the {', the '.join(member) or 'others'}")
    if not chosen:
        lines = ["Suppose that there is nobody at all."]
    return [*lines, "Then every premise is true, and the conclusion is false."]
