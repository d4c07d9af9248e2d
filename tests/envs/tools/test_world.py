"""`ToolWorld`: calls, answers, limits and snapshots, on a world of two drawers."""

import json
from dataclasses import dataclass

import pytest

from helpers.tools.plans import check_expert, expert_plays, gaps, play_calls
from zerogym.envs.tools.calls import Call
from zerogym.envs.tools.submit import Submit
from zerogym.envs.tools.tool import Tool, ToolResult, one_text
from zerogym.envs.tools.world import NO_CALLS, Judgement, ToolWorld


@dataclass(frozen=True)
class Drawers:
    """A coin lies in the left drawer and must be moved to the right one."""

    coin: int

    @property
    def question(self) -> str:
        return "Move the coin to the right drawer; answer its year."

    @property
    def category(self) -> str:
        return "coin"

    def __deepcopy__(self, memo):
        raise AssertionError("problems are not copied")


class Take(Tool):
    name, body, description = "take", "drawer", "Takes what is in a drawer."
    parameters = one_text("drawer", "which drawer", "left", enum=["left", "right"])

    def call(self, arguments, state):
        taken, state["hand"] = state.pop(arguments["drawer"], None), None
        state["hand"] = taken
        return ToolResult(f"a coin of {taken}" if taken else "nothing", bool(taken))


class Put(Tool):
    name, body, description = "put", "drawer", "Puts what is in the hand into a drawer."
    parameters = one_text("drawer", "which drawer", "right", enum=["left", "right"])

    def call(self, arguments, state):
        state[arguments["drawer"]], state["hand"] = state["hand"], None
        return ToolResult("done", cost=0.5)


class MoveCoin(ToolWorld[Drawers]):
    problem_class = Drawers
    categories = ("coin",)
    default_turns, default_calls = 5, 4

    def _sample(self, difficulty):
        return Drawers(int(self.np_random.integers(1000, 2000)))

    def _toolbox(self, problem):
        return [Take(), Put(), Submit()]

    def _new_state(self, problem):
        return {"left": problem.coin, "hand": None}

    def _plan(self, problem):
        return [Call("take", {"drawer": "left"}), Call("put", {"drawer": "right"})]

    def _answer(self, problem):
        return str(problem.coin)

    def _judge(self, problem, state, answer):
        moved = state.get("right") == problem.coin
        return Judgement((moved + (answer == str(problem.coin))) / 2, "", {"moved": moved})


@pytest.mark.parametrize("format", ["tag", "fence", "json"])
def test_the_expert_plays_its_plan_in_each_format(format):
    env = MoveCoin(format=format)
    for seed in range(5):
        check_expert(env, seed)
        assert list(gaps(env, seed)) == [(0, 0.5), (1, 0.5)]


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
