"""The pipes to and from a running program: output with a cap, input without waiting."""

import os
import select
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import IO

_CHUNK = 65536


@dataclass
class Stream:
    """One output stream, kept up to a cap."""

    descriptor: int
    cap: int
    data: bytearray = field(default_factory=bytearray)
    truncated: bool = False
    ended: bool = False

    def pump(self) -> bool:
        """Read one chunk, so that no writer holds the launcher; return whether there was one."""
        try:
            chunk = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return False
        self.ended = not chunk
        room = self.cap - len(self.data)
        self.data += chunk[:room]
        self.truncated |= len(chunk) > room
        return bool(chunk)

    def text(self) -> str:
        """Return what was written, undecodable bytes replaced."""
        return self.data.decode("utf-8", "replace")


class Pipes:
    """The two outputs of a program, and its input where it has one."""

    def __init__(
        self,
        stdin: IO[bytes] | None,
        stdout: IO[bytes],
        stderr: IO[bytes],
        data: bytes,
        cap: int,
    ) -> None:
        self._input = stdin
        self._files = (stdout, stderr)
        for file in filter(None, (stdin, stdout, stderr)):
            os.set_blocking(file.fileno(), False)
        self.out, self.err = Stream(stdout.fileno(), cap), Stream(stderr.fileno(), cap)
        self._rest: memoryview | None = memoryview(data)

    def give(self, uid: int | None) -> None:
        """Let another user open the pipes by name, as a shell does for `/dev/stderr`."""
        for file in (self._input, *self._files):
            if file is not None and uid is not None:
                os.fchown(file.fileno(), uid, uid)

    def wait(self, seconds: float, end: int, feed: bool = True) -> bool:
        """Move what can be moved, or wait; return whether a process (its descriptor) has ended."""
        poll = select.poll()
        poll.register(end, select.POLLIN)
        for stream in (self.out, self.err):
            if not stream.ended:
                poll.register(stream.descriptor, select.POLLIN)
        feeding = self._input if feed and self._rest is not None else None
        if feeding is not None:
            poll.register(feeding, select.POLLOUT)
        ready = {descriptor for descriptor, _ in poll.poll(max(0.0, seconds) * 1000)}
        for stream in (self.out, self.err):
            if stream.descriptor in ready:
                stream.pump()
        if feeding is not None and feeding.fileno() in ready:
            self._feed(feeding)
        return end in ready

    def drain(self) -> None:
        """Read what is left in the pipes of a process that has ended, up to the caps."""
        for stream in (self.out, self.err):
            while not stream.ended and not stream.truncated and stream.pump():
                pass

    def stop_reading(self) -> None:
        """Ignore all that is written from now on."""
        self.out.ended = self.err.ended = True

    def write_line(self, line: bytes) -> None:
        """Write a short line, which an empty pipe always takes."""
        assert self._input is not None
        os.write(self._input.fileno(), line)

    def close(self) -> None:
        """Close everything."""
        for file in (self._input, *self._files):
            if file is not None:
                file.close()

    def _feed(self, feeding: IO[bytes]) -> None:
        assert self._rest is not None
        try:
            self._rest = self._rest[os.write(feeding.fileno(), self._rest[:_CHUNK]) :] or None
        except BlockingIOError:
            return
        except BrokenPipeError:  # nobody reads it
            self._rest = None
        if self._rest is None:
            feeding.close()
            self._input = None


@contextmanager
def new_pipes(data: bytes, cap: int) -> Iterator[tuple[Pipes, list[int]]]:
    """Make pipes for a program that is yet to run, and its ends: input, output, errors."""
    with ExitStack() as stack:
        ours: list[IO[bytes]] = []
        theirs: list[int] = []
        for mode in ("wb", "rb", "rb"):
            read, write = os.pipe()
            mine, other = (write, read) if mode == "wb" else (read, write)
            ours.append(stack.enter_context(open(mine, mode, buffering=0)))
            stack.callback(os.close, other)
            theirs.append(other)
        yield Pipes(ours[0], ours[1], ours[2], data, cap), theirs
