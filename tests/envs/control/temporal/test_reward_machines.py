"""Reward machines and LTLf: against the meaning of formulas, computed in another way."""

import pickle
import random
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import torch

from zerogym.envs.control.core.tasks import Task
from zerogym.envs.control.tabular.dynamic_programming import finite_horizon_values
from zerogym.envs.control.tabular.mdp import deterministic_mdp
from zerogym.envs.control.tabular.product_mdp import product_with
from zerogym.envs.control.temporal import ltlf
from zerogym.envs.control.temporal.dfa import MAX_EVENTS
from zerogym.envs.control.temporal.ltlf import Formula
from zerogym.envs.control.temporal.reward_machines import (
    RewardMachine,
    in_order,
    machine_of_formula,
    machine_of_rules,
)
from zerogym.errors import UnknownName

EVENTS = ("a", "b", "c")
SETS = [frozenset(e for i, e in enumerate(EVENTS) if n >> i & 1) for n in range(8)]


def true_at(formula: Formula, trace: tuple[frozenset[str], ...], t: int) -> bool:
    """The definition, by recursion over the formula and the moments."""
    kind, parts, last = formula.kind, formula.parts, len(trace) - 1
    later = range(t, last + 1)
    match kind:
        case "event" | "not":
            return (formula.name in trace[t]) == (kind == "event")
        case "true" | "false":
            return kind == "true"
        case "&":
            return all(true_at(part, trace, t) for part in parts)
        case "|":
            return any(true_at(part, trace, t) for part in parts)
        case "X":
            return t < last and true_at(parts[0], trace, t + 1)
        case "N":
            return t == last or true_at(parts[0], trace, t + 1)
        case "F":
            return any(true_at(parts[0], trace, s) for s in later)
        case "G":
            return all(true_at(parts[0], trace, s) for s in later)
        case "U":
            return any(
                true_at(parts[1], trace, s)
                and all(true_at(parts[0], trace, r) for r in range(t, s))
                for s in later
            )
        case _:  # "R": the second holds wherever the first has not held before
            return all(
                true_at(parts[1], trace, s) or any(true_at(parts[0], trace, r) for r in range(t, s))
                for s in later
            )


def random_formula(rng: np.random.Generator, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return str(rng.choice([*EVENTS, *EVENTS, "true", "false"]))
    if rng.random() < 0.5:
        return f"{rng.choice(['!', 'X ', 'N ', 'F ', 'G '])}({random_formula(rng, depth - 1)})"
    left, right = (random_formula(rng, depth - 1) for _ in range(2))
    return f"({left}) {rng.choice(['&', '|', '->', 'U', 'R'])} ({right})"


def returns(machine: RewardMachine, trace: tuple[frozenset[str], ...]) -> float:
    holds = {e: np.array([e in moment for moment in trace]) for e in machine.events}
    starts = np.arange(len(trace)) == 0
    return float(machine.run(machine.label(holds), starts)[1].sum())


def test_the_return_is_the_formula_on_all_short_traces() -> None:
    rng = np.random.default_rng(0)
    checked = 0
    while checked < 30:
        text = random_formula(rng, 3)
        formula = ltlf.parse(text)
        if not ltlf.names(formula):
            continue
        machine = machine_of_formula(text)
        outcomes = set()
        for length in (1, 2, 3):
            for trace in product(SETS, repeat=length):
                outcomes.add(target := true_at(formula, trace, 0))
                assert returns(machine, trace) == target, (text, trace)
        checked += len(outcomes) == 2  # formulas that are always or never true prove little


def test_decided_states_are_absorbing_without_reward() -> None:
    machine = machine_of_formula("F (a & X F b) & G !c")
    assert machine.over.sum() == 1  # lost; it is never won for good: c may come
    assert (machine.next_state[machine.over] == np.flatnonzero(machine.over)[0]).all()
    assert not machine.reward[machine.over].any()
    assert machine_of_formula("F a").over.tolist() == [False, True]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a & b | c", "(a & b) | c"),
        ("a -> b -> c", "a -> (b -> c)"),
        ("!a U b", "(!a) U b"),
        ("F a & b", "(F a) & b"),
        ("a U b & c", "(a U b) & c"),
        ("!(a U b)", "!a R !b"),
        ("!F a", "G !a"),
        ("!X a", "N !a"),
        ("!!a", "a"),
        ("XFa", "XFa"),  # a name, not operators: those need a blank or a bracket
    ],
)
def test_how_formulas_are_read(text: str, same: str) -> None:
    assert ltlf.parse(text) == ltlf.parse(same)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "expected an event at ''"),
        ("a &", "expected an event at ''"),
        ("a b", "expected the end at 'b'"),
        ("(a", r"expected '\)' at ''"),
        ("a)", r"expected the end at '\)'"),
        ("a & 7", "at '7'"),
        ("& a", "expected an event at '& a'"),
        ("\0", "expected an event or operator"),
        ("!" * 200 + "a", "in each other"),
        ("(" * 200, "in each other"),
        ("a" * 401, "400 characters"),
        ("true", "1 to 10 events"),
        (" & ".join(f"e{n}" for n in range(MAX_EVENTS + 1)), "1 to 10 events, got 11"),
    ],
)
def test_a_bad_formula_is_refused_in_words(text: str, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        machine_of_formula(text)


def test_a_long_chain_is_read() -> None:
    assert len(machine_of_formula(" & ".join(["F a"] * 50))) == 2


def test_rules_are_tried_in_order_and_without_one_nothing_happens() -> None:
    machine = machine_of_rules(
        ["coffee", "mail", "office"],
        [(0, "coffee & mail", 2, 0.5), (0, "coffee", 1, 0.25), (1, "!coffee & office", 2, 1.0)],
    )
    assert [machine.step(0, label) for label in (0, 1, 2, 3, 7)] == [
        (0, 0.0), (1, 0.25), (0, 0.0), (2, 0.5), (2, 0.5)]  # fmt: skip
    assert machine.step(1, 0b100) == (2, 1.0)
    assert machine.step(1, 0b101) == (1, 0.0)
    assert machine.over.tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("events", "rule", "match"),
    [
        ("a", (0, "F a", 1, 1.0), "temporal operators"),
        ("a", (0, "z", 1, 1.0), r"names \['z'\]"),
        ("aa", (0, "a", 1, 1.0), "different names"),
        ("a", (0, "a", -1, 1.0), "states are numbers from 0 on"),
        ("a", (0.5, "a", 1, 1.0), "states are numbers from 0 on"),
    ],
)
def test_bad_rules_are_refused(events: str, rule: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        machine_of_rules(list(events), [rule])


def test_a_dataset_of_several_episodes_is_relabelled_like_each_alone() -> None:
    machine = in_order("a", "b")
    labels = machine.label({"a": np.array([1, 0, 0, 1, 1, 0], bool),
                            "b": np.array([0, 1, 1, 1, 0, 1], bool)})  # fmt: skip
    starts = np.array([1, 0, 0, 1, 0, 0], bool)
    states, rewards = machine.run(labels, starts)
    assert rewards.tolist() == [0, 1, 0, 0, 0, 1]
    assert states[[0, 3]].tolist() == [0, 0]


def test_the_product_with_a_world_has_the_value_of_the_best_trace() -> None:
    # A corridor 0-1-2-3-4: a at its left end, b at its right one; actions: left, right.
    next_state = np.array([[max(s - 1, 0), min(s + 1, 4)] for s in range(5)])
    machine = in_order("a", "b")
    world = deterministic_mdp(next_state, np.eye(5, dtype=np.float32), (2,))
    product = product_with(world, machine, {"a": np.eye(5)[0] == 1, "b": np.eye(5)[4] == 1})
    reward = product.average(product.reward_table(Task("mission", "", product.mission)))
    values = finite_horizon_values(product.dynamics, reward, 8)  # (9, 3 * 5)
    # From cell 2: two steps to the left end, four to the right one.
    assert [values[steps, machine.initial * 5 + 2] for steps in (5, 6, 8)] == [0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("F (a & F b)", "F (a & b) | F (a & X F b)"),
        ("!(F a & F b)", "G !a | G !b"),
        ("a U b", "b | (a & X (a U b))"),
        ("F a & F b & F c", "F c & F (a | a) & F b & F a"),
        ("G (a -> X b)", "G (!a | X b)"),
    ],
)
def test_formulas_of_one_meaning_have_one_machine(one: str, other: str) -> None:
    tables = [machine_of_formula(text) for text in (one, other)]
    assert tables[0].events == tables[1].events
    np.testing.assert_array_equal(tables[0].next_state, tables[1].next_state)
    np.testing.assert_array_equal(tables[0].reward, tables[1].reward)


def test_orders_of_their_own_multiply_no_further_than_they_must() -> None:
    chains = [f"F ({x} & X F ({y} & X F {z}))" for x, y, z in ("abc", "def", "ghi")]
    assert len(machine_of_formula(" & ".join(chains))) == 4**3


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (" & ".join(f"F e{n}" for n in range(10)), "over 256 states"),
        (" & ".join(f"F (a & {'X ' * k}b)" for k in range(1, 10)), "over"),
        ("F (" + " & ".join(f"(F e{n} | G e{(n + 1) % 10})" for n in range(10)) + ")", "over"),
        ("G (" + " & ".join(f"F (a & {'X ' * k}b)" for k in range(1, 9)) + ")", "alternatives"),
    ],
)
def test_a_formula_that_would_explode_is_refused_in_words(text: str, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        machine_of_formula(text)


def test_demands_are_put_together_in_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a formula is refused in some processes only: their sets are in other orders."""
    observed: list[Formula] = []
    expand = ltlf._expand
    monkeypatch.setattr(ltlf, "_expand", lambda *given: observed.append(given[0]) or expand(*given))
    duties, rng = [("X", Formula("event", name=name)) for name in "abcdef"], random.Random(0)
    orders = set()
    for _ in range(3):
        observed.clear()
        ltlf.progress([tuple(rng.sample(duties, 6))], frozenset("abcdef"))  # type: ignore[arg-type]
        orders.add(tuple(observed))
    assert len(orders) == 1


def test_a_pickled_formula_is_equal_in_another_process() -> None:
    formula = ltlf.parse("F (a & X b)")
    assert hash(formula) and "_hash" not in repr(pickle.dumps(formula))


def test_a_fault_names_its_place_and_unknown_events_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"expected an event at '& b', character 5$"):
        ltlf.parse("a & & b")
    with pytest.raises(TypeError, match="a formula is a str, not int"):
        ltlf.parse(3)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match=r"no event 'cofee'\. Did you mean 'coffee'"):
        ltlf.check_names(ltlf.parse("F (cofee & X F office)"), ["coffee", "office"])


@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_batched_episodes_are_relabelled_like_single_ones(library: str) -> None:
    machine, rng = machine_of_formula("F (a & X F b) & G !c"), np.random.default_rng(0)
    chances = {"a": 0.1, "b": 0.1, "c": 0.02}
    holds = {name: rng.random((500, 40)) < chance for name, chance in chances.items()}
    given = {name: torch.from_numpy(v) if library == "torch" else v for name, v in holds.items()}
    states, rewards = machine.run_all(machine.label(given))
    starts = np.tile(np.arange(40) == 0, 500)
    one_by_one = machine.run(machine.label(holds).ravel(), starts)
    np.testing.assert_array_equal(np.asarray(states)[:, :-1].ravel(), one_by_one[0])
    np.testing.assert_array_equal(np.asarray(rewards).ravel(), one_by_one[1])
    assert 50 < rewards.sum() < 450


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"reward": np.full((3, 4), np.nan)}, "rewards must be finite"),
        ({"reward": np.zeros((3, 2))}, r"tables must be \(3, 4\).* got .*\(3, 2\)"),
        ({"next_state": np.full((3, 4), 3)}, "integers from 0 to 2"),
        ({"next_state": np.full((3, 4), -1)}, "integers from 0 to 2"),
        ({"next_state": np.zeros((3, 4))}, "integers from 0 to 2"),
        ({"next_state": np.zeros((3, 4), dtype=int)}, "over must lead to itself"),
        ({"reward": np.ones((3, 4))}, "with reward 0"),
        ({"over": np.array([True])}, "tables must be"),
        ({"initial": 3}, "initial state must be 0 to 2, got 3"),
        ({"events": ("a", "a")}, "different names"),
    ],
)
def test_tables_that_are_no_machine_are_refused(change: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        replace(in_order("a", "b"), **change)


def test_an_order_has_an_event() -> None:
    with pytest.raises(ValueError, match="at least one event"):
        in_order()


@pytest.mark.parametrize("to", [np.asarray, torch.as_tensor])
@pytest.mark.parametrize(
    ("holds", "match"),
    [
        ({"a": [0.7], "b": [False]}, "whether 'a' holds must be bool, got .*float64|float32"),
        ({"a": [True], "b": [-1]}, "whether 'b' holds must be bool"),
        ({"a": [True], "b": [True, False]}, "same transitions"),
    ],
)
def test_labels_must_be_boolean(to: Any, holds: dict[str, Any], match: str) -> None:
    machine = in_order("a", "b")
    with pytest.raises(ValueError, match=match):
        machine.label({event: to(values) for event, values in holds.items()})
