"""The levels: chosen explicitly, never silently, named in every result, and really tried."""

import importlib
import importlib.util
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.sandbox.attack_range import alive, needs_sandbox, open_python, wait_for
from helpers.sandbox.controls import CONTROLS, FILES, INPUT
from zerogym.envs.tools.sandbox import Limits, Sandbox, SandboxUnavailable
from zerogym.envs.tools.sandbox.execution.execute import Call
from zerogym.envs.tools.sandbox.levels import ISOLATING
from zerogym.envs.tools.sandbox.probe import Check, Probe, probe
from zerogym.envs.tools.sandbox.result import Level, Result, Verdict
from zerogym.envs.tools.sandbox.unprivileged import landlock
from zerogym.envs.tools.sandbox.unprivileged.supervisor import OLDEST_ABI, abi
from zerogym.envs.tools.sandbox.unprivileged.work_folder import DEEPEST, WorkFolder
from zerogym.errors import UnknownName, UnsafeSandboxWarning

# Their packages have functions of the same names.
probe_file = importlib.import_module("zerogym.envs.tools.sandbox.probe")
doctor = importlib.import_module("zerogym.cli.commands.doctor")

needs_landlock = pytest.mark.skipif(abi() < OLDEST_ABI, reason="the kernel has too little")
needs_monty = pytest.mark.skipif(
    importlib.util.find_spec("pydantic_monty") is None, reason="needs pydantic-monty"
)
as_user = pytest.mark.skipif(os.geteuid() == 0, reason="level unsafe-local refuses root")


def unsafe() -> Sandbox:
    with pytest.warns(UnsafeSandboxWarning):
        return Sandbox(level="unsafe-local")


def test_an_unknown_level_is_named() -> None:
    with pytest.raises(UnknownName, match="landlock"):
        Sandbox(level="landlok")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "level",
    [
        pytest.param("strong", marks=needs_sandbox),
        pytest.param("landlock", marks=needs_landlock),
        pytest.param("monty", marks=needs_monty),
        pytest.param("unsafe-local", marks=as_user),
    ],
)
def test_every_result_says_its_level(level: Level) -> None:
    if level == "unsafe-local":
        sandbox = unsafe()
    else:
        sandbox = Sandbox(level=level, python=open_python() if level == "landlock" else None)
    assert sandbox.level == level
    for source, verdict in (("print(6 * 7)", "ok"), ("1 / 0", "error")):
        result = sandbox.run(python=source)
        assert (result.verdict, result.level) == (verdict, level), result


@needs_monty
def test_monty_runs_python_only() -> None:
    sandbox = Sandbox(level="monty")
    assert sandbox.run(python="print(input())", stdin="a line").stdout == "a line\n"
    for arguments in ({"argv": ["true"]}, {"shell": "true"}):
        with pytest.raises(ValueError, match="python= only"):
            sandbox.run(**arguments)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="brings no files back"):
        sandbox.run(python="1", collect=["x"])


# What the probe says.


@pytest.fixture
def nothing_cached() -> Iterator[None]:
    probe_file._probe.cache_clear()
    yield
    probe_file._probe.cache_clear()


def fake(monkeypatch: pytest.MonkeyPatch, held: set[Level]) -> None:
    """A machine that holds these levels."""

    def tried(level: Level, _: int) -> Probe:
        return Probe(level, (Check(f"control of {level}", level in held, "as told"),))

    monkeypatch.setattr(probe_file, "_probe", tried)


def test_the_probe_says_why_no_higher_level_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, {"landlock", "monty"})
    found = Sandbox.probe()
    assert (found.level, found.holds) == ("landlock", True)
    said = found.explain()
    assert said.index("level strong does not hold") < said.index("level landlock holds")
    assert "apt-get install bubblewrap" in said and "monty" not in said
    fake(monkeypatch, {"strong"})
    assert Sandbox.probe().explain().count("level ") == 1
    fake(monkeypatch, set())
    found = Sandbox.probe()
    assert (found.level, found.holds) == ("monty", False)
    assert found.explain().count("does not hold") == 3


@pytest.mark.parametrize("level", ISOLATING)
def test_no_level_steps_down(monkeypatch: pytest.MonkeyPatch, level: Level) -> None:
    fake(monkeypatch, {*ISOLATING} - {level})
    with pytest.raises(SandboxUnavailable, match=f"level {level} does not hold") as caught:
        Sandbox(level=level)
    for cure in probe_file.CURES[level]:
        assert cure in str(caught.value)


@pytest.mark.usefixtures("nothing_cached")
def test_a_kernel_with_too_little_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for version, said in ((0, "is none"), (5, "is version 5")):
        monkeypatch.setattr(landlock, "abi", lambda version=version: version)
        with pytest.raises(SandboxUnavailable, match=said):
            landlock.check_landlock()
    assert not probe("landlock").holds
    assert "Linux 6.12" in probe("landlock").explain()


CONTROL, READ, REACH, TAKE = (
    "control: a program runs",
    "attack: read files and environment of the launcher",
    "attack: reach the host's network and kernel",
    "attack: take memory in many processes",
)


@pytest.mark.usefixtures("nothing_cached")
@pytest.mark.parametrize(
    ("control", "read", "reach", "take", "failed"),
    [
        ("42\nseen\n", "tried\n", "tried\n", "memory", []),
        ("", "tried\n", "tried\n", "memory", [CONTROL]),
        ("42\nseen\n", "A_SECRET=/bin\ntried\n", "tried\n", "memory", [READ]),
        ("42\nseen\n", "", "tried\n", "memory", [READ]),
        ("42\nseen\n", "tried\n", "broken\ntried\n", "memory", [REACH]),
        ("42\nseen\n", "tried\n", "", "memory", [REACH]),
        ("42\nseen\n", "tried\n", "tried\n", "ok", [TAKE]),
        ("42\nseen\n", "tried\n", "tried\n", "unavailable", [TAKE]),
    ],
)
def test_the_probe_judges_what_came_back(
    monkeypatch: pytest.MonkeyPatch, control: str, read: str, reach: str, take: Verdict,
    failed: list[str],
) -> None:  # fmt: skip
    """Nothing is run here: without a sandbox the attacks would succeed."""
    answers = {"seen": control, "environ": read, "core_pattern": reach, "40M": ""}
    monkeypatch.setenv("A_SECRET", "/bin")

    def execute(level: Level, call: Call) -> Result:
        (said,) = (text for word, text in answers.items() if word in call.argv[-1])
        return Result(take if "40M" in call.argv[-1] else "ok", said)

    monkeypatch.setattr(probe_file, "execute_at", execute)
    monkeypatch.setattr(probe_file, "_find", lambda level: Check("found", True, ""))
    found = probe("strong")
    assert [check.name for check in found.checks if not check.held] == failed
    assert found.holds == (not failed)


def test_the_doctor_says_what_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, {"monty"})
    found = doctor._sandbox()
    assert found["monty"] == {}
    assert found["strong"]["control of strong"] == "as told"


def test_the_interpreter_has_to_be_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock.os, "geteuid", lambda: 0)
    landlock.check_interpreter("/usr/bin/env")
    folder = Path(os.environ.get("TMPDIR", "/tmp"), f"closed-{os.getpid()}")
    folder.mkdir(0o700)
    try:
        (folder / "python").touch(0o755)
        with pytest.raises(SandboxUnavailable, match=f"behind {folder}.*another python"):
            landlock.check_interpreter(str(folder / "python"))
    finally:
        (folder / "python").unlink()
        folder.rmdir()


# Level unsafe-local.


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
def test_without_a_sandbox_root_is_refused() -> None:
    with warnings.catch_warnings(), pytest.raises(SandboxUnavailable, match="does not run as root"):
        Sandbox(level="unsafe-local")


@as_user
def test_no_sandbox_warns_each_time() -> None:
    for _ in range(2):
        with pytest.warns(UnsafeSandboxWarning, match="isolates nothing") as caught:
            Sandbox(level="unsafe-local")
        assert caught[0].filename == __file__


@as_user
@pytest.mark.parametrize("name", [name for name in CONTROLS if name != "work folder"])
def test_what_should_run_runs(name: str) -> None:
    source, expected = CONTROLS[name]
    result = unsafe().run(python=source, stdin=INPUT, files=FILES)
    assert (result.verdict, result.stdout) == ("ok", expected), result


@as_user
def test_limits_hold_as_far_as_they_go() -> None:
    sandbox, mark = unsafe(), f"mark-{os.urandom(8).hex()}"
    cases = {
        "time": ("while True: pass", Limits(cpu_s=0.5)),
        "memory": ("kept = bytearray(10 ** 9)\nimport time; time.sleep(9)", Limits(memory_mib=100)),
        "output": ("while True: print('x' * 1000)", Limits(output_kib=10)),
    }
    for verdict, (source, limits) in cases.items():
        result = sandbox.run(python=source, limits=limits)
        assert result.verdict == verdict or "MemoryError" in result.stderr, result
    left = f"(setsid sleep 1000 {mark} &); setsid sh -c 'sleep 1000; : {mark}' & sleep 0.2"
    assert sandbox.run(shell=left).verdict == "ok"
    assert wait_for(lambda: alive(mark) == [])
    assert sandbox.run(shell="env").stdout.count("=") < 10  # nothing of this process's own


# The folder of levels without file systems of their own.


def test_a_hostile_folder_is_counted_and_removed() -> None:
    work = WorkFolder(None)
    task = Path(work.paths[0])
    (task / "file").write_bytes(bytes(100_000))
    (task / "away").symlink_to("/")
    os.mkfifo(task / "pipe")
    os.mkdir(task / "blind", 0o300)
    (task / "blind" / "inside").write_bytes(bytes(100_000))
    os.mkdir(task / "closed", 0)
    used, files = work.count(10**9, 10**6)
    assert 200_000 < used < 300_000 and files == 6
    assert work.count(50_000, 10**6)[0] > 50_000
    here = os.getcwd()
    os.chdir(task)
    for _ in range(DEEPEST - 1):
        os.mkdir("d")
        os.chdir("d")
    assert work.count(10**9, 10**6)[1] == 6 + DEEPEST - 1
    for _ in range(1500):
        os.mkdir("d")
        os.chdir("d")
    os.chdir(here)
    assert work.count(10**9, 10**6)[1] > 10**6
    work.close()
    assert not os.path.lexists(work.path)
    work.close()
