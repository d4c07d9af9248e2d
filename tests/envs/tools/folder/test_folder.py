"""The folder of an episode, and the tool that runs bash in it."""

import copy
import gzip
import io
import os
import socket
import tarfile
from pathlib import Path

import pytest

from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.tools.folder.bash import Bash, FolderState
from zerogym.envs.tools.folder.folder import BEGIN, TICK, Entry, Folder, TooLarge
from zerogym.envs.tools.sandbox import Sandbox, probe
from zerogym.errors import SandboxUnavailable, UnknownName


def run(script: str, state: FolderState) -> str:
    return Bash().call({"script": script}, state).text


def packed(**members: tuple[bytes, int]) -> bytes:
    """An archive whose headers claim these sizes."""
    file = io.BytesIO()
    for name, (content, size) in members.items():
        member = tarfile.TarInfo(name)
        member.size = size
        file.write(member.tobuf())
        file.write(content + b"\0" * (-len(content) % 512))
    return file.getvalue() + b"\0" * 1024


def test_packing_keeps_every_entry() -> None:
    folder = Folder({"a/b/c.txt": "text", "empty": b""})
    assert list(folder.entries) == ["a", "a/b", "a/b/c.txt", "empty"]
    folder.entries["link"] = Entry("link", b"a/b", 0o777)
    folder.entries["tool"] = Entry("file", b"#!/bin/sh", 0o755, BEGIN + 5)
    other = Folder({})
    other.entries = dict(folder.entries)
    other.unpack(folder.pack())
    assert other.entries == folder.entries and other.files() == folder.files()


def test_a_changed_file_gets_the_number_of_the_script_as_its_time() -> None:
    folder, other = Folder({"same": "1", "new": "1"}), Folder({"same": "1", "new": "2"})
    folder.unpack(other.pack())
    times = {path: entry.time for path, entry in folder.entries.items()}
    assert times == {"same": BEGIN, "new": BEGIN + TICK}


@pytest.mark.parametrize(
    ("archive", "error"),
    [
        (b"no archive at all" * 100, ValueError),
        (gzip.compress(packed(a=(b"", 0))), ValueError),
        (packed(a=(b"x", 2**40)), TooLarge),
        (packed(**{f"f{n}": (b"", 0) for n in range(1001)}), TooLarge),
        (packed(a=(b"x" * 512, 2000)), ValueError),
    ],
    # gzip writes the time, so that bytes as names would differ between the workers of a run.
    ids=["no archive", "compressed", "large file", "many files", "cut off"],
)
def test_what_is_no_small_archive_changes_nothing(archive: bytes, error: type[Exception]) -> None:
    folder = Folder({"a": "1"})
    with pytest.raises(error):
        folder.unpack(archive)
    assert folder.files() == {"a": b"1"} and folder.scripts == 0


@needs_sandbox
def test_files_go_from_script_to_script_and_copies_are_independent() -> None:
    state = FolderState(Folder({"a.txt": "one\n"}))
    assert run("mkdir d; mv a.txt d/b.txt; x=1; cd d; cat b.txt", state) == "one"
    branch = copy.deepcopy(state)
    assert run("echo $x; pwd; cat d/b.txt; rm -r d", state).splitlines()[1:] == [
        "/task/home",
        "one",
    ]
    assert run("find . | sort", branch).split() == [".", "./d", "./d/b.txt"]
    assert run("ls", state).startswith("(no output")
    assert state.folder.files() == {} and branch.folder.files() == {"d/b.txt": b"one\n"}
    for _ in range(2):
        run("echo 1 > $'\\xff'; echo 2 > $'a\\nb'; mkfifo pipe; chmod 0 d d/b.txt", branch)
        assert sorted(branch.folder.files().values()) == [b"1\n", b"2\n", b"one\n"]


@needs_sandbox
@pytest.mark.parametrize(
    "script",
    [
        "head -c 600000 /dev/zero > big",
        "rm -rf ../* ../.[a-z]*",
        "mkdir ../after.tar",
        "kill -9 $PPID",
        "truncate -s 10M sparse",
    ],
)
def test_a_script_that_leaves_no_small_folder_leaves_it_as_it_was(script: str) -> None:
    state = FolderState(Folder({"a": "1"}))
    result = Bash().call({"script": script}, state)
    assert not result.ok and "as they were" in result.text and not result.unavailable
    assert state.folder.files() == {"a": b"1"}


@needs_sandbox
def test_nothing_of_the_host_is_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = tmp_path / "secret"
    secret.write_text("opensesame")
    monkeypatch.setenv("ZEROGYM_SECRET", "opensesame")
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        port = server.getsockname()[1]
        state = FolderState(Folder({}))
        text = run(
            f"env; cat {secret}; echo gone > {secret}; ln -s {secret} here; cat here\n"
            f"ls {tmp_path}; cat /proc/$PPID/environ; echo hi > /dev/tcp/127.0.0.1/{port}",
            state,
        )
        with pytest.raises(TimeoutError):
            server.accept()
    assert "opensesame" not in text and "PATH=" in text
    assert secret.read_text() == "opensesame" and os.listdir(tmp_path) == ["secret"]
    assert state.folder.entries["here"].kind == "link" and state.folder.files() == {}


@pytest.mark.skipif(
    not (probe("landlock").holds and os.access("/usr/bin/python3", os.X_OK)),
    reason="no landlock, or no Python outside of a home",
)
def test_files_go_from_script_to_script_at_landlock_too(monkeypatch: pytest.MonkeyPatch) -> None:
    # A test that runs as root has an interpreter that other users cannot reach.
    sandbox = Sandbox(level="landlock", python="/usr/bin/python3")
    monkeypatch.setattr("zerogym.envs.tools.folder.bash.shared_sandbox", lambda level: sandbox)
    state = FolderState(Folder({"a.txt": "one\n"}))
    for script in ("mkdir d; mv a.txt d", "cat d/a.txt > b.txt; chmod 0 d"):
        assert Bash("landlock").call({"script": script}, state).ok
    assert state.folder.files() == {"b.txt": b"one\n", "d/a.txt": b"one\n"}


def test_a_machine_without_the_level_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(level: str) -> None:
        raise SandboxUnavailable(f"no {level}")

    monkeypatch.setattr("zerogym.envs.tools.folder.bash.shared_sandbox", none)
    with pytest.raises(SandboxUnavailable, match="no strong"):
        run("ls", FolderState())
    with pytest.raises(UnknownName, match="monty"):
        Bash("monty")
