"""The rates of functions: what is counted, and how a peer is measured in another Python."""

import sys
from pathlib import Path

import pytest

from zerogym.benchmarks.speed import function_calls
from zerogym.envs.tools.functions.env import FunctionsEnv


def test_each_row_is_measured_and_peers_where_they_are(tmp_path: Path, monkeypatch) -> None:
    script = tmp_path / "peers.py"
    script.write_text(
        "import sys\nprint('loading')\nprint(len(sys.argv[1]) * float(sys.argv[2]))\n"
    )
    monkeypatch.setattr(function_calls, "PEERS", script)
    rows = function_calls.measures(0.001, {"verifiers": "", "tau2": sys.executable})
    assert [name for name in rows if "_" in name][1:] == ["tau2_turn", "tau2_call"]
    assert rows["tau2_turn"]() == pytest.approx(9 * 0.001)
    for name in ("Functions, parallel", "NovelLib, with resets", function_calls.ALONE):
        assert rows[name]() > 0


def test_steps_are_counted_with_the_time_of_steps_or_of_all(monkeypatch) -> None:
    env = FunctionsEnv(category="multi_hop", difficulty=0)  # two calls and an answer
    env.reset(seed=0)
    now = [0.0]
    monkeypatch.setattr(function_calls.time, "process_time", lambda: now[0])

    def slow(method, seconds):
        def called(*args, **kwargs):
            now[0] += seconds
            return method(*args, **kwargs)

        return called

    monkeypatch.setattr(env, "reset", slow(env.reset, 6.0))
    monkeypatch.setattr(env, "step", slow(env.step, 0.5))
    assert function_calls.step_rate(env, 3.0, resets=False) == 2.0
    assert function_calls.step_rate(env, 3.0, resets=True) == 3 / 7.5
