"""Rollouts whose tools are slow: in step, and each episode at its own pace.

    python -m zerogym.benchmarks.speed.llm.rollouts [--episodes 64] [--median-ms 30] [--sandbox 64]

Episodes have 1 to 8 turns, each with one tool call of log-normal duration. Three ways: steps one
after the other; steps side by side, the next engine call when all have ended; asynchronous. The
clock's rows really wait (the tools and the engine sleep), the simulated row only adds numbers up.
The last rows are real load: programs in the sandbox and cells of notebooks, in as many threads as
there are episodes, against one after the other.

"VerlTool: Towards Holistic Agentic Reinforcement Learning with Tool Use" (2025, arXiv 2509.01055)
reports nearly 2x for asynchronous against in step. The longer an engine call takes, the less is to
be gained, because asynchronous calls are many and small: by `simulate`, medians of 20 draws, the
ratio is 2.5 if a call takes a tenth of a median step, 2.1 if it takes as long, 1.5 at three times
and 0.9 at ten times as long.
"""

import heapq
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.runner import Player, rollout
from zerogym.agents.trajectory import Trajectory
from zerogym.benchmarks.speed.loops import options, show
from zerogym.envs.core import TextEnv
from zerogym.envs.tools.sandbox import Result, Sandbox

MAX_TURNS = 8
SIGMA = 1.0  # of the logarithm of a latency: a call in 44 takes more than 7 times the median
ENV_ID = "zerogym-speed/SlowTool-v0"


class SlowTool(TextEnv):
    """1 to 8 turns; each step sleeps."""

    def __init__(self, median_s: float, waits: bool) -> None:
        self.median_s = median_s
        self.waits = waits

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Draw the latencies."""
        super().reset(seed=seed)
        self._episode = draw_latencies(self.np_random)
        return "begin", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Wait for the tool."""
        latency = self._episode.pop(0)
        time.sleep(latency * self.median_s)
        return f"{latency:.6f}", latency, not self._episode, False, {}


def draw_latencies(rng: np.random.Generator) -> list[float]:
    """Return the durations of one episode's turns, in units of the median."""
    return list(rng.lognormal(0.0, SIGMA, rng.integers(1, MAX_TURNS + 1)))


class SleepingEngine:
    """Takes the same time for any call, and repeats what was said last."""

    chat_template, bos_token_id, eos_token_id, pad_token_id = None, None, 0, 0

    def __init__(self, call_s: float) -> None:
        self.tokenizer, self.context_length, self.weight_version = self, 2**20, 0
        self.call_s, self.calls = call_s, 0

    def __call__(self, text: str, **options: Any) -> dict[str, list[int]]:
        """Letters are tokens."""
        return {"input_ids": [ord(letter) for letter in text]}

    def decode(self, ids: Sequence[int], **options: Any) -> str:
        """Tokens are letters."""
        return "".join(map(chr, ids))

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        """A reply each."""
        time.sleep(self.call_s)
        self.calls += 1
        said = [tuple(prompt[-8:]) for prompt in prompts]
        return [Completion(self.decode(ids), ids, (0.0,) * len(ids), "stop") for ids in said]

    def update_weights(self, weights: Any, version: int) -> None:
        """It has none."""


def simulate(latencies: Sequence[Sequence[float]], call: float) -> tuple[float, float]:
    """Duration in step and asynchronously, by arithmetic: `call` is that of one engine call.

    Example:
        >>> simulate([[3.0], [1.0, 1.0]], call=0.0)  # the second need not wait for the first
        (4.0, 3.0)
    """
    turns = range(max(map(len, latencies)))
    in_step = sum(call + max(row[turn] for row in latencies if turn < len(row)) for turn in turns)
    now, arrivals = 0.0, [(0.0, number, 0) for number in range(len(latencies))]
    end = 0.0
    while arrivals:
        now = max(now, arrivals[0][0])
        ready = []
        while arrivals and arrivals[0][0] <= now:
            ready.append(heapq.heappop(arrivals))
        now += call
        for _, number, turn in ready:
            done = now + latencies[number][turn]
            end = max(end, done)
            if turn + 1 < len(latencies[number]):
                heapq.heappush(arrivals, (done, number, turn + 1))
    return in_step, end


def played(
    episodes: int, median_s: float, call_s: float, waits: bool, asynchronous: bool
) -> tuple[float, int, list[Trajectory]]:
    """Seconds on the clock, engine calls, and what was said."""
    engine = SleepingEngine(call_s)
    with Environments(ENV_ID, {"median_s": median_s, "waits": waits}) as envs:
        begin = time.perf_counter()
        records = rollout(
            envs, range(episodes), Player(engine), concurrent=episodes, asynchronous=asynchronous
        )
        return time.perf_counter() - begin, engine.calls, records


def sandbox_rates(episodes: int) -> dict[str, tuple[float, float]]:
    """Calls a second with a thread for each episode, and one after the other."""
    sandbox = Sandbox()
    source = "print(sum(range(1000)))"
    with ExitStack() as stack:
        sessions = [stack.enter_context(sandbox.session()) for _ in range(episodes)]
        kinds: dict[str, Callable[[int], Result]] = {
            "programs": lambda number: sandbox.run(python=source),
            "cells of sessions": lambda number: sessions[number].run(source),
        }
        for kind in kinds.values():  # sessions are open now
            calls_each_second(kind, episodes, episodes)
        each = partial(calls_each_second, episodes=episodes)
        return {
            name: (each(kind, threads=episodes), each(kind, threads=1))
            for name, kind in kinds.items()
        }


def calls_each_second(run: Callable[[int], Result], episodes: int, threads: int) -> float:
    """Two calls of each episode."""
    begin = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        for result in pool.map(run, 2 * list(range(episodes))):
            assert result.stdout == "499500\n", result
    return 2 * episodes / (time.perf_counter() - begin)


def shown(in_step: float, own_pace: float, in_turn: float) -> list[str]:
    """Cells of a row, the ratio among them."""
    return [f"{value:.2f}" for value in (in_step, own_pace, in_step / own_pace, in_turn)]


def main() -> None:
    """Measure and print the table."""
    given = options(
        __doc__,
        episodes=(64, ""),
        median_ms=(30.0, "of a tool call"),
        engine_ms=(3.0, "of an engine call"),
        sandbox=(64, "episodes there; 0 leaves it out"),
    )
    gym.register(ENV_ID, f"{SlowTool.__module__}:{SlowTool.__name__}")
    median, call = given.median_ms / 1e3, given.engine_ms / 1e3
    ways = ((False, False), (True, False), (True, True))
    times, calls, records = zip(
        *(played(given.episodes, median, call, *way) for way in ways), strict=True
    )
    said = [[record.turns for record in batch] for batch in records]
    assert said[0] == said[1] == said[2], "the way changed an episode"
    latencies = [[turn.reward for turn in record.turns] for record in records[0]]
    in_step, own_pace = simulate([[median * x for x in row] for row in latencies], call)
    whole = sum(map(sum, latencies)) * median + call * max(map(len, latencies))
    rows = [
        ("on the clock, s", *shown(times[1], times[2], times[0])),
        ("engine calls", str(calls[1]), str(calls[2]), "", str(calls[0])),
        ("simulated, s", *shown(in_step, own_pace, whole)),
    ]
    if given.sandbox:
        for name, (many, one) in sandbox_rates(given.sandbox).items():
            rows.append((f"{name}/s", "", f"{many:.0f}", f"{many / one:.2f}", f"{one:.0f}"))
    show(("what", "in step", "asynchronous", "ratio", "one after the other"), rows)


if __name__ == "__main__":
    main()
