"""Programs that try to get out of the sandbox, or over its budget, as data in `programs/*.txt`.

Each is the body of a Python program below a line `== name (verdicts)`. `T` holds what the range
passes to it (paths, ports, process ids of targets outside); `won(...)` reports that something
forbidden was done, for acts that nobody outside can observe. The other acts are judged by the
range in `sandbox/test_attacks.py`: the secret in what came back, a changed file, a connection, a
dead victim, a process that is left. A program that is stopped by an `OSError` was stopped; any
other end without "tried" is a fault of the attack itself.
"""

import re
from dataclasses import dataclass
from pathlib import Path

PRELUDE = """
import ctypes, glob, json, os, signal, socket, subprocess, sys, threading, time
T = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
def won(*what):
    print(T["won"], *what, flush=True)
def call(name, *arguments):
    return libc.syscall(T["calls"][name], *(ctypes.c_long(a) for a in arguments))
def errno_of(name, *arguments):
    return ctypes.get_errno() if call(name, *arguments) == -1 else 0
def show(path):
    try:
        with open(path, "rb") as file:
            print(file.read(100_000).decode("utf-8", "replace"), flush=True)
    except OSError as error:
        print(path, error)
def opens(path, flags=os.O_RDONLY):
    try:
        os.close(os.open(path, flags))
        return True
    except OSError:
        return False
"""


@dataclass(frozen=True)
class Attack:
    """One program, and the verdicts with which its call may end."""

    name: str
    source: str
    verdicts: tuple[str, ...] = ("ok",)
    bare: bool = False  # harmless, and succeeds without a sandbox: the range can observe it

    @property
    def program(self) -> str:
        """The whole program."""
        body = "\n".join("    " + line for line in self.source.splitlines())
        stopped = "except OSError as error:\n    print('stopped', error)\nprint('tried')\n"
        return f"{PRELUDE}\ntry:\n{body}\n{stopped}"


def load(*files: str) -> tuple[Attack, ...]:
    """Read the attacks of these files of `programs/`, in their order."""
    attacks = []
    for file in files:
        text = (Path(__file__).parent / "programs" / f"{file}.txt").read_text("utf-8")
        for name, words, source in re.findall(
            r"^== ([^(\n]+?)(?: \(([^)\n]+)\))?\n(.+?)(?=^== |\Z)", text, re.MULTILINE | re.DOTALL
        ):
            marks = words.replace("any end", "ok, error, time, memory, killed").split(", ")
            verdicts = tuple(mark for mark in marks if mark not in ("", "bare")) or ("ok",)
            attacks.append(Attack(name, source.strip(), verdicts, "bare" in marks))
    return tuple(attacks)


ATTACKS = load("reading", "writing", "network", "processes", "time", "budgets", "kernel", "results")
SHARED = load("shared")  # what only a level without namespaces must fear
ON_THE_SERVER = load("server")  # a warm sandbox has a first process that stays between calls
RESTLESS = load("restless")  # ways to run on between two cells, when all have been stopped
