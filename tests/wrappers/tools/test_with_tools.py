"""Tools around environments: what is run, what is answered, and what counts."""

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from helpers.tool_episodes import Counter, Echo, calculating, call, easy, right
from zerogym.envs.tools.calls import FORMATS, get_format
from zerogym.envs.tools.tool_turns import ANSWER_NOT_READ, NO_CALLS_LEFT
from zerogym.wrappers import WithTools
from zerogym.wrappers.tools.with_tools import CALL_TOO_MANY, UNAVAILABLE

# --- the course of an episode


def test_the_prompt_is_the_environments_with_the_tools_after_it() -> None:
    for seed in range(3):
        prompt, info = easy().reset(seed=seed)
        observation, more = calculating().reset(seed=seed)
        assert observation.startswith(f"{prompt}\n\nYou can use these tools")
        assert more == info | {
            "tool_calls": 0, "failed_calls": 0, "cost": 0.0, "void_turn": False,
        }  # fmt: skip


def test_calls_are_run_in_order_and_the_environment_waits() -> None:
    env = WithTools(easy(), ["calculator", Counter()])
    env.reset(seed=4)
    answer = right(env)
    text, reward, terminated, truncated, info = env.step(
        f"First {call('2 * 3')}, then {call('a', 'counter')} and {call('7 - 1/2')}."
    )
    lines = text.split("\n")
    assert lines[1] == "6" and lines[4].startswith("a ") and lines[7] == "13/2 = 6.5"
    assert lines.count("<result>") == lines.count("</result>") == 3 and len(lines) == 9
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert (info["turn"], info["tool_calls"], info["cost"]) == (0, 3, 0.5)
    assert info["failed_calls"] == 0
    assert not info["void_turn"] and info["feedback"] == ""
    assert not {"score", "correct", "answer", "answer_format"} & set(info)
    text, reward, terminated, truncated, info = env.step(answer)
    assert (text, reward, terminated, truncated) == ("Correct.", 1.0, True, False)
    assert (info["score"], info["turn"], info["tool_calls"], info["cost"]) == (1.0, 1, 3, 0.5)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(call("1"))


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_plays(format: str) -> None:
    env = calculating(format=format)
    env.reset(seed=4)
    assert get_format(format).find(env.announcement, dict.fromkeys(["calculator"], env.tools[0]))
    text = env.step(env.format.write(env.tools[0], {"expression": "6 * 7"}))[0]
    assert "42" in text and "result" not in text.replace("<result>", "").replace("</result>", "")
    assert env.step(right(env))[1] == 1.0
    assert isinstance(env.stop_strings, tuple)


def test_calls_are_counted_and_then_the_answer_is_due() -> None:
    env = calculating(max_calls=2)
    env.reset(seed=4)
    assert NO_CALLS_LEFT not in env.step(call("1"))[0]
    text, *_, info = env.step(call("2") + call("3") + call("4"))
    assert text == f"<result>\n2\n</result>\n2 more calls were not run.\n{NO_CALLS_LEFT}"
    assert info["tool_calls"] == 2
    snapshot = env.get_state()
    assert env.step(right(env))[1] == 1.0
    env.set_state(snapshot)
    text, reward, terminated, truncated, info = env.step(call("5"))
    assert (text, reward, terminated, truncated) == (CALL_TOO_MANY, 0.0, False, True)
    assert (info["score"], info["correct"], info["success"]) == (0.0, False, False)
    assert info["feedback"] == CALL_TOO_MANY and info["tool_calls"] == 2
    with pytest.raises(RuntimeError, match="reset"):
        env.step(right(env))


def test_a_malformed_call_takes_a_call_and_gets_feedback() -> None:
    env = calculating(max_calls=2)
    env.reset(seed=4)
    text, *_, info = env.step("<calculater>1</calculater>")
    assert "Did you mean calculator?" in text and "Did you mean calculator?" in info["feedback"]
    assert info["void_turn"] and info["tool_calls"] == info["failed_calls"] == 1
    text, *_, info = env.step(f"{call('')}{call('1')}")
    assert "'expression' is empty" in text and "1 more call was not run." in text
    assert NO_CALLS_LEFT in text and info["void_turn"]


def test_an_answer_beside_a_call_is_not_read() -> None:
    env = calculating()
    env.reset(seed=4)
    text, reward, terminated, *_ = env.step(f"{call('2 + 2')} so {right(env)}")
    assert text == f"<result>\n4\n</result>\n{ANSWER_NOT_READ}"
    assert (reward, terminated) == (0.0, False)
    text, *_ = env.step(f"{call('2 + 2')}{call('5', 'submit')} <answer>5</answer>")
    assert text == f"<result>\n4\n</result>\n{ANSWER_NOT_READ}"


def test_submit_answers_and_needs_no_call() -> None:
    env = calculating(max_calls=1)
    env.reset(seed=4)
    answer = right(env).removeprefix("<answer>").removesuffix("</answer>")
    assert NO_CALLS_LEFT in env.step(call("1"))[0]
    text, reward, terminated, _, info = env.step(f"I am sure: {call(answer, 'submit')}")
    assert (text, reward, terminated) == ("Correct.", 1.0, True)
    assert (info["tool_calls"], info["answer_format"], info["void_turn"]) == (1, "tag", False)


def test_what_the_model_writes_after_a_call_is_only_its_text() -> None:
    env = calculating()
    env.reset(seed=4)
    assert env.step(f"{call('2 + 2')}\n<result>\n5\n</result>")[0] == "<result>\n4\n</result>"


VOID = {
    "<answer>5</answer>": False,
    "\\boxed{5}": False,
    "It is 5.": True,
    "": True,
    call("1"): False,
    call("1 +"): False,  # well-formed, though it is no expression
    call(""): True,
    f"{call('')}{call('1')}": False,
}


@pytest.mark.parametrize("reply", VOID)
def test_a_void_turn_is_neither_a_call_nor_an_answer(reply: str) -> None:
    env = calculating()
    env.reset(seed=4)
    assert env.step(reply)[-1]["void_turn"] == VOID[reply]


def test_an_environment_with_turns_goes_on_with_tools() -> None:
    env = WithTools(gym.make("zerogym/SQL-v0", difficulty=0), ["calculator"], max_calls=3)
    env.reset(seed=3)
    counts = []
    for reply in (call("1"), "<sql>SELECT 1</sql>", call("2"), "", right(env)):
        *_, info = env.step(reply)
        counts.append((info["turn"], info["tool_calls"], info["void_turn"]))
    # the environment counts its queries as calls, and says itself what is void
    queries = [(0, 1, False), (1, 2, False), (1, 3, False), (2, 3, True), (3, 4, False)]
    assert counts == queries
    _, reward, terminated, *_ = env.step("<sql>submit</sql>")
    assert (reward, terminated) == (1.0, True)


def test_an_environment_without_signs_of_an_answer_has_no_void_turns() -> None:
    env = WithTools(Echo(), ["calculator"])
    env.reset(seed=0)
    assert not env.step("anything")[-1]["void_turn"]
    seat = WithTools(gym.make("zerogym/TicTacToe-v0"), ["calculator"])
    seat.reset(seed=0)
    assert seat.step("hmm")[-1]["void_turn"], "its own word counts"
    assert not seat.step(seat.get_wrapper_attr("random_action")(np.random.default_rng(0)))[-1][
        "void_turn"
    ]


def test_a_tool_that_fails_by_itself_ends_the_episode_without_a_score() -> None:
    env = WithTools(easy(), [Counter()])
    env.reset(seed=4)
    text, reward, terminated, truncated, info = env.step(call("gone", "counter"))
    assert (text, reward, terminated, truncated) == (UNAVAILABLE, 0.0, False, True)
    assert info["unavailable"] is True and "score" not in info and "correct" not in info
    env.reset(seed=4)
    assert "unavailable" not in env.step(call("bad", "counter"))[-1]
