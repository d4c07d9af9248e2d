"""Environments in threads: their own pace, the same episodes, failures and hung ones."""

import os
import signal
import threading
import time
import traceback

import gymnasium as gym
import pytest
from gymnasium.error import (
    AlreadyPendingCallError,
    ClosedEnvironmentError,
    NoAsyncCallError,
    ResetNeeded,
)

import zerogym  # noqa: F401  (registers the ids)
from zerogym.envs.core import TextEnv
from zerogym.errors import EnvironmentFailed
from zerogym.wrappers import AsyncEnvPool


class Gated(TextEnv):
    """Answers `go` at once, `wait` when its gate opens; raises at `raise`, `exit` and so on."""

    def __init__(self) -> None:
        self.gate, self.closed, self.threads = threading.Event(), 0, set()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._episode = 0
        return f"{self.np_random.integers(10**9)}", {"options": options}

    def step(self, action):
        self.threads.add(threading.get_ident())
        if action == "wait":
            assert self.gate.wait(60)
        if action == "raise":
            raise LookupError("lost")
        if action == "exit":
            raise SystemExit(3)
        self._episode += 1
        observation = f"{self._episode} {self.np_random.integers(10**9)}"
        return observation, self._episode / 2, self._episode == 3, False, {"said": action}

    def close(self) -> None:
        self.closed += 1


def started(count: int, **arguments) -> AsyncEnvPool:
    pool = AsyncEnvPool([Gated] * count, **arguments)
    pool.async_reset(seeds=range(count))
    assert len(pool.recv(at_least=count)) == len(pool) == count
    return pool


def played(make, seeds, actions) -> list[list[object]]:
    """The same in sequence, without a pool."""
    episodes = []
    for seed in seeds:
        env = make()
        episodes.append([(*env.reset(seed=seed),), *(env.step(action) for action in actions)])
    return episodes


def test_a_slow_one_holds_nobody_back():
    with started(3) as pool:
        pool.send(["wait", "go", "go"], [0, 1, 2])
        fast = [step.env_id for step in pool.recv(at_least=2, timeout=60)]
        assert sorted(fast) == [1, 2]
        pool.send(["go", "go"], fast)
        assert {(s.env_id, s.reward) for s in pool.recv(at_least=2)} == {(1, 1.0), (2, 1.0)}
        with pytest.raises(TimeoutError, match="0 of 1"):
            pool.recv(timeout=0.01)
        pool.envs[0].gate.set()
        (late,) = pool.recv()
        assert (late.env_id, late.reward, late.info) == (0, 0.5, {"said": "wait"})


@pytest.mark.parametrize("workers", [None, 1, 3])
def test_episodes_do_not_depend_on_the_order_of_their_steps(workers):
    seeds, actions = range(8), ["go", "again", "and again"]
    exact = played(Gated, seeds, actions)
    with AsyncEnvPool([Gated] * 8, workers=workers) as pool:
        pool.async_reset(seeds=seeds, options={"a": 1})
        received: list[list[object]] = [[] for _ in seeds]
        turns = {env_id: iter(actions) for env_id in range(8)}
        running = 8
        while running:
            for step in reversed(pool.recv(at_least=min(running, 3))):
                said = received[step.env_id]
                if not said:
                    assert step.info == {"options": {"a": 1}}
                    assert (step.reward, step.terminated, step.truncated) == (0.0, False, False)
                said.append(step)
                if step.terminated:
                    running -= 1
                else:
                    pool.send([next(turns[step.env_id])], [step.env_id])
        assert len({thread for env in pool.envs for thread in env.threads}) <= (workers or 8)
    for said, (first, *rest) in zip(received, exact, strict=True):
        assert said[0].observation == first[0]
        values = [(s.observation, s.reward, s.terminated, s.truncated, s.info) for s in said[1:]]
        assert values == rest


def test_a_failure_is_reported_for_its_environment_and_loses_no_other():
    with started(4) as pool:
        pool.send(["go", "raise", "go", "exit"], range(4))
        failed, steps = {}, []
        while len(failed) + len(steps) < 4:
            try:
                steps += pool.recv()
            except EnvironmentFailed as error:
                failed[error.env_id] = error
        assert sorted(step.env_id for step in steps) == [0, 2]
        assert isinstance(failed[1].__cause__, LookupError)
        assert isinstance(failed[3].__cause__, SystemExit)
        assert "environment 1 raised LookupError: lost" in str(failed[1])
        shown = "".join(traceback.format_exception(failed[1]))
        assert 'raise LookupError("lost")' in shown
        with pytest.raises(ResetNeeded, match=r"\[1\]"):
            pool.send(["go", "go"], [0, 1])
        with pytest.raises(NoAsyncCallError):  # and nothing was sent to environment 0
            pool.recv()
        pool.async_reset([1], [1])
        assert pool.recv()[0].observation == played(Gated, [1], [])[0][0][0]
        pool.send(["go"] * 3, [0, 1, 2])
        assert len(pool.recv(at_least=3)) == 3


def test_wrong_use_says_so():
    with pytest.raises(ValueError, match="at least one"):
        AsyncEnvPool([])
    with pytest.raises(ValueError, match="workers"):
        AsyncEnvPool([Gated], workers=0)
    pool = AsyncEnvPool([Gated, Gated])
    pool.async_reset([1], [1])
    pool.recv()
    with pytest.raises(ResetNeeded, match=r"\[0\]"):
        pool.send(["go", "go"], [0, 1])
    with pytest.raises(NoAsyncCallError):
        pool.recv()
    with pytest.raises(ValueError, match="3 seeds for 2"):
        pool.async_reset([1, 2, 3])
    pool.async_reset([1, 2])
    with pytest.raises(AlreadyPendingCallError, match=r"\[1\]"):
        pool.async_reset([1], [1])
    with pytest.raises(ValueError, match="at_least"):
        pool.recv(at_least=0)
    assert len(pool.recv(at_least=2)) == 2
    for ids in ([0, 0], [2], [-1]):
        with pytest.raises(ValueError, match="different numbers of 2"):
            pool.send(["go"] * len(ids), ids)
    with pytest.raises(ValueError, match="1 actions for 2"):
        pool.send(["go"], [0, 1])
    pool.close()
    pool.close()
    assert [env.closed for env in pool.envs] == [1, 1]
    for call in (pool.recv, pool.async_reset, lambda: pool.send(["go"], [0])):
        with pytest.raises(ClosedEnvironmentError):
            call()


def test_what_was_made_is_closed_when_a_later_one_cannot_be_made():
    made = []

    def make():
        if len(made) == 2:
            raise RuntimeError("no third")
        made.append(Gated())
        return made[-1]

    with pytest.raises(RuntimeError, match="no third"):
        AsyncEnvPool([make] * 3)
    assert [env.closed for env in made] == [1, 1]


def test_a_hung_environment_does_not_hang_close():
    pool = started(3)
    pool.send(["wait", "wait", "go"], [0, 1, 2])
    assert pool.recv()[0].env_id == 2
    with pytest.warns(RuntimeWarning, match=r"environments \[0, 1\] did not close within 1 s"):
        pool.close(timeout=1)  # comes back, while both still wait for their gates
    assert [env.closed for env in pool.envs] == [0, 0, 1]
    for env in pool.envs:
        env.gate.set()
    wait_until(lambda: [env.closed for env in pool.envs] == [1, 1, 1])
    wait_until(lambda: not threads_of_pools())


def test_closing_drops_what_has_not_begun_and_ends_the_threads():
    before = len(threads_of_pools())
    pool = started(8, workers=2)
    assert len(threads_of_pools()) == before + 2
    pool.send(["wait"] * 8, range(8))
    wait_until(lambda: sum(bool(env.threads) for env in pool.envs) == 2)
    for env in pool.envs[:2]:
        env.gate.set()
    wait_until(lambda: sum(bool(env.threads) for env in pool.envs) == 4)
    opener = threading.Thread(target=open_when_closed, args=(pool,))
    opener.start()
    pool.close()
    opener.join()
    assert [env.closed for env in pool.envs] == [1] * 8
    assert sum(bool(env.threads) for env in pool.envs) == 4
    wait_until(lambda: len(threads_of_pools()) == before)


def test_an_environment_that_cannot_be_closed_is_named():
    class Stuck(Gated):
        def close(self):
            raise OSError("busy")

    pool = AsyncEnvPool([Stuck, Gated])
    with pytest.warns(RuntimeWarning, match="environment 0 could not be closed.*busy"):
        pool.close()
    assert pool.envs[1].closed == 1


def test_ctrl_c_ends_the_wait_and_loses_nothing():
    with started(2) as pool:
        pool.send(["go", "wait"], [0, 1])
        wait_until(lambda: pool.envs[0].threads)
        with pytest.raises(KeyboardInterrupt):
            threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            pool.recv(at_least=2, timeout=60)
        pool.envs[1].gate.set()
        assert sorted(step.env_id for step in pool.recv(at_least=2)) == [0, 1]


def test_other_environments_than_texts_can_be_pooled():
    def make():
        return gym.make("CartPole-v1")

    exact = played(make, [3, 4], [1, 0])
    with AsyncEnvPool([make, make]) as pool:
        pool.async_reset([3, 4])
        pool.recv(at_least=2)
        for action in (1, 0):
            pool.send([action, action], [0, 1])
            steps = sorted(pool.recv(at_least=2), key=lambda step: step.env_id)
    for step, episode in zip(steps, exact, strict=True):
        assert (step.observation == episode[-1][0]).all() and step.reward == 1.0


def open_when_closed(pool: AsyncEnvPool) -> None:
    """Open all gates as soon as the pool is closed, so that nothing begins before."""
    wait_until(lambda: pool._closed)
    for env in pool.envs:
        env.gate.set()


def threads_of_pools() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("env-pool-")]


def wait_until(true, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.005)
