"""The audit finds planted defects, each by the check that is made for it, and nothing else."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import helpers.audited  # noqa: F401 (registers the planted environments)
from helpers.dying_parents import wait_until
from zerogym.benchmarks import audit as audit_by_id
from zerogym.benchmarks.auditing import hostile
from zerogym.benchmarks.auditing.checks import findings
from zerogym.benchmarks.auditing.children import Result
from zerogym.benchmarks.auditing.draws import count_lines
from zerogym.benchmarks.auditing.runner import Report, audit, read_json, write_json
from zerogym.benchmarks.auditing.subject import (
    QUICK,
    NotAuditable,
    Size,
    Subject,
    own_answer,
    own_reply,
    text_tasks,
)
from zerogym.cli import app
from zerogym.errors import SandboxUnavailable, UnknownName

# planted defect: the checks that must fail, in the order of the checks
EXPECTED = {
    "Sound": [],
    "OwnAnswer": ["own answer"],
    "AnyAnswer": ["wrong answers", "constant answer", "hostile replies"],
    "Distractor": ["wrong answers"],
    "Constant": ["constant answer"],
    "Eval": ["wrong answers", "constant answer", "hostile replies"],
    "Hang": ["hostile replies"],
    "Crash": ["hostile replies"],
    "NoneCrash": ["hostile replies"],
    "GlobalRandom": ["determinism"],
    "HashSeed": ["determinism"],
    "Shared": ["determinism"],
    "Shrinks": ["difficulty"],
    "Stream": ["seeds overlap", "splits overlap", "difficulty"],
}


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    subjects = [Subject(f"helpers.audited:Planted/{defect}-v0") for defect in EXPECTED]
    size = Size(15, 20, 25, 200, 80, 150, 2, (0.0, 1.0, 2.0), 6, 0.05)
    found = audit(subjects, size, 60, 2, lambda report, finding: None)
    return dict(zip(EXPECTED, found, strict=True))


@pytest.mark.proof
@pytest.mark.parametrize("defect", EXPECTED)
def test_a_planted_defect_is_found(defect: str, reports: dict[str, Report]) -> None:
    report = reports[defect]
    failed = [finding.check for finding in report.findings if finding.status == "fail"]
    assert set(EXPECTED[defect]) <= set(failed), report.findings
    if defect in ("Sound", "Constant", "Distractor", "Hang", "Crash", "NoneCrash", "Shrinks"):
        assert failed == EXPECTED[defect], report.findings
    assert report.clean == (not EXPECTED[defect])


@pytest.mark.proof
def test_the_json_keeps_every_number(reports: dict[str, Report], tmp_path: Path) -> None:
    write_json(reports.values(), tmp_path / "audit.json")
    found = read_json(tmp_path / "audit.json")
    assert found["helpers.audited:Planted/Sound-v0"] == {
        f.check: f for f in reports["Sound"].findings
    }
    floor = found["helpers.audited:Planted/Sound-v0"]["constant answer"].measured["overall"]
    assert floor < 0.02  # five random digits


@pytest.mark.proof
def test_the_floor_is_the_best_constant(reports: dict[str, Report]) -> None:
    finding = reports["Constant"].of("constant answer")
    assert finding is not None
    assert finding.measured["categories"][""]["answer"] == "0"
    assert finding.measured["overall"] == pytest.approx(0.5, abs=0.12)  # half of the problems


@pytest.mark.proof
def test_hostile_replies_are_named(reports: dict[str, Report]) -> None:
    faults = {d: reports[d].of("hostile replies").measured["faults"] for d in EXPECTED}  # type: ignore[union-attr]
    assert set(faults["Hang"]) == {"power tower as answer", "power tower", "power tower in a box"}
    assert all(fault.startswith("hangs") for fault in faults["Hang"].values())
    assert all(fault.startswith("crashes") for fault in faults["Crash"].values())
    assert {"None", "a list", "an int"} <= set(faults["NoneCrash"])
    assert "power tower as answer" in faults["Eval"]


def test_a_child_is_replaced_when_it_is_lost() -> None:
    code = """
import json, os, sys, time
from zerogym.benchmarks.auditing.children import run_items

def work(item):
    if item == "hang": time.sleep(60)
    if item == "die": os._exit(1)
    if item == "raise": raise KeyError("x")
    if item == "eat": return len(bytearray(64 * 2**30))
    print("noise")
    return item

items = ["a", "hang", "b", "die", "raise", "eat", "c"]
print(json.dumps([r.verdict for r in run_items(work, items, 1.0)]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    verdicts = ["ok", "hung", "ok", "crashed", "raised", "raised", "ok"]
    assert json.loads(done.stdout) == verdicts


def test_lines_are_counted() -> None:
    def work(n: int) -> int:
        total = 0
        for i in range(n):
            total += i
        return total

    assert count_lines(lambda: work(20)) - count_lines(lambda: work(10)) == 2 * 10


def test_answers_are_compared_without_the_work_of_tools() -> None:
    env = Subject("zerogym/Notebook-v0").make()
    env.reset(seed=0)
    assert str(own_reply(env)).startswith("```python")
    assert str(own_answer(env)).startswith("<answer>")
    env = Subject("zerogym/Countdown-v0").make()
    env.reset(seed=0)
    assert own_answer(env) == own_reply(env)


def test_only_tasks_with_the_tag_need_a_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(level: str) -> None:
        raise SandboxUnavailable("no namespaces")

    monkeypatch.setattr("zerogym.benchmarks.auditing.subject.Sandbox", missing)
    assert Subject("zerogym/Countdown-v0").sandbox_missing() == ""
    subject = Subject("zerogym/Notebook-v0")
    (finding,) = findings(subject, QUICK, 20)  # a reason, and no fault
    assert (finding.check, finding.status) == ("make", "skip")
    assert "no namespaces" in finding.says
    assert Report(subject, [finding]).clean


def test_every_text_task_of_a_family_is_audited() -> None:
    names = {str(subject) for subject in text_tasks("reasoning")}
    assert "zerogym/Countdown-v0" in names
    assert {"zerogym/FourRooms-v0?view=text"} <= {str(s) for s in text_tasks("control")}


def test_what_cannot_be_audited_says_why() -> None:
    with pytest.raises(NotAuditable, match="text actions"):
        Subject("zerogym/PointMaze-v0").make()
    with pytest.raises(NotAuditable, match="No module named"):
        Subject("no_such_module:Some/Env-v0").make()
    assert Subject.parse('a/B-v0?x=2&y="2"&z=two').kwargs == {"x": 2, "y": "2", "z": "two"}


def test_the_command_fails_if_an_environment_does(tmp_path: Path) -> None:
    command = ["audit", "--quick", "--out", str(tmp_path / "a.json")]
    run = CliRunner().invoke(app, [*command, "chain_sum", "nowhere/Nothing-v0"])
    assert run.exit_code == 1
    assert "Namespace nowhere not found" in run.output
    assert "1 of 2 environments are not clean" in run.output
    assert set(read_json(tmp_path / "a.json")) == {"zerogym/ChainSum-v0", "nowhere/Nothing-v0"}
    run = CliRunner().invoke(app, ["audit", "countdwn"])
    assert run.exit_code == 2
    assert "Did you mean 'Countdown'" in run.output
    assert CliRunner().invoke(app, ["audit"]).exit_code == 2


def test_known_findings_are_shown_and_do_not_fail(tmp_path: Path) -> None:
    planted = "helpers.audited:Planted/Distractor-v0"
    command = ["audit", "--quick", "--check", "wrong answers", planted]
    assert CliRunner().invoke(app, command).exit_code == 1
    (known := tmp_path / "known.json").write_text(
        json.dumps({planted: {"wrong answers": "a distractor scores"}})
    )
    run = CliRunner().invoke(app, [*command, "--known", str(known)])
    assert run.exit_code == 0, run.output
    assert "a distractor scores" in " ".join(run.output.split())
    known.write_text(
        json.dumps({planted: {"wrong answers": "", "own answer": "", "hostile replies": ""}})
    )
    both = [*command, "--check", "own answer", "--known", str(known)]
    shown = " ".join(CliRunner().invoke(app, both).output.split())
    assert f"stale: {planted}: own answer does not fail" in shown
    assert shown.count("stale:") == 1, "of the checks that ran"
    known.write_text(json.dumps({planted: {"hostile replies": "another check"}}))
    assert CliRunner().invoke(app, [*command, "--known", str(known)]).exit_code == 1
    known.write_text("[]")
    assert CliRunner().invoke(app, [*command, "--known", str(known)]).exit_code == 2


OTHER = "helpers.audited:Planted/Sound-v0?difficulty=0.125"  # distinct from other audits


def test_ctrl_c_keeps_what_is_done_and_leaves_no_process(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "zerogym", "audit", "--quick", "--processes", "1"]
    command += ["--out", str(tmp_path / "a.json"), OTHER, "Countdown"]
    path = os.pathsep.join(path for path in sys.path if path)
    run = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": path, "FORCE_COLOR": "1", "COLUMNS": "200"},
    )  # fmt: skip
    assert run.stdout is not None
    output = ""
    while f"{OTHER}: " not in output:  # the progress bar names the check that was done last
        output += os.read(run.stdout.fileno(), 4096).decode("utf-8", "ignore")
        assert run.poll() is None, output
    children = _audit_processes()
    assert children
    run.send_signal(signal.SIGINT)
    output, _ = run.communicate(timeout=60)
    assert run.returncode == 130, output
    assert wait_until(lambda: not set(children) & set(_audit_processes()))
    kept = read_json(tmp_path / "a.json")[OTHER]
    assert kept and all(finding.status != "fail" for finding in kept.values())


def _audit_processes() -> list[str]:
    """Processes that run the checks, and their forks."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes()
            if b"zerogym.benchmarks.auditing.checks" in words and b"0.125" in words:
                found.append(entry.name)
    return found


def test_the_public_function_takes_names_and_arguments() -> None:
    reported: list[str] = []
    (report,) = audit_by_id(
        "countdown?difficulty=0", ["own answer"], quick=True,
        on_finding=lambda report, finding: reported.append(finding.check),
    )  # fmt: skip
    assert report.clean and str(report.subject) == "zerogym/Countdown-v0?difficulty=0"
    assert reported == ["own answer"]
    with pytest.raises(UnknownName, match="Did you mean 'own answer'"):
        audit_by_id("Countdown", ["own anser"])
    with pytest.raises(UnknownName, match="Did you mean 'Countdown'"):
        audit_by_id(["Countdwn"])


def test_a_reply_is_late_only_if_it_is_late_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first call of the check has late replies; the second, of these alone, has fewer."""

    def late(first: set[str], second: set[str]) -> set[str]:
        calls: list[list[str]] = []

        def run(play: Any, names: list[str], seconds: float) -> list[Result]:
            calls.append(names)
            slow = first if len(calls) == 1 else second
            wrong = {"type": "TypeError", "message": "must be a str"}
            return [
                Result("hung") if name in slow
                else Result("ok", (0.0, 0.0)) if isinstance(hostile.replies()[name], str)
                else Result("raised", wrong)
                for name in names
            ]  # fmt: skip

        monkeypatch.setattr(hostile, "run_items", run)
        found = hostile.hostile_replies(Subject("none"), QUICK)
        assert len(calls) == 1 + (0 < len(first) <= 3)
        return set(found.measured["faults"])

    assert late(set(), set()) == set()
    assert late({"NUL", "blank"}, {"NUL"}) == {"NUL"}
    many = {"NUL", "blank", "code", "nan in a box", "empty"} & set(hostile.replies())
    assert late(many, set()) == many and len(many) > 3
