"""First-order logic over named people: five kinds of questions about what follows.

Entailment is decided by forward chaining when a problem is drawn, and by search for a
counterexample among the ground instances when it is solved. Left out: disjunctions, existential
quantifiers, function symbols and equality: they would need a theorem prover, which may not decide.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from zerogym.envs.reasoning.core import Problem, ReasoningEnv
from zerogym.envs.reasoning.draws import pick, round_randomly
from zerogym.envs.reasoning.listings import (
    MAX_LENGTH,
    bare,
    parse_integers,
    parse_words,
    parse_yes_no,
)
from zerogym.envs.reasoning.logic.drawn_theories import STATUSES
from zerogym.envs.reasoning.logic.first_order_questions import QUESTIONS
from zerogym.envs.reasoning.logic.theories import (
    NOT,
    VARIABLES,
    Atom,
    Rule,
    entails_by_search,
    is_step,
    negated,
)
from zerogym.envs.reasoning.renaming import Bag, Term, key_up_to_names

MAX_LEVEL = 6


class FirstOrderEnv(ReasoningEnv):
    """Reason from facts about named people and rules for all of them.

    Description:
        Facts such as "Ada likes Ben" and rules such as "For all x and y: if x likes y and y is
        kind, then x is not shy". A statement is true if facts and rules entail it (first-order
        entailment), false if they entail its negation, else unknown; what is not stated is not
        false. The theories are consistent and free of functions, so entailment is decidable. Each
        has a statement that follows from one smallest set of facts and rules, and a
        twin about other people, of whom almost the same is known, that does not follow. Five kinds
        of questions, the categories:

        - `conjecture`: does the statement follow, or is it the twin? Yes or no, equally likely.
        - `selection`: which facts and rules does the statement need?
        - `proof`: facts, rules and what was derived are mixed; from what was each derived?
        - `status`: is each of several statements true, false or unknown?
        - `evidence`: which facts show that a statement is true, or that it is false?

    Answer:
        Yes or no; numbers `1, 4, 5` in any order; for each derived statement the rule and
        statements that it came from, `7: 1, 4; 5: 2, 7`; or words `true, unknown, false`.

    Reward:
        1 if the answer is right (for `proof`: each step is one use of one rule, and no step uses
        what follows from it), else 0. Any constant answer scores 1/2 in `conjecture`.

    Difficulty:
        `1 + difficulty` uses of rules in the proof (a fractional part is the chance of one more, at
        most 7), `2 + difficulty` rules that do not matter, and more people.

    Example:
        >>> env = FirstOrderEnv(difficulty=0)
        >>> print(env.reset(seed=1)[0])
        Rules:
        For all x: if x is modest, then x is rich.
        For all x: if x is modest, then x is nervous.
        For all x: if x is kind and x is modest, then x is tall.
        Facts:
        1. Maja is modest.
        2. Dana is modest.
        3. Samir is modest.
        4. Samir is proud.
        5. Dana is kind.
        6. Maja is quick.
        7. Samir is active.
        8. Maja is kind.
        Rules and facts show that "Dana is tall" is true. Which facts are needed for this?
        Answer with the numbers of the smallest such set of facts.
        Give the final answer as <answer>...</answer>.
        >>> env.step("<answer>2, 5</answer>")[1]
        1.0

    Source:
        The five questions are those of the logic tasks in "Reasoning Core: A Scalable RL
        Environment for LLM Symbolic Reasoning" (2025, arXiv 2509.18083) and "Saturation-Driven
        Dataset Generation for LLM Mathematical Reasoning in the TPTP Ecosystem" (2025, arXiv
        2509.06809), which pose them on theories that need provers. Facts and rules in plain
        English: "Transformers as Soft Reasoners over Language" (2020, arXiv 2002.05867). Theories,
        twins and the form of the answers are our choice.
    """

    categories = ("conjecture", "selection", "proof", "status", "evidence")
    binary = ("conjecture",)

    @staticmethod
    def sample(rng: np.random.Generator, difficulty: float) -> Problem:
        """Draw a kind of question, then a theory and the question about it."""
        level = round_randomly(rng, min(difficulty, MAX_LEVEL))
        category = pick(rng, FirstOrderEnv.categories)
        return QUESTIONS[category](rng, level)

    @classmethod
    def canonical_key(cls, problem: Problem) -> str:
        """Return facts, rules and question up to people, predicates and order."""
        data = problem.data
        derived = data.get("derived", ())
        statements: list[Term] = [("goal", _with_sign(goal)) for goal in data["goals"]]
        atoms = list(data["goals"])
        for number, one in enumerate(data["statements"], 1):
            if "fact" in one:
                atoms.append(one["fact"])
                kind = "derived" if number in derived else "given"
                statements.append((kind, _with_sign(one["fact"])))
            else:
                atoms += [*one["if"], one["then"]]
                body = Bag(map(_with_sign, one["if"]))
                statements.append(("rule", body, _with_sign(one["then"])))
        names = {part.removeprefix(NOT) for atom in atoms for part in atom} - {*VARIABLES}
        return f"{problem.category}: {key_up_to_names(statements, sorted(names))}"

    @staticmethod
    def solve(problem: Problem) -> str:
        """Search for counterexamples; leave out every statement that is not needed."""
        data = problem.data
        goals = [_atom(goal) for goal in data["goals"]]
        if problem.category == "conjecture":
            return "yes" if entails_by_search(*_theory(data["statements"]), goals[0]) else "no"
        if problem.category == "status":
            return ", ".join(_status(data["statements"], goal) for goal in goals)
        if problem.category == "proof":
            return _find_proof(data)
        follows = entails_by_search(*_theory(data["statements"]), goals[0])
        goal = goals[0] if follows else negated(goals[0])
        return _smallest(data, goal, facts_only=problem.category == "evidence")

    @staticmethod
    def fault(problem: Problem, answer: str) -> str:
        """Name a fault of form, or a step that is none."""
        if problem.category == "proof":
            return _proof_fault(problem.data, answer)
        if problem.category == "conjecture":
            given = parse_yes_no(answer)
            if given is None:
                return "The answer is neither yes nor no."
            is_right = given == (problem.answer == "yes")
        elif problem.category == "status":
            statuses = _statuses(answer)
            if statuses is None or len(statuses) != len(problem.data["goals"]):
                return "The answer is not one of true, false and unknown for every statement."
            is_right = statuses == _statuses(problem.answer)
        else:
            numbers = parse_integers(answer)
            if numbers is None:
                return "The answer is not a list of numbers."
            is_right = set(numbers) == set(problem.data["needed"])
        return "" if is_right else "The answer is wrong."


def _with_sign(atom: Sequence[str]) -> Term:
    name, *terms = atom
    return ("not" if name.startswith(NOT) else "", name.removeprefix(NOT), *terms)


def _atom(parts: Sequence[str]) -> Atom:
    return tuple(parts)


def _rule(statement: dict[str, Any]) -> Rule:
    return Rule(tuple(map(_atom, statement["if"])), _atom(statement["then"]))


def _theory(statements: Sequence[dict[str, Any]]) -> tuple[list[Atom], list[Rule]]:
    """Facts and rules among statements."""
    facts = [_atom(s["fact"]) for s in statements if "fact" in s]
    return facts, [_rule(s) for s in statements if "if" in s]


def _status(statements: Sequence[dict[str, Any]], atom: Atom) -> str:
    theory = _theory(statements)
    if entails_by_search(*theory, atom):
        return "true"
    return "false" if entails_by_search(*theory, negated(atom)) else "unknown"


def _smallest(data: Mapping[str, Any], goal: Atom, facts_only: bool) -> str:
    """Numbers of statements that are left if none can be left out."""
    kept = dict(enumerate(data["statements"], 1))
    for number, statement in list(kept.items()):
        if facts_only and "fact" not in statement:
            continue
        rest = [other for n, other in kept.items() if n != number]
        if entails_by_search(*_theory(rest), goal):
            del kept[number]
    return ", ".join(str(n) for n, s in kept.items() if "fact" in s or not facts_only)


def _statuses(answer: str) -> tuple[str, ...] | None:
    """The words of an answer, without numbers before them; None if any is no status."""
    words = parse_words(answer)
    if words is None:
        return None
    found = tuple(word for word in words if not word.rstrip(":.)").isdigit())
    return found if all(word in STATUSES for word in found) else None


def _find_proof(data: Mapping[str, Any]) -> str:
    """Derive from what is given, one step after the other, until all is derived."""
    statements = dict(enumerate(data["statements"], 1))
    waiting = list(data["derived"])
    ready = {n: _atom(s["fact"]) for n, s in statements.items() if "fact" in s and n not in waiting}
    rules = {n: _rule(s) for n, s in statements.items() if "if" in s}
    steps = []
    while waiting:
        number, step = next(
            (number, step)
            for number in waiting
            if (step := _find_step(rules, ready, _atom(statements[number]["fact"])))
        )
        steps.append(f"{number}: {', '.join(map(str, step))}")
        waiting.remove(number)
        ready[number] = _atom(statements[number]["fact"])
    return "; ".join(steps)


def _find_step(rules: dict[int, Rule], ready: dict[int, Atom], result: Atom) -> list[int]:
    """Numbers of a rule and of one or two atoms that lead to a result; empty if none do."""
    for number, rule in rules.items():
        if rule.head[0] == result[0]:
            for chosen in product(ready, repeat=len(rule.body)):
                if is_step(rule, [ready[n] for n in chosen], result):
                    return [number, *chosen]
    return []


def _read_proof(answer: str) -> dict[int, list[int]] | None:
    """For each derived statement, what it came from."""
    if len(answer) > MAX_LENGTH:
        return None
    steps: dict[int, list[int]] = {}
    for line in bare(answer).replace(";", "\n").replace("<-", ":").split("\n"):
        if not line.strip():
            continue
        result, _, parents = line.partition(":")
        left, right = parse_integers(result), parse_integers(parents)
        if left is None or right is None or len(left) != 1 or left[0] in steps:
            return None
        steps[left[0]] = list(right)
    return steps


def _proof_fault(data: Mapping[str, Any], answer: str) -> str:
    """Describe what is wrong with a proof; empty if it is right."""
    steps = _read_proof(answer)
    if steps is None or sorted(steps) != sorted(data["derived"]):
        return "It does not list, for each derived statement, what it came from."
    statements = dict(enumerate(data["statements"], 1))
    waiting = dict(steps)
    for number, parents in steps.items():
        if not all(parent in statements for parent in parents):
            return "There is no statement with such a number."
        rules = [_rule(statements[p]) for p in parents if "if" in statements[p]]
        atoms = [_atom(statements[p]["fact"]) for p in parents if "fact" in statements[p]]
        if len(rules) != 1 or not is_step(rules[0], atoms, _atom(statements[number]["fact"])):
            return f"{number} does not follow from these by one use of one rule."
    while waiting:
        ready = [n for n, parents in waiting.items() if not any(p in waiting for p in parents)]
        if not ready:
            return "The proof goes in circles."
        for number in ready:
            del waiting[number]
    return ""
