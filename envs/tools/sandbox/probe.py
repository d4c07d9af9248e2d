"""Tries whether this machine holds a level of the sandbox: a control and attacks, really run.

A check of versions and flags would not do: a sandbox that cannot start anything holds every attack,
and one that starts may hold none.
"""

import os
import socket
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from zerogym.envs.tools.sandbox.execution.execute import Call
from zerogym.envs.tools.sandbox.kernel.bubblewrap import (
    ENVIRONMENT,
    INSTALL,
    find_programs,
)
from zerogym.envs.tools.sandbox.levels import ISOLATING, execute_at
from zerogym.envs.tools.sandbox.limits import Limits
from zerogym.envs.tools.sandbox.result import Level, Result
from zerogym.envs.tools.sandbox.unprivileged.landlock import CURE, check_landlock
from zerogym.errors import SandboxUnavailable

CURES: Mapping[Level, tuple[str, ...]] = {
    "strong": (
        INSTALL,
        "sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0  (Ubuntu 23.10 and later)",
        "in a container: run it with user namespaces allowed, or as root with CAP_SYS_ADMIN",
    ),
    "landlock": (CURE, "in a container: a seccomp profile that allows the calls of Landlock"),
    "monty": ("pip install 'zerogym[tools]'",),
}
_LIMITS = Limits(cpu_s=2, wall_s=20, memory_mib=64, disk_mib=8, processes=40)


@dataclass(frozen=True)
class Check:
    """One thing that was tried."""

    name: str
    held: bool
    detail: str


@dataclass(frozen=True)
class Probe:
    """The checks of a level on this machine.

    Attributes:
        level: Which one.
        checks: What was tried.
        above: The higher levels that were tried first and do not hold.
    """

    level: Level
    checks: tuple[Check, ...]
    above: "tuple[Probe, ...]" = ()

    @property
    def holds(self) -> bool:
        """True if every check held."""
        return all(check.held for check in self.checks)

    def explain(self) -> str:
        """List the checks, what may cure a failure, and why no higher level holds."""
        return "\n".join(probe._tell() for probe in (*self.above, self))

    def _tell(self) -> str:
        marks = {True: "held", False: "FAILED"}
        lines = [f"{marks[check.held]:6}  {check.name}: {check.detail}" for check in self.checks]
        if self.holds:
            return "\n".join([f"level {self.level} holds on this machine", *lines])
        cures = ["what may cure it (as root):", *(f"  {cure}" for cure in CURES[self.level])]
        return "\n".join([f"level {self.level} does not hold on this machine", *lines, *cures])


def probe(level: Level | None = None) -> Probe:
    """Try a level on this machine, once in a process and user.

    Args:
        level: Which one, `unsafe-local` excepted, which holds nothing. None: the levels from the
            strongest down, until one holds; the last one if none does.
    """
    if level is not None:
        return _probe(level, os.geteuid())
    above: tuple[Probe, ...] = ()
    for one in ISOLATING:
        found = replace(_probe(one, os.geteuid()), above=above)
        if found.holds or one == ISOLATING[-1]:
            break
        above = (*above, replace(found, above=()))
    return found


@lru_cache(maxsize=8)
def _probe(level: Level, _: int) -> Probe:
    if level == "monty":
        from zerogym.envs.tools.sandbox.monty.monty import probe_monty

        name = "control and attacks in an interpreter of its own"
        return Probe(level, (Check(name, *probe_monty()),))
    try:
        found = _find(level)
    except SandboxUnavailable as error:
        return Probe(level, (Check("what it is made of", False, str(error)),))
    control = _control(level)
    if not control.held:
        return Probe(level, (found, control))
    attacks = (_reads_a_secret(level), _reaches_the_host(level), _takes_memory(level))
    return Probe(level, (found, control, *attacks))


def _find(level: Level) -> Check:
    """Check the parts of which a level is made.

    Raises:
        SandboxUnavailable: If something is missing.
    """
    if level == "landlock":
        return Check("kernel", True, check_landlock())
    programs = find_programs()
    return Check("programs", True, f"{programs.bwrap} {programs.version}")


def _run(level: Level, source: str) -> Result:
    return execute_at(level, Call(["/bin/sh", "-c", source], _LIMITS))


def _control(level: Level) -> Check:
    result = _run(level, "cat > seen && echo $((6 * 7)) && ls seen")
    held = (result.verdict, result.stdout) == ("ok", "42\nseen\n")
    return Check("control: a program runs", held, _tell(result))


def _reads_a_secret(level: Level) -> Check:
    """Try to read a world-readable file of the launcher, its environment, and its process."""
    secret = os.urandom(16).hex()
    with tempfile.NamedTemporaryFile("w", suffix=".secret") as file:
        os.chmod(file.name, 0o644)
        file.write(secret)
        file.flush()
        source = (
            f"cat {file.name} /proc/{os.getpid()}/root{file.name} /proc/1/root{file.name};"
            "cat /proc/*/environ; env; echo tried"
        )
        result = _run(level, source)
    mine = [name for name in os.environ if name not in {*ENVIRONMENT, "PWD", "SHLVL", "_"}]
    leaked = [name for name in mine if f"{name}=" in result.stdout]
    held = "tried" in result.stdout and secret not in result.stdout and not leaked
    return Check("attack: read files and environment of the launcher", held, _tell(result))


def _reaches_the_host(level: Level) -> Check:
    """Try to reach the network, the kernel's settings, and a namespace with new rights."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        port = server.getsockname()[1]
        source = (
            f"bash -c 'echo > /dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo broken;"
            "unshare -Ur true 2>/dev/null && echo broken;"
            "echo /task/x 2>/dev/null > /proc/sys/kernel/core_pattern && echo broken;"
            "for at in /usr /etc /dev; do (echo > $at/x) 2>/dev/null && echo broken; done;"
        )
        if level == "landlock":  # where the launcher has the same number inside
            source += f"kill -0 {os.getpid()} 2>/dev/null && echo broken;"
        source += "echo tried"
        result = _run(level, source)
        try:
            server.accept()[0].close()
            reached = True
        except BlockingIOError:
            reached = False
    held = not reached and result.stdout == "tried\n"
    return Check("attack: reach the host's network and kernel", held, _tell(result))


def _takes_memory(level: Level) -> Check:
    """Take more than the limit, spread over processes that each stay below it, and keep it."""
    source = "for i in 1 2 3 4; do (head -c 40M /dev/full; sleep 100) | tail & done; wait"
    result = _run(level, source)
    return Check("attack: take memory in many processes", result.verdict == "memory", _tell(result))


def _tell(result: Result) -> str:
    said = " ".join((result.reason, result.stderr)).strip()[:300]
    return f"verdict {result.verdict}" + (f" ({said})" if said and result.verdict != "ok" else "")
