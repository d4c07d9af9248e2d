"""The filter of system calls, run by a small machine of our own, for every architecture."""

import errno
import os
import re
import socket
import struct
from pathlib import Path

import pytest

from zerogym.envs.tools.sandbox.kernel.seccomp import ARCHITECTURES, NEWEST, compile_filter
from zerogym.envs.tools.sandbox.kernel.seccomp_shared import compile_shared_filter
from zerogym.envs.tools.sandbox.kernel.syscalls import (
    ATTRIBUTES,
    FORBIDDEN,
    JUDGED,
    LENDING,
    ON_FILES,
    ON_OTHERS,
    ON_OWN_FILES,
    ON_PROCESSES,
)

ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
MACHINES = list(ARCHITECTURES)
each_machine = pytest.mark.parametrize("machine", MACHINES)
EPERM = ERROR | errno.EPERM
SHARED = {**ON_PROCESSES, **ON_OTHERS, **ON_FILES, **ON_OWN_FILES}
OTHERWISE = {**ATTRIBUTES, **LENDING}
TABLES = {**FORBIDDEN, **JUDGED, **OTHERWISE, **SHARED}


def number_of(machine: str, name: str) -> int | None:
    return TABLES[name][MACHINES.index(machine)]


def judge(
    machine: str,
    call: int | str,
    *arguments: int,
    architecture: int | None = None,
    program: bytes | None = None,
) -> int:
    """Return the answer of the filter to a call, by number or by a name that the machine has."""
    number = number_of(machine, call) if isinstance(call, str) else call
    assert number is not None
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *padded)
    code_of_filter = compile_filter(machine) if program is None else program
    instructions = list(struct.iter_unpack("<HBBI", code_of_filter))
    at, accumulator = 0, 0
    while True:
        code, yes, no, value = instructions[at]
        at += 1
        if code == 0x06:
            return value
        if code == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
            continue
        holds = {
            0x15: accumulator == value,
            0x25: accumulator > value,
            0x45: bool(accumulator & value),
        }
        at += yes if holds[code] else no


@each_machine
def test_every_forbidden_call_is_refused(machine: str) -> None:
    known = [name for name in FORBIDDEN if number_of(machine, name) is not None]
    assert len(known) > 70
    for name in known:
        assert judge(machine, name) == EPERM, name


@each_machine
def test_all_other_calls_are_allowed(machine: str) -> None:
    """A filter that forbids everything would hold everything."""
    named = {number_of(machine, name) for name in (*FORBIDDEN, *JUDGED, *OTHERWISE)}
    others = [number for number in range(NEWEST + 1) if number not in named]
    assert len(others) > 300
    assert {judge(machine, number, 99, 99) for number in others} == {ALLOW}


@each_machine
def test_newer_calls_and_other_conventions_do_not_exist(machine: str) -> None:
    for number in (NEWEST + 1, 1000, 0x40000000, 0x40000027, 2**31 - 1, -1):
        assert judge(machine, number) == ERROR | errno.ENOSYS


@each_machine
def test_another_architecture_ends_the_process(machine: str) -> None:
    for architecture in (0x40000003, 0x40000028, *ARCHITECTURES.values()):
        if architecture != ARCHITECTURES[machine]:
            assert judge(machine, 20, architecture=architecture) == KILL


@each_machine
@pytest.mark.parametrize("name", ["socket", "socketpair"])
def test_sockets_are_local(machine: str, name: str) -> None:
    assert judge(machine, name, socket.AF_UNIX, 1) == ALLOW
    for family in (0, 2, 10, 16, 17, 38, 40, 45, 2**31, 2 | 1 << 32):
        assert judge(machine, name, family) == ERROR | errno.EAFNOSUPPORT


@each_machine
def test_no_new_namespaces(machine: str) -> None:
    assert judge(machine, "clone", 17) == ALLOW  # fork
    assert judge(machine, "clone", 0x3D0F00) == ALLOW  # a thread of the C library
    names = ("NEWNS", "NEWCGROUP", "NEWUTS", "NEWIPC", "NEWUSER", "NEWPID", "NEWNET")
    flags = (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
    for name, flag in zip(names, flags, strict=True):
        assert flag == getattr(os, f"CLONE_{name}", flag)  # Python 3.12 knows them
        assert judge(machine, "clone", flag | 17) == EPERM
        assert judge(machine, "clone", flag | 0x3D0F00) == EPERM
    assert judge(machine, "clone3") == ERROR | errno.ENOSYS


@each_machine
def test_terminals_and_personality(machine: str) -> None:
    assert judge(machine, "ioctl", 0, 0x5401) == ALLOW  # isatty
    for request in (0x5412, 0x541C, 0x5412 | 1 << 32):
        assert judge(machine, "ioctl", 0, request) == EPERM
    for persona, answer in ((0, ALLOW), (0xFFFFFFFF, ALLOW), (0x40000, EPERM)):
        assert judge(machine, "personality", persona) == answer


@each_machine
def test_no_larger_buffers_of_sockets(machine: str) -> None:
    for option in (socket.SO_SNDBUF, 32):
        answer = judge(machine, "setsockopt", 3, socket.SOL_SOCKET, option)
        assert answer == EPERM
    assert judge(machine, "setsockopt", 3, socket.SOL_SOCKET, socket.SO_REUSEADDR) == ALLOW
    assert judge(machine, "setsockopt", 3, 6, 7) == ALLOW  # another level


@each_machine
def test_no_memory_that_no_process_shows(machine: str) -> None:
    refused, private, shared = EPERM, 0x02, (0x01, 0x03)
    for more in (0, 0x20, 0x4022, 0x20022):  # of a file, anonymous, not reserved, a stack
        assert judge(machine, "mmap", 0, 4096, 3, private | more) == ALLOW
    for kind in shared:
        assert judge(machine, "mmap", 0, 4096, 3, kind, 5) == ALLOW  # a file's
        assert judge(machine, "mmap", 0, 4096, 3, kind | 0x20) == refused
    for kind in (private, *shared):
        for more in (0x40020, 0x120):  # huge pages; a stack that grows by itself
            assert judge(machine, "mmap", 0, 4096, 3, kind | more) == ERROR | errno.ENOMEM
    for names, answer in ((ATTRIBUTES, errno.EOPNOTSUPP), (LENDING, errno.EINVAL)):
        for name in names:
            assert judge(machine, name, 1, 2, 3) == ERROR | answer


@each_machine
def test_no_limits_for_the_first_process(machine: str) -> None:
    assert judge(machine, "prlimit64", 1) == judge(machine, "prlimit64", 1 | 1 << 32) == EPERM
    assert judge(machine, "prlimit64", 0) == judge(machine, "prlimit64", 2) == ALLOW


@each_machine
def test_no_lease_on_files(machine: str) -> None:
    for command in (10, 1024, 1026, 1024 | 1 << 32):
        assert judge(machine, "fcntl", 3, command) == EPERM
    for command in (0, 2, 4, 6, 8, 1030, 1031):  # copies, flags, locks, owners, sizes of pipes
        assert judge(machine, "fcntl", 3, command) == ALLOW


@each_machine
def test_the_numbers_are_those_of_the_kernel(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip(f"{HEADERS[machine]} is not installed")
    text = HEADERS[machine].read_text()
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)
    kernel = {name: int(number) for name, number in reversed(found)}
    newest = max(kernel.values())
    for name in TABLES:
        number = number_of(machine, name)
        if number is None or number <= newest:
            assert kernel.get(name) == number, name


@pytest.mark.parametrize("owns_files", [True, False])
@each_machine
def test_what_is_shared_with_the_host(machine: str, owns_files: bool) -> None:
    """The further rules, and behind them those of the filter without them."""
    program = compile_shared_filter(owns_files, machine)

    def answer(name: str, *arguments: int) -> int | None:
        number = number_of(machine, name)
        return None if number is None else judge(machine, number, *arguments, program=program)

    done, refused = ERROR | 0, EPERM
    for name in ON_PROCESSES:
        assert answer(name, 0, 0) == ALLOW
        assert answer(name, 1, 0) == answer(name, 2**31 + 5, 0) == refused
    assert answer("setpriority", 0, 7) == refused  # another process's
    assert answer("setpriority", 2, 0) == refused  # all of the user's
    assert {answer(name, 0, 0) for name in ON_OTHERS} == {refused}
    assert {answer(name) for name in ON_FILES} <= {done, None}
    assert {answer(name) for name in ON_OWN_FILES} <= {done if owns_files else ALLOW, None}
    for family in (1, 2, 10, 16, 40):
        assert answer("socket", family, 1) == ERROR | errno.EAFNOSUPPORT
    for flags in (0, socket.SOCK_NONBLOCK, socket.SOCK_CLOEXEC, 0x80800):
        assert answer("socketpair", 1, socket.SOCK_STREAM | flags) == ALLOW
        for kind in (socket.SOCK_DGRAM, socket.SOCK_SEQPACKET, 0, 3):
            assert answer("socketpair", 1, kind | flags) == ERROR | errno.EPROTONOSUPPORT
        assert answer("socketpair", 2, 1 | flags) == ERROR | errno.EAFNOSUPPORT
    named = {number_of(machine, name) for name in (*SHARED, "socket", "socketpair")}
    for number in {*range(NEWEST + 10)} - named:
        assert judge(machine, number, 99, 99, program=program) == judge(machine, number, 99, 99)


def test_a_machine_without_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match="riscv64"):
        compile_filter("riscv64")
