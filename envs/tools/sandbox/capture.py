"""The pipes to and from a running program: output with a cap, input without waiting."""

import os
import select
import subprocess
from dataclasses import dataclass, field

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
        """Take one chunk, so that no writer keeps the launcher here; whether there was one."""
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
        """What was written, undecodable bytes replaced."""
        return self.data.decode("utf-8", "replace")


class Pipes:
    """The three pipes of a process, and a descriptor that says when it has ended."""

    def __init__(self, process: "subprocess.Popen[bytes]", stdin: bytes, cap: int) -> None:
        streams = (process.stdin, process.stdout, process.stderr)
        self._input, out, err = (stream.fileno() for stream in streams if stream is not None)
        for descriptor in (self._input, out, err):
            os.set_blocking(descriptor, False)
        self.out, self.err = Stream(out, cap), Stream(err, cap)
        self._rest: memoryview | None = memoryview(stdin)
        self._process = process
        self.end = os.pidfd_open(process.pid)

    def wait(self, seconds: float, end: int, feed: bool = True) -> bool:
        """Move what can be moved, or wait; True once a process (its descriptor) has ended."""
        poll = select.poll()
        poll.register(end, select.POLLIN)
        for stream in (self.out, self.err):
            if not stream.ended:
                poll.register(stream.descriptor, select.POLLIN)
        if feed and self._rest is not None:
            poll.register(self._input, select.POLLOUT)
        ready = {descriptor for descriptor, _ in poll.poll(max(0.0, seconds) * 1000)}
        for stream in (self.out, self.err):
            if stream.descriptor in ready:
                stream.pump()
        if self._input in ready:
            self._feed()
        return end in ready

    def drain(self) -> None:
        """Take what is left in the pipes of a process that has ended, up to the caps."""
        for stream in (self.out, self.err):
            while not stream.ended and not stream.truncated and stream.pump():
                pass

    def stop_reading(self) -> None:
        """Nothing that is written from now on counts."""
        self.out.ended = self.err.ended = True

    def say(self, line: bytes) -> None:
        """Write a short line, which an empty pipe always takes."""
        os.write(self._input, line)

    def close(self) -> None:
        """Close everything."""
        os.close(self.end)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _feed(self) -> None:
        assert self._rest is not None
        try:
            self._rest = self._rest[os.write(self._input, self._rest[:_CHUNK]) :] or None
        except BlockingIOError:
            return
        except BrokenPipeError:  # nobody reads it
            self._rest = None
        if self._rest is None and self._process.stdin is not None:
            self._process.stdin.close()
