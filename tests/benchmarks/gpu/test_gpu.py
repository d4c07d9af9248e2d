"""The checks of a GPU: all run at tiny sizes on a CPU, a failing one stops no other, none twice."""

import json
import signal
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from zerogym.benchmarks.gpu import __main__ as command
from zerogym.benchmarks.gpu import language, runner
from zerogym.benchmarks.gpu.checks import CHECKS
from zerogym.benchmarks.gpu.setup import Setup

CPU = Setup("cpu", smoke=True)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_all_checks_run_on_a_cpu_at_tiny_sizes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "gpu.jsonl"
    arguments = ["--device", "cpu", "--smoke", "--out", str(file), "--minutes", "60"]
    assert command.main(arguments) == 0, capsys.readouterr().out
    found = {line["check"]: line for line in lines(file)}
    assert list(found) == list(CHECKS)
    absent = {name for name, line in found.items() if "not here" in line}
    assert absent == {name for name in CHECKS if "recorded" in name}
    equal = found["replies of tiny equal the CPU's, static"]["numbers"]
    assert equal["equal tokens"] == equal["of"] and 0 <= equal["largest difference, nats"] < 1e-5
    assert found["updates of tiny"]["numbers"]["tokens/s, packed"] > 0
    for line in found.values():
        assert {"date", "python", "packages", "processor", "cuda", "seconds"} <= set(line)
    size = file.stat().st_size
    assert command.main(arguments) == 0 and file.stat().st_size == size, "no check runs twice"


def test_a_failing_check_is_a_line_and_is_tried_again(tmp_path: Path) -> None:
    file, calls, shown = tmp_path / "gpu.jsonl", [], []

    def broken(setup: Setup) -> dict[str, Any]:
        calls.append("broken")
        raise RuntimeError("no kernel image\nis available")

    def fine(setup: Setup) -> dict[str, Any]:
        calls.append("fine")
        return {"x": 1}

    def endless(setup: Setup) -> dict[str, Any]:
        time.sleep(30)
        return {}

    checks = {"broken": broken, "endless": endless, "fine": fine}
    for _ in range(2):
        left = runner.run(checks, CPU, file, 60, lambda name, line: shown.append(line), limit=0.5)
        assert left == []
    assert calls == ["broken", "fine", "broken"]
    assert shown[0]["error"] == "RuntimeError: no kernel image"
    assert shown[1]["error"].startswith("TooLong: not done")
    assert shown[2]["numbers"] == {"x": 1} and len(lines(file)) == 5
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    other = Setup("cpu", smoke=False)
    assert runner.run({"fine": fine}, other, file, 60, lambda *line: None) == []
    assert calls[-1] == "fine" and len(calls) == 4, "sizes that differ are another run"


def test_no_check_begins_when_time_is_over_and_ctrl_c_keeps_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(setup: Setup) -> dict[str, Any]:
        raise KeyboardInterrupt

    file = tmp_path / "gpu.jsonl"
    monkeypatch.setattr(command, "CHECKS", {"one": lambda setup: {"x": 1}, "two": stop})
    arguments = ["--device", "cpu", "--smoke", "--out", str(file)]
    assert command.main([*arguments, "--minutes", "0"]) == 0
    assert "no time was left for: two" in capsys.readouterr().out and not file.exists()
    assert command.main(arguments) == 130
    assert [line["check"] for line in lines(file)] == ["one"]
    assert "the same command goes on" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="no check has 'three' in its name: one; two"):
        command.main([*arguments, "--only", "three"])
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(SystemExit, match="torch finds no GPU here"):
        command.main(["--out", str(file)])


@pytest.mark.parametrize(
    ("check", "second"),
    [
        (partial(language.equal_replies, step="eager"), True),  # the CPU's are the first
        (partial(language.equal_updates, packing=False), False),
    ],
)
def test_numbers_that_are_not_those_of_the_cpu_are_an_error(
    check: Any, second: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, calls = Setup.model, []

    def changed(setup: Setup, *how: Any, **more: Any) -> Any:
        model, tokenizer = whole(setup, *how, **more)
        calls.append(model)
        if len(calls) == 1 + second:
            with torch.no_grad():
                model.model.norm.weight.mul_(1.001)
        return model, tokenizer

    monkeypatch.setattr(Setup, "model", changed)
    with pytest.raises(AssertionError, match=r"more than 0\.0001"):
        check(CPU)
    assert check(CPU), "the next two models are the same"
