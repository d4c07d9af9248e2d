"""Assistants over MCP: the `mcp` package's own client solves tasks over stdio and over HTTP."""

import asyncio
import os
import sys
from typing import Any

import pytest

pytest.importorskip("mcp_types", reason="the extra `serve` is not installed")

from mcp import Client, StdioServerParameters

from helpers.sandbox.attack_range import needs_sandbox
from helpers.serving import connect, metric, running, send
from zerogym import tasks
from zerogym.envs.tools.world import ToolWorld
from zerogym.serve import Limits, World

WORLDS = [World(f"zerogym/{name}-v0") for name in ("Countdown", "KuhnPoker", "FourRooms")]


def text_of(result: Any) -> str:
    return "".join(part.text for part in result.content)


async def solve(client: Any, world: World, seed: int) -> float:
    """Play the oracle's replies of an own copy; return the reward of the last step."""
    own = world.make()
    prompt, _ = own.reset(seed=seed)
    started = await client.call_tool("start", {"seed": seed})
    assert not started.is_error and text_of(started).startswith(prompt)
    key = started.structured_content["observation"]["session_id"]
    total, done = 0.0, False
    while not done:
        action = own.unwrapped.oracle_action()  # type: ignore[attr-defined]
        text, reward, terminated, truncated, _ = own.step(action)
        reply = await client.call_tool("reply", {"text": action, "session_id": key})
        assert not reply.is_error and text_of(reply).startswith(text)
        data = reply.structured_content
        done = data["done"]
        assert (data["reward"], done) == (float(reward), terminated or truncated)
        total += data["reward"]
    assert "The episode has ended: reward" in text_of(reply)
    return total


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_three_tasks_are_solved_over_http(mode: str) -> None:
    async def play(address: str) -> dict[str, float]:
        found = {}
        for world in WORLDS:
            async with Client(f"http://{address}/{world.name}/mcp", mode=mode) as client:
                listed = await client.list_tools()
                assert [tool.name for tool in listed.tools] == ["start", "reply"]
                found[world.name] = await solve(client, world, seed=3)
        return found

    with running(WORLDS) as address:
        rewards = asyncio.run(play(address))
        assert metric(address, "errors_total") == 0
    assert rewards["Countdown-v0"] == 1.0 and rewards["FourRooms-v0"] > 1.0 and len(rewards) == 3


def over_stdio(name: str, **options: Any) -> Client:
    """Return a client that starts the server, and ends it."""
    command = ["-m", "zerogym", "serve", "--mcp", name]
    started = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    return Client(started, **options)


@pytest.mark.proof
def test_three_tasks_are_solved_over_stdio() -> None:
    """At the same time, in three processes; each connection is a session that need not be named."""

    async def play(world: World) -> float:
        async with over_stdio(world.name) as client:
            outside = await client.call_tool("reply", {"text": "x"})
            assert outside.is_error and "call `start` first" in text_of(outside)
            await client.call_tool("start", {"seed": 1})
            assert not (await client.call_tool("reply", {"text": "x"})).is_error
            return await solve(client, world, seed=4)

    async def play_all() -> list[float]:
        return list(await asyncio.gather(*map(play, WORLDS)))

    rewards = asyncio.run(play_all())
    assert rewards[0] == 1.0 and rewards[2] > 1.0 and len(rewards) == 3


def test_a_task_whose_episodes_have_other_tools_is_solved_over_stdio() -> None:
    """The client is notified of them, and reads them at the start."""
    kinds: list[str] = []

    async def note(message: Any) -> None:
        kinds.append(type(message).__name__)

    async def play() -> float:
        own: Any = World("zerogym/Functions-v0").make().unwrapped
        own.reset(seed=2)
        async with over_stdio("functions", mode="legacy", message_handler=note) as client:
            outside = await client.call_tool("reply", {"text": "x"})
            assert outside.is_error and "call `start` first" in text_of(outside)
            before = [tool.name for tool in (await client.list_tools()).tools]
            started = await client.call_tool("start", {"seed": 2})
            after = [tool.name for tool in (await client.list_tools()).tools]
            assert set(before) & set(after) == {"start", "reply"}
            assert all(name in text_of(started) for name in after[2:])
            for call in own.expert_plan():
                assert not (await client.call_tool(call.tool, dict(call.arguments))).is_error
            answer = {"text": own.answer_action()}
            return (await client.call_tool("reply", answer)).structured_content["reward"]

    assert asyncio.run(play()) == 1.0
    assert "ToolListChangedNotification" in kinds


async def play_plan(client: Any, world: World, seed: int) -> None:
    """Call the world's own tools as its expert does: the calls are counted, and score 1."""
    own: Any = world.make().unwrapped
    own.reset(seed=seed)
    plan = list(own.expert_plan())
    started = await client.call_tool("start", {"seed": seed})
    key = {"session_id": started.structured_content["observation"]["session_id"]}
    assert "<" + plan[0].tool not in text_of(started)  # the announcement of calls in replies
    for call in plan:
        assert call.tool in text_of(started)
        result = await client.call_tool(call.tool, dict(call.arguments) | key)
        assert not result.is_error and "<result>" in text_of(result)
    data = (await client.call_tool("reply", {"text": own.answer_action()} | key)).structured_content
    info = data["observation"]["info"]
    assert (data["reward"], info["tool_calls"], info["failed_calls"]) == (1.0, len(plan), 0)
    own.close()


@pytest.mark.parametrize("name", ["Functions", "Router", "Search"])
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_worlds_own_tools_are_called_with_their_schemas(name: str, mode: str) -> None:
    async def check(address: str) -> None:
        async with Client(f"http://{address}/mcp", mode=mode) as client:
            before = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert {"start", "reply"} < set(before)
            assert all("session_id" in tool.input_schema["properties"] for tool in before.values())
            await play_plan(client, world, 2)
            wrong = await client.call_tool("start", {"seed": 1})
            key = {"session_id": wrong.structured_content["observation"]["session_id"]}
            result = await client.call_tool("no_such", key)
            assert result.is_error and "there is no tool 'no_such'" in text_of(result)

    world = World(f"zerogym/{name}-v0")
    with running([world]) as address:
        asyncio.run(check(address))


@pytest.mark.proof
@needs_sandbox
def test_every_world_with_tools_is_solved_by_calls_of_its_tools() -> None:
    async def check(address: str) -> None:
        for world in worlds:
            async with Client(f"http://{address}/{world.name}/mcp") as client:
                for seed in range(3):
                    await play_plan(client, world, seed)

    def has_tools(world: World) -> bool:
        with world.make() as env:
            return isinstance(env.unwrapped, ToolWorld)

    worlds = [world for task in tasks("tools") if has_tools(world := World(task.id))]
    assert len(worlds) > 4
    with running(worlds) as address:
        asyncio.run(check(address))


def test_calls_that_cannot_be_made_get_words() -> None:
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("reply", {"text": "x"}, "call `start` first"),
        ("reply", {"text": "x", "session_id": "guess"}, "no such session"),
        ("start", {"seed": "one"}, "`seed` is an integer"),
        ("start", {"difficulty": "hard"}, "difficulty"),
        ("reply", {}, "`reply` takes the argument `text`"),
        ("jump", {}, "there is no tool 'jump'; there are: start, reply"),
    ]

    async def play(address: str) -> None:
        async with Client(f"http://{address}/mcp", mode="legacy") as client:
            for name, arguments, words in calls:
                result = await client.call_tool(name, arguments)
                assert result.is_error and words in text_of(result), (name, arguments)
            await client.call_tool("start", {})
            assert not (await client.call_tool("reply", {"text": "\x00" * 9})).is_error
            again = await client.call_tool("reply", {"text": "x"})
            assert again.is_error and "call `start` first" in text_of(again)

    with running(WORLDS[:1]) as address:
        asyncio.run(play(address))


def test_the_limit_of_sessions_holds_for_assistants() -> None:
    async def play(address: str) -> None:
        async with Client(f"http://{address}/mcp") as client:
            for _ in range(2):
                assert not (await client.call_tool("start", {})).is_error
            full = await client.call_tool("start", {})
            assert full.is_error and "2 sessions" in text_of(full)

    with running(WORLDS[:1], limits=Limits(sessions=2)) as address:
        asyncio.run(play(address))


def test_openenvs_messages_carry_calls_of_tools() -> None:
    def call(socket: Any, method: str, **params: Any) -> dict[str, Any]:
        data = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        answer = send(socket, {"type": "mcp", "data": data})
        assert answer["type"] == "mcp" and answer["data"]["id"] == 7
        return answer["data"]

    with running(WORLDS[:1]) as address, connect(address) as socket:
        names = [tool["name"] for tool in call(socket, "tools/list")["result"]["tools"]]
        assert names == ["start", "reply"]
        started = call(socket, "tools/call", name="start", arguments={"seed": 3})["result"]
        assert "Use each of the numbers" in started["content"][0]["text"]
        result = call(socket, "tools/call", name="reply", arguments={"text": "no"})["result"]
        assert "The episode has ended: reward 0" in result["content"][0]["text"]
        assert send(socket, {"type": "state"})["data"]["done"]
        assert call(socket, "tools/call", name="reply", arguments=[])["result"]["isError"]
        assert call(socket, "resources/list")["error"]["code"] == -32601
