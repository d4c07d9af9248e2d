"""The program of a zygote's process: runs a Python source, a shell script, or a command.

It runs inside the sandbox, forked from `server.py`, and is read as text as that is. The program
finds what it would find if its interpreter had been started for it: its own `__main__`, arguments,
path and exit. Left out: `sys.flags` and modules as of a start of its own; some more are imported.
"""

import atexit
import gc
import os
import signal
import sys
import threading
from types import ModuleType
from typing import Any, NoReturn

_AT_START = frozenset(sys.modules)


def run_program(head: dict[str, Any], source: bytes) -> NoReturn:
    """Run a request; ends the process, or becomes another program."""
    written = not head["name"] or write_source(head["name"], source)
    if head["argv"]:
        execute(head["argv"] if written else [])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__dict__["__builtins__"] = sys.modules["builtins"]
    main.__dict__["__file__"] = path = "/task/" + head["name"]
    sys.argv = [head["name"]]
    sys.path.insert(0, "/task")
    code = 0
    try:
        exec(compile(source, path, "exec", dont_inherit=True), main.__dict__)
    except SystemExit as error:
        code = exit_status(error.code)
    except BaseException as error:
        if error.__traceback__ is not None:
            error.__traceback__ = error.__traceback__.tb_next  # without this frame
        sys.excepthook(type(error), error, error.__traceback__)
        code = 128 + signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    end(main, code)


def exit_status(code: object) -> int:
    """Return the status for an argument of `sys.exit`; a text is shown."""
    if code is None or isinstance(code, int):
        return (code or 0) & 0xFF if abs(code or 0) < 2**63 else 0xFF
    sys.stderr.write(f"{code}\n")
    return 1


def end(main: ModuleType, code: int) -> NoReturn:
    """End the process as an interpreter does, for what the program made.

    Its own end would clear all that was there before the program, too, which takes twice as long
    as all else that a call does.
    """
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        for name in set(sys.modules) - _AT_START:
            del sys.modules[name]
        main.__dict__.clear()
        gc.collect()
        if sys.stdout is not None and not sys.stdout.closed:
            sys.stdout.flush()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = code or 120
    os._exit(code)


def write_source(name: str, source: bytes) -> bool:
    """Make the file of a program; Python needs it only to show lines, a shell to run at all."""
    try:
        if os.path.lexists(name):
            os.unlink(name)
        with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(source)
    except OSError as error:
        sys.stderr.write(f"{name}: {error.strerror}\n")
        return False
    return True


def execute(argv: list[str]) -> NoReturn:
    """Become another program, with signals as a shell would hand them on; or fail."""
    if not argv:
        os._exit(126)
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)
    except FileNotFoundError:
        sys.stderr.write(f"{argv[0]}: not found\n")
        os._exit(127)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{argv[0]}: {error}\n")
        os._exit(126)
