"""First-order tasks, against all worlds of small theories and against the English sentences."""

import re
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest

from helpers.reasoning_problems import check_scores, draw
from zerogym.envs.reasoning.core import Problem
from zerogym.envs.reasoning.logic.drawn_theories import Theory, draw_theory, is_fine
from zerogym.envs.reasoning.logic.first_order import FirstOrderEnv
from zerogym.envs.reasoning.logic.first_order_questions import conjecture, status
from zerogym.envs.reasoning.logic.theories import (
    NOT,
    VARIABLES,
    Atom,
    Rule,
    close,
    entails,
    entails_by_search,
    is_contradictory,
    is_step,
    negated,
    put_in,
    say,
    say_rule,
)

PEOPLE = ("Ada", "Ben")


def all_worlds(facts: list[Atom], rules: list[Rule]) -> list[frozenset[Atom]]:
    """Every world over two people (the true atoms) in which facts and rules hold."""
    names = (("kind", 2), ("tall", 2), ("shy", 2), ("likes", 3))
    atoms = [
        (name, *people) for name, length in names for people in product(PEOPLE, repeat=length - 1)
    ]
    found = []
    for values in product((False, True), repeat=len(atoms)):
        world = frozenset(atom for atom, true in zip(atoms, values, strict=True) if true)
        if all(holds(fact, world) for fact in facts) and all(obeys(rule, world) for rule in rules):
            found.append(world)
    return found


def holds(atom: Atom, world: frozenset[Atom]) -> bool:
    return negated(atom) not in world if atom[0].startswith(NOT) else atom in world


def obeys(rule: Rule, world: frozenset[Atom]) -> bool:
    for people in product(PEOPLE, repeat=len(VARIABLES)):
        values = dict(zip(VARIABLES, people, strict=True))
        is_used = all(holds(put_in(part, values), world) for part in rule.body)
        if is_used and not holds(put_in(rule.head, values), world):
            return False
    return True


def small_theory(rng: np.random.Generator) -> tuple[list[Atom], list[Rule]]:
    """At most ten atoms over two people: three adjectives and one verb."""

    def atom(terms: tuple[str, ...]) -> Atom:
        if rng.random() < 0.3:
            return ("likes", *(terms[rng.integers(len(terms))] for _ in range(2)))
        return (("kind", "tall", "shy")[rng.integers(3)], terms[rng.integers(len(terms))])

    facts = [atom(PEOPLE) for _ in range(1 + rng.integers(3))]
    rules = []
    for _ in range(1 + rng.integers(3)):
        body = tuple(atom(("x", "y")) for _ in range(1 + rng.integers(2)))
        used = tuple(sorted({term for part in body for term in part[1:]}))
        head = atom(used)
        rules.append(Rule(body, negated(head) if rng.random() < 0.4 else head))
    return facts, rules


def test_both_methods_agree_with_all_worlds() -> None:
    rng = np.random.default_rng(0)
    outcomes = set()
    for _ in range(60):
        facts, rules = small_theory(rng)
        worlds = all_worlds(facts, rules)
        assert is_contradictory(close(facts, rules)) is (not worlds)
        for atom in [("kind", "Ada"), ("tall", "Ben"), ("likes", "Ada", "Ben")]:
            for one in (atom, negated(atom)):
                expected = all(holds(one, world) for world in worlds)
                assert entails_by_search(facts, rules, one) is expected
                if worlds:
                    assert entails(facts, rules, one) is expected
                    outcomes.add((expected, one[0].startswith(NOT)))
    assert len(outcomes) == 4


@pytest.mark.parametrize("level", [0, 1, 3])
def test_drawn_theories_are_as_promised(level: int) -> None:
    rng = np.random.default_rng(level)
    for _ in range(15):
        theory: Theory = draw_theory(rng, 1 + level, 2 + level, 3)
        facts, rules = theory.facts, theory.rules
        assert entails_by_search(facts, rules, theory.goal)
        assert not entails_by_search(facts, rules, theory.twin)
        assert not entails_by_search(facts, rules, negated(theory.goal)), "it is consistent"


LIKED = Rule((("likes", "x", "y"),), ("tall", "x"))
NOT_TALL = Rule((("kind", "x"),), ("not tall", "x"))
NOT_SHY = Rule((("tall", "x"),), ("not shy", "x"))


@pytest.mark.parametrize(
    ("facts", "rules", "goal", "fine"),
    [
        ([("likes", "Ada", "Ben")], [LIKED], "tall", True),
        ([("likes", "Ada", "Ben"), ("likes", "Ben", "Ben")], [LIKED], "tall", False),
        ([("likes", "Ada", "Ben"), ("likes", "Ada", "Cy")], [LIKED], "tall", False),
        ([("likes", "Ada", "Ben")], [LIKED, Rule(LIKED.body[:1], ("tall", "y"))], "tall", False),
        ([("likes", "Ada", "Ada")], [LIKED, Rule(LIKED.body, ("tall", "y"))], "tall", False),
        ([("likes", "Ada", "Ben"), ("kind", "Ada")], [LIKED, NOT_TALL], "tall", False),
        ([("kind", "Ada")], [NOT_TALL, NOT_SHY], "not tall", True),
        ([("kind", "Ada"), ("shy", "Ben")], [NOT_TALL, NOT_SHY], "not tall", False),
        ([("kind", "Ada"), ("shy", "Ada")], [NOT_TALL, NOT_SHY], "not tall", False),
    ],
)
def test_what_makes_a_theory_fit(
    facts: list[Atom], rules: list[Rule], goal: str, fine: bool
) -> None:
    """The goal about Ada must follow in one way, about Ben not at all."""
    known = close(facts, rules)
    theory = Theory(["Ada", "Ben", "Cy"], facts, rules, known, (goal, "Ada"), (goal, "Ben"))
    assert is_fine(theory) is fine


def drawn(category: str, count: int, difficulty: float = 1.0) -> list[Problem]:
    return list(draw(FirstOrderEnv, difficulty, count, seed=1, category=category))


def parts(problem: Problem) -> tuple[list[Atom], list[Rule]]:
    statements = problem.data["statements"]
    rules = [Rule(tuple(map(tuple, s["if"])), tuple(s["then"])) for s in statements if "if" in s]
    return [tuple(s["fact"]) for s in statements if "fact" in s], rules


def test_the_text_says_what_the_data_say() -> None:
    for category in FirstOrderEnv.categories:
        for problem in drawn(category, 10):
            facts, rules = parts(problem)
            lines = [re.sub(r"^\d+\. ", "", line) for line in problem.prompt.split("\n")]
            for text in [*map(say, facts), *map(say_rule, rules)]:
                assert f"{text}." in lines
            assert all(say(tuple(goal)) in problem.prompt for goal in problem.data["goals"])


def test_the_needed_set_is_the_only_smallest_one() -> None:
    for problem in drawn("selection", 10, difficulty=0) + drawn("evidence", 10):
        statements = list(enumerate(problem.data["statements"], 1))
        goal = tuple(problem.data["goals"][0])
        facts, rules = parts(problem)
        goal = goal if entails_by_search(facts, rules, goal) else negated(goal)
        choosable = [n for n, s in statements if problem.category == "selection" or "fact" in s]
        always = [s for n, s in statements if n not in choosable]
        enough = []
        for size in range(len(problem.data["needed"]) + 1):
            for numbers in combinations(choosable, size):
                chosen = [*always, *(s for n, s in statements if n in numbers)]
                if entails_by_search(*parts(Problem("", "", data={"statements": chosen})), goal):
                    enough.append(list(numbers))
        assert enough == [problem.data["needed"]]


def test_statuses_are_those_of_the_search() -> None:
    found = set()
    for problem in drawn("status", 20):
        facts, rules = parts(problem)
        for goal, expected in zip(problem.data["goals"], problem.answer.split(", "), strict=True):
            sides = tuple(goal), negated(tuple(goal))
            follows = tuple(entails_by_search(facts, rules, side) for side in sides)
            names = {(True, False): "true", (False, True): "false", (False, False): "unknown"}
            assert names[follows] == expected
            found.add((expected, goal[0].startswith(NOT)))
    assert len(found) == 6, "statements of each status are asserted and negated"


PROOF = Problem(
    "", "4: 3, 1; 5: 6, 4, 2", category="proof",
    data={
        "statements": [
            {"fact": ["kind", "Ada"]},
            {"fact": ["likes", "Ben", "Ada"]},
            {"if": [["kind", "x"]], "then": ["tall", "x"]},
            {"fact": ["tall", "Ada"]},
            {"fact": ["shy", "Ben"]},
            {"if": [["likes", "x", "y"], ["tall", "y"]], "then": ["shy", "x"]},
        ],
        "goals": [["shy", "Ben"]],
        "derived": [4, 5],
    },
)  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("4: 3, 1; 5: 6, 4, 2", ""),
        ("5: 2 4 6\n4: 1 3", ""),
        ("5 <- 2, 4, 6; 4 <- 1, 3;", ""),
        ("4: 3, 1", "for each derived"),
        ("4: 3, 1; 5: 6, 4, 2; 1: 3, 4", "for each derived"),
        ("4: 3, 1; 4: 3, 1; 5: 6, 4, 2", "for each derived"),
        ("4: 3; 5: 6, 4, 2", "4 does not follow"),
        ("4: 1; 5: 6, 4, 2", "4 does not follow"),
        ("4: 3, 1; 5: 6, 4", "5 does not follow"),
        ("4: 3, 1; 5: 6, 4, 2, 1", "5 does not follow"),
        ("4: 3, 1; 5: 6, 4, 2, 9", "no statement"),
        ("shy", "for each derived"),
    ],
)
def test_proofs_are_checked_step_by_step(answer: str, fault: str) -> None:
    assert (FirstOrderEnv.score(PROOF, answer) == 1.0) is (fault == "")
    assert fault in FirstOrderEnv.explain(PROOF, answer)
    assert FirstOrderEnv.score(PROOF, FirstOrderEnv.solve(PROOF)) == 1.0


def test_a_proof_in_circles_is_none() -> None:
    statements = [
        {"fact": ["kind", "Ada"]},
        {"fact": ["tall", "Ada"]},
        {"if": [["kind", "x"]], "then": ["tall", "x"]},
        {"if": [["tall", "x"]], "then": ["kind", "x"]},
    ]
    data = {"statements": statements, "goals": [["tall", "Ada"]], "derived": [1, 2]}
    problem = Problem("", "", category="proof", data=data)
    assert "circles" in FirstOrderEnv.explain(problem, "1: 4, 2; 2: 3, 1")


def test_a_step_uses_exactly_its_parents() -> None:
    rule = Rule((("likes", "x", "y"), ("kind", "y")), ("tall", "x"))
    parents = [("likes", "Ada", "Ben"), ("kind", "Ben")]
    assert is_step(rule, parents, ("tall", "Ada"))
    assert not is_step(rule, parents, ("tall", "Ben"))
    assert not is_step(rule, parents[:1], ("tall", "Ada"))
    assert not is_step(rule, [*parents, ("kind", "Ada")], ("tall", "Ada"))
    assert not is_step(rule, [parents[0], ("kind", "Ada")], ("tall", "Ada"))


def test_contraposition_counts() -> None:
    facts, rules = [("kind", "Ada"), ("shy", "Ben")], [Rule((("tall", "x"),), ("not shy", "x"))]
    for method in (entails, entails_by_search):
        assert method(facts, rules, ("not tall", "Ben"))
        assert not method(facts, rules, ("not tall", "Ada"))


def test_neither_length_nor_mentions_tell_what_follows() -> None:
    rng = np.random.default_rng(2)
    problems = [conjecture(rng, 1) for _ in range(600)]
    yes = np.array([problem.answer == "yes" for problem in problems])
    assert abs(yes.mean() - 0.5) < 0.07
    mentions = [p.prompt.count(p.data["goals"][0][1]) for p in problems]
    for values in ([len(problem.prompt) for problem in problems], mentions):
        assert abs(np.corrcoef(values, yes)[0, 1]) < 0.2


# A person prefers somebody to somebody else, answers a question and joins a group: said of two
# people alone ("Joan prefers Kira"), these leave open what is meant.
ODD_VERBS = {"prefers", "answers", "joins"}


def test_verbs_make_sense_between_two_people() -> None:
    said = {
        atom[0].removeprefix(NOT)
        for kind in FirstOrderEnv.categories
        for problem in drawn(kind, 20)
        for one in problem.data["statements"]
        for atom in (one.get("then") or one["fact"], *one.get("if", ()))
        if len(atom) == 3
    }
    assert len(said) > 10 and not said & ODD_VERBS


def test_each_list_of_statuses_is_the_answer_equally_often() -> None:
    """Theories that do not give the statuses are drawn again, not the statuses."""
    rng = np.random.default_rng(5)
    counts = Counter(status(rng, 1).answer for _ in range(27 * 12))
    assert len(counts) == 27
    assert sum((count - 12) ** 2 / 12 for count in counts.values()) < 58  # 1 in 3000 by chance


def test_answers_in_other_forms() -> None:
    three = Problem("", "true, unknown, false", category="status", data={"goals": [[], [], []]})
    right = ("True, Unknown, False", "1. true\n2. unknown\n3. false", "true unknown false")
    wrong = ("true, unknown", "true, unknown, false, false", "true, maybe, false", "")
    check_scores(FirstOrderEnv, three, right, wrong)
    selection = Problem("", "1, 3", category="selection", data={"needed": [1, 3], "goals": [[]]})
    check_scores(FirstOrderEnv, selection, ["{3, 1}"], ["1, 2, 3"])
