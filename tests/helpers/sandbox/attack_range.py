"""A shooting range: targets of the host, an attack, and a look at the targets afterwards.

The verdict is taken from outside. An act that nobody outside can see is reported by the attack
itself, which prints a random word that it gets for that.
"""

import json
import os
import secrets
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from helpers.sandbox.attacks import Attack
from zerogym.envs.tools.sandbox import Limits, Result, Sandbox, SandboxUnavailable
from zerogym.envs.tools.sandbox.kernel.bubblewrap import find_programs
from zerogym.envs.tools.sandbox.kernel.seccomp import ARCHITECTURES
from zerogym.envs.tools.sandbox.kernel.syscalls import FORBIDDEN, JUDGED, LENDING

# Attacks on time end sooner: they sleep until the guard on the clock.
WAIT_S = 0.7
LIMITS = Limits(
    cpu_s=1, wall_s=20, memory_mib=192, disk_mib=32, files=2000, processes=32, open_files=100,
    output_kib=256,
)  # fmt: skip
# What no attack may come to hold, and what the bombs would take several times over if nobody
# looked. By how much the limit itself is passed between two looks depends on how busy the machine
# is; `benchmarks/speed/sandbox.py` measures it.
MOST_MIB = 1024
OVERHEAD_S = 6.0  # on a busy machine, beside the limit on the clock
PYTHON = os.path.realpath(sys.executable)


def why_not_here() -> str:
    """Explain why no sandbox can run on this machine, found without any of ours; "" if one can.

    Where one can, a sandbox that fails must fail the tests, not skip them.
    """
    try:
        find_programs()
    except SandboxUnavailable as error:
        return str(error)
    kind = ["--mount", "--pid", "--fork"] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    done = subprocess.run(["unshare", *kind, "true"], capture_output=True, text=True)
    return f"no namespaces: {done.stderr}" if done.returncode else ""


def open_python() -> str:
    """An interpreter that every uid can read: this one, else the system's of the same version."""
    other = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    for path in (PYTHON, os.path.realpath(other)):
        folders = [str(folder) for folder in Path(path).parents]
        if os.path.exists(path) and all(os.stat(one).st_mode & 0o001 for one in (path, *folders)):
            return path
    pytest.skip(f"another uid can read neither {PYTHON} nor {other}")


needs_sandbox = pytest.mark.skipif(bool(why_not_here()), reason=why_not_here() or "it can run")


@dataclass
class Host:
    """The targets of an attack."""

    folder: Path
    victim: "subprocess.Popen[bytes]"
    servers: dict[str, socket.socket]
    canary: str = ""
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    word: str = field(default_factory=lambda: "won-" + secrets.token_hex(8))
    mark: str = field(default_factory=lambda: "mark-" + secrets.token_hex(8))

    @property
    def targets(self) -> dict[str, object]:
        """The targets that are passed to an attack."""
        column = list(ARCHITECTURES).index(os.uname().machine)
        calls = {name: pair[column] for name, pair in {**FORBIDDEN, **JUDGED, **LENDING}.items()}
        return {
            "won": self.word,
            "mark": self.mark,
            "secret": str(self.folder / "secret.txt"),
            "canary": str(self.folder / "canary.txt"),
            "folder": str(self.folder),
            "shared": f"/dev/shm/{self.mark}",
            "socket": str(self.folder / "socket"),
            "datagrams": str(self.folder / "datagrams"),
            "abstract": self.mark,
            "repository": __file__,
            "launcher": os.getpid(),
            "victim": self.victim.pid,
            "tcp": self.servers["tcp"].getsockname()[1],
            "udp": self.servers["udp"].getsockname()[1],
            "open_files": LIMITS.open_files,
            "calls": {name: number for name, number in calls.items() if number is not None},
            "forbidden": [name for name in FORBIDDEN if calls[name] is not None],
        }

    def escapes(self, result: Result) -> list[str]:
        """List what was reached, of all that may not be."""
        shown = result.stdout + result.stderr + repr(dict(result.files))
        touched = {
            "the secret came back": self.token in shown,
            "it says so": self.word in shown,
            "a file was changed": describe(self.folder / "canary.txt") != self.canary,
            "a file was made": os.path.lexists(self.folder / "made"),
            "shared memory was made": Path(f"/dev/shm/{self.mark}.made").exists(),
            "the victim is dead": self.victim.poll() is not None,
            "a connection came": bool(select.select([*self.servers.values()], [], [], 0)[0]),
            "a process is left": bool(alive(self.mark)),
        }
        return [what for what, happened in touched.items() if happened]


@contextmanager
def host() -> Iterator[Host]:
    """Targets, made anew for one attack."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o777)
        servers = {
            "tcp": socket.create_server(("127.0.0.1", 0)),
            "udp": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            "path": socket.socket(socket.AF_UNIX),
            "datagrams": socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
            "abstract": socket.socket(socket.AF_UNIX),
        }
        for server in servers.values():
            stack.enter_context(server)
        # Not below the folder of a test: that can be longer than a socket's name may be.
        victim = subprocess.Popen(["sleep", "1000"])
        stack.callback(victim.wait)
        stack.callback(victim.kill)
        one = Host(folder, victim, servers)
        servers["udp"].bind(("127.0.0.1", 0))
        for name, address in (("path", f"{folder}/socket"), ("abstract", "\0" + one.mark)):
            servers[name].bind(address)
            servers[name].listen()
        servers["datagrams"].bind(f"{folder}/datagrams")
        for name in ("socket", "datagrams"):
            (folder / name).chmod(0o777)
        for name in ("secret.txt", f"/dev/shm/{one.mark}"):
            stack.callback((folder / name).unlink, missing_ok=True)
            (folder / name).write_text(one.token)
            (folder / name).chmod(0o644)
        (folder / "canary.txt").write_text("as it was")
        (folder / "canary.txt").chmod(0o666)
        one.canary = describe(folder / "canary.txt")
        stack.callback(Path(f"/dev/shm/{one.mark}.made").unlink, missing_ok=True)
        yield one


def describe(path: Path) -> str:
    """All of a file that must not change."""
    if not os.path.lexists(path):
        return "gone"
    found = path.lstat()
    facts = (found.st_mode, found.st_uid, found.st_gid, found.st_mtime_ns, found.st_nlink)
    return f"{facts} {os.listxattr(path)} {path.read_bytes()!r}"


@contextmanager
def leaks(one: Host) -> Iterator[None]:
    """A careless launcher: the secret is in its environment and in a descriptor to inherit."""
    leaked = os.open(one.folder / "secret.txt", os.O_RDONLY)
    os.set_inheritable(leaked, True)
    os.environ["RANGE_SECRET"] = one.token
    try:
        yield
    finally:
        del os.environ["RANGE_SECRET"]
        os.close(leaked)


def shoot(sandbox: Sandbox, attack: Attack, one: Host) -> Result:
    """Run an attack in the sandbox."""
    targets, limits = one.targets, LIMITS
    if "time" in attack.verdicts:
        limits = replace(LIMITS, wall_s=WAIT_S)
    if attack.verdicts == ("memory",):  # on a busy machine it needs more time to get there
        limits = replace(LIMITS, cpu_s=3)
    secret = Path(str(targets["secret"])).name
    with leaks(one):
        return sandbox.run(
            [sandbox.python, "-S", "-B", "attack.py", json.dumps(targets)],
            files={"attack.py": attack.program},
            collect=["result", f"folder/{secret}", "d/" * 10 + "d"],
            limits=limits,
        )


def check_bounds(result: Result, attack: Attack) -> None:
    """Check what holds for every attack, whatever the level: the budget, and a valid end."""
    assert result.wall_s < LIMITS.wall_s + OVERHEAD_S
    # All processors for as long as the clock allows, where a program hides what it used.
    assert result.cpu_s < LIMITS.cpu_s * (os.cpu_count() or 1) + 4
    assert result.peak_mib < MOST_MIB
    assert len(result.stdout) <= LIMITS.output_kib * 1024
    assert sum(map(len, result.files.values())) <= LIMITS.output_kib * 1024
    if attack.verdicts == ("ok",):
        assert result.stdout.rstrip().endswith("tried"), "the attack itself is broken"


def shoot_bare(attack: Attack, one: Host) -> Result:
    """Run a harmless attack without a sandbox, in an empty folder of its own."""
    with leaks(one), tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as output:
        Path(folder, "attack.py").write_text(attack.program)
        command = [PYTHON, "-S", "-B", "attack.py", json.dumps(one.targets)]
        subprocess.run(command, cwd=folder, stdout=output, stderr=output, timeout=60)
        output.seek(0)
        return Result("ok", output.read().decode("utf-8", "replace"))


def alive(mark: str) -> list[int]:
    """Processes of the host with a word in their arguments."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def wait_for(condition: Callable[[], bool], seconds: float = 20) -> bool:
    """Return whether it becomes true in time."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def end(mark: str) -> None:
    """End what an attack without a sandbox left."""
    for pid in alive(mark):
        os.kill(pid, 9)


def most_while(count: Callable[[], int], act: Callable[[], Result]) -> tuple[int, Result]:
    """The highest count while something runs."""
    counts, done = [0], threading.Event()

    def look() -> None:
        while not done.is_set():
            counts.append(count())
            time.sleep(0.01)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        result = act()
    finally:
        done.set()
        thread.join()
    return max(counts), result
