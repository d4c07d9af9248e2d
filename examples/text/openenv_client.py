"""OpenEnv: its client plays a task of several turns that `zerogym serve` has."""
# requires: openenv

import asyncio
import json
import os
import re
import subprocess
import sys

from openenv.core.generic_client import GenericEnvClient

import zerogym

python = os.environ.get("BASE_PYTHON", sys.executable)  # whose mcp is another than OpenEnv's
command = [python, "-m", "zerogym", "serve", "sql", "--port", "0"]
server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
address = next(found for line in server.stdout if (found := re.search(r"http://[\d.]+:\d+", line)))


async def play() -> int:
    ours, turns = zerogym.make("SQL"), 0
    async with GenericEnvClient(address.group()) as theirs:
        for seed in range(20):
            result = await theirs.reset(seed=seed)
            assert result.observation["text"] == ours.reset(seed=seed)[0]
            while not result.done:
                action = ours.unwrapped.oracle_action()
                ours.step(action)
                result = await theirs.step({"text": action})
                turns += 1
            assert result.reward == 1
    return turns


try:
    turns = asyncio.run(play())
finally:
    server.terminate()
print(json.dumps({"checked": f"20 episodes of {turns} turns in all, the oracle's reward is 1"}))
