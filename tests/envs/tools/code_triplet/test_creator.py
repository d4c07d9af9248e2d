"""The proposer's seat: what is accepted, the proposal in the info, and the solver's problem."""

import json
from dataclasses import replace
from typing import Any

import pytest

from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.tools.code_triplet.creator import CodeCreatorEnv
from zerogym.envs.tools.code_triplet.creator_problems import creator_problem
from zerogym.envs.tools.code_triplet.env import CodeTripletEnv
from zerogym.envs.tools.code_triplet.proposals import (
    IDENTITY,
    ProposalLevel,
    Triplet,
    problem_of,
)

DOUBLE = "```python\ndef f(xs):\n    # twice\n    return [2 * x for x in xs]\n```"


def outcome(reply: str, category: str = "deduction", **settings: Any) -> tuple[float, Any, str]:
    """The reward of a reply, its proposal, and the feedback."""
    level: ProposalLevel = settings.pop("level", "interpreter")
    env = CodeCreatorEnv(level=level, category="deduction")
    problem = creator_problem(category, [IDENTITY], **settings)
    env.reset(seed=0, options={"problem": problem.record()})
    _, reward, _, _, info = env.step(reply)
    found = json.loads(info["proposal"]) if "proposal" in info else None
    assert (found is None) == (reward == 0) and info["role"] == "proposer"
    return reward, found, info["feedback"]


def test_an_accepted_proposal_is_in_the_info_without_comments() -> None:
    reward, found, _ = outcome(f"Here:\n{DOUBLE}\n```input\n[3,1]\n```")
    assert reward == 1 and Triplet.from_record(found) == Triplet(
        "def f(xs):\n    return [2 * x for x in xs]", ("[3, 1]",), ("[6, 2]",)
    )
    pairs = "".join(f"```input\n[{n}]\n```" for n in range(3))
    reward, found, _ = outcome(f"{pairs}```message\nas it was\n```", "induction", pairs=3)
    assert found["message"] == "as it was" and found["outputs"] == ["[0]", "[1]", "[2]"]
    assert found["program"] == IDENTITY.program


def test_what_is_not_accepted_is_named() -> None:
    given = "\n```input\n[3, 1]\n```"
    known = f"```python\ndef f(xs):\n    return xs  # again\n```{given}"
    for reply, settings, says in (
        (DOUBLE, {}, "a block ```python and a block ```input"),
        (known, {}, "one of those that are shown"),
        (DOUBLE + given, {"part": "sorted"}, "does not contain `sorted`"),
        (DOUBLE + given, {"returns": "[6, 3]"}, "returns [6, 3] for none"),
        (f"{DOUBLE}\n```input\n[3, 1\n```", {}, "an input cannot be read"),
        (f"{DOUBLE}\n```input\n['a']\n```", {}, "an input cannot be read"),
        (f"{DOUBLE}\n```input\n[1], 2\n```", {}, "does not take 2 plain argument"),
        (f"{DOUBLE}\n```input\n{list(range(101))}\n```", {}, "an input cannot be read"),
        (DOUBLE + given + "x" * 20_000, {}, "a block ```python and a block ```input"),
    ):
        reward, _, feedback = outcome(reply, **settings)
        assert reward == 0 and says in feedback, (reply[:100], feedback)
    for blocks, says in (
        ("```input\n[1]\n```" * 3, "3 different inputs"),
        ("```input\n[1]\n``````input\n[2]\n```", "3 different inputs"),
    ):
        _, _, feedback = outcome(f"{blocks}```message\nhi\n```", "induction", pairs=3)
        assert says in feedback


@needs_sandbox
def test_real_python_in_the_sandbox() -> None:
    source = "```python\ndef f(d):\n    table = {1: 'x'}\n    return table.get(d, (d, None))\n```"
    reward, found, _ = outcome(f"{source}\n```input\n5\n```", level="strong")
    assert reward == 1 and found["outputs"] == ["(5, None)"]
    assert outcome(f"{source}\n```input\n5\n```")[0] == 0, "not in the small language"
    env = CodeTripletEnv(category="abduction")
    problem = problem_of("abduction", Triplet.from_record(found), "strong")
    for answer, right in (("5", 1.0), ("1", 0.0), ("[5]", 0.0), ("5, 6", 0.0)):
        env.reset(seed=0, options={"problem": json.loads(json.dumps(problem.record()))})
        assert env.step(f"<answer>{answer}</answer>")[1] == right, answer


def test_the_solver_gets_the_proposal() -> None:
    _, found, _ = outcome(f"{DOUBLE}\n```input\n[3, 1]\n```")
    triplet = Triplet.from_record(found)
    env = CodeTripletEnv(category="deduction")
    for category, right, wrong in (
        ("deduction", "[6, 2]", "[6, 3]"), ("abduction", "[3, 1]", "[1, 3]"),
    ):  # fmt: skip
        record = json.loads(json.dumps(problem_of(category, triplet, "interpreter").record()))
        for answer, reward in ((right, 1.0), (wrong, 0.0)):
            prompt, info = env.reset(seed=1, options={"problem": record})
            assert "return [2 * x for x in xs]" in prompt and info["category"] == category
            assert env.step(f"<answer>{answer}</answer>")[1] == reward
        env.reset(seed=1, options={"problem": record})
        assert env.step(env.oracle_action())[1] == 1


@needs_sandbox
def test_half_of_the_pairs_of_induction_are_hidden() -> None:
    pairs = Triplet("def f(n):\n    return n + 1", ("1", "2", "3", "4"), ("2", "3", "4", "5"), "up")
    env = CodeTripletEnv(category="induction")
    record = problem_of("induction", pairs, "interpreter").record()
    for source, reward in ((pairs.program, 1.0), ("def f(n):\n    return {1: 2, 2: 3}[n]", 0.0)):
        prompt, _ = env.reset(seed=0, options={"problem": record})
        assert "f(2) == 3" in prompt and "f(3)" not in prompt and "A hint: up." in prompt
        assert env.step(f"<answer>{source}</answer>")[1] == reward


def test_a_problem_of_json_values_is_the_problem() -> None:
    env = CodeTripletEnv(category="deduction")
    prompt, _ = env.reset(seed=3)
    problem = env.get_state()["episode"].problem
    record = json.loads(json.dumps(problem.record()))
    assert env.reset(seed=4, options={"problem": record})[0] == prompt
    assert env.get_state()["episode"].problem == replace(problem)
    with pytest.raises(TypeError, match=r"CodeTripletEnv: options\['problem'\] is no problem"):
        env.reset(options={"problem": {"prompt": "?"}})
