"""Steps of Functions and NovelLib beside the tool environments of verifiers and tau2.

    python -m zerogym.benchmarks.speed.function_calls [--seconds 2] [--verifiers PYTHON]
        [--tau2 PYTHON]

Unit: steps a CPU second, the median of rounds in turn. A step of ours is a reply of the expert's
episodes at the default difficulty: text in, text out, calls found in the text, checked against
their schemas and run. `with resets` counts the drawing of a new problem for each episode, too.
`call alone` is the function without the world around it. A peer runs in a Python of its own, whose
path is an argument, because both pin other versions; `function_peers.py` says what a step of each
is. Goals: 20,000 steps a second on a core, 5 times verifiers' turn, 20 times tau2's.
"""

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from zerogym.benchmarks.speed.loops import ROUNDS, in_turn, options, show
from zerogym.envs.tools.functions.env import FunctionsEnv
from zerogym.envs.tools.functions.kinds import State
from zerogym.envs.tools.novel_lib.env import NovelLibEnv
from zerogym.envs.tools.world import ToolWorld

ALONE = "Functions, call alone"
PEERS = Path(__file__).with_name("function_peers.py")


def step_rate(env: ToolWorld[Any], seconds: float, resets: bool) -> float:
    """Return the replies a CPU second in expert episodes of new problems.

    Args:
        env: A world.
        seconds: CPU seconds that count.
        resets: Whether the drawing of problems counts.
    """
    spent, steps = 0.0, 0
    while spent < seconds:
        start = time.process_time()
        env.reset()
        spent += (time.process_time() - start) * resets
        over = False
        while not over:
            reply = env.oracle_action()
            start = time.process_time()
            _, _, terminated, truncated, _ = env.step(reply)
            spent += time.process_time() - start
            over = terminated or truncated
            steps += 1
    return steps / spent


def call_alone(env: FunctionsEnv, seconds: float) -> float:
    """Return the calls a CPU second of the functions in an expert's plan."""
    problem = env._running().problem
    functions = {function.name: function for function in problem.functions}
    calls = [(functions[call.tool], call.arguments) for call in problem.plan]
    made, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        for _ in range(100):
            state = State(problem.database)
            for function, arguments in calls:
                function.call(arguments, state)
        made += 100 * len(calls)
    return made / (time.process_time() - start)


def peer_rate(python: str, measure: str, seconds: float) -> float:
    """Return the steps a CPU second of a peer, run by another Python.

    Raises:
        CalledProcessError: If it does not run there.
    """
    command = [python, str(PEERS), measure, str(seconds)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return float(done.stdout.split()[-1])


def measures(seconds: float, peers: Mapping[str, str]) -> dict[str, Callable[[], float]]:
    """Return the measurements, by the row of the table.

    Args:
        seconds: CPU seconds of each.
        peers: The Python of each peer; empty for one that is not there.
    """
    found: dict[str, Callable[[], float]] = {}
    envs: dict[str, ToolWorld[Any]] = {"Functions": FunctionsEnv(), "NovelLib": NovelLibEnv()}
    for category in FunctionsEnv.categories:
        envs[f"Functions, {category}"] = FunctionsEnv(category=category)
    for name, env in envs.items():
        env.reset(seed=0)
        found[name] = partial(step_rate, env, seconds, False)
    for name in ("Functions", "NovelLib"):
        found[f"{name}, with resets"] = partial(step_rate, envs[name], seconds, True)
    chain = FunctionsEnv(category="multi_hop")
    chain.reset(seed=0)
    found[ALONE] = partial(call_alone, chain, seconds)
    for peer, python in peers.items():
        for kind in ("turn", "call"):
            if python:
                found[f"{peer}_{kind}"] = partial(peer_rate, python, f"{peer}_{kind}", seconds)
    return found


def main() -> None:
    """Measure and print the table."""
    given = options(
        __doc__,
        seconds=(2.0, "CPU seconds for each figure"),
        verifiers=("", "a Python that has verifiers 0.1"),
        tau2=("", "a Python that has tau2 of tau2-bench and gymnasium"),
    )
    peers = {"verifiers": given.verifiers, "tau2": given.tau2}
    taken = in_turn(measures(given.seconds / ROUNDS, peers), ROUNDS)
    rates = {name: statistics.median(found) for name, found in taken.items()}
    rows = []
    for name, found in taken.items():
        figures = [f"{rate:,.0f}" for rate in (rates[name], min(found), max(found))]
        like = {"turn": "Functions", "call": ALONE}.get(name.rpartition("_")[2])
        rows.append((name, *figures, f"{rates[like] / rates[name]:.1f}" if like else ""))
    show(("what", "steps/s", "slowest", "fastest", "ours is faster by"), rows, 100)


if __name__ == "__main__":
    main()
