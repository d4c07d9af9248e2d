"""Absolute Zero: rewards, the buffer, the kinds of tasks, bad proposals, whole and killed runs."""

import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.scripted_proposers import CODE, Script, of_role, steps_of
from helpers.llm.small_runs import equal, untimed_lines, weights_of
from helpers.sandbox.attack_range import needs_sandbox
from zerogym.agents.llm.algorithms.rollouts.absolute_zero import AbsoluteZero, learnability
from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.errors import UnknownName

DOUBLE = "```python\ndef f(xs):\n    return [2 * x for x in xs]\n```\n```input\n[3, 1]\n```"


def proposer_or(solve: Callable[[str, int], str], proposal: str = DOUBLE) -> Any:
    return lambda prompt, n: proposal if "Propose" in prompt else solve(prompt, n)


@pytest.mark.claim(
    "absolute_zero", says="A proposer's mean reward peaks where about a quarter of 8 succeed."
)
@pytest.mark.parametrize(("n", "peak"), [(4, 0.370), (8, 0.257), (16, 0.169)])
def test_the_expected_reward_of_a_proposal_peaks_where_few_succeed(n: int, peak: float) -> None:
    from math import comb

    def mean(p: float) -> float:
        chances = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        return sum(c * learnability(k / n) for k, c in enumerate(chances))

    grid = np.linspace(0, 1, 1001)
    values = np.array([mean(p) for p in grid])
    assert np.allclose(values, (1 - grid) - (1 - grid) ** n)
    assert grid[values.argmax()] == pytest.approx(peak, abs=1e-3)
    assert values[0] == values[-1] == 0 == learnability(0) == learnability(1)


def test_rewards_of_both_roles_by_hand() -> None:
    def solve(prompt: str, n: int) -> str:
        return ["<answer>[6, 2]</answer>", "<answer>[6]</answer>", "eight", "nine"][n % 4]

    [batch] = steps_of(AbsoluteZero(), Script(proposer_or(solve)))
    for group in of_role(batch, "solver"):
        assert [item.reward for item in group] == [1.0, -0.5, -1.0, -1.0]
    # Both proposals are of the same text, so that each has one right solution of four.
    assert [[i.reward for i in group] for group in of_role(batch, "proposer")] == [[0.75], [0.75]]
    for group in batch.groups:
        for item in group:
            assert sum(turn.reward for turn in item.turns) == item.reward
            assert {turn.role for turn in item.turns} == {item.role}
    assert batch.metrics["rollouts/accepted"] == 1 and batch.metrics["rollouts/solve_rate"] == 0.25


@pytest.mark.parametrize(("right", "reward"), [(0, 0.0), (4, 0.0), (1, 0.75), (3, 0.25)])
def test_a_proposal_that_all_or_none_solve_has_no_reward(right: int, reward: float) -> None:
    def solve(prompt: str, n: int) -> str:
        return f"<answer>{'[6, 2]' if n % 4 < right else '[0]'}</answer>"

    [batch] = steps_of(AbsoluteZero(), Script(proposer_or(solve)))
    assert {item.reward for group in of_role(batch, "proposer") for item in group} == {reward}


def test_the_buffer_has_the_identity_and_what_was_proposed() -> None:
    proposed: list[str] = []

    def reply(prompt: str, n: int) -> str:
        if "Propose" not in prompt:
            return "<answer>0</answer>"
        if len(proposed) % 3 == 2:  # is not accepted
            proposed.append("")
            return "```python\ndef f(xs):\n    return xs[0]\n```\n```input\n[1]\n```"
        proposed.append(f"def f(xs):\n    return [x + {len(proposed)} for x in xs]")
        return f"```python\n{proposed[-1]}\n```\n```input\n[4, {len(proposed)}]\n```"

    batches = steps_of(AbsoluteZero(), Script(reply), 5)
    questions = [
        item.turns[0].observation for group in of_role(batches[0], "proposer") for item in group
    ]
    assert all(q.count("```python\n") == 1 and "    return xs\n" in q for q in questions)
    kept = [item["program"] for item in batches[-1].state["triplets"]]
    assert kept == [program for program in proposed if program]
    shown = {
        program
        for batch in batches
        for group in batch.rolled_out
        for item in group
        for program in re.findall(r"```python\n(.*?)\n```", item.turns[0].observation, re.DOTALL)
    }
    assert shown <= {"def f(xs):\n    return xs", *proposed}, "an external program"
    assert len(shown) > 4 and batches[-1].metrics["rollouts/buffer"] == len(kept)


def test_prompts_without_an_accepted_proposal_are_filled_from_the_buffer() -> None:
    def solve(prompt: str, n: int) -> str:
        return "<answer>[1, 2, 3]</answer>"

    [batch] = steps_of(AbsoluteZero(), Script(proposer_or(solve, "no")))
    assert len(of_role(batch, "solver")) == 2
    for group in of_role(batch, "solver"):
        assert "    return xs\n" in group[0].turns[0].observation
        assert [item.reward for item in group] == [1.0] * 4, "the identity"
    assert [i.reward for group in of_role(batch, "proposer") for i in group] == [-1.0, -1.0]
    assert batch.state.get("triplets", []) == []


def test_proposers_that_are_not_trained_and_problems_that_are_drawn() -> None:
    solve = proposer_or(lambda prompt, n: f"<answer>{n % 2}</answer>")
    [fixed] = steps_of(AbsoluteZero(proposer="fixed"), Script(solve))
    assert not of_role(fixed, "proposer") and of_role(fixed, "solver")
    assert len(fixed.rolled_out) == 4 and "rollouts/proposer_reward" in fixed.metrics
    uniform = steps_of(AbsoluteZero(proposer="uniform"), Script(solve), 2)
    assert all(len(batch.rolled_out) == 2 and not of_role(batch, "proposer") for batch in uniform)


INPUTS = "".join(f"```input\n[{n}, 1]\n```\n" for n in range(4))


@needs_sandbox
def test_each_kind_of_task_in_turn() -> None:
    def reply(prompt: str, n: int) -> str:
        if "different inputs" in prompt:
            return f"{INPUTS}```message\nit doubles\n```"
        if "Propose" in prompt:
            return DOUBLE
        if "Find a Python function" in prompt:
            return "<answer>def f(xs):\n    return xs</answer>"
        return "<answer>[3, 1]</answer>"

    [batch] = steps_of(
        AbsoluteZero(pairs=4), Script(reply), env_kwargs={}, prompts_per_step=3, group_size=2
    )
    found = [(g[0].info["category"], [i.reward for i in g]) for g in of_role(batch, "solver")]
    assert found == [
        ("deduction", [-0.5, -0.5]), ("abduction", [1.0, 1.0]), ("induction", [1.0, 1.0]),
    ]  # fmt: skip
    [item] = batch.state["inductions"]
    assert item["message"] == "it doubles" and len(item["inputs"]) == 4
    question = of_role(batch, "solver")[2][0].turns[0].observation
    assert question.count(" == ") == 2 and "A hint: it doubles." in question
    assert [g[0].info["category"] for g in of_role(batch, "proposer")] == [
        "deduction", "abduction", "induction",
    ]  # fmt: skip


def test_parameters_of_any_reasoning_task_are_proposed() -> None:
    def reply(prompt: str, n: int) -> str:
        if "Propose" in prompt:
            level = 2.0 if n < 1 else 99
            return f'<answer>{{"difficulty": {level}, "category": "gcd"}}</answer>'
        return "<answer>1</answer>" if n % 2 else "no"

    [batch] = steps_of(
        AbsoluteZero(), Script(reply), env="zerogym/NumberTheory-v0", env_kwargs={"difficulty": 0}
    )
    assert sorted(i.reward for g in of_role(batch, "proposer") for i in g)[0] == -0.5
    [group, *others] = of_role(batch, "solver")
    assert {(i.info["difficulty"], i.info["category"]) for i in group} == {(2.0, "gcd")}
    assert not others, "an empty buffer has nothing to fill a step with"
    uniform = steps_of(
        AbsoluteZero(proposer="uniform"), Script(reply), 3, env="zerogym/NumberTheory-v0",
        env_kwargs={"difficulty": 0}, prompts_per_step=8,
    )  # fmt: skip
    levels = [g[0].info["difficulty"] for batch in uniform for g in batch.groups]
    assert len({*levels}) == 24 and 0 < min(levels) < 2 and 6 < max(levels) < 8


HOSTILE = {
    "endless": "```python\ndef f(xs):\n    while True:\n        pass\n```\n```input\n[1]\n```",
    "random": "```python\nimport random\ndef f(xs):\n    return random.random()\n```\n"
    "```input\n[1]\n```",
    "files": "```python\ndef f(xs):\n    return open('/etc/passwd').read()\n```\n"
    "```input\n[1]\n```",
    "10 MB": f"```python\ndef f(xs):\n    return {'1+' * 5_000_000}1\n```\n```input\n[1]\n```",
    "many steps": "```python\ndef f(n):\n    t = 0\n    for i in range(n):\n        "
    "for j in range(n):\n            t += 1\n    return t\n```\n```input\n999999\n```",
    "growth": "```python\ndef f(s):\n    for i in range(30):\n        s = s + s\n"
    "    return s\n```\n```input\n'ab'\n```",
    "blocks": "```python\n" * 2000,
}


BOUNDED = ("many steps", "growth")  # real Python has an output for it, or takes all its seconds


@pytest.mark.parametrize(
    ("level", "name"),
    [
        *(("interpreter", name) for name in HOSTILE),
        *(
            pytest.param("strong", name, marks=needs_sandbox)
            for name in HOSTILE
            if name not in BOUNDED
        ),
    ],
)
def test_a_bad_proposal_is_a_scored_fault_in_bounded_time(level: Any, name: str) -> None:
    started = time.process_time()
    [batch] = steps_of(
        AbsoluteZero(level=level),
        Script(proposer_or(lambda prompt, n: "no", HOSTILE[name])),
        prompts_per_step=1,
    )
    assert time.process_time() - started < 5
    [[item]] = of_role(batch, "proposer")
    assert item.reward == (-1.0 if name in ("10 MB", "blocks") else -0.5)
    assert not item.info["success"] and batch.state.get("triplets", []) == []


def test_settings_are_checked() -> None:
    for changed in (
        {"categories": ("guess",)}, {"level": "none"}, {"proposer": "oracle"}, {"categories": ()},
    ):  # fmt: skip
        with pytest.raises((UnknownName, TypeError)):
            AbsoluteZero(**changed)  # type: ignore[arg-type]


class Seeded(Script):
    """An engine whose replies depend on the seed of their row alone; it follows the weights."""

    def __init__(self, *_: Any) -> None:
        super().__init__(lambda prompt, n: "")

    def generate(self, prompts: Any, sampling: Sampling) -> list[Completion]:
        found = []
        for ids, seed in zip(prompts, sampling.seeds, strict=True):
            prompt, n = "".join(map(chr, ids)), seed % 7
            text = "<answer>[3, 1]</answer>" if n % 2 else "<answer>no</answer>"
            if "Propose" in prompt:
                text = DOUBLE.replace("2 * x", f"x + {n}") if n else "no"
            elif n % 2:
                shift = int((re.findall(r"x \+ (\d)", prompt) or ["0"])[0])
                text = f"<answer>[{3 + shift}, {1 + shift}]</answer>"
            found.append(Completion(text, (65 + n, ord("~")), (-5.0, -5.0), "stop"))
        return found

    def update_weights(self, weights: Any, version: int) -> None:
        self.weight_version = version


def test_a_killed_run_ends_as_a_whole_one(
    start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    from zerogym.agents.llm.training import grpo

    monkeypatch.setattr(grpo, "make_engine", Seeded)
    config = GRPOConfig(
        env=CODE, env_kwargs={"category": "deduction"}, model=str(start),
        out=str(tmp_path / "whole"), steps=4, prompts_per_step=2, group_size=3, lr=3e-3,
        eval_episodes=0, device="cpu", save_every=1, rollouts=AbsoluteZero(), advantage="trr_pp",
    )  # fmt: skip
    whole = grpo.train(config)

    def die(metrics: Any) -> None:
        if metrics["step"] == 3:
            raise RuntimeError("killed")

    halves = replace(config, out=str(tmp_path / "halves"))
    with pytest.raises(RuntimeError, match="killed"):
        grpo.train(halves, die)
    resumed = grpo.train(halves, resume=True)
    assert untimed_lines(halves) == untimed_lines(config)
    assert equal(weights_of(resumed.model), weights_of(whole.model))
    assert not equal(weights_of(whole.model), weights_of(start)), "it was trained"
    assert untimed_lines(config)[-1]["rollouts/buffer"] > 2, "proposals were accepted"
