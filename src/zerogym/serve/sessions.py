"""The open sessions of a server: their limits, their seeds and their end."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from zerogym.serve.session import Pools, Refused, Session
from zerogym.serve.worlds import World

GRACE = 3  # seconds that requests have when the server ends


@dataclass(frozen=True)
class Limits:
    """Limits of a server.

    Attributes:
        sessions: Most sessions at a time, at least 1.
        idle: Seconds without a request after which a session ends, above 0.
        message: Most bytes of a request, at least 1024.
    """

    sessions: int = 256
    idle: float = 900.0
    message: int = 2**20

    def __post_init__(self) -> None:
        if self.sessions < 1:
            raise ValueError(f"sessions must be at least 1, got {self.sessions}")
        if not 0 < self.idle < math.inf:
            raise ValueError(f"idle must be a number of seconds above 0, got {self.idle}")
        if self.message < 1024:
            raise ValueError(f"message must be at least 1024 bytes, got {self.message}")


class Sessions:
    """The open sessions of a server.

    Args:
        worlds: The worlds that are served, the default one first.
        limits: Limits of the server.
        seed: Seed from which the sessions, in the order of their opening, draw the seeds of
            episodes; None draws it from the system.
    """

    def __init__(
        self, worlds: Sequence[World], limits: Limits | None = None, seed: int | None = None
    ) -> None:
        self.worlds = {world.name: world for world in worlds}
        if not worlds or len(self.worlds) < len(worlds):
            raise ValueError("a server has at least one world, and each of them once")
        self.limits = limits or Limits()
        self.counted: Counter[str] = Counter()
        self.open: dict[str, Session] = {}
        self._seeds = np.random.SeedSequence(seed)
        self._pools = Pools()

    def new(self, world: World) -> Session:
        """Open a session.

        Raises:
            Refused: If there are as many as the limit allows.
        """
        if len(self.open) >= self.limits.sessions:
            self.counted["refused_full"] += 1
            raise Refused(
                f"the server has {self.limits.sessions} sessions, its limit: close one, or wait",
                "CAPACITY_REACHED",
                503,
            )
        [seed] = self._seeds.spawn(1)
        session = Session(world, seed, self._pools)
        self.open[session.key] = session
        self.counted["sessions"] += 1
        return session

    def uncounted(self, world: World) -> Session:
        """Return a session beside those that are counted, for a look at a world."""
        return Session(world, np.random.SeedSequence(0), self._pools)

    def get(self, key: object, world: World) -> Session:
        """Return an open session of a world.

        Raises:
            Refused: If there is none of this name.
        """
        session = self.open.get(key) if isinstance(key, str) else None
        if session is None or session.world is not world:
            raise Refused("there is no such session: reset first", "SESSION_ERROR", 404)
        return session

    async def close(self, session: Session) -> None:
        """End a session."""
        self.open.pop(session.key, None)
        await session.close()

    async def expire(self, session: Session) -> None:
        """End a session without requests, and count it, once however many find it idle."""
        if self.open.pop(session.key, None) is not None:
            self.counted["closed_idle"] += 1
            await session.close()

    async def close_idle(self) -> None:
        """End the sessions without a request for longer than the limit, for as long as it runs."""
        while True:
            await asyncio.sleep(min(self.limits.idle / 4, 5.0))
            for session in list(self.open.values()):
                if time.monotonic() - session.used > self.limits.idle and not session.busy:
                    await self.expire(session)

    async def close_all(self) -> None:
        """End every session, and the threads; a step that is running has some seconds to end."""
        closing = [self.close(session) for session in list(self.open.values())]
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                await asyncio.gather(*closing, return_exceptions=True)
        self._pools.close()
