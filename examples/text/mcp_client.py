"""MCP: an assistant's client starts a task over stdio and replies; the oracle is the assistant."""
# requires: mcp>=2.3

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters

import zerogym

command = ["-m", "zerogym", "serve", "--mcp", "sql"]
server = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))


async def play() -> int:
    ours, turns = zerogym.make("SQL"), 0
    async with Client(server) as client:
        for seed in range(20):
            started = await client.call_tool("start", {"seed": seed})
            assert started.content[0].text.startswith(ours.reset(seed=seed)[0])
            key, done = started.structured_content["observation"]["session_id"], False
            while not done:
                action = ours.unwrapped.oracle_action()
                ours.step(action)
                found = await client.call_tool("reply", {"text": action, "session_id": key})
                done, turns = found.structured_content["done"], turns + 1
            assert found.structured_content["reward"] == 1
    return turns


turns = asyncio.run(play())
print(json.dumps({"checked": f"20 episodes of {turns} turns in all, the oracle's reward is 1"}))
