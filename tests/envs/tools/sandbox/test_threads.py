"""Many threads in the sandbox at once: right answers, and nothing is left of them."""

import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import gymnasium as gym
import pytest

from helpers.llm.scripted_engine import Scripted
from helpers.sandbox.attack_range import needs_sandbox, wait_for
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.runner import Player, rollout
from zerogym.envs.core import TextEnv
from zerogym.envs.tools.sandbox import Limits, Sandbox
from zerogym.envs.tools.sandbox.execution import process_tree
from zerogym.wrappers import AsyncEnvPool, WithTools

pytestmark = [needs_sandbox, pytest.mark.usefixtures("nothing_left")]

CALLERS = 64
LIMITS = Limits(cpu_s=5, wall_s=60, memory_mib=128, disk_mib=8, processes=8, output_kib=64)


def children() -> set[int]:
    """Processes that this one started, and theirs."""
    return set(process_tree.descendants(os.getpid())[1:])


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.fixture
def nothing_left():
    """After the test there are no more descriptors, processes and threads than before.

    Those of tests before this one may go meanwhile.
    """
    Sandbox().run(shell="true")  # what is kept for the next call exists now
    opened, started, threads = descriptors(), children(), set(threading.enumerate())
    yield
    assert wait_for(lambda: descriptors() <= opened)
    assert wait_for(lambda: children() <= started and set(threading.enumerate()) <= threads)


def test_every_caller_gets_its_own_answer():
    sandbox, together = Sandbox(LIMITS), threading.Barrier(CALLERS)

    def call(number: int) -> None:
        together.wait(60)
        result = sandbox.run(
            python="import sys; print(open('n').read() * 2 + input()); sys.exit(len(input()))",
            files={"n": str(number)},
            stdin=f"{-number}\n{'x' * number}\n",
            collect=["n"],
        )
        assert (result.stdout, result.exit_code) == (f"{number}{number}{-number}\n", number), result
        assert result.files["n"] == str(number).encode()

    with ThreadPoolExecutor(CALLERS) as threads:
        assert list(threads.map(call, range(CALLERS))) == [None] * CALLERS


def test_calls_that_fail_do_not_touch_those_that_do_not():
    sandbox = Sandbox(LIMITS)
    kinds = {
        "print('fine')": ("ok", "fine\n"),
        "raise SystemExit(3)": ("error", ""),
        "while True: print('x' * 9999)": ("output", "x"),
        "import os; os.kill(os.getpid(), 9)": ("killed", ""),
        "import time; time.sleep(100)": ("time", ""),
    }
    sources = list(kinds) * 4

    def call(source: str) -> tuple[str, str]:
        budget = Limits(**vars(LIMITS) | {"wall_s": 2.0 if "sleep" in source else LIMITS.wall_s})
        result = sandbox.run(python=source, limits=budget)
        return result.verdict, result.stdout

    with ThreadPoolExecutor(len(sources)) as threads:
        for source, (verdict, said) in zip(sources, threads.map(call, sources), strict=True):
            expected, start = kinds[source]
            assert verdict == expected, source
            assert said == start if expected != "output" else said.startswith(start)


class Running(TextEnv):
    """Runs its action; each observation is what was printed."""

    waits = True

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._episode = Sandbox(LIMITS)
        return str(seed), {}

    def step(self, action):
        result = self._episode.run(python=action)
        return result.stdout, float(result.verdict == "ok"), False, False, {}


def test_a_pool_that_is_closed_in_the_middle_leaves_nothing():
    pool = AsyncEnvPool([Running] * CALLERS)
    pool.async_reset(range(CALLERS))
    pool.recv(at_least=CALLERS)
    source = "import time; time.sleep({}); print({})"
    pool.send([source.format(0.0 if n < 4 else 2.0, n) for n in range(CALLERS)], range(CALLERS))
    first = pool.recv()[0]
    assert first.observation == f"{first.env_id}\n"
    # They are started one after the other: on a busy machine few run at once.
    assert wait_for(lambda: len(children()) > 5)
    pool.close(timeout=60)


@pytest.mark.proof
def test_sessions_keep_their_own_state_whichever_thread_calls_them():
    sandbox = Sandbox(LIMITS)
    sessions = [sandbox.session(seed=number) for number in range(CALLERS)]

    def cell(source: str, number: int) -> str:
        result = sessions[number].run(source)
        assert result.verdict == "ok", result
        return result.stdout

    sources = ["n = {}; open('n', 'w').write(str(n))", "m = n * n", "print(m, open('n').read())"]
    for source in sources:
        # New threads for each call: a session must not end with the thread that started it.
        with ThreadPoolExecutor(CALLERS) as threads:
            calls = [(source.format(number), number) for number in range(CALLERS)]
            said = list(threads.map(lambda call: cell(*call), calls))
    assert said == [f"{number * number} {number}\n" for number in range(CALLERS)]
    with ThreadPoolExecutor(CALLERS) as threads:
        list(threads.map(lambda session: session.close(), sessions))


@pytest.mark.proof
def test_zygotes_side_by_side():
    sandbox = Sandbox(LIMITS)

    def episode(number: int) -> list[str]:
        with sandbox.zygote() as zygote:
            zygote.run(python=f"open('n', 'w').write('{number}')")
            return [zygote.run(python=f"print(open('n').read(), {k})").stdout for k in range(4)]

    with ThreadPoolExecutor(CALLERS) as threads:
        results = list(threads.map(episode, range(CALLERS)))
    assert results == [[f"{number} {k}\n" for k in range(4)] for number in range(CALLERS)]


class Sums(TextEnv):
    """A question that a program answers."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._episode = int(self.np_random.integers(100, 1000))
        return f"sum of 1 to {self._episode}", {}

    def step(self, action):
        right = action == f"<answer>{self._episode * (self._episode + 1) // 2}</answer>"
        return "", float(right), True, False, {"correct": right}


def calling(prompt: str) -> str:
    """Calls the tool, then answers with what it printed."""
    printed = re.findall(r"<result>\n(\d+)", prompt)
    if printed:
        return f"<answer>{printed[-1]}</answer>"
    last = re.findall(r"sum of 1 to (\d+)", prompt)[-1]
    return f"<python>print(sum(range({last} + 1)))</python>"


def timeless(turns):
    """Turns without what their tools cost, which is measured."""
    return [
        replace(turn, info={k: v for k, v in turn.info.items() if k != "cost"}) for turn in turns
    ]


@pytest.mark.proof
@pytest.mark.parametrize("tool", ["python", "notebook"])
def test_episodes_with_tools_are_the_same_in_step_and_at_their_own_pace(tool):
    gym.register("tests/Sums-v0", lambda: WithTools(Sums(), [tool]))
    try:
        results = []
        for arguments in ({}, {"asynchronous": True}, {"concurrent": 1}):
            player = Player(Scripted(lambda prompt: calling(prompt).replace("python", tool)))
            with Environments("tests/Sums-v0") as envs:
                records = rollout(envs, range(16), player, **arguments)
            results.append(
                [(timeless(record.turns), record.reward, record.terminated) for record in records]
            )
    finally:
        del gym.registry["tests/Sums-v0"]
    assert results[0] == results[1] == results[2]
    assert all(len(turns) == 2 and reward == 1.0 for turns, reward, _ in results[0])
