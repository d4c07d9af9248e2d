"""Tools around environments, among others: specs, snapshots, vectors, hostile replies, training."""

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import zerogym  # noqa: F401 (registers the ids)
from helpers.sandbox.attack_range import needs_sandbox
from helpers.tool_episodes import Counter, Echo, calculating, call, easy
from zerogym.envs.tools.calls import FORMATS
from zerogym.envs.tools.tool import ToolResult
from zerogym.envs.tools.tool_turns import ANSWER_NOT_READ, MAX_BLOCK, MAX_RESULT
from zerogym.envs.tools.toolbox import make_tool
from zerogym.errors import UnknownName
from zerogym.wrappers import WithTools

# --- an environment among others


def test_info_says_the_weakest_level_at_which_programs_run() -> None:
    """Reports mark what ran at level unsafe-local by it."""
    assert "sandbox" not in calculating().reset(seed=0)[1]
    tools = ["calculator", "python", "notebook"]
    for level, said in (("strong", "strong"), ("unsafe-local", "unsafe-local")):
        env = WithTools(easy(), [*tools[:1], ("python", {"level": level}), tools[2]])
        for tool in env.tools:
            tool.new_state = lambda seed: None  # type: ignore[method-assign,assignment,return-value]
        assert env.reset(seed=0)[1]["sandbox"] == said
        assert env.step("<calculator>1</calculator>")[4]["sandbox"] == said
        assert env.step("<answer>1</answer>")[4]["sandbox"] == said


def test_an_answer_that_is_not_read_is_reported_once() -> None:
    env = calculating()
    env.reset(seed=0)
    reply = "<calculator>1 + 1</calculator>" + "<submit>2</submit>" * 60
    assert env.step(reply)[0].count(ANSWER_NOT_READ) == 1


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_it_is_an_environment() -> None:
    check_env(WithTools(easy().unwrapped, ["calculator"]), skip_render_check=True)


def test_the_spec_is_json_and_makes_the_same_environment() -> None:
    tools = ["submit", ("python", {"characters": 50})]
    env = WithTools(easy(), tools, max_calls=3, format="json")
    assert env.spec is not None
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert isinstance(again, WithTools)
    assert (again.max_calls, again.format.name) == (3, "json")
    assert again.reset(seed=1) == env.reset(seed=1)


def test_wrong_arguments_are_named() -> None:
    for wrong in ([], "python", ["calculator"] * 2):
        with pytest.raises(ValueError, match=r"at least one tool|two tools"):
            WithTools(easy(), wrong)
    for wrong_number in (0, True, 1.5):
        with pytest.raises(ValueError, match="max_calls"):
            WithTools(easy(), ["calculator"], max_calls=wrong_number)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="'fence'"):
        WithTools(easy(), ["calculator"], format="fences")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="'calculator'"):
        WithTools(easy(), ["calculater"])
    with pytest.raises(UnknownName, match="'monty'"):
        WithTools(easy(), [("python", {"level": "montee"})])
    for tool in ("python", "notebook", "shell"):
        with pytest.raises(ValueError, match="characters"):
            WithTools(easy(), [(tool, {"characters": 0})])
    named = type("Named", (Counter,), {"name": "answer"})
    with pytest.raises(ValueError, match="'answer'"):
        WithTools(easy(), [named()])
    with pytest.raises(TypeError, match="text environment"):
        WithTools(gym.make("CartPole-v1"), ["calculator"])
    env = calculating()
    with pytest.raises(RuntimeError, match="reset"):
        env.step("5")
    env.reset(seed=0)
    with pytest.raises(TypeError, match="str"):
        env.step(5)  # type: ignore[arg-type]


def test_closing_closes_the_tools() -> None:
    counter = Counter()
    env = WithTools(easy(), [counter])
    env.close()
    assert counter.closed == 1


def test_the_same_seed_is_the_same_episode_and_tools_change_no_problem() -> None:
    def played(env: WithTools, seed: int | None) -> list[Any]:
        said = [env.reset(seed=seed)]
        return [*said, env.step(call("a", "counter")), env.step("<answer>1</answer>")]

    one, other = (WithTools(easy(), [Counter()]) for _ in range(2))
    episodes = [played(one, seed) for seed in (5, None, None, 6)]
    assert [played(other, seed) for seed in (5, None, None, 6)] == episodes
    assert len({episode[1][0] for episode in episodes}) == 4, "the tool's seeds differ"
    bare = easy()
    for seed, episode in zip((5, None, None, 6), episodes, strict=True):
        prompt, _ = bare.reset(seed=seed)
        bare.step("<answer>1</answer>")
        assert episode[0][0].startswith(prompt + "\n\n")


def test_a_snapshot_holds_the_states_and_counts_of_the_tools() -> None:
    env = WithTools(easy(), [Counter()], max_calls=3)
    env.reset(seed=4)
    env.step(call("a", "counter"))
    snapshot = env.get_state()
    course = [env.step(reply) for reply in (call("b", "counter"), call("c", "counter"), "5")]
    for _ in range(2):
        env.set_state(snapshot)
        replies = (call("b", "counter"), call("c", "counter"), "5")
        assert [env.step(reply) for reply in replies] == course


@needs_sandbox
def test_a_snapshot_in_the_middle_of_a_notebook_episode() -> None:
    env = WithTools(easy(), ["notebook", "shell"])
    env.reset(seed=4)
    env.step(call("import random\nx = [random.random()]", "notebook") + call("echo 1 >a", "shell"))
    snapshot = env.get_state()
    look = call("x.append(random.random())\nx", "notebook") + call("echo 2 >>a; cat a", "shell")
    first = env.step(look)
    assert first[0].count(", ") == 1 and "1\n2" in first[0]
    assert env.step(look)[0].count(", ") == 2
    env.set_state(snapshot)
    again = env.step(look)
    assert again[0] == first[0] and again[4]["tool_calls"] == first[4]["tool_calls"] == 4
    other = WithTools(easy(), ["notebook", "shell"])
    other.reset(seed=9)
    other.set_state(snapshot)
    assert other.step(look)[0] == first[0]
    env.close()
    other.close()


REPLIES = [call("6 * 7"), call(""), call("print(6 * 7)", "python"), "<answer>5</answer>"]


def vectorised() -> gym.Env[str, str]:
    return WithTools(easy(), ["calculator", "python"])


@needs_sandbox
@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
def test_it_plays_in_vectors(kind: Callable[..., Any]) -> None:
    single = [vectorised() for _ in range(2)]
    envs = kind([vectorised] * 2)
    try:
        texts, _ = envs.reset(seed=[1, 2])
        assert list(texts) == [env.reset(seed=n)[0] for n, env in enumerate(single, 1)]
        for reply in REPLIES:
            texts, rewards, ended, _, _ = envs.step([reply] * 2)
            expected = [env.step(reply) for env in single]
            assert list(texts) == [step[0] for step in expected]
            assert rewards.tolist() == [step[1] for step in expected]
            assert ended.all() == (reply == REPLIES[-1])
            assert ("42" in texts[1]) == ("6 * 7" in reply)
    finally:
        envs.close()


# --- anything a model may write

HOSTILE = (
    "", "\0", "\ud800", "\x1b[2J\r", "<", "{" * 10_000, "<calculator>" * 10_000, "`" * 10_000,
    call("(" * 10_000), call("\0"), call("\ud800"), call("9 ** 9 ** 9"), call("x" * 2**21),
    call("</result>\nNo calls are left."), call("<result>"), "<think>" + call("1"),
    call("print('</result><result>')", "python"), call("\0", "python"), call("\ud800", "python"),
    call("import os; os._exit(9)", "notebook"), call("\ud800\0", "notebook"),
    call("print('\\x1b[0m</tool_response>' * 9999)", "python"), call("\ud800", "submit"),
    '<tool_call>{"name": "calculator", "arguments": {"expression": "\\ud800"}}</tool_call>',
    '<tool_call>{"name": "\\u0000", "arguments": {"\\ud800": NaN}}</tool_call>',
    '<tool_call>{"name": "python", "arguments": {"code": "print(\'</tool_response>\')"}}',
    '<tool_call>{"name": "calculator", "arguments": {"expression": ' + "[" * 5000,
    '{"name": "calculator", "arguments": {"expression": "1", "expression": "2"}}',
    "```calculator\n(\n```", "```python\nprint('```')\n</result>\n```", "```submit\n\0\n```",
    "```calculatr\n1\n```", "```" * 10_000,
)  # fmt: skip


@needs_sandbox
@pytest.mark.parametrize(
    "format",
    [pytest.param(name, marks=pytest.mark.proof if name != "json" else ()) for name in FORMATS],
)
def test_any_reply_gets_an_observation_of_the_space(format: str) -> None:
    env = WithTools(easy(), ["python", "notebook", "calculator", "submit"], format=format)
    rng = random.Random(0)
    block = "</tool_response>" if format == "json" else "</result>"
    for number in range(len(HOSTILE) + 12):
        env.reset(seed=number)
        ended = False
        for _ in range(12):
            reply = HOSTILE[number] if number < len(HOSTILE) else "".join(rng.choices(HOSTILE, k=3))
            begin = time.monotonic()
            text, reward, terminated, truncated, info = env.step(reply)
            assert time.monotonic() - begin < 60
            assert text in env.observation_space and "unavailable" not in info
            text.encode()
            assert not set(text) & {"\0", "\x1b", "\r"}
            assert text.count(block) == text.count(block.replace("/", ""))
            assert reward == 0.0
            json.dumps(info)
            if ended := terminated or truncated:
                break
        assert ended
    env.close()


@pytest.mark.parametrize("format", FORMATS)
def test_ten_megabytes_are_answered(format: str) -> None:
    env = calculating(format=format)
    opening = {"tag": "<calculator>", "fence": "\n```calculator\n", "json": "<tool_call>{"}[format]
    for unit in (opening, "\ud800"):
        env.reset(seed=0)
        begin = time.process_time()
        text, *_ = env.step(unit * (10 * 2**20 // len(unit)))
        assert text in env.observation_space and len(text) < 50_000
        assert time.process_time() - begin < 10


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("unit", ['"\\\n<tool_response>', "</result>", "\x1b", "\0\ud800", "é"])
def test_many_long_results_fit_the_observation(format: str, unit: str) -> None:
    class Long(Counter):
        name = "long"

        def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
            return ToolResult(unit * 100_000)

    env = WithTools(easy(), [Long()], format=format)  # type: ignore[arg-type]
    env.reset(seed=0)
    reply = env.format.write(env.tools[0], {"what": "x"}) + "\n"
    one, many = env.step(reply)[0], env.step(reply * 20)[0]
    assert MAX_RESULT < len(one) < MAX_BLOCK
    assert many in env.observation_space and "13 more calls were not run" in many
    assert len(many) > 7 * len(one)


# --- training: no gradient on what the tools wrote


@pytest.fixture
def tools_world() -> Iterator[str]:
    made = lambda **_: WithTools(Echo(), ["calculator"])  # noqa: E731
    gym.register("tests/Tools-v0", made)
    yield "tests/Tools-v0"
    del gym.registry["tests/Tools-v0"]


def trajectories(world: str) -> list[Any]:
    from helpers.llm.scripted_engine import Scripted
    from zerogym.agents.llm.rollout.environments import Environments
    from zerogym.agents.llm.rollout.runner import Player, rollout

    def reply(prompt: str) -> str:
        replies = {1: call("40 + 2"), 2: f"{call('1 +')} {call('9 * 9')}", 4: "it is 5"}
        return replies[prompt.count("</result>")]  # one is in the announcement

    with Environments(world) as envs:
        return rollout(envs, [0, 1], Player(Scripted(reply)))


def test_every_token_of_a_tool_is_the_worlds(tools_world: str) -> None:
    for record in trajectories(tools_world):
        flat = record.flatten()
        own = "".join(chr(i) for i, m in zip(flat.ids, flat.mask, strict=True) if m)
        world = "".join(chr(i) for i, m in zip(flat.ids, flat.mask, strict=True) if not m)
        assert own == f"{call('40 + 2')}~{call('1 +')} {call('9 * 9')}~it is 5~"
        assert "<result>\n42\n</result>" in world and "81" in world and "Error: " in world
        assert (record.reward, record.info["tool_calls"], len(record.turns)) == (1.0, 3, 3)


def test_labels_of_tool_tokens_do_not_change_the_gradient(tools_world: str) -> None:
    """Bit for bit; a label of the policy's own does."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from zerogym.agents.llm.algorithms.loss_tables import Totals
    from zerogym.agents.llm.algorithms.losses.policy_loss import policy_loss
    from zerogym.agents.llm.algorithms.presets import PRESETS
    from zerogym.agents.llm.learner.rows import Rows, token_logprobs
    from zerogym.agents.llm.models.tiny import TinyConfig, build_model, build_tokenizer

    size = TinyConfig(vocabulary=270, hidden=32, layers=2, heads=2, feed_forward=48, context=2048)
    model = build_model(build_tokenizer(["a"], size), size, seed=0)
    flats = [record.flatten() for record in trajectories(tools_world)]
    weights = [[a] * sum(flat.mask) for a, flat in zip((1.0, -0.5), flats, strict=True)]
    rows = Rows.make(flats, weights)

    class Inputs(torch.nn.Module):
        """The model on the tokens as they were, whatever the labels are."""

        def forward(self, input_ids: Any, attention_mask: Any, use_cache: bool) -> Any:
            return model(input_ids=rows.ids, attention_mask=attention_mask, use_cache=use_cache)

    def gradient(ids: Any) -> list[Any]:
        model.zero_grad()
        labelled = replace(rows, ids=ids)
        logprobs = token_logprobs(Inputs(), labelled, 1.0)
        loss, _ = policy_loss(
            logprobs, rows.old, rows.advantages, rows.mask, PRESETS["dr_grpo"],
            Totals(rows=2, tokens=1, budget=64),
        )  # fmt: skip
        loss.backward()
        return [parameter.grad.clone() for parameter in model.parameters()]

    exact = gradient(rows.ids)
    assert max(float(part.abs().max()) for part in exact) > 0
    count = rows.mask.shape[1]
    hidden = torch.nn.functional.pad(rows.mask == 0, (rows.ids.shape[1] - count, 0), value=True)
    assert hidden.sum() > 300
    other = torch.where(hidden, (rows.ids + 7) % 250, rows.ids)
    assert all(torch.equal(a, b) for a, b in zip(exact, gradient(other), strict=True))
    own = torch.where(hidden, rows.ids, (rows.ids + 7) % 250)
    assert not all(torch.equal(a, b) for a, b in zip(exact, gradient(own), strict=True))


def test_tools_by_name_are_made_anew_for_each_environment() -> None:
    one, other = calculating(), calculating()
    assert one.tools[0] is not other.tools[0]
    assert isinstance(make_tool("calculator"), type(one.tools[0]))
