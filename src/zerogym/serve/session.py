"""A session: one environment of one client, with its episode and its seeds.

Everything that an environment does runs on one thread that all share, so that the server goes on
answering and no environment sees two threads. Environments that wait for something outside of the
process (`waits`: a sandbox, for example) run on threads of their own, beside each other.
"""

import asyncio
import secrets
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeVar

import gymnasium as gym
import numpy as np

from zerogym.serve.worlds import World, as_json

ResultT = TypeVar("ResultT")
PINNED = ("difficulty", "split", "category")  # what a client may choose of an episode


class Refused(Exception):
    """A request that cannot be fulfilled; the message is for the client.

    Attributes:
        code: One of OpenEnv's codes of errors.
        status: The HTTP status.
    """

    def __init__(self, message: str, code: str = "EXECUTION_ERROR", status: int = 409) -> None:
        super().__init__(message)
        self.code, self.status = code, status


class Session:
    """One environment with its episode.

    Attributes:
        key: The name of the session, which nobody can guess.
        world: The world of its environment.
        used: When it was used last, in seconds of the monotonic clock.
    """

    def __init__(self, world: World, seed: np.random.SeedSequence, pools: "Pools") -> None:
        self.key = secrets.token_urlsafe(12)
        self.world = world
        self.used = time.monotonic()
        self.env: gym.Env[str, str] | None = None
        self._seeds = np.random.default_rng(seed)
        self._pools = pools
        self._pool: Executor = pools.computing
        self._lock = asyncio.Lock()
        self._running: asyncio.Future[Any] | None = None
        self._closed = False
        self._episode: dict[str, Any] = {"episode_id": None, "step_count": 0, "return": 0.0}
        self._over = True

    @property
    def state(self) -> dict[str, Any]:
        """The episode's id, seed, number of steps, return and end, as OpenEnv's state."""
        return self._episode | {"env_id": self.world.id, "done": self._over}

    @property
    def busy(self) -> bool:
        """True while a request is running."""
        return self._lock.locked()

    async def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
        episode_id: str | None = None,
    ) -> dict[str, Any]:
        """Start an episode; without a seed the session draws one.

        Raises:
            Refused: If the environment does not take the options.
        """
        async with self._lock:
            seed = int(self._seeds.integers(2**31)) if seed is None else seed
            if self.env is None:
                await self._run(self._make)
            self._over = True
            text, info = await self._run(lambda: self._reset(seed, options))
            self._over = False
            named = episode_id or f"{self.key}:{seed}"
            self._episode = {"episode_id": named, "seed": seed, "step_count": 0, "return": 0.0}
            return self._shown(text, None, False, False, info)

    async def step(self, text: str) -> dict[str, Any]:
        """Play one reply.

        Raises:
            Refused: If no episode is running.
        """
        async with self._lock:
            env = self.env
            if env is None or self._over:
                started = self._episode["episode_id"] is not None
                reason = "the episode is over" if started else "no episode is running"
                raise Refused(f"{reason}: reset first")
            self._over = True  # if the request is cancelled, nobody knows what the step did
            observation, reward, terminated, truncated, info = await self._run(
                lambda: env.step(text)
            )
            self._over = bool(terminated or truncated)
            self._episode["step_count"] += 1
            self._episode["return"] += float(reward)
            return self._shown(observation, float(reward), terminated, truncated, info)

    async def close(self) -> None:
        """Close the environment, after the request that is running."""
        async with self._lock:
            self._closed, self._over = True, True
            env, self.env = self.env, None
            if env is not None:
                await self._in_thread(env.close)

    async def look(self, function: Callable[[gym.Env[str, str]], ResultT]) -> ResultT:
        """Return what a function finds in the environment, which is made if it is not there yet."""
        async with self._lock:
            if self.env is None:
                await self._run(self._make)
            env = self.env
            assert env is not None
            return await self._run(lambda: function(env))

    async def _run(self, function: Callable[[], ResultT]) -> ResultT:
        if self._closed:
            raise Refused("the session has ended", "SESSION_ERROR", 404)
        self.used = time.monotonic()
        try:
            return await self._in_thread(function)
        finally:
            self.used = time.monotonic()

    async def _in_thread(self, function: Callable[[], ResultT]) -> ResultT:
        # A request that was cancelled leaves its thread at work: no second one may join it.
        if self._running is not None:
            await asyncio.wait([self._running])
        running = asyncio.get_running_loop().run_in_executor(self._pool, function)
        self._running = running
        return await asyncio.shield(running)

    def _make(self) -> None:
        if self.env is None:
            self.env = self.world.make()
            if getattr(self.env.unwrapped, "waits", False):
                self._pool = self._pools.waiting

    def _reset(self, seed: int, options: dict[str, Any] | None) -> tuple[str, dict[str, Any]]:
        assert self.env is not None
        try:
            return self.env.reset(seed=seed, options=options)
        except (TypeError, ValueError) as error:
            raise Refused(str(error), "VALIDATION_ERROR", 422) from None

    def _shown(
        self, text: str, reward: float | None, terminated: bool, truncated: bool, info: Any
    ) -> dict[str, Any]:
        observation = {
            "text": text,
            "info": as_json(info),
            "terminated": bool(terminated),
            "truncated": bool(truncated),
            "session_id": self.key,
            "episode_id": self._episode["episode_id"],
            "seed": self._episode["seed"],
        }
        return {"observation": observation, "reward": as_json(reward), "done": self._over}


class Pools:
    """The threads of a server: one for all that compute, several for those that wait."""

    def __init__(self, waiting: int = 32) -> None:
        self.computing = ThreadPoolExecutor(1, "zerogym-compute")
        self.waiting = ThreadPoolExecutor(waiting, "zerogym-wait")

    def close(self) -> None:
        """Let the threads end, after what they are running."""
        for pool in (self.computing, self.waiting):
            pool.shutdown(wait=False, cancel_futures=True)
