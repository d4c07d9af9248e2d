"""A small program between launcher and model's program, where there is no process namespace.

It runs as a script of its own, on the standard library alone, with an order in JSON. It
adopts every process that loses its parent, waits for the program, and ends whatever is left.
SIGTERM, or the launcher's death, makes it end everything at once.

With walls it puts itself into an outer Landlock domain, and the program into a second one inside
of it. Neither domain can signal out, so `kill(-1)` of this process reaches exactly what the program
has started, all at one moment and whatever it does; and the program cannot reach this process.
"""

import ctypes
import json
import os
import resource
import signal
import struct
import sys
from contextlib import suppress
from typing import Any, NoReturn

# landlock_create_ruleset, landlock_add_rule, landlock_restrict_self; prctl; capset
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_SUBREAPER, _DEATH_SIGNAL, _DROP_BOUND, _NO_NEW_PRIVS, _SECCOMP, _DUMPABLE = 36, 1, 24, 38, 22, 4
_CAPSET = {"x86_64": 126, "aarch64": 91}
_ABI_QUESTION, _PATH_BENEATH, _FILTER_MODE = 1, 1, 2

EXECUTE, WRITE_FILE, READ_FILE, READ_FOLDER = 1, 2, 4, 8
TRUNCATE, DEVICE_CONTROL = 1 << 14, 1 << 15
ALL_FILES = (1 << 16) - 1
MAKE_DEVICES = 1 << 6 | 1 << 11
SHOWN = EXECUTE | READ_FILE | READ_FOLDER
OWN = ALL_FILES & ~(MAKE_DEVICES | DEVICE_CONTROL)
DEVICE = READ_FILE | WRITE_FILE
ALL_TCP = 3  # bind, connect
ALL_SCOPES = 3  # abstract sockets, signals
OLDEST_ABI = 6  # the first with scopes

_libc = ctypes.CDLL(None, use_errno=True)


def abi() -> int:
    """Return the version of the kernel's Landlock; 0 where there is none."""
    return max(0, int(_libc.syscall(_CREATE, None, ctypes.c_size_t(0), _ABI_QUESTION)))


def _call(*arguments: Any) -> int:
    """Make a system call that must not fail."""
    done = int(_libc.syscall(*(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)))
    if done < 0:
        raise OSError(ctypes.get_errno(), f"system call {arguments[0]}")
    return done


def _prctl(option: int, *arguments: int | ctypes.c_void_p) -> None:
    words = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    if _libc.prctl(option, *words, *[ctypes.c_ulong(0)] * (4 - len(words))) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def _ruleset(files: int, tcp: int, scopes: int) -> int:
    rights = struct.pack("=QQQ", files, tcp, scopes)
    return _call(_CREATE, rights, len(rights), 0)


def _allow(ruleset: int, path: str, rights: int) -> None:
    found = os.open(path, os.O_PATH | os.O_CLOEXEC)
    if not os.path.isdir(path):
        rights &= EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
    _call(_ADD, ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, found), 0)
    os.close(found)


def _files_of(order: dict[str, Any]) -> int:
    """Make the rules of the program's own domain while its paths can still be opened."""
    rules = _ruleset(ALL_FILES, ALL_TCP, ALL_SCOPES)
    for paths, rights in (("shown", SHOWN), ("own", OWN), ("devices", DEVICE)):
        for path in order[paths]:
            _allow(rules, path, rights)
    return rules


def _become(uid: int) -> None:
    """Give up root permanently: no capability stays, and none can come back."""
    last = int(_read("/proc/sys/kernel/cap_last_cap"))
    for capability in range(last + 1):
        _prctl(_DROP_BOUND, capability)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    header, nothing = struct.pack("=Ii", 0x20080522, 0), bytes(24)
    _call(_CAPSET[os.uname().machine], header, nothing)


def _end_all(walls: bool) -> None:
    """Kill everything below."""
    if walls:
        with suppress(ProcessLookupError, PermissionError):  # nothing is left
            os.kill(-1, signal.SIGKILL)
    else:
        _kill_descendants()


def _kill_descendants() -> None:
    """Stop the processes below until nothing new appears, then kill them; for no walls."""
    stopped: list[int] = []
    while new := [pid for pid in _descendants() if pid not in stopped]:
        for pid in new:
            _send(pid, signal.SIGSTOP)
        stopped += new
    for pid in stopped:
        _send(pid, signal.SIGKILL)


def _descendants() -> list[int]:
    found = [os.getpid()]
    for pid in found:  # grows while it is read
        with suppress(OSError):  # it ended
            for thread in os.listdir(f"/proc/{pid}/task"):
                found += map(int, _read(f"/proc/{pid}/task/{thread}/children").split())
    return found[1:]


def _read(path: str) -> str:
    with open(path) as file:
        return file.read()


def _send(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def _wait_for(program: int, walls: bool) -> int:
    """Return the exit status of the program (128 + n after signal n) when all others are gone."""
    status = 0
    while True:
        try:
            pid, code = os.waitpid(-1, 0)
        except ChildProcessError:
            return status
        if pid == program:
            status = code
            code = os.waitstatus_to_exitcode(status)
            status = code if code >= 0 else 128 - code
            program = 0
        if not program:
            _end_all(walls)


def _run_program(order: dict[str, Any], rules: int | None, supervisor: int) -> NoReturn:
    """Give up everything in the child, wait for the launcher's word, become the program."""
    _prctl(_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != supervisor:
        os._exit(1)
    _prctl(_DUMPABLE, 1)  # or its own settings would be root's
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # where memory is short the program goes first, not its supervisor
    os.setsid()
    os.chdir(order["own"][0])
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTERM):  # Python's habits, and ours
        signal.signal(number, signal.SIG_DFL)
    for name, (soft, hard) in order["rlimits"].items():
        resource.setrlimit(getattr(resource, "RLIMIT_" + name), (soft, hard))
    if rules is not None:
        _call(_RESTRICT, rules, 0)
    os.closerange(3, 1024)
    if order["filter"]:
        code = ctypes.create_string_buffer(bytes.fromhex(order["filter"]))
        program = struct.pack("HxxxxxxP", len(code.raw) // 8, ctypes.addressof(code))
        kept = ctypes.create_string_buffer(program)
        _prctl(_SECCOMP, _FILTER_MODE, ctypes.c_void_p(ctypes.addressof(kept)))
    os.write(1, b"ready\n")
    line = b""
    while not line.endswith(b"\n"):  # a byte at a time: what follows is the program's input
        line += os.read(0, 1) or os._exit(1)
    _become_program(order["argv"], order["environment"])


def _become_program(argv: list[str], environment: dict[str, str]) -> NoReturn:
    """Find the program as a shell does, and run it; no module can be imported here any more."""
    name, code, why = argv[0], 127, "not found"
    folders = [""] if "/" in name else [f"{f}/" for f in environment["PATH"].split(":")]
    for folder in folders:
        try:
            os.execve(folder + name, argv, environment)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError) as error:
            code, why = 126, str(error)
    os.write(2, f"{name!a}: {why}\n".encode())
    os._exit(code)


def main() -> None:
    """Run the order that is in the file whose descriptor is the first argument."""
    with open(int(sys.argv[1]), "rb") as file:
        file.seek(0)
        order: dict[str, Any] = json.load(file)
    walls, launcher = order["walls"], order["launcher"]
    rules = _files_of(order) if walls else None
    if order["uid"] is not None:
        _become(order["uid"])
    _prctl(_SUBREAPER, 1)
    _prctl(_NO_NEW_PRIVS, 1)
    if walls:
        _call(_RESTRICT, _ruleset(0, 0, ALL_SCOPES), 0)
        try:
            os.kill(launcher, 0)
        except PermissionError:
            pass
        else:  # kill(-1) would reach out
            sys.exit("the kernel does not scope signals")
    signal.signal(signal.SIGTERM, lambda *_: _end_all(walls))
    _prctl(_DEATH_SIGNAL, signal.SIGTERM)
    if os.getppid() != launcher:
        sys.exit("the launcher is gone")
    here = os.getpid()
    program = os.fork()
    if program == 0:
        try:
            _run_program(order, rules, here)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(1)
    nowhere = os.open("/dev/null", os.O_RDWR)
    for number in range(3):  # the pipes end with the program's
        os.dup2(nowhere, number)
    os._exit(_wait_for(program, walls))


if __name__ == "__main__":
    main()
