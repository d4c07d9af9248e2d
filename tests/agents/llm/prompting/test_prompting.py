"""Prompting policies: their queries, their replies, and the conversation that goes on."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from zerogym.agents.core import Policy
from zerogym.agents.llm.prompting.best_of_n import BestOfN
from zerogym.agents.llm.prompting.plan_and_solve import ANSWER, PLAN, PlanAndSolve
from zerogym.agents.llm.prompting.react import FORM, ReAct, as_call
from zerogym.agents.llm.prompting.self_consistency import SelfConsistency
from zerogym.agents.llm.prompting.summarising import SUMMARISE, Summarising


class Scripted:
    """Says in each row of each call what a script says next; its state is all that was said."""

    def __init__(self, *script: str, forgets: bool = False) -> None:
        self.script, self.forgets = list(script), forgets
        self.calls: list[list[str]] = []

    def predict(
        self,
        observations: Sequence[str],
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[list[str], Any]:
        self.calls.append(list(observations))
        replies = [self.script.pop(0) for _ in observations]
        if self.forgets:
            assert state is None
            return replies, None
        new = np.ones(len(replies)) if state is None else episode_start
        before = [() if n else s for s, n in zip(state or replies, new, strict=True)]
        observed = zip(before, observations, replies, strict=True)
        return replies, [(*held, text, reply) for held, text, reply in observed]


def test_the_best_draw_is_said_and_goes_on() -> None:
    inner = Scripted("a", "ccc", "bb", "x", "y", "zz", "1", "22", "333", "4", "55", "6")
    policy = BestOfN(inner, lambda text, reply: len(reply), 3)
    replies, state = policy.predict(["one", "two"])
    assert replies == ["ccc", "zz"] and inner.calls == [["one"] * 3 + ["two"] * 3]
    assert state == [("one", "ccc"), ("two", "zz")]
    replies, state = policy.predict(["three", "four"], state, [False, True])
    assert replies == ["333", "55"]
    assert state == [("one", "ccc", "three", "333"), ("four", "55")]


def test_scores_know_the_observation_and_the_first_of_equals_wins() -> None:
    policy = BestOfN(Scripted("no", "yes 1", "yes 2"), lambda text, reply: text in reply, 3)
    assert policy.predict(["yes"])[0] == ["yes 1"]
    with pytest.raises(ValueError, match="'yes' is not a number"):
        BestOfN(Scripted("a"), lambda text, reply: float("nan"), 1).predict(["yes"])


def test_the_majority_speaks() -> None:
    """Two ways lead to 4. The whole first of them is said; a tie goes to what came first."""
    draws = ("<answer>5</answer>", "2 and 2 <answer>4</answer>", "<answer> 4 </answer>")
    inner = Scripted(*draws, "1", "2", "2", "7", "8", "9")
    policy = SelfConsistency(inner, 3)
    replies, state = policy.predict(["2 + 2?", "1 + 1?", "?"])
    assert replies == [draws[1], "2", "7"]
    assert state[0] == ("2 + 2?", draws[1])
    last = SelfConsistency(Scripted("a1", "b2", "c1"), 3, extract=lambda reply: reply[-1])
    assert last.predict(["?"])[0] == ["a1"]


def test_plans_come_before_the_first_reply_only() -> None:
    inner = Scripted("first add", "<answer>4</answer>", "again", "think", "6", "7")
    policy = PlanAndSolve(inner)
    replies, state = policy.predict(["2 + 2?"])
    assert replies == ["<answer>4</answer>"]
    assert inner.calls == [[f"2 + 2?\n\n{PLAN}"], [ANSWER]]
    assert state == [(f"2 + 2?\n\n{PLAN}", "first add", ANSWER, "<answer>4</answer>")]
    replies, after = policy.predict(["wrong"], state, [False])
    assert replies == ["again"] and after == [(*state[0], "wrong", "again")]
    # one goes on, one begins: only the latter thinks
    replies, both = policy.predict(["go on", "new"], [*state, *state], [False, True])
    assert inner.calls[-2:] == [[f"new\n\n{PLAN}"], ["go on", ANSWER]]
    assert replies == ["6", "7"] and both[1] == (f"new\n\n{PLAN}", "think", ANSWER, "7")


def test_plans_need_a_memory() -> None:
    with pytest.raises(ValueError, match="remembers"):
        PlanAndSolve(Scripted("plan", "do", forgets=True)).predict(["2 + 2?"])


@pytest.mark.parametrize(
    ("reply", "observed"),
    [
        ("Thought: hm\nAction: Search[Kuhn]", "<search>Kuhn</search>"),
        ("Action 1: python[x = [1,\n2]]\nObservation: 3\nAction: Finish[3]",
         "<python>x = [1,\n2]</python>"),
        ("Action: calculator[2 + 2]\nAction: Finish[4]", "<calculator>2 + 2</calculator>"),
        ("Action: FINISH[a]b]", "<answer>a]b</answer>"), ("Action: Search[", "Action: Search["),
        ("no Action: Search[x]", "no Action: Search[x]"), ("Action: [x]", "Action: [x]"),
        ("", ""),
    ],
)  # fmt: skip
def test_actions_become_calls(reply: str, observed: str) -> None:
    assert as_call(reply) == observed


def test_hostile_actions_end_soon() -> None:
    assert as_call("Action: a[" * 1_000_000).startswith("Action")
    assert as_call("Action: a[\n" * 300_000).startswith("Action")


def test_the_world_observes_and_the_model_acts() -> None:
    inner = Scripted("Thought: count\nAction: python[1 + 1]", "Action: Finish[2]")
    policy = ReAct(inner)
    replies, state = policy.predict(["1 + 1?"])
    assert replies == ["<python>1 + 1</python>"]
    replies, state = policy.predict(["2"], state, [False])
    assert replies == ["<answer>2</answer>"]
    assert inner.calls == [[f"1 + 1?\n\n{FORM}"], ["Observation: 2"]]
    assert state[0][1] == "Thought: count\nAction: python[1 + 1]"  # as the model wrote it


def test_long_conversations_start_anew() -> None:
    """Eight characters in the first turn: two more are too many for ten, in one of two rows."""
    inner = Scripted("1234", "1", "a sum", "new", "old")
    policy = Summarising(inner, limit=10)
    _, state = policy.predict(["task", "t"])
    assert [memory.length for memory in state] == [8, 2]
    replies, after = policy.predict(["xyz", "xyz"], state, [False, False])
    opening = "task\n\nSo far: a sum\n\nxyz"
    assert inner.calls[1:] == [[SUMMARISE], [opening, "xyz"]]
    assert replies == ["new", "old"]
    assert after[0].inner == (opening, "new") and after[1].inner == ("t", "1", "xyz", "old")
    assert after[0].task == "task" and after[0].length == len(opening) + 3
    # a new episode forgets
    _, fresh = Summarising(Scripted("y"), 10).predict(["other"], after[:1], [True])
    assert fresh[0].inner == ("other", "y") and fresh[0].task == "other"


def test_what_just_fits_and_what_just_begins_is_not_summed_up() -> None:
    inner = Scripted("1234", "ok", "y")
    policy = Summarising(inner, limit=10)
    _, state = policy.predict(["task"])
    policy.predict(["xy"], state, [False])  # eight characters and two
    policy.predict(["longer than ten"], state, [True])
    assert inner.calls == [["task"], ["xy"], ["longer than ten"]]


WRAPPERS: list[Callable[[Any], Any]] = [
    lambda inner: BestOfN(inner, lambda text, reply: 0.0, 1),
    lambda inner: SelfConsistency(inner, 1),
    PlanAndSolve,
    ReAct,
    lambda inner: Summarising(inner, 100),
]


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_each_is_a_policy_and_checks_its_batch(wrap: Callable[[Any], Any]) -> None:
    policy = wrap(Scripted("a", "b"))
    assert isinstance(policy, Policy)
    _, state = policy.predict(["x"])
    with pytest.raises(ValueError, match="2 observations, 1 states"):
        policy.predict(["x", "y"], state)
    assert policy.predict([]) == ([], [])


@pytest.mark.parametrize("wrap", [WRAPPERS[0], WRAPPERS[1], WRAPPERS[3]])
def test_policies_without_a_memory_will_do(wrap: Callable[[Any], Any]) -> None:
    policy = wrap(Scripted("a", "b", forgets=True))
    _, state = policy.predict(["x"])
    assert policy.predict(["y"], state, [False]) == (["b"], [None])


@pytest.mark.parametrize("make", [
    lambda: BestOfN(Scripted(), lambda text, reply: 0.0, 0),
    lambda: SelfConsistency(Scripted(), 0),
    lambda: Summarising(Scripted(), 0),
])  # fmt: skip
def test_wrong_numbers_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="must be at least 1, got 0"):
        make()
