"""Router-v0: its experts, its expert plan, its reward."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from helpers.tools.plans import answer_is_hidden, check_expert, play_calls
from zerogym.envs.splits import split_of
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.router.env import HOPS, RouterEnv, RouterProblem
from zerogym.envs.tools.router.experts import POOLS, pool
from zerogym.envs.tools.router.facts import RELATIONS, TOPICS, sample_facts
from zerogym.envs.tools.router.reward import cost_reward, router_reward


def started(seed: int = 0, **options: object) -> tuple[RouterEnv, RouterProblem]:
    env = RouterEnv(**options)  # type: ignore[arg-type]
    env.reset(seed=seed)
    return env, env._running().problem


def test_the_reward_by_hand() -> None:
    # sqrt: 10 at the least, 20 at the most, 16 spent: 1 - 6 / 10.
    assert cost_reward(256, 100, 400) == pytest.approx(0.4)
    assert cost_reward(0, 100, 400) == 1.0 and cost_reward(10_000, 100, 400) == 0.0
    assert router_reward(1.0, 0.4, 0.7) == pytest.approx(0.3 + 0.28)
    assert router_reward(0.0, 1.0, 0.7) == pytest.approx(0.7)
    assert router_reward(1.0, 0.0, 0.0) == 1.0, "alpha 0 is the outcome alone"


@pytest.mark.parametrize("difficulty", [0, 2])
def test_the_plan_is_needed_whole(difficulty: float) -> None:
    env = RouterEnv(difficulty)
    for seed in range(25):
        check_expert(env, seed)
        assert answer_is_hidden(env, seed), seed


@pytest.mark.proof
def test_the_plan_is_needed_whole_over_a_thousand_seeds() -> None:
    for seed in range(1000):
        env = RouterEnv(seed % 5, "test" if seed % 2 else "train")
        check_expert(env, seed)
        assert answer_is_hidden(env, seed), seed


def test_experts_are_right_about_their_topics_and_wrong_about_all_others() -> None:
    facts = sample_facts(np.random.default_rng(3), 8)
    for expert, relation in product(pool(17), RELATIONS):
        for thing, right in facts.values[relation.name].items():
            said = expert.reply(facts, f"Tell me {relation.name.upper()} of {thing}!")
            assert said is not None and len(said.split()) == expert.words
            assert (f"is {right}" in said) == (relation.topic in expert.topics)
            assert said.split(" is ")[1].split()[0].strip(".") in facts.names[relation.end]
    for number in range(0, POOLS, 40):
        assert pool(number)[0].topics == TOPICS, "one expert knows all"


def test_no_cheaper_team_is_right_at_every_step() -> None:
    for seed in range(8):
        _, problem = started(seed, category="three")
        things = problem.facts.follow(problem.start, problem.chain)
        costs = []
        for team in product(problem.team(), repeat=3):
            steps = zip(team, problem.chain, things, things[1:], strict=False)
            if all(e.value(problem.facts, name, thing) == right for e, name, thing, right in steps):
                costs.append(sum(expert.cost for expert in team))
        assert problem.least == min(costs) <= max(costs) <= problem.most


@pytest.mark.parametrize("reward", ["gated", "sum"])
def test_a_dearer_expert_costs_what_the_formula_says(reward: str) -> None:
    env, problem = started(4, category="one", alpha=0.5, reward=reward)
    dear, thing = problem.team()[0], f"the {problem.chain[0]} of {problem.start}"
    play = Call("route", {"expert": dear.name.upper(), "question": thing})
    cheap = problem.cheapest()[0].cost
    assert dear.cost > cheap, "the seed has a cheaper expert"
    got, info = play_calls(env, 4, [play])
    scaled = (math.sqrt(dear.cost) - math.sqrt(cheap)) / (
        math.sqrt(2 * dear.cost) - math.sqrt(cheap)
    )
    assert info["spent"] == dear.cost and info["outcome"] == 1.0
    assert got == pytest.approx(0.5 + 0.5 * (1 - scaled)) and 0.5 < got < 1
    again, _ = play_calls(env, 4, [play, play])
    assert again == pytest.approx(0.5), "the cost reward has ended"
    env.reset(seed=4)
    wrong = env.step("<answer>Nobody</answer>")
    assert wrong[1] == (0.5 if reward == "sum" else 0.0) and wrong[4]["outcome"] == 0.0


def test_calls_that_nobody_understands_cost_nothing() -> None:
    env, problem = started(1)
    who, thing = problem.team()[1].name, problem.start
    other = next(name for name in problem.facts.names["person"] if name != thing)
    for expert, question, says in (
        ("Nobody", f"the founder of {thing}", "no such expert"),
        (who, "the founder", "one thing"),
        (who, f"the teacher of {other} and of {problem.facts.names['person'][-1]}", "one relation"),
        (who, f"the teacher and the guardian of {other}", "one relation"),
        (who, f"the river of {thing}", "one relation"),
        (who, "the founder of " + "x" * 380, "one relation"),
    ):
        written = env.format.write(env.tools[0], {"expert": expert, "question": question})
        text, reward, terminated, _, info = env.step(written)
        assert says in text and not terminated and reward == 0.0, (question, text)
        assert info["failed_calls"] == info["turn"]
    assert env._running().state.cost == 0


def test_the_answer_is_not_in_the_prompt_but_in_the_facts() -> None:
    env, problem = started(5, category="two")
    prompt = env.reset(seed=5)[0]
    answers = set()
    for seed in range(20):
        facts = sample_facts(np.random.default_rng(seed), 8)
        values = {name: dict(pairs) for name, pairs in facts.values.items()}
        names = {kind: problem.facts.names[kind] for kind in problem.facts.names}
        moved = {
            new: old
            for kind in names
            for new, old in zip(facts.names[kind], names[kind], strict=True)
        }
        for name, pairs in values.items():
            values[name] = {moved[start]: moved[end] for start, end in pairs.items()}
        twin = replace(problem, facts=type(facts)(names, values))
        assert env.reset(options={"problem": twin})[0] == prompt
        answers.add(env._running().problem.answer)
    assert len(answers) > 3, "the same prompt has many answers"


def test_experts_of_the_test_split_are_new() -> None:
    names = {"train": set[str](), "test": set[str]()}
    for number in range(POOLS):
        names[split_of("RouterEnv", str(number))] |= {expert.name for expert in pool(number)}
    assert not names["train"] & names["test"] and len(names["test"]) > 300
    for seed in range(10):
        env, problem = started(seed, split="test")
        assert {expert.name for expert in problem.team()} <= names["test"]
        assert env.step("<answer>x</answer>")[4]["split"] == "test"


def test_chains_have_the_length_of_their_category_and_bad_settings_are_named() -> None:
    for length, category in enumerate(HOPS, 1):
        assert len(started(2, category=category)[1].chain) == length
    with pytest.raises(ValueError, match="alpha must be from 0 to 1"):
        RouterEnv(alpha=1.5)
    with pytest.raises(ValueError, match="'gated' or 'sum'"):
        RouterEnv(reward="both")  # type: ignore[arg-type]
