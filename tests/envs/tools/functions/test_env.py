"""`Functions`: the expert, hidden answers, twins, and rewards for calls."""

import copy
from dataclasses import replace

import numpy as np
import pytest

from helpers.tool_episodes import HOSTILE
from helpers.tools.plans import answer_is_hidden, check_expert, expert_plays
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.functions.database import redrawn
from zerogym.envs.tools.functions.draws import Draws
from zerogym.envs.tools.functions.env import FunctionsEnv
from zerogym.envs.tools.functions.problem import CATEGORIES
from zerogym.envs.tools.functions.questions import Unsound, solve

READING = CATEGORIES[:3]


def write(env, *calls):
    tools = {tool.name: tool for tool in env.tools}
    return "\n".join(env.format.write(tools[call.tool], call.arguments) for call in calls)


def other_call(env):
    """A call of a function that the plan does not use."""
    needed = {call.tool for call in env.expert_plan()}
    tool = next(t for t in env.tools if t.name not in needed and len(t.parameters["required"]) == 1)
    schema = tool.parameters["properties"][tool.body]
    value = schema["enum"][0] if "enum" in schema else 5 if schema["type"] == "integer" else "Xx"
    return Call(tool.name, {tool.body: value})


def check(category, difficulty, seeds):
    env = FunctionsEnv(category=category, difficulty=difficulty)
    for seed in seeds:
        check_expert(env, seed)
        assert category == "stateful" or answer_is_hidden(env, seed)


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_expert_scores_1_and_its_answer_is_hidden(category):
    for difficulty in (0.0, 1.0, 4.0):
        check(category, difficulty, range(12))


@pytest.mark.proof
@pytest.mark.parametrize("category", CATEGORIES)
def test_the_expert_on_many_seeds(category):
    check(category, (0.0, 5.0), range(12, 1012))


def twin_of(problem, seed):
    """The same task over other values."""
    draws = Draws(np.random.default_rng([seed, 3]))
    while True:
        database = redrawn(problem.database, draws)
        try:
            solution = solve(problem.terms, problem.specs, database)
        except Unsound:
            continue
        return replace(
            problem,
            database=database,
            plan=solution.plan,
            answer=solution.answer,
            results=solution.results,
        )


@pytest.mark.parametrize("category", READING)
def test_twins_have_equal_prompts_and_other_answers(category):
    env = FunctionsEnv(category=category)
    for seed in range(25):
        prompt, _ = env.reset(seed=seed)
        first = env._episode.problem
        twin = twin_of(first, seed)
        assert env.reset(options={"problem": twin})[0] == prompt
        assert twin.answer != first.answer
        env.step(env.oracle_action())
        # Up to the last call, neither the answer nor the twin's can be known.
        known = [call.arguments for call in twin.plan[:-1]]
        assert all(twin.answer not in map(str, given.values()) for given in known)
        _, reward, *_ = env.step(f"<answer>{first.answer}</answer>")
        assert reward == 0.0


def test_a_chain_needs_the_results_before():
    env = FunctionsEnv(category="multi_hop", difficulty=2)
    lengths = set()
    for seed in range(30):
        texts, _, _ = expert_plays(env, seed)
        plan = env.expert_plan()
        lengths.add(len(plan))
        for before, call in zip(texts[1:], plan[1:], strict=False):
            (value,) = call.arguments.values()
            assert str(value) in before and str(value) not in texts[0].split("\n\n")[0]
    assert lengths == {4}


def test_parallel_calls_fit_in_one_reply():
    env = FunctionsEnv(category="parallel", difficulty=2)
    texts, reward, info = expert_plays(env, 0)
    assert (len(texts), reward, info["turn"], info["tool_calls"]) == (3, 1.0, 2, 4)


def test_tool_sets_and_chains_grow_with_difficulty():
    sizes = {}
    for difficulty in (0, 2, 5):
        env = FunctionsEnv(category="multi_hop", difficulty=difficulty)
        env.reset(seed=1)
        problem = env._episode.problem
        tables = problem.database.tables
        records = {len(table.names) for table in tables.values()}
        sizes[difficulty] = (len(env.tools), len(tables), records, len(problem.plan))
    assert sizes == {0: (4, 2, {8}, 2), 2: (12, 4, {24}, 4), 5: (24, 6, {40}, 6)}


def test_answers_count_whatever_their_case_and_blanks():
    env = FunctionsEnv(category="parallel")
    for seed in range(10):
        env.reset(seed=seed)
        answer = env._episode.problem.answer
        state = env.get_state()
        for same in (
            answer.upper(),
            answer.replace(" | ", "|"),
            f"  {answer} .".replace(" .", "."),
        ):
            env.set_state(state)
            assert env.step(f"<answer>{same}</answer>")[1] == 1.0
        parts = answer.split(" | ")
        for other in (" | ".join(parts[::-1]), parts[0], answer + " | 1", answer[:-1], "x"):
            env.set_state(state)
            text, reward, over, _, info = env.step(f"<answer>{other}</answer>")
            assert (reward, over, info["score"], text) == (
                0.0,
                True,
                0.0,
                "The answer is not right.",
            )


def test_precision_and_completeness_by_hand():
    env = FunctionsEnv(category="multi_hop", reward="f1")  # three needed calls
    env.reset(seed=3)
    plan, answer = env.expert_plan(), env.answer_action()
    start = env.get_state()
    other = other_call(env)
    cases = [
        ((), 1.0, 0.0, (1 + 0) / 2),
        (plan, 1.0, 1.0, 1.0),
        (plan[:2], 1.0, 2 / 3, (1 + 4 / 5) / 2),
        ((*plan, other), 3 / 4, 1.0, (1 + 6 / 7) / 2),
        ((plan[0], plan[0], other), 1 / 3, 1 / 3, (1 + 2 / 6) / 2),
    ]
    for calls, precision, completeness, reward in cases:
        env.set_state(start)
        for call in calls:
            assert env.step(write(env, call))[1] == 0.0
        _, given, _, _, info = env.step(answer)
        assert (info["precision"], info["completeness"]) == (precision, completeness)
        assert given == pytest.approx(reward, abs=1e-15) and info["score"] == 1.0
        env.set_state(start)
        for call in calls:
            env.step(write(env, call))
        wrong = env.step("<answer>x</answer>")
        assert wrong[1] == pytest.approx(reward - 0.5, abs=1e-15) and wrong[4]["score"] == 0.0


def test_a_malformed_call_counts_as_a_call():
    env = FunctionsEnv(category="single", reward="f1")
    env.reset(seed=0)
    answer, name = env.answer_action(), env.expert_plan()[0].tool
    env.step(f"<{name}s>x</{name}s>")  # nearly a tool's name
    env.step(write(env, *env.expert_plan()))
    _, reward, _, _, info = env.step(answer)
    assert (info["precision"], info["completeness"]) == (0.5, 1.0)
    assert reward == pytest.approx((1 + 2 / 3) / 2)


def test_the_rewards_of_turns_by_hand():
    env = FunctionsEnv(category="multi_hop", reward="turns")  # three needed calls
    env.reset(seed=3)
    plan, answer = env.expert_plan(), env.answer_action()
    other, start = other_call(env), env.get_state()
    bad = f"<{plan[0].tool}s>x</{plan[0].tool}s>"

    def rewards(*replies):
        env.set_state(start)
        return pytest.approx([env.step(reply)[1] for reply in replies], abs=1e-15)

    one, two, three = (write(env, call) for call in plan)
    assert rewards(one, two, three, answer) == [1.0, 1.0, 1.0, 1.0]
    assert rewards(one, one, answer) == [1.0, 0.0, 1 / 3]  # 1 / (1 + 2 unsolved)
    assert rewards(one, two, three, "<answer>x</answer>") == [1.0, 1.0, 1.0, 0.5]
    assert rewards("<answer>x</answer>") == [0.0]
    assert rewards("", answer) == [-0.5, 1 / 4]
    assert rewards(write(env, plan[0], other), bad) == [2 / 3, -0.3]
    assert rewards(write(env, *plan[:2], other)) == [4 / 4]


def test_prices_come_off_each_reward():
    for reward, full in (("outcome", 1.0), ("f1", (1 + 6 / 7) / 2), ("turns", 1.0)):
        env = FunctionsEnv(category="multi_hop", reward=reward, call_cost=0.25)
        env.reset(seed=3)
        answer = env.answer_action()
        for call in (*env.expert_plan(), other_call(env)):
            env.step(write(env, call))
        assert env.step(answer)[1] == pytest.approx(full - 0.25)


def test_calls_of_the_wrong_kind_are_answered_in_words():
    env = FunctionsEnv(category="single", difficulty=0)
    env.reset(seed=2)
    names = [tool.name for tool in env.tools]
    for reply in (*HOSTILE, "<nothing>x</nothing>", *(f"<{n}>{'9' * 5000}</{n}>" for n in names)):
        state = env.get_state()
        text, reward, _, _, info = env.step(reply)
        assert isinstance(text, str) and reward == 0.0 and info.get("score", 0.0) == 0.0
        env.set_state(state)


def test_what_an_episode_changes_stays_in_it():
    env = FunctionsEnv(category="stateful")
    env.reset(seed=1)
    problem = env._episode.problem
    before = copy.deepcopy(problem.database.records)
    expert_plays(env, 1)
    assert problem.database.records == before


def test_an_unknown_reward_is_refused():
    with pytest.raises(ValueError, match="reward must be one of"):
        FunctionsEnv(reward="fast")
