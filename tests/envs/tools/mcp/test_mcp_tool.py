"""Tools of MCP servers: their results, and words for those that die, hang or lie."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import gymnasium as gym
import pytest

from zerogym.envs.recorded import recorded_wrappers
from zerogym.envs.tools.toolbox import make_tool
from zerogym.errors import ImportRefused
from zerogym.wrappers import WithTools

SERVER = str(Path(__file__).parent / "lying_server.py")
COMMAND = [sys.executable, "-S", "-E", SERVER]


def test_a_recorded_name_starts_no_process() -> None:
    tools = [["calculator", {}], ["mcp", {"server": "touch /tmp/started", "tool": "x"}]]
    for wrappers in ({"WithTools": {"tools": tools}}, {"WithTools": {"tools": tools[1:]}}):
        with pytest.raises(ImportRefused, match=r"run.json names the MCP server 'touch"):
            recorded_wrappers(wrappers, Path("run.json"))
    recorded_wrappers({"WithTools": {"tools": tools[:1]}}, Path("run.json"))


mcp_types = pytest.importorskip("mcp_types", reason="the extra `serve` is not installed")
from zerogym.envs.tools.mcp import MCPServerFailed, MCPTool, mcp_tools  # noqa: E402


@pytest.fixture(scope="module")
def tools() -> Iterator[dict[str, MCPTool]]:
    found = {tool.name: tool for tool in mcp_tools(COMMAND, timeout=60.0)}
    yield found
    found["echo"].close()


def call(tool: MCPTool, **arguments: object) -> tuple[str, bool, bool]:
    result = tool.call(arguments, None)
    return result.text, result.ok, result.unavailable


def test_results_and_refusals_come_back(tools: dict[str, MCPTool]) -> None:
    assert call(tools["add_up"], a=2, b=40) == ("42", True, False)
    assert call(tools["refuse"]) == ("not today\\x1b[31m", False, False)
    assert tools["echo"].body == "text" and tools["add_up"].body == "a"
    assert tools["add_up"].parameters["required"] == ["a", "b"]


def test_schemas_keep_nothing_that_costs_time(tools: dict[str, MCPTool]) -> None:
    assert tools["evil"].parameters["properties"] == {"text": {"type": "string"}}
    env = WithTools(gym.make("zerogym/ChainSum-v0"), [tools["evil"]])
    env.reset(seed=0)
    assert "aaaa!" in env.step("<evil>" + "a" * 60 + "!</evil>")[0]  # (a+)+$ would not end


def test_a_server_gets_no_secret_of_this_process(
    tools: dict[str, MCPTool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "secret")
    tools["environment"].close()
    names = call(tools["environment"])[0].split(",")
    assert "PATH" in names and "MY_API_KEY" not in names


def test_a_huge_text_is_cut(tools: dict[str, MCPTool]) -> None:
    text, ok, _ = call(tools["huge"])
    assert ok and len(text) < 9000 and "2991808 characters are not shown" in text


def test_a_result_that_is_none_gets_words(tools: dict[str, MCPTool]) -> None:
    text, ok, unavailable = call(tools["nonsense"])
    assert text.startswith("Error: the server's result cannot be read") and not (ok or unavailable)
    assert call(tools["add_up"], a=1, b=1)[0] == "2"


def test_a_server_that_dies_is_started_again_by_the_next_call(tools: dict[str, MCPTool]) -> None:
    call(tools["echo"], text="x")
    assert call(tools["die"]) == ("Error: the server has ended during the call.", False, False)
    assert call(tools["echo"], text="x") == ("1: x", True, False)


def test_a_server_that_hangs_is_ended_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp.client.stdio.PROCESS_TERMINATION_TIMEOUT", 0.1)  # 2 s before a signal
    [hang] = mcp_tools(COMMAND, ["hang"], timeout=60.0)
    hang._connection.timeout = 1.0  # of the call: a start takes as long as the machine is busy
    start = time.monotonic()
    text, ok, unavailable = call(hang)
    assert text == "Error: no answer in 1 s. The server was ended." and not (ok or unavailable)
    assert time.monotonic() - start < 30
    hang.close()


def test_an_episode_goes_on_with_the_servers_tools(tools: dict[str, MCPTool]) -> None:
    env = WithTools(gym.make("zerogym/ChainSum-v0"), [tools["add_up"], tools["echo"]])
    prompt, _ = env.reset(seed=0)
    assert "add_up: Add-Up it" in prompt
    assert "5" in env.step('<add_up>{"a": 2, "b": 3}</add_up>')[0]
    text, *_, info = env.step('<add_up>{"a": 2}</add_up>')
    assert "argument 'b' is missing" in text and info["failed_calls"] == 1
    assert env.step(env.unwrapped.oracle_action())[1] == 1.0  # type: ignore[attr-defined]


def test_a_server_that_cannot_be_started_again_makes_no_failure(tmp_path: Path) -> None:
    server = tmp_path / "server.py"
    server.write_text(Path(SERVER).read_text())
    tool = make_tool(("mcp", {"server": f"{sys.executable} -S {server}", "tool": "echo"}))
    env = WithTools(gym.make("zerogym/ChainSum-v0"), [tool])
    env.reset(seed=0)
    tool.close()
    server.unlink()
    text, _, terminated, truncated, info = env.step("<echo>x</echo>")
    assert truncated and not terminated and info["unavailable"] and "score" not in info
    assert "not available" in text


@pytest.mark.parametrize(
    ("mode", "words"),
    [("crash", "did not start"), ("silent", "in time"), ("endless", "more than 128 tools"),
     ("words", "in time")],
)  # fmt: skip
def test_a_server_that_cannot_be_used_is_one_line(mode: str, words: str) -> None:
    with pytest.raises(MCPServerFailed, match=words) as failed:
        mcp_tools([*COMMAND, mode], timeout=0.5 if mode in ("silent", "words") else 60.0)
    assert "\n" not in str(failed.value) and mode in str(failed.value)


def test_commands_and_names_that_do_not_exist_are_one_line() -> None:
    with pytest.raises(MCPServerFailed, match="'no-such-command' did not start"):
        mcp_tools("no-such-command", timeout=60)
    with pytest.raises(MCPServerFailed, match="has no tool 'ech'; it has: Add-Up, die"):
        mcp_tools(COMMAND, ["ech"], timeout=60)
    with pytest.raises(MCPServerFailed, match="did not start"):
        mcp_tools("http://127.0.0.1:9/mcp", timeout=60)
    with pytest.raises(ValueError, match="a command"):
        mcp_tools("")


def test_our_own_server_is_mounted_over_http() -> None:
    """A task is a tool of another one: `zerogym serve` behind a URL, with its token."""
    from helpers.serving import running
    from zerogym.serve import World

    os.environ["MCP_TEST_TOKEN"] = "secret"
    with running([World("zerogym/ChainSum-v0")], token="secret") as address:
        found = mcp_tools(f"http://{address}/mcp", ["start"], 60.0, token_from="MCP_TEST_TOKEN")
        text = call(found[0], seed=1)[0]
        assert "Answer with the tool `reply`" in text and "session_id:" in text
        found[0].close()
        with pytest.raises(MCPServerFailed):
            mcp_tools(f"http://{address}/mcp", timeout=60.0)
    del os.environ["MCP_TEST_TOKEN"]
