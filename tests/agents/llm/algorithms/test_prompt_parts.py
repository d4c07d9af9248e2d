"""Sources of prompts: properties of all of them, and the exact numbers of each."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import zerogym
from zerogym.agents.llm.algorithms.prompts.cog_drift import CogDrift
from zerogym.agents.llm.algorithms.prompts.jump_start import JumpStart
from zerogym.agents.llm.algorithms.prompts.mixture import Mixture
from zerogym.agents.llm.algorithms.prompts.pool import Pool
from zerogym.agents.llm.algorithms.prompts.sec import SEC
from zerogym.agents.llm.algorithms.prompts.zero_search import ZeroSearch
from zerogym.agents.llm.algorithms.rollout_tables import PROMPTS, Draw, Outcome, Prompts
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.rollout.prompt import Prompt, TaskSpec
from zerogym.agents.trajectory import Trajectory
from zerogym.errors import UnknownName

TASK = TaskSpec("zerogym/Counting-v0", {"difficulty": 1})
NAMES = PROMPTS.names()


def drawn(part: Prompts, count: int, seed: int = 0, state: Any = None) -> list[Prompt]:
    return part(Draw(count, np.random.default_rng(seed), TASK, state or {}))


def outcomes(prompts: Sequence[Prompt], rights: Sequence[int], size: int = 4) -> list[Outcome]:
    """So many right episodes of each prompt; the advantage is that share."""
    found = []
    for prompt, right in zip(prompts, rights, strict=True):
        episodes = [
            Trajectory("e", prompt.seed, n, (), info={"correct": n < right}) for n in range(size)
        ]
        found.append(Outcome(prompt, episodes, right / size))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_draws_are_repeated_and_leave_the_state_alone(name: str) -> None:
    part, state = PROMPTS.make(name), dict[str, Any]()
    for rights in ([4, 0, 1, 2, 3, 4, 4], [4, 4, 4, 4, 0, 0, 1]):
        part.learn(outcomes(drawn(part, 7, state=state), rights), state)
        before = json.dumps(state)
        first = drawn(part, 7, 3, state)
        assert first == drawn(part, 7, 3, state) and len(first) == 7
        assert json.dumps(state) == before
        names = {task.name for task in part.task_specs(TASK).values()}
        assert {prompt.task.name for prompt in first} <= names
        for prompt in first:
            assert Prompt.from_record(json.loads(json.dumps(prompt.record()))) == prompt


@pytest.mark.parametrize("name", NAMES)
def test_a_state_that_went_through_json_draws_and_learns_the_same(name: str) -> None:
    part, whole = PROMPTS.make(name), dict[str, Any]()
    part.learn(outcomes(drawn(part, 5), [4, 0, 1, 2, 3]), whole)
    halved = json.loads(json.dumps(whole))
    for state in (whole, halved):
        prompts = drawn(part, 5, 1, state)
        part.learn(outcomes(prompts, [1, 4, 4, 4, 0]), state)
    assert json.dumps(whole) == json.dumps(halved)
    assert drawn(part, 9, 2, whole) == drawn(part, 9, 2, halved)


@pytest.mark.parametrize("name", NAMES)
def test_settings_go_through_json_and_a_run(name: str) -> None:
    part = PROMPTS.make(name)
    record = json.loads(json.dumps(GRPOConfig(env=TASK.env, prompts=part).record()))
    assert GRPOConfig(**record).source == part


def test_endless_draws_as_runs_did_before_there_were_parts() -> None:
    expected = np.random.default_rng((5, 3)).integers(2**31, size=6).tolist()
    part = PROMPTS.make("endless")
    found = part(Draw(6, np.random.default_rng((5, 3)), TASK))
    assert [prompt.seed for prompt in found] == expected
    assert found[0].key == f'["{TASK.env}", {{"difficulty": 1}}, {expected[0]}]'


def test_a_pool_is_posed_evenly_and_a_pool_of_one_always() -> None:
    counts = Counter(prompt.key for prompt in drawn(Pool(size=4), 11))
    assert sorted(counts.values()) == [2, 3, 3, 3]
    assert {prompt.seed for prompt in drawn(Pool(seeds=(7, 9)), 6)} == {7, 9}
    alone = {prompt.seed for seed in range(5) for prompt in drawn(Pool(size=1), 3, seed)}
    assert len(alone) == 1
    assert {p.seed for p in drawn(Pool(size=3), 3)} < {p.seed for p in drawn(Pool(size=5), 5)}
    with pytest.raises(ValueError, match="size must be at least 1"):
        Pool(size=0)


def test_a_mixture_has_the_shares_of_its_weights() -> None:
    other = {"env": "zerogym/Countdown-v0", "kwargs": {"difficulty": 2}, "weight": 3}
    part = Mixture(tasks={"count": other}, own=1.0)
    found = drawn(part, 4000)
    share = sum(prompt.task.env == "zerogym/Countdown-v0" for prompt in found) / 4000
    assert abs(share - 0.75) < 4 * math.sqrt(0.75 * 0.25 / 4000)
    assert {prompt.task.name for prompt in found} == {
        TASK.name, TaskSpec("zerogym/Countdown-v0", {"difficulty": 2}).name,
    }  # fmt: skip
    assert [*Mixture(tasks={"count": other}).task_specs(TASK)] == ["count"]  # no share of its own


@pytest.mark.parametrize(
    ("tasks", "says"),
    [
        ({"a": {"kwargs": {}}}, r"task 'a' of a mixture must be \{\"env\": ID"),
        ({"a": {"env": "e", "weigth": 2}}, "unexpected keyword argument 'weigth'.*mean 'weight'"),
        ({"a": {"env": "e", "weight": 0}}, "weight of task 'a' must be above 0, got 0"),
        ({"a": {"env": "e", "kwargs": {"split": "test"}}}, "split='test' spoils"),
        ({"a": {"env": "e", "kwargs": 3}}, "kwargs are arguments by name, got 3"),
    ],
)
def test_a_wrong_mixture_is_one_line(tasks: dict[str, Any], says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        GRPOConfig(prompts=Mixture(tasks=tasks))


def test_sec_by_hand() -> None:
    """Q moves by alpha (r - Q), r is the mean absolute advantage of an arm's groups; softmax."""
    part = SEC(difficulties=(1, 2), alpha=0.25, temperature=0.5)
    one, two = (Prompt(TASK, 0, options={"difficulty": d}) for d in (1.0, 2.0))
    state: dict[str, Any] = {}
    part.learn([Outcome(one, [], 0.8), Outcome(one, [], 0.4), Outcome(two, [], None)], state)
    assert state == pytest.approx({"1.0": 0.15, "2.0": 0.0}, abs=1e-15)
    part.learn([Outcome(two, [], 1.0)], state)  # an arm without episodes stays
    assert state == pytest.approx({"1.0": 0.15, "2.0": 0.25}, abs=1e-15)
    chance = 1 / (1 + math.exp((0.25 - 0.15) / 0.5))
    found = drawn(part, 4000, 1, state)
    share = sum(prompt.options == {"difficulty": 1.0} for prompt in found) / 4000
    assert abs(share - chance) < 4 * math.sqrt(chance * (1 - chance) / 4000)


def test_sec_takes_the_categories_of_the_task() -> None:
    categories = {prompt.options["category"] for prompt in drawn(SEC(), 200)}
    assert len(categories) > 1
    with pytest.raises(ValueError, match=r"sec needs two arms.*Countdown-v0 has no categories"):
        SEC().check(TaskSpec("zerogym/Countdown-v0"))
    with pytest.raises(ValueError, match="learns from advantages, which sequence_loss has not"):
        GRPOConfig(env=TASK.env, prompts="sec", sequence_loss="pacs")


def test_cog_drift_promotes_by_tries_and_share() -> None:
    part, state = CogDrift(size=1, tries=6, promote_at=0.5), dict[str, Any]()
    levels = []
    for right in (4, 1, 2, 4, 4, 0, 4, 4, 4, 4, 4):  # of four episodes
        prompts = drawn(part, 1, state=state)
        levels.append(prompts[0].options["form"])
        part.learn(outcomes(prompts, [right]), state)
    # 4 + 1 of 8 -> mcq10; 2 + 4 of 8 -> cloze; 4 + 0 of 8 -> open, which is the last
    assert levels == ["mcq4"] * 2 + ["mcq10"] * 2 + ["cloze"] * 2 + ["open"] * 5
    assert part.measures(state) == {"mcq4": 0, "mcq10": 0, "cloze": 0, "open": 1}
    stale = Prompt(TASK, 0, options={"form": "mcq4"}, key=prompts[0].key)
    before = json.dumps(state)
    part.learn(outcomes([stale], [4]), state)  # drawn before the promotion
    assert json.dumps(state) == before
    with pytest.raises(UnknownName, match="'mcq5'"):
        CogDrift(forms=("mcq5",))


def test_jump_start_goes_on_by_the_last_episodes_of_a_stage() -> None:
    part, state = JumpStart(stages=(3, 1, 0), threshold=0.5, window=4), dict[str, Any]()
    guided = []
    for rewards in ([0, 1], [1, 0], [1, 0], [0, 0], [1, 1], [1, 1]):
        [prompt, *_] = drawn(part, 1, state=state)
        guided.append(prompt.guided)
        episodes = [Trajectory("e", 0, n, (), reward=float(r)) for n, r in enumerate(rewards)]
        part.learn([Outcome(prompt, episodes)], state)
    # 2 of 4 in stage one; then 1 of 4, and 2 of the last 4; the last stage stays
    assert guided == [3, 3, 1, 1, 1, 0] and state == {"stage": 2, "returns": [1.0, 1.0]}
    late = Outcome(Prompt(TASK, 0, guided=3), [Trajectory("e", 0, 0, (), reward=9.0)])
    part.learn([late], state)  # drawn in an earlier stage
    assert state["returns"] == [1.0, 1.0]
    with pytest.raises(ValueError, match="fewer and fewer"):
        JumpStart(stages=(1, 2))


def test_zero_search_raises_the_noise_of_the_engine_step_by_step() -> None:
    part, state, noises = ZeroSearch(steps=2, start=0.1, end=0.7), dict[str, Any](), []
    for _ in range(4):
        noises += {prompt.options["noise"] for prompt in drawn(part, 5, state=state)}
        part.learn([], state)
    assert noises == pytest.approx([0.1, 0.1 + 0.6 / 3, 0.7, 0.7])  # 4 ** 0.5 is 2
    env = zerogym.make("Search", engine="simulated", difficulty=0, category="plain")
    task = TaskSpec("zerogym/Search-v0", {"engine": "simulated"})
    for noise, same in ((1.0, False), (0.0, True)):
        part = ZeroSearch(start=noise, end=noise)
        (prompt,) = part(Draw(1, np.random.default_rng(0), task, {}))
        env.reset(seed=prompt.seed, options=dict(prompt.options))
        fact = env.unwrapped._episode.problem.facts[0]
        assert (fact.object in env.step(f"<search>{fact.subject}</search>")[0]) is same
    with pytest.raises(ValueError, match="from 0 to 1"):
        ZeroSearch(end=1.5)
