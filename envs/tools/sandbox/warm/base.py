"""The base of zygotes and sessions: a sandbox that stays, and its calls one after the other."""

import os
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Self

from zerogym.envs.tools.sandbox.execution.capture import Pipes, new_pipes
from zerogym.envs.tools.sandbox.execution.execute import judge, unavailable
from zerogym.envs.tools.sandbox.execution.started import NoStart
from zerogym.envs.tools.sandbox.execution.watch import Over, Watch
from zerogym.envs.tools.sandbox.limits import KIB, MIB, Limits
from zerogym.envs.tools.sandbox.result import Result, Verdict
from zerogym.envs.tools.sandbox.warm.live import Answer, Gone, Live, Setup
from zerogym.errors import SandboxUnavailable

SIGKILLED = 137
TICKS_S = 0.02  # to which CPU seconds are read from outside


@dataclass(frozen=True)
class Request:
    """One call: the head and source for the process inside, its input, its files, its budget."""

    head: Mapping[str, object]
    source: bytes
    limits: Limits
    stdin: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    collect: Sequence[str] = ()


@dataclass(frozen=True)
class Ended:
    """The end of a call: the answer, the limit that was passed, and whether the sandbox is gone."""

    answer: Answer
    over: tuple[Verdict, str] | None
    gone: bool = False


class Warm:
    """A sandbox that stays for one episode; it starts with its first call.

    From any thread, one call at a time. When nobody holds it any more, or `close` is called, or the
    launcher ends, all inside ends. A process that is forked later cannot use it.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._live: Live | None = None
        self._finalizer: weakref.finalize[[], Warm] | None = None
        self._spent_s = 0.0  # of sandboxes that have ended
        self._calls = 0

    @property
    def limits(self) -> Limits:
        """The most that each call may use."""
        return self._setup.limits

    @property
    def cpu_s(self) -> float:
        """CPU seconds of all calls so far."""
        return self._spent_s + (self._live.cpu_s if self._live else 0.0)

    def close(self) -> None:
        """End all inside. The next call would start anew, with nothing left but the CPU spent."""
        if os.getpid() != self._owner:  # a call may have held the lock when this one was forked
            self._end()
            return
        with self._lock:
            self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _check_limits(self, limits: Limits | None) -> Limits:
        if limits is None:
            return self.limits
        for one in fields(limits):
            value, most = getattr(limits, one.name), getattr(self.limits, one.name)
            if value > most:
                raise ValueError(f"{one.name} of a call is at most {most}, not {value}")
        return limits

    def _run(self, request: Request) -> Result:
        """Run a request; a failure of the sandbox itself is the verdict `unavailable`."""
        if os.getpid() != self._owner:
            raise RuntimeError("a warm sandbox belongs to the process that made it")
        begin = time.monotonic()
        with self._lock:
            left = self._setup.total_cpu_s - self.cpu_s
            if left <= 0:
                return Result("time", reason=self._all_spent())
            try:
                if self._live is None:
                    self._live = Live(self._setup)
                    self._finalizer = weakref.finalize(self, self._live.close)
                live = self._live
            except (NoStart, SandboxUnavailable, OSError) as error:
                return unavailable(error, begin)
            try:
                live.started.folders.write(request.files, live.started.uid)
            except OSError as error:  # what is in its way was put there by a call
                return Result("error", reason=f"files cannot be put into /task: {error.strerror}")
            limits = replace(request.limits, cpu_s=min(request.limits.cpu_s, left))
            try:
                return self._call(live, replace(request, limits=limits), begin)
            except OSError as error:
                self._end()
                return unavailable(error, begin)
            except BaseException:
                self._end()
                raise

    def _end(self) -> None:
        if self._live is not None and self._finalizer is not None:
            live, self._live = self._live, None
            self._spent_s += live.cpu_s
            self._finalizer()

    def _call(self, live: Live, request: Request, begin: float) -> Result:
        started, limits = live.started, request.limits
        self._calls += 1
        with new_pipes(request.stdin, limits.output_kib * KIB) as (pipes, ends):
            pipes.give(started.uid)
            watch = Watch(
                started.pid, started.inside, started.folders, limits, live.account, started.group
            )
            ended = self._course(live, request, watch, pipes, ends)
            pipes.drain()
            live.cpu_s += watch.cpu_s
            if watch.cpu_s <= ended.answer.cpu_s + TICKS_S:
                watch.cpu_s = ended.answer.cpu_s  # the same, and finer
            files = started.folders.read(request.collect, limits.output_kib * KIB)
            if ended.gone:
                self._end()
            result = self._judge(ended, watch, pipes, limits)
            return replace(result, wall_s=time.monotonic() - begin, files=files)

    def _course(
        self, live: Live, request: Request, watch: Watch, pipes: Pipes, ends: Sequence[int]
    ) -> Ended:
        """Send the request and wait for its answer; then nothing runs inside."""
        over: tuple[Verdict, str] | None = None
        try:
            head = {**request.head, "call": self._calls}
            number = live.send(head, request.source, ends)
            over = watch.until(pipes, live.control)
            if over is not None and not self._obeys(live, over, watch, pipes):
                number = live.kill()
            answer = live.answer(number, pipes)
            last = watch.look()  # short calls must not add up between two looks
            over = over or last
            if answer.kept and last is not None and last[0] == "memory":
                answer = replace(live.answer(live.kill(), pipes), code=answer.code)
            if not answer.kept and live.has_children():
                raise Gone("processes were left")
        except Gone as error:
            over = (
                over or watch.killed_by_the_kernel() or ("killed", f"{error}; everything is lost")
            )
            return Ended(Answer(SIGKILLED, False, 0.0), over, gone=True)
        return Ended(answer, over)

    def _obeys(self, live: Live, over: Over, watch: Watch, pipes: Pipes) -> bool:
        """Return whether a call whose limit is passed ends by itself after a request."""
        return False

    def _judge(self, ended: Ended, watch: Watch, pipes: Pipes, limits: Limits) -> Result:
        result = judge(ended.answer.code, ended.over, watch, pipes, limits)
        if result.verdict == "time" and self.cpu_s >= self._setup.total_cpu_s:
            result = replace(result, reason=self._all_spent())
        return result

    def _all_spent(self) -> str:
        return f"all {self._setup.total_cpu_s:g} CPU seconds of the {self._setup.kind} are spent"


def rlimits(limits: Limits) -> dict[str, int]:
    """Return the kernel's limits of a process in a warm sandbox, by their names in `resource`."""
    return {
        "RLIMIT_DATA": limits.memory_mib * MIB,
        "RLIMIT_FSIZE": limits.disk_mib * MIB,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_NPROC": limits.processes + 1,  # the server
    }
