"""Wrappers of worlds with tools: injected errors, budgets, bonuses for retries, gated rewards."""

import math

import gymnasium as gym
import pytest

import zerogym  # noqa: F401 (registers the ids)
from helpers.tools.move_coin import MoveCoin
from helpers.tools.plans import expert_plays
from zerogym.wrappers import (
    ErrorInject,
    GatedReward,
    RetryReward,
    ToolBudget,
    WithTools,
    get_state,
    set_state,
)

TAKE, PUT = "<take>left</take>", "<put>right</put>"


class Views(gym.Wrapper):
    """Grants 0.5 for each take, whether it is of use or not: a planted loophole."""

    def step(self, action):
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, reward + 0.5 * ("<take>" in action), terminated, truncated, info


def answer(env) -> str:
    return env.unwrapped.answer_action()


# --- errors


def test_injected_errors_use_nothing_up_and_can_be_recovered_from():
    env = ErrorInject(MoveCoin(), share=1.0, most=2)
    env.reset(seed=4)
    for count in (1, 2):
        text, reward, over, cut, info = env.step(TAKE)
        assert text.startswith("<result>\nError: take: ") and not (reward or over or cut)
        assert info["injected_errors"] == count and info.get("tool_calls", 0) == 0
    assert env.step(TAKE)[4]["tool_calls"] == 1
    env.step(PUT)
    _, reward, _, _, info = env.step(answer(env))
    assert (reward, info["injected_errors"]) == (1.0, 2)


def test_errors_follow_the_seed_and_come_as_often_as_stated():
    def errors(seed):
        env = ErrorInject(MoveCoin(max_calls=64), share=0.25, most=64)
        env.reset(seed=seed)
        return ["Error: take:" in env.step("<take>left</take>")[0] for _ in range(4)]

    assert errors(3) == errors(3)
    share = sum(map(sum, map(errors, range(250)))) / 1000
    assert abs(share - 0.25) < 4 * math.sqrt(0.25 * 0.75 / 1000)


def test_answers_and_malformed_calls_do_not_fail():
    env = ErrorInject(MoveCoin(), share=1.0)
    env.reset(seed=0)
    assert env.step("<take>attic</take>")[4]["injected_errors"] == 0
    assert env.step("<answer>1</answer>")[2]


def test_a_snapshot_repeats_the_errors():
    env = ErrorInject(MoveCoin(), share=0.5)
    env.reset(seed=5)
    state = get_state(env)
    once = [env.step(TAKE)[0] for _ in range(3)]
    set_state(env, state)
    assert [env.step(TAKE)[0] for _ in range(3)] == once


# --- retries


@pytest.mark.parametrize(
    ("replies", "bonus"),
    [
        ([], 0.0),
        ([TAKE], 0.35),
        ([TAKE, TAKE, TAKE], 0.65),
        ([TAKE + TAKE], 0.25),
        ([PUT, "<take>attic</take>"], 0.0),
    ],
)
def test_the_retry_bonus_is_that_of_the_public_code(replies, bonus):
    env = RetryReward(MoveCoin(), tool="take", weight=2.0)
    env.reset(seed=0)
    for reply in replies:
        assert env.step(reply)[1] == 0.0
    _, reward, _, _, info = env.step("<answer>0</answer>")
    assert info["retry_bonus"] == pytest.approx(2 * bonus)
    assert reward == pytest.approx(info["score"] + 2 * bonus)


def test_no_answer_no_retry_bonus():
    env = RetryReward(MoveCoin(max_turns=3), tool="take")
    env.reset(seed=0)
    steps = [env.step(TAKE) for _ in range(3)]
    assert steps[-1][3] and steps[-1][1] == 0.0


def test_calls_inside_with_tools_count():
    base = gym.make("zerogym/RandomCalculation-v0", difficulty=0)
    env = RetryReward(WithTools(base, ["calculator"]), tool="calculator")
    env.reset(seed=0)
    env.step("<calculator>1 + 1</calculator>")
    assert env.step("<answer>7</answer>")[4]["retry_bonus"] == pytest.approx(0.35)


# --- gates


def test_immediate_rewards_count_only_behind_the_gate():
    for gate, replies, total in (
        (1.0, [TAKE, TAKE], 0.0),  # the coin is lost by taking again
        (1.0, [TAKE, PUT], 1.5),
        (0.5, [TAKE], 1.0),  # the year is right: half the score
    ):
        env = GatedReward(Views(MoveCoin()), threshold=gate)
        env.reset(seed=1)
        assert [env.step(reply)[1] for reply in replies] == [0.0] * len(replies)
        last = answer(env) if total else "<answer>0</answer>"
        _, reward, _, _, info = env.step(last)
        assert reward == total and info["immediate"] == 0.5 * replies.count(TAKE)


def test_a_loophole_ends_completion_without_the_gate_only():
    """Exact gradient ascent over all trajectories of a policy that views or finishes each turn.

    The policy takes the coin, then in each turn looks once more (which grants 0.5) or puts the coin
    away and answers, with one logit; when no turns are left, nothing was finished.
    """

    def returns(gated: bool) -> list[tuple[float, bool]]:
        found = []
        for looks in range(5):
            world = Looking(max_turns=5)
            env = GatedReward(Views(world)) if gated else Views(world)
            env.reset(seed=0)
            total, over = 0.0, False
            for reply in [*["<take>right</take>"] * looks, "<answer>0</answer>"]:
                _, reward, ended, cut, info = env.step(reply)
                total, over = total + reward, ended or cut
                if over:
                    break
            assert over
            found.append((total, bool(info.get("score"))))
        env.reset(seed=0)
        total = sum(env.step("<take>right</take>")[1] for _ in range(5))
        return [*found, (total, False)]

    def completion(gated: bool) -> float:
        outcomes, logit = returns(gated), 0.0  # of finishing
        for _ in range(2000):
            p = 1 / (1 + math.exp(-logit))
            chances = [(1 - p) ** k * p for k in range(5)] + [(1 - p) ** 5]
            scores = [(1 - p) - k * p for k in range(5)] + [-5 * p]  # d log chance / d logit
            logit += 0.1 * sum(
                c * s * r for c, s, (r, _) in zip(chances, scores, outcomes, strict=True)
            )
        p = 1 / (1 + math.exp(-logit))
        return 1 - (1 - p) ** 5

    assert completion(gated=False) < 0.1
    assert completion(gated=True) > 0.8


class Looking(MoveCoin):
    """Every answer is right; looking is of no use."""

    def _judge(self, problem, state, answer):
        return type(super()._judge(problem, state, answer))(1.0)


# --- budgets


def test_a_budget_refuses_what_it_does_not_cover():
    env = ToolBudget(MoveCoin(), budget=3, prices={"take": 2})
    prompt, info = env.reset(seed=2)
    assert prompt.endswith("Your budget for calls is 3. A call costs: take 2, others 1.")
    assert info["cost_left"] == 3
    text, _, _, _, info = env.step(TAKE)
    assert text.endswith("\nBudget left: 1.") and info["cost_left"] == 1
    text, reward, over, cut, info = env.step(TAKE + PUT)
    assert text == "Error: the calls of this reply cost 3, and 1 of the budget is left."
    assert info["void_turn"] and info["tool_calls"] == 1 and not (reward or over or cut)
    env.step(PUT)
    assert env.step(answer(env))[1] == 1.0


def test_the_second_refusal_ends_the_episode():
    env = ToolBudget(MoveCoin(), budget=0)
    env.reset(seed=2)
    assert not env.step(TAKE)[3]
    _, reward, over, cut, info = env.step(TAKE)
    assert (reward, over, cut, info["correct"]) == (0.0, False, True, False)


def test_the_expert_plays_through_all_wrappers():
    for wrap in (ErrorInject, RetryReward, GatedReward, ToolBudget):
        env = wrap(MoveCoin(), **({"share": 0.0} if wrap is ErrorInject else {}))
        env.reset(seed=6)
        done = False
        while not done:
            _, reward, done, _, info = env.step(env.unwrapped.oracle_action())
        assert info["score"] == 1.0 and reward >= 1.0
    assert expert_plays(MoveCoin(), 6)[1] == 1.0


@pytest.mark.parametrize(
    ("wrap", "arguments", "words"),
    [
        (ErrorInject, {"share": 1.5}, "share"),
        (ErrorInject, {"most": -1}, "most"),
        (RetryReward, {"weight": -1}, "weight"),
        (GatedReward, {"threshold": math.nan}, "threshold"),
        (ToolBudget, {"budget": "much"}, "budget"),
        (ToolBudget, {"prices": {"take": -1}}, "price of take"),
    ],
)
def test_wrong_arguments_are_refused(wrap, arguments, words):
    with pytest.raises(ValueError, match=words):
        wrap(MoveCoin(), **arguments)
    if wrap is not GatedReward:
        with pytest.raises(TypeError, match="tools"):
            wrap(gym.make("zerogym/Countdown-v0"))
