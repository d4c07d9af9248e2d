"""Level `landlock`: for machines on which namespaces are forbidden, on request only.

The program runs among the host's processes and files. A Landlock domain lets it open what level
`strong` would show, and its own temporary folder; a filter of system calls covers what Landlock
does not; as root it gets a uid of its own and no capability; and a supervisor ends what is left.
`SECURITY.md` says what is weaker than `strong`.

Landlock: https://docs.kernel.org/userspace-api/landlock.html (version 6 of its interface, Linux
6.12, is the first that keeps signals in).
"""

import os
import stat
from pathlib import Path

from zerogym.envs.tools.sandbox.execution.execute import Call
from zerogym.envs.tools.sandbox.kernel.bubblewrap import LINKS, SETTINGS, check_machine
from zerogym.envs.tools.sandbox.kernel.seccomp_shared import compile_shared_filter
from zerogym.envs.tools.sandbox.result import Result
from zerogym.envs.tools.sandbox.unprivileged.supervised import Walls, execute_supervised
from zerogym.envs.tools.sandbox.unprivileged.supervisor import OLDEST_ABI, abi
from zerogym.errors import SandboxUnavailable

CURE = "Linux 6.12 or later, with landlock among its security modules (boot with lsm=landlock,...)"
# Without /dev/zero: of that shared memory can be made which no process shows.
_DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")


def check_landlock() -> str:
    """Return the version of the kernel's Landlock, in words.

    Raises:
        SandboxUnavailable: If that is too little.
    """
    check_machine("Level landlock")
    version = abi()
    if version < OLDEST_ABI:
        found = f"version {version}" if version else "none"
        raise SandboxUnavailable(f"The kernel's Landlock is {found}: it needs {CURE}")
    return f"Landlock version {version}"


def check_interpreter(python: str) -> None:
    """Check that the program, which as root has another uid, can read its interpreter.

    Raises:
        SandboxUnavailable: If it cannot.
    """
    if os.geteuid() != 0:
        return
    others = {path: os.stat(path).st_mode for path in (*Path(python).parents, Path(python))}
    closed = [str(path) for path, mode in others.items() if not mode & stat.S_IXOTH]
    if closed:
        raise SandboxUnavailable(
            f"At level landlock a program of root has a uid of its own, and for that {python} is "
            f"behind {closed[-1]}: give Sandbox another python, for example /usr/bin/python3"
        )


def execute_landlock(call: Call) -> Result:
    """Run a call."""
    system = [path for name in LINKS if os.path.isdir(path := f"/{name}")]
    settings = [path for name in SETTINGS if os.path.exists(path := f"/etc/{name}")]
    devices = tuple(path for path in _DEVICES if os.path.exists(path))
    seccomp = compile_shared_filter(owns_files=os.geteuid() != 0)
    return execute_supervised(call, Walls(("/usr", *system, *settings), devices, seccomp))
