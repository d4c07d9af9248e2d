"""The commands on the speed of environments, updates and sandboxes say what they do, and end."""

import time

import pytest

pytest.importorskip("torch")

from helpers.sandbox.attack_range import needs_sandbox
from zerogym.benchmarks.speed import env_steps, fb, sandbox
from zerogym.benchmarks.speed.fb import Rate, Size


@needs_sandbox
def test_the_sandbox_is_measured_without_bombs_and_sessions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sandbox, "rows", lambda calls, callers: iter([("a call",) * 6]))
    sandbox.main(["--bombs", "0", "--sessions", "0"])
    shown = capsys.readouterr().out
    assert "a call" in shown and "bombs" not in shown and "sessions" not in shown
    with pytest.raises(SystemExit, match="1 or more"):
        sandbox.main(["--calls", "0"])


def test_updates_are_announced_and_rated_by_cpu_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(fb, "SIZES", (Size("tiny", 4, 8, 8),))
    monkeypatch.setattr(fb, "ROWS", 50)
    monkeypatch.setattr(fb, "MATRIX", 8)
    rows = list(fb.update_rows(None, 2, 0.001))
    assert [row[:3] for row in rows] == [("tiny", "fp32", "ours"), ("tiny", "bf16", "ours")]
    assert capsys.readouterr().err.splitlines()[:2] == [
        "tiny, fp32: round 1 of 2", "tiny, fp32: round 2 of 2",
    ]  # fmt: skip
    idle = fb.rate(lambda: time.sleep(0.01), 0.05)
    assert isinstance(idle, Rate) and idle.cpu > idle.clock, "it sleeps most of the time"


def test_the_oracles_search_is_apart_from_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Slow(env_steps.NothingEnv):
        def oracle_action(self) -> str:
            return str(sum(range(20_000)))

    played = env_steps.play(Slow(), 0.05)
    assert played.oracle_s > played.env_s, "it does nothing else"
    env_steps.main(["--seconds", "0.01", "--tasks", "Countdown"])
    shown = capsys.readouterr()
    assert shown.err == "zerogym/Countdown-v0\n" and "oracle" in shown.out
    with pytest.raises(SystemExit, match="Contdown"):
        env_steps.main(["--tasks", "Contdown"])
