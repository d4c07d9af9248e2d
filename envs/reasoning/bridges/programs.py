"""A coroutine that waits for replies, in a thread of its own: its caller gives them one at a time.

Environments of other suites are often programs that call a model. Turned inside out, such a program
is an environment with `reset` and `step`: its call of the model is where it waits for a reply.
"""

import asyncio
import contextlib
import queue
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

Request = Callable[[str], Awaitable[str]]  # a text for the player; its reply


class ProgramFailed(Exception):
    """The program raised, or was too slow; the message is one line."""


@dataclass(frozen=True)
class Turn:
    """The place that a program has come to: it waits for a reply to a text, or has ended.

    Attributes:
        said: The text.
        reply: Where it takes the reply from; None if it has ended.
        result: What it returned, if it has ended.
        error: What it raised instead.
    """

    said: str = ""
    reply: asyncio.Future[str] | None = None
    result: Any = None
    error: BaseException | None = None


class Program:
    """A thread with an event loop, in which one program after another runs.

    Where a program is too slow, its thread is given up, as code that runs cannot be ended from
    outside: it ends at the next `await`, if it gets there. The next program gets a new thread.

    Example:
        >>> async def greeter(request):
        ...     name = await request("Who are you?")
        ...     return f"Hello, {name}!"
        >>> program = Program()
        >>> program.start(greeter, seconds=10).said
        'Who are you?'
        >>> program.reply("Ann", seconds=10).result
        'Hello, Ann!'
        >>> program.close()
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: Callable[[], Any] = lambda: None
        self._task: Any = None
        self._turns: queue.SimpleQueue[Turn] = queue.SimpleQueue()
        self._turn = Turn()

    def start(self, program: Callable[[Request], Coroutine[Any, Any, Any]], seconds: float) -> Turn:
        """Start a program, in place of the one before; return where it first waits or ends.

        Raises:
            ProgramFailed: If it raises, or is there only after `seconds`.
        """
        self.cancel()
        if self._loop is None:
            self._loop, stop = _started_loop()
            self._end = weakref.finalize(self, _set, self._loop, stop)
        loop = self._loop
        turns = self._turns = queue.SimpleQueue()  # what an earlier program still says is not ours

        async def request(said: str) -> str:
            reply = loop.create_future()
            turns.put(Turn(said, reply))
            answer: str = await reply
            return answer

        async def run() -> None:
            try:
                turns.put(Turn(result=await program(request)))
            except asyncio.CancelledError as error:  # of ours, or the program's own
                turns.put(Turn(error=error))
                raise
            except BaseException as error:  # an exit would end the thread
                turns.put(Turn(error=error))

        self._task = asyncio.run_coroutine_threadsafe(run(), loop)
        return self._next(seconds)

    def reply(self, text: str, seconds: float) -> Turn:
        """Reply to what the program said last; return where it next waits or ends.

        Raises:
            ProgramFailed: If it raises, is there only after `seconds`, or waits for no reply.
        """
        waiting, loop = self._turn.reply, self._loop
        if waiting is None or loop is None:
            raise ProgramFailed("it waits for no reply")
        self._turn = Turn()

        def give() -> None:
            if not waiting.done():  # the program has gone on without
                waiting.set_result(text)

        loop.call_soon_threadsafe(give)
        return self._next(seconds)

    def cancel(self) -> None:
        """Cancel the program, if one runs."""
        if self._task is not None:
            self._task.cancel()
        self._task, self._turn = None, Turn()

    def close(self) -> None:
        """Cancel the program and end the thread, once what it runs lets it end."""
        self.cancel()
        self._end()
        self._loop = None

    def _next(self, seconds: float) -> Turn:
        try:
            self._turn = self._turns.get(timeout=seconds)
        except queue.Empty:
            self.close()
            raise ProgramFailed(f"no answer within {seconds:g} s") from None
        if self._turn.error is not None:
            raise ProgramFailed(one_line(self._turn.error))
        return self._turn


def _started_loop() -> tuple[asyncio.AbstractEventLoop, asyncio.Event]:
    """Return the loop of a new thread, and the event that ends both."""
    started: queue.SimpleQueue[tuple[asyncio.AbstractEventLoop, asyncio.Event]]
    started = queue.SimpleQueue()

    async def wait() -> None:
        stop = asyncio.Event()
        started.put((asyncio.get_running_loop(), stop))
        await stop.wait()

    threading.Thread(target=lambda: asyncio.run(wait()), name="program", daemon=True).start()
    return started.get()


def _set(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    with contextlib.suppress(RuntimeError):  # it has ended
        loop.call_soon_threadsafe(stop.set)


def one_line(error: BaseException) -> str:
    """Return an error on a line of at most 200 characters."""
    found = " ".join(str(error).split())
    name = type(error).__name__
    return (f"{name}: {found}" if found else name)[:200]
