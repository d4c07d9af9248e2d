"""Functions for the workers of tests/envs/test_workers.py."""

import os
import subprocess
import sys
import time
from typing import Any


def echo(*values: Any) -> list[Any]:
    return list(values)


def pid() -> int:
    return os.getpid()


def variable(name: str) -> str:
    return os.environ[name]


def loop() -> None:
    while True:
        pass


def power() -> int:
    return len(str(9**9**9))  # one C call that never lets go of the GIL


def sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def send_itself(number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(60)


def eat() -> int:
    return len([bytearray(2**20) for _ in range(100_000)])


def leave(code: int) -> None:
    os._exit(code)


def leave_politely() -> None:
    sys.exit(3)


def fail(message: str) -> None:
    raise KeyError(message)


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError


def fail_without_words() -> None:
    raise Unprintable


def chatter() -> str:
    print("x" * 100_000)  # noqa: T201
    os.write(1, b"y" * 100_000)
    subprocess.run(["echo", "z" * 1000], check=True)
    return "done"


def write_into_all_pipes() -> None:
    for number in range(3, 64):
        try:
            os.write(number, b"\xff" * 64)
        except OSError:
            continue
    time.sleep(60)


def what_json_cannot(kind: str) -> object:
    cyclic: list[object] = []
    cyclic.append(cyclic)
    return {"set": {1}, "function": echo, "cyclic": cyclic, "long": 10**5000}[kind]


def long_text(characters: int) -> str:
    return "a" * characters


def start_process() -> int:
    return subprocess.Popen(["sleep", "600"]).pid
