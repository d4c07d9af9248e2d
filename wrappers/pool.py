"""Many environments in threads of this process, each at its own pace: `AsyncEnvPool`.

For environments whose steps wait (for a sandbox, a server, another process): threads of one
process do not compute side by side. Left out: processes (`gymnasium.vector.AsyncVectorEnv` has
them), stacked arrays, automatic resets.
"""

import queue
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium.error import (
    AlreadyPendingCallError,
    ClosedEnvironmentError,
    NoAsyncCallError,
    ResetNeeded,
)

from zerogym.errors import EnvironmentFailed

MAX_WORKERS = 64
CLOSE_S = 10.0  # that `close` waits for environments in the middle of a step


@dataclass(frozen=True)
class EnvStep:
    """The answer of an environment of the pool.

    Attributes:
        env_id: Which one, its place in `env_fns`.
        observation: As of `reset` or `step`.
        reward: 0.0 after a reset.
        terminated: False after a reset.
        truncated: False after a reset.
        info: As of `reset` or `step`.
    """

    env_id: int
    observation: Any
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


class AsyncEnvPool:
    """Steps environments in threads; the first that is ready is received first.

    `async_reset` and `send` return at once, `recv` returns what has come in. What one environment
    does depends on its own seed and actions only, never on the others or on the clock: only the
    order in which answers arrive does. It is called from one thread. An episode that has ended
    waits for `async_reset`; nothing resets by itself.

    An environment that raises loses nothing of the others: `recv` raises `EnvironmentFailed` for
    it, once, and goes on with the rest at the next call; the environment needs a reset.

    Args:
        env_fns: Functions that make an environment each, called here one after the other. The
            environments may be used from any thread, by one at a time.
        workers: Threads; by default one for each environment, at most 64.

    Raises:
        ValueError: If there is no environment, or `workers` is below 1.

    Example:
        >>> import zerogym
        >>> make = lambda: gym.make("zerogym/RandomCalculation-v0", difficulty=0)
        >>> with AsyncEnvPool([make, make]) as pool:
        ...     pool.async_reset(seeds=[2, 2])
        ...     for first in pool.recv(at_least=2):
        ...         pool.send(["5"], [first.env_id])
        ...     sorted((done.env_id, done.reward) for done in pool.recv(at_least=2))
        [(0, 1.0), (1, 1.0)]

    Source:
        `send`, `recv` and `async_reset` are named as in "EnvPool: A Highly Parallel Reinforcement
        Learning Environment Execution Engine" (2022, arXiv 2206.10558).
    """

    def __init__(
        self, env_fns: Sequence[Callable[[], gym.Env[Any, Any]]], workers: int | None = None
    ) -> None:
        if not env_fns:
            raise ValueError("a pool needs at least one environment")
        if workers is not None and workers < 1:
            raise ValueError(f"workers must be >= 1, got {workers}")
        self.envs: list[gym.Env[Any, Any]] = []
        try:
            self.envs.extend(make() for make in env_fns)
        except BaseException:
            for env in self.envs:
                env.close()
            raise
        self._locks = [threading.Lock() for _ in self.envs]  # held while one is at work
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._arrived = threading.Condition()
        self._done: deque[EnvStep | EnvironmentFailed] = deque()
        self._pending: set[int] = set()  # sent and not yet received
        self._need_reset = set(range(len(self.envs)))
        self._closed = False
        self._workers = min(len(self.envs), workers or MAX_WORKERS)
        for number in range(self._workers):
            # Daemons: a hung environment does not keep the process from ending.
            threading.Thread(target=self._work, name=f"env-pool-{number}", daemon=True).start()

    def __len__(self) -> int:
        return len(self.envs)

    def async_reset(
        self,
        seeds: Sequence[int | None] | None = None,
        env_ids: Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        """Start new episodes, of all environments by default; their first steps come by `recv`.

        Raises:
            ValueError: If there is not one seed for each environment, or an id is wrong.
            AlreadyPendingCallError: If an environment's last answer was not received.
        """
        ids = self._checked(range(len(self.envs)) if env_ids is None else env_ids)
        given = [None] * len(ids) if seeds is None else seeds
        if len(given) != len(ids):
            raise ValueError(f"{len(given)} seeds for {len(ids)} environments")
        self._need_reset.difference_update(ids)
        for env_id, seed in zip(ids, given, strict=True):
            self._put(env_id, partial(_reset, env_id, self.envs[env_id], seed, options))

    def send(self, actions: Sequence[Any], env_ids: Sequence[int]) -> None:
        """Start a step in each of these environments.

        Raises:
            ValueError: If there is not one action for each environment, or an id is wrong.
            AlreadyPendingCallError: If an environment's last answer was not received.
            ResetNeeded: If an environment was never reset, or failed.
        """
        ids = self._checked(env_ids)
        if len(actions) != len(ids):
            raise ValueError(f"{len(actions)} actions for {len(ids)} environments")
        if unready := self._need_reset.intersection(ids):
            raise ResetNeeded(f"environments {sorted(unready)} need async_reset first")
        for env_id, action in zip(ids, actions, strict=True):
            self._put(env_id, partial(_step, env_id, self.envs[env_id], action))

    def recv(self, at_least: int = 1, timeout: float | None = None) -> list[EnvStep]:
        """Wait for at least so many answers, and return all, in the order of their arrival.

        Args:
            at_least: Answers to wait for, >= 1.
            timeout: Seconds to wait; None waits as long as it takes.

        Raises:
            EnvironmentFailed: If an environment raised; its error is the `__cause__`.
            NoAsyncCallError: If fewer are on their way.
            TimeoutError: If time is up; what has come in stays for the next call.
            ValueError: If `at_least` is below 1.
        """
        if at_least < 1:
            raise ValueError(f"at_least must be >= 1, got {at_least}")
        self._check_open()
        if at_least > len(self._pending):
            message = f"{len(self._pending)} environments are at work, not {at_least}"
            raise NoAsyncCallError(message, "recv")
        with self._arrived:
            enough = self._arrived.wait_for(
                lambda: len(self._done) >= at_least or self._failed(), timeout
            )
            if not enough:
                raise TimeoutError(f"{len(self._done)} of {at_least} answers in {timeout} s")
            if failed := self._failed():
                self._done.remove(failed[0])
                self._pending.discard(failed[0].env_id)
                self._need_reset.add(failed[0].env_id)
                raise failed[0]
            steps = [item for item in self._done if isinstance(item, EnvStep)]
            self._done.clear()
            self._pending.difference_update(step.env_id for step in steps)
        return steps

    def close(self, timeout: float = CLOSE_S) -> None:
        """Close all environments; steps that have not begun are dropped.

        One that is still in a step after `timeout` seconds is named in a warning; it is closed when
        the step returns, if ever.
        """
        if self._closed:
            return
        self._closed = True
        for _ in range(self._workers):
            self._jobs.put(None)
        closing = [
            threading.Thread(target=self._close, args=(env_id,), daemon=True)
            for env_id in range(len(self.envs))
        ]
        for thread in closing:
            thread.start()
        deadline = time.monotonic() + timeout
        for thread in closing:
            thread.join(max(0.0, deadline - time.monotonic()))
        hung = [env_id for env_id, thread in enumerate(closing) if thread.is_alive()]
        if hung:
            warnings.warn(
                f"environments {hung} did not close within {timeout} s and are left behind",
                RuntimeWarning,
                stacklevel=2,
            )

    def __enter__(self) -> "AsyncEnvPool":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _checked(self, env_ids: Sequence[int]) -> list[int]:
        self._check_open()
        ids = [int(env_id) for env_id in env_ids]
        if len(set(ids)) < len(ids) or not all(0 <= env_id < len(self.envs) for env_id in ids):
            raise ValueError(f"not different numbers of {len(self.envs)} environments: {ids}")
        if busy := self._pending.intersection(ids):
            message = f"answers of environments {sorted(busy)} were not received yet"
            raise AlreadyPendingCallError(message, "send")
        return ids

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError("the pool is closed")

    def _put(self, env_id: int, act: Callable[[], EnvStep]) -> None:
        self._pending.add(env_id)
        self._jobs.put((env_id, act))

    def _failed(self) -> list[EnvironmentFailed]:
        return [item for item in self._done if isinstance(item, EnvironmentFailed)]

    def _work(self) -> None:
        """Run jobs: the loop of a thread of the pool."""
        while (job := self._jobs.get()) is not None:
            env_id, act = job
            with self._locks[env_id]:
                if self._closed:
                    continue
                answer: EnvStep | EnvironmentFailed
                try:
                    answer = act()
                except BaseException as error:  # whatever it is, it must not end the thread
                    answer = EnvironmentFailed(env_id, error)
                    answer.__cause__ = error
            with self._arrived:
                self._done.append(answer)
                self._arrived.notify()
            del job, act, answer  # or they would be kept until the next job

    def _close(self, env_id: int) -> None:
        """Close an environment, in a thread of its own so that it cannot hold up the others."""
        with self._locks[env_id]:
            try:
                self.envs[env_id].close()
            except Exception as error:
                warnings.warn(
                    f"environment {env_id} could not be closed: {error!r}",
                    RuntimeWarning,
                    stacklevel=2,
                )


_Job = tuple[int, Callable[[], EnvStep]]


def _reset(
    env_id: int, env: gym.Env[Any, Any], seed: int | None, options: dict[str, Any] | None
) -> EnvStep:
    observation, info = env.reset(seed=seed, options=options)
    return EnvStep(env_id, observation, 0.0, False, False, info)


def _step(env_id: int, env: gym.Env[Any, Any], action: Any) -> EnvStep:
    observation, reward, terminated, truncated, info = env.step(action)
    return EnvStep(env_id, observation, float(reward), terminated, truncated, info)
