"""`ToolWorld`: calls, answers, limits and snapshots, on a world of two drawers."""

import json

import pytest

from helpers.tools.move_coin import MoveCoin
from helpers.tools.plans import check_expert, expert_plays, gaps, play_calls
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.tool import ToolResult
from zerogym.envs.tools.world import NO_CALLS


@pytest.mark.parametrize("format", ["tag", "fence", "json"])
def test_the_expert_plays_its_plan_in_each_format(format):
    env = MoveCoin(format=format)
    for seed in range(5):
        check_expert(env, seed)
        assert list(gaps(env, seed)) == [(0, 0.5), (1, 0.5)]


def test_the_expert_goes_on_with_its_plan_after_a_call_of_another_policy():
    env = MoveCoin(max_calls=8, max_turns=9)
    env.reset(seed=3)
    env.step("<put>right</put>")
    assert env.oracle_action() == "<take>left</take>"
    env.step(env.oracle_action())
    env.step("<take>right</take><put>left</put>")
    assert env.oracle_action() == "<put>right</put>"


def test_superfluous_calls_cost_what_is_stated():
    env = MoveCoin(call_cost=0.1)
    env.reset(seed=1)
    plan = list(env.expert_plan())
    reward, info = play_calls(env, 1, [*plan, Call("take", {"drawer": "left"})])
    assert (reward, info["score"], info["moved"]) == (0.9, 1.0, True)
    assert play_calls(env, 1, plan)[0] == 1.0
    assert play_calls(env, 1, plan[:1])[0] == 0.5  # fewer calls are no bonus


def test_a_snapshot_after_a_result_goes_on_from_there():
    env, other = MoveCoin(), MoveCoin()
    env.reset(seed=2)
    env.step(env.oracle_action())
    state = env.get_state()
    env.step("<put>left</put>")
    other.reset(seed=3)
    for one in (env, other):
        one.set_state(state)
        texts = [one.step(one.oracle_action()) for _ in range(2)]
        assert texts[0][0] == "<result>\ndone\n</result>" and texts[1][1] == 1.0
        assert texts[0][4]["cost"] == 0.5


def test_replies_with_several_calls_run_in_order_and_their_answer_is_not_read():
    env = MoveCoin()
    env.reset(seed=0)
    reply = "<take>left</take><put>right</put><answer>1000</answer>"
    text, reward, over, cut, info = env.step(reply)
    assert text.count("<result>") == 2 and "was not read" in text
    assert (reward, over, cut, info["tool_calls"]) == (0.0, False, False, 2)
    assert env.step(f"<submit>{info['turn']}</submit>")[1] == 0.5  # moved, but not its year


def test_bad_replies_get_words_and_run_out():
    env = MoveCoin()
    env.reset(seed=0)
    for reply, words in {
        "": "neither a call nor an answer",
        "<take>attic</take>": "Error: take:",
        "<tke>left</tke>": "Did you mean take",
    }.items():
        text, reward, over, cut, info = env.step(reply)
        assert words in text and info["void_turn"] and not (reward or over or cut)
    assert env.step("<put>left</put>" * 100_000)[4]["tool_calls"] == 4
    text, reward, over, cut, info = env.step("<put>left</put>")
    assert (text, reward, over, info["correct"]) == (NO_CALLS, 0.0, True, False)
    with pytest.raises(RuntimeError, match="over"):
        env.step("")


def test_a_long_result_fits_the_observation():
    env = MoveCoin(format="json", max_calls=64)
    env.reset(seed=0)
    loud = "<tool_call>" * 5000
    env.tools[1].call = lambda arguments, state: ToolResult(loud)  # type: ignore[method-assign]
    call = json.dumps({"name": "put", "arguments": {"drawer": "left"}})
    text = env.step(f"<tool_call>\n{call}\n</tool_call>" * 40)[0]
    assert text in env.observation_space and text.count("</tool_response>") == 16


@pytest.mark.parametrize(
    "arguments", [{"max_calls": 0}, {"max_calls": True}, {"call_cost": -1}, {"max_turns": 1}]
)
def test_wrong_arguments_are_refused(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        MoveCoin(**arguments)


def test_same_seed_same_episode():
    assert expert_plays(MoveCoin(), 7) == expert_plays(MoveCoin(), 7)
