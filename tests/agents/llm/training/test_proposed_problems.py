"""R-Zero, SvS and eva: their rewards by hand, what is trained on, what evolves."""

import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from helpers.llm.scripted_proposers import Script, of_role, steps_of
from zerogym.agents.llm.algorithms.prompts.eva import Eva, regret
from zerogym.agents.llm.algorithms.rollout_tables import Draw, Outcome
from zerogym.agents.llm.algorithms.rollouts.r_zero import RZero, uncertainty
from zerogym.agents.llm.algorithms.rollouts.svs import SvS
from zerogym.agents.llm.rollout.prompt import Prompt, TaskSpec
from zerogym.agents.llm.training.batch import Batch
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.tools.code_triplet.literals import read
from zerogym.envs.tools.code_triplet.proposals import accepted
from zerogym.errors import PartFailed

# --- R-Zero


def test_r_zero_rewards_what_half_of_the_attempts_solve() -> None:
    assert [uncertainty(k / 8) for k in range(9)] == [0, 0.25, 0.5, 0.75, 1, 0.75, 0.5, 0.25, 0]
    part = RZero()
    # By hand: of four proposals two are equal, so that each of these loses 2/4, the others 1/4.
    found = part.rewards(["a", "b", "a", "c"], [0.5, 0.25, 0.375, 1.0])
    assert found == [0.5, 0.25, 0.25, 0.0]
    assert [part.trains_on(k / 8) for k in range(9)] == [False] * 2 + [True] * 5 + [False] * 2


@pytest.mark.claim("r_zero", says="The solver is trained on problems that half of its tries solve.")
def test_r_zero_trains_its_solver_in_the_band_only() -> None:
    def reply(prompt: str, n: int) -> str:
        if "Propose" in prompt:
            return (
                "no"
                if n == 3
                else f"```python\ndef f(n):\n    return {n} + n\n```\n```input\n5\n```"
            )
        number = int(re.findall(r"return (\d) \+ n", prompt)[0])  # 0, 2 and 4 of 4 are right
        return f"<answer>{5 + number if n < 2 * number else 'x'}</answer>"

    [batch] = steps_of(RZero(), Script(reply), prompts_per_step=1, advantage="grpo")
    [solved] = of_role(batch, "solver")
    assert [item.reward for item in solved] == [1.0, 1.0, 0.0, 0.0]
    [proposed] = of_role(batch, "proposer")
    assert [item.reward for item in proposed] == pytest.approx([0, 1 - 1 / 3, 0, 0])


# --- SvS


def output_of(prompt: str) -> str:
    """The right answer of a prompt of deduction, by the interpreter."""
    [source] = re.findall(r"```python\n(.*?)\n```", prompt, re.DOTALL)
    [call] = re.findall(r"What does f\((.*)\) return", prompt)
    return accepted(source, [call], "interpreter", lambda: None).outputs[0]  # type: ignore


def constant(output: str) -> str:
    """A program with this output, whatever its input `varied` is."""
    value = read(output)
    items = " + ".join(f"[{one}]" for one in value) if isinstance(value, list) else output
    return f"```python\ndef f(varied):\n    return {items}\n```\n```input\n7\n```"


def svs_batch(right: int, right_of_variations: int, changed: str = "") -> Batch:
    """A step whose policy has so many of 8 right, and proposes the output (or another one)."""

    def reply(prompt: str, n: int) -> str:
        if "Propose" in prompt:
            [output] = re.findall(r"For the input it must return (.*)\.\n", prompt)
            return constant(changed or output)
        share = right_of_variations if "varied" in prompt else right
        return f"<answer>{output_of(prompt) if n % 8 < share else 'x'}</answer>"

    [batch] = steps_of(
        SvS(proposals=2), Script(reply), prompts_per_step=3, group_size=8, advantage="grpo",
        env_kwargs={"category": "deduction", "difficulty": 0},
    )  # fmt: skip
    return batch


@pytest.mark.parametrize(("right", "share"), [(0, 0), (1, 1), (4, 1), (5, 0), (8, 0)])
def test_svs_varies_what_is_solved_seldom(right: int, share: float) -> None:
    batch = svs_batch(right, 4)
    assert batch.metrics["rollouts/varied"] == share
    assert len(of_role(batch, "proposer")) == 3 * share
    first = batch.groups[:3]
    assert [sum(item.reward for item in group) for group in first] == [right] * 3


@pytest.mark.parametrize(("right", "reward"), [(0, 0), (1, 1), (5, 1), (6, 0), (8, 0)])
def test_a_variation_has_a_reward_in_its_band(right: int, reward: float) -> None:
    batch = svs_batch(2, right)
    assert {i.reward for group in of_role(batch, "proposer") for i in group} == {reward}
    assert len(batch.groups) == 3 + 6 + 3, "of the problems, the variations and the proposers"
    assert batch.metrics["rollouts/accepted"] == 1


@pytest.mark.claim("svs", says="A variation counts only if the task's own solver has the answer.")
def test_a_variation_with_another_answer_does_not_count() -> None:
    batch = svs_batch(2, 4, changed="12345")
    assert batch.metrics["rollouts/accepted"] == 0 and len(batch.groups) == 6
    assert {i.reward for group in of_role(batch, "proposer") for i in group} == {0.0}


def test_settings_of_svs() -> None:
    with pytest.raises(ValueError, match="band of shares"):
        SvS(least=0.6)
    with pytest.raises(PartFailed, match="svs is for CodeTriplet"):
        steps_of(SvS(), Script(lambda prompt, n: "no"), env_kwargs={"category": "abduction"})


# --- eva


def episodes(*rewards: float) -> list[Trajectory]:
    return [Trajectory("e", 0, n, (), reward=reward) for n, reward in enumerate(rewards)]


def test_the_regret_is_the_best_less_the_worst() -> None:
    assert regret(episodes(0.25, 1.0, 0.5)) == 0.75
    assert regret(episodes(1.0, 1.0)) == 0 == regret([])
    seats = [replace(one, seat=f"player_{n % 2}") for n, one in enumerate(episodes(1, -1, 1, -1))]
    assert regret(seats) == 0, "of a seat"


@pytest.mark.claim("eva", says="Prompts move to the difficulties at which replies differ.")
def test_parameters_evolve_where_replies_differ() -> None:
    """Replies differ at difficulties near 6 alone: the prompts move there."""
    part, task = Eva(fresh=0.25, width=0.3), TaskSpec("zerogym/NumberTheory-v0")
    state: dict[str, Any] = {}
    shares = []
    for step in range(12):
        prompts = part(Draw(40, np.random.default_rng(step), task, state))
        assert all(0 <= one.options["difficulty"] <= 8 for one in prompts)
        near = [abs(one.options["difficulty"] - 6) < 0.5 for one in prompts]
        shares.append(sum(near) / 40)
        part.learn(
            [
                Outcome(one, episodes(1.0, 0.0 if hit else 1.0))
                for one, hit in zip(prompts, near, strict=True)
            ],
            state,
        )
        state = json.loads(json.dumps(state))
    assert shares[0] < 0.3 and np.mean(shares[6:]) > 0.5
    assert len(state["kept"]) == 64 and part.measures(state)["regret"] > 0.5
    categories = {one.options["category"] for one in prompts}
    assert len(categories) > 1


def test_regret_zero_everywhere_draws_evenly() -> None:
    part, task = Eva(fresh=0.0), TaskSpec("zerogym/ChainSum-v0")
    state: dict[str, Any] = {}
    part.learn([Outcome(Prompt(task, 1, {"difficulty": 3.0}), episodes(1, 1))], state)
    drawn = part(Draw(400, np.random.default_rng(0), task, state))
    levels = [one.options["difficulty"] for one in drawn]
    assert np.histogram(levels, bins=4, range=(0, 8))[0].min() > 60
    assert "category" not in drawn[0].options
