"""A server on this machine: steps a second, sessions that run beside each other, memory.

    python -m zerogym.benchmarks.speed.serving [--id FourRooms] [--clients 16] [--sessions 10000]

Needs the extra `serve`. The server is `zerogym serve` in a process of its own; the clients share
this one. Steps are counted on the clock, over WebSocket, each awaited before the next, and for each
CPU second of the server, which other load on the machine changes less; the same loop without a
server stands beside them. Then so many sessions are open at once over HTTP, each
started with a seed of its own and stepped in a random order, and every text, reward and info is
compared with that of an environment in this process: one that differs is a leak. Last, the memory
of the server, before and after ten times as many sessions as it may have were opened and closed.

Goals: 2,000 steps a second on two cores; no leak in 10,000 sessions; memory that does not grow.
"""

import asyncio
import http.client
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from zerogym.benchmarks.speed.loops import options, progress, show
from zerogym.envs.lookup import full_id
from zerogym.errors import require
from zerogym.serve.worlds import World, as_json

REPLY = "<answer>1</answer>"  # legal or not: both are steps
THREADS = 4


@contextmanager
def server(world: World, sessions: int) -> Iterator[tuple[str, int, int]]:
    """Run `zerogym serve`; yield its host, port and process id."""
    command = [sys.executable, "-m", "zerogym", "serve", world.id, "--port", "0"]
    command += ["--sessions", str(sessions)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if found := re.search(r"http://([\d.]+):(\d+)", line):
                    yield found[1], int(found[2]), process.pid
                    return
            raise SystemExit("the server did not start")
        finally:
            process.terminate()
            process.wait(20)


async def walk(address: str, seed: int, until: float) -> int:
    """Play episodes over one WebSocket until a time; return the number of steps."""
    connect = require("websockets.asyncio.client", "serve", "this benchmark").connect
    steps = 0
    async with connect(f"ws://{address}/ws", compression=None) as socket:
        done = True
        while time.monotonic() < until:
            message: dict[str, Any] = {"type": "step", "data": {"text": REPLY}}
            if done:
                message = {"type": "reset", "data": {"seed": seed + steps}}
            await socket.send(json.dumps(message))
            done = json.loads(await socket.recv())["data"]["done"]
            steps += message["type"] == "step"
    return steps


async def rate(address: str, clients: int, seconds: float) -> float:
    """Return the steps a second of so many clients at once."""
    start = time.monotonic()
    walks = (walk(address, 10**6 * one, start + seconds) for one in range(clients))
    steps = sum(await asyncio.gather(*walks))
    return steps / (time.monotonic() - start)


def local_rate(world: World, seconds: float) -> float:
    """Return the steps a second of the same loop without a server."""
    env, steps, done = world.make(), 0, True
    start = time.monotonic()
    while time.monotonic() < start + seconds:
        if done:
            env.reset(seed=steps)
        _, _, terminated, truncated, _ = env.step(REPLY)
        done = terminated or truncated
        steps += 1
    return steps / (time.monotonic() - start)


def leaks(world: World, address: str, count: int) -> int:
    """Open so many sessions, step them in a random order, and return how many differ."""
    own = World(world.id, world.arguments).make()
    order = np.random.default_rng(1).permutation(count)
    keys: dict[int, str] = {}

    def over_http(path: str, bodies: dict[int, dict[str, Any]]) -> dict[int, dict[str, Any]]:
        def some(part: list[int]) -> dict[int, dict[str, Any]]:
            line = http.client.HTTPConnection(address)
            found = {}
            for seed in part:
                line.request("POST", path, json.dumps(bodies[seed]))
                found[seed] = json.loads(line.getresponse().read())
            line.close()
            return found

        parts = [list(bodies)[one::THREADS] for one in range(THREADS)]
        with ThreadPoolExecutor(THREADS) as pool:
            return {seed: each for part in pool.map(some, parts) for seed, each in part.items()}

    started = over_http("/reset", {seed: {"seed": seed} for seed in range(count)})
    keys = {seed: each["observation"]["session_id"] for seed, each in started.items()}
    action = {"text": REPLY}
    bodies = {int(one): {"session_id": keys[int(one)], "action": action} for one in order}
    stepped = over_http("/step", bodies)
    over_http("/close", {seed: {"session_id": key} for seed, key in keys.items()})
    different = 0
    for seed in range(count):
        text, info = own.reset(seed=seed)
        after, reward, _, _, later = own.step(REPLY)
        first, second = started[seed]["observation"], stepped[seed]["observation"]
        same = (first["text"], first["info"]) == (text, as_json(info))
        same &= (second["text"], second["info"]) == (after, as_json(later))
        different += not (same and stepped[seed]["reward"] == as_json(float(reward)))
    return different


async def open_and_close(address: str, count: int, at_once: int = 50) -> None:
    """Open so many WebSocket sessions, play one step in each, and leave without a word."""
    connect = require("websockets.asyncio.client", "serve", "this benchmark").connect

    async def one(seed: int) -> None:
        async with connect(f"ws://{address}/ws", compression=None) as socket:
            for message in ({"type": "reset", "data": {"seed": seed}}, {"type": "state"}):
                await socket.send(json.dumps(message))
                await socket.recv()

    for first in range(0, count, at_once):
        await asyncio.gather(*(one(seed) for seed in range(first, min(count, first + at_once))))


def cpu(pid: int) -> float:
    """Return the CPU seconds that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Return the resident memory of a process in MiB."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def main() -> None:
    """Measure, and print the table."""
    given = options(
        __doc__,
        id=("FourRooms", "the environment, in its text view"),
        seconds=(10.0, "seconds for each rate"),
        clients=(16, "WebSocket clients at once"),
        sessions=(10_000, "sessions open at once in the search for leaks"),
    )
    world = World(full_id(given.id))
    rows = [("steps/s without a server", f"{local_rate(world, given.seconds / 2):,.0f}")]
    with server(world, given.sessions) as (host, port, pid):
        address = f"{host}:{port}"
        for clients in sorted({1, given.clients}):
            progress(f"{clients} clients")
            before, start = cpu(pid), time.monotonic()
            found = asyncio.run(rate(address, clients, given.seconds))
            steps = found * (time.monotonic() - start)
            rows.append((f"steps/s over WebSocket, {clients} at once", f"{found:,.0f}"))
            rows.append(("  a CPU second of the server", f"{steps / (cpu(pid) - before):,.0f}"))
        progress(f"{given.sessions} sessions at once")
        different = leaks(world, address, given.sessions)
        rows.append((f"leaks in {given.sessions:,} sessions at once", str(different)))
        progress("memory")
        for done in (given.sessions // 10, given.sessions // 10, given.sessions):
            asyncio.run(open_and_close(address, done))
            rows.append((f"MiB after {done:,} more sessions", f"{memory(pid):.1f}"))
    show(("what", "value"), rows, width=80, title=f"{world.id}, {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
