"""No attack gets out of a warm sandbox, none breaks its server, and the next call runs."""

import json
import time
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.sandbox.attack_range import (
    LIMITS,
    WAIT_S,
    Host,
    check_bounds,
    host,
    leaks,
    needs_sandbox,
)
from helpers.sandbox.attacks import ATTACKS, ON_THE_SERVER, RESTLESS, Attack
from zerogym.envs.tools.sandbox import Sandbox
from zerogym.envs.tools.sandbox.execution import process_tree

pytestmark = needs_sandbox

EVERY = (*ATTACKS, *ON_THE_SERVER)


def source(attack: Attack, one: Host) -> str:
    """The attack as a source, with its targets as the argument."""
    return f"import sys\nsys.argv = {['', json.dumps(one.targets)]!r}\n{attack.program}"


@pytest.mark.proof
@pytest.mark.parametrize("attack", EVERY, ids=lambda attack: attack.name)
def test_a_zygote_holds(sandbox: Sandbox, attack: Attack) -> None:
    limits = replace(LIMITS, wall_s=WAIT_S) if "time" in attack.verdicts else LIMITS
    with host() as one, leaks(one), sandbox.zygote(LIMITS) as zygote:
        collect = ["result", f"folder/{Path(str(one.targets['secret'])).name}"]
        result = zygote.run(python=source(attack, one), collect=collect, limits=limits)
        assert one.escapes(result) == [], result  # nothing of it is left, before the zygote ends
        check_bounds(result, attack)
        assert result.verdict in attack.verdicts, result
        after = zygote.run(["sh", "-c", "rm -rf /task/* /tmp/* /dev/shm/*; echo next /proc/[0-9]*"])
        assert "everything is lost" not in result.reason + after.reason
    if after.verdict != "memory":  # what it left fills the folders
        assert after.stdout.startswith("next /proc/1 "), after
        assert len(after.stdout.split()) == 3, after


# Bombs take seconds each; each also goes through a zygote, above.
BOMBS_SLOWLY = [
    pytest.param(
        attack, marks=[] if attack.verdicts == ("ok",) else [pytest.mark.proof], id=attack.name
    )
    for attack in EVERY
]


@pytest.mark.proof
@pytest.mark.parametrize("attack", BOMBS_SLOWLY)
def test_a_session_holds(sandbox: Sandbox, attack: Attack) -> None:
    """A cell may leave processes, which rest; they end with the session."""
    limits = replace(LIMITS, wall_s=WAIT_S) if "time" in attack.verdicts else LIMITS
    with host() as one, leaks(one):
        with sandbox.session(LIMITS) as session:
            collect = ["result", f"folder/{Path(str(one.targets['secret'])).name}"]
            result = session.run(source(attack, one), collect=collect, limits=limits)
            check_bounds(result, replace(attack, verdicts=()))  # what it prints may be lost
            after = session.run("print('next')", limits=limits)
            check_bounds(after, replace(attack, verdicts=()))
            assert "unavailable" not in (result.verdict, after.verdict), result
            session.run("import os; os._exit(0)")
            last = session.run("print('last')")
            assert "everything is lost" not in result.reason + after.reason + last.reason
            assert one.escapes(last) == []
        assert one.escapes(result) == one.escapes(after) == [], result
    if last.verdict != "memory":
        assert last.stdout == "last\n", last


@pytest.mark.proof
@pytest.mark.parametrize("attack", RESTLESS, ids=lambda attack: attack.name)
def test_nothing_runs_between_cells(sandbox: Sandbox, attack: Attack) -> None:
    with sandbox.session(replace(LIMITS, cpu_s=5)) as session:
        session.run("import ctypes, os, signal, socket, threading, time\nlibc = ctypes.CDLL(None)")
        result = session.run(attack.source + "\ntime.sleep(0.3)")
        assert result.verdict == "ok", result
        assert result.cpu_s > 0.02, "the attack itself is broken"
        assert session._live is not None
        before = process_tree.use(session._live.started.pid, 2**40).cpu_s
        time.sleep(0.7)
        assert process_tree.use(session._live.started.pid, 2**40).cpu_s - before < 0.03
        assert session.run("6 * 7").stdout == "42\n"


@pytest.mark.parametrize("kind", ["NOFILE", "NPROC", "CPU", "FSIZE", "DATA"])
@pytest.mark.parametrize("mode", ["zygote", "session"])
def test_the_servers_limits_cannot_be_lowered(sandbox: Sandbox, mode: str, kind: str) -> None:
    act = f"import resource\nresource.prlimit(1, resource.RLIMIT_{kind}, (0, 0))"
    with sandbox.zygote(LIMITS) as zygote, sandbox.session(LIMITS) as session:
        results = [
            zygote.run(python=source) if mode == "zygote" else session.run(source)
            for source in (act, *["print('next')"] * 4)
        ]
    assert "PermissionError" in results[0].stderr
    assert [result.stdout for result in results[1:]] == ["next\n"] * 4
