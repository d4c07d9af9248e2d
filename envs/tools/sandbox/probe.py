"""Whether this machine holds the sandbox's level: a control and attacks, really run.

A check of versions and flags would not do: a sandbox that cannot start anything holds every attack,
and one that starts may hold none.
"""

import os
import socket
import tempfile
from dataclasses import dataclass
from functools import lru_cache

from zerogym.envs.tools.sandbox.bubblewrap import (
    ENVIRONMENT,
    INSTALL,
    Programs,
    find_programs,
)
from zerogym.envs.tools.sandbox.execute import Call, execute
from zerogym.envs.tools.sandbox.limits import Limits
from zerogym.envs.tools.sandbox.result import Result
from zerogym.errors import SandboxUnavailable

CURES = (
    INSTALL,
    "sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000",
    "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0  (Ubuntu 23.10 and later)",
    "in a container: run it with user namespaces allowed, or as root with CAP_SYS_ADMIN",
)
_LIMITS = Limits(cpu_s=2, wall_s=20, memory_mib=64, disk_mib=8, processes=40)


@dataclass(frozen=True)
class Check:
    """One thing that was tried."""

    name: str
    held: bool
    detail: str


@dataclass(frozen=True)
class Probe:
    """What was tried, and what came of it."""

    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether everything held."""
        return all(check.held for check in self.checks)

    def explain(self) -> str:
        """What was tried, a line each; and what may cure a failure."""
        marks = {True: "held", False: "FAILED"}
        lines = [f"{marks[check.held]:6}  {check.name}: {check.detail}" for check in self.checks]
        if self.holds:
            return "\n".join(["level strong holds on this machine", *lines])
        cures = ["what may cure it (as root):", *(f"  {cure}" for cure in CURES)]
        return "\n".join(["level strong does not hold on this machine", *lines, *cures])


def probe() -> Probe:
    """Try level `strong` on this machine, once in a process and user."""
    return _probe(os.geteuid())


@lru_cache(maxsize=4)
def _probe(_: int) -> Probe:
    try:
        programs = find_programs()
    except SandboxUnavailable as error:
        return Probe((Check("programs", False, str(error)),))
    found = Check("programs", True, f"{programs.bwrap} {programs.version}")
    control = _control(programs)
    if not control.held:
        return Probe((found, control))
    attacks = (_reads_a_secret(programs), _reaches_the_host(programs), _takes_memory(programs))
    return Probe((found, control, *attacks))


def _run(programs: Programs, source: str) -> Result:
    return execute(programs, Call(["/bin/sh", "-c", source], _LIMITS))


def _control(programs: Programs) -> Check:
    result = _run(programs, "cat > seen && echo $((6 * 7)) && ls seen")
    held = (result.verdict, result.stdout) == ("ok", "42\nseen\n")
    return Check("control: a program runs", held, _tell(result))


def _reads_a_secret(programs: Programs) -> Check:
    """A world-readable file of the launcher, its environment, and its process."""
    secret = os.urandom(16).hex()
    with tempfile.NamedTemporaryFile("w", suffix=".secret") as file:
        os.chmod(file.name, 0o644)
        file.write(secret)
        file.flush()
        source = (
            f"cat {file.name} /proc/{os.getpid()}/root{file.name} /proc/1/root{file.name};"
            "cat /proc/*/environ; env; echo tried"
        )
        result = _run(programs, source)
    mine = [name for name in os.environ if name not in {*ENVIRONMENT, "PWD", "SHLVL", "_"}]
    leaked = [name for name in mine if f"{name}=" in result.stdout]
    held = "tried" in result.stdout and secret not in result.stdout and not leaked
    return Check("attack: read files and environment of the launcher", held, _tell(result))


def _reaches_the_host(programs: Programs) -> Check:
    """Its network, its kernel's settings, and a namespace with new rights."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        port = server.getsockname()[1]
        source = (
            f"bash -c 'echo > /dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo broken;"
            "unshare -Ur true 2>/dev/null && echo broken;"
            "echo /task/x 2>/dev/null > /proc/sys/kernel/core_pattern && echo broken;"
            "touch /usr/x /etc/x /dev/x 2>/dev/null && echo broken; echo tried"
        )
        result = _run(programs, source)
        try:
            server.accept()[0].close()
            reached = True
        except BlockingIOError:
            reached = False
    held = not reached and result.stdout == "tried\n"
    return Check("attack: reach the host's network and kernel", held, _tell(result))


def _takes_memory(programs: Programs) -> Check:
    """More than the limit, spread over processes that each stay below it, and keep it."""
    source = "for i in 1 2 3 4; do (head -c 40M /dev/zero; sleep 100) | tail & done; wait"
    result = _run(programs, source)
    return Check("attack: take memory in many processes", result.verdict == "memory", _tell(result))


def _tell(result: Result) -> str:
    said = " ".join((result.reason, result.stderr)).strip()[:300]
    return f"verdict {result.verdict}" + (f" ({said})" if said and result.verdict != "ok" else "")
