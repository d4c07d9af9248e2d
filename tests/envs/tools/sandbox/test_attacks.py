"""No attack gets out of the sandbox, none passes its budget, and what should run runs.

The same file runs as root and as an ordinary user: `test_as_user.py` starts it as one.
"""

import os
import resource
from pathlib import Path

import pytest

from helpers.sandbox.attack_range import (
    LIMITS,
    alive,
    check_bounds,
    end,
    host,
    most_while,
    needs_sandbox,
    shoot,
    shoot_bare,
    wait_for,
)
from helpers.sandbox.attacks import ATTACKS, SHARED, Attack
from zerogym.envs.tools.sandbox import Sandbox


def test_there_are_enough_attacks() -> None:
    assert len(ATTACKS) >= 60
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)


@needs_sandbox
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_the_sandbox_holds(sandbox: Sandbox, attack: Attack) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with host() as one:
        result = shoot(sandbox, attack, one)
        assert one.escapes(result) == [], result
    assert result.verdict in attack.verdicts, result
    check_bounds(result, attack)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 64 * 1024, "the launcher grew"


@pytest.mark.parametrize(
    "attack",
    [attack for attack in (*ATTACKS, *SHARED) if attack.bare],
    ids=lambda attack: attack.name,
)
def test_the_range_sees_an_attack_that_succeeds(attack: Attack) -> None:
    with host() as one:
        try:
            result = shoot_bare(attack, one)
            assert one.escapes(result), result
        finally:
            end(one.mark)


@needs_sandbox
def test_no_more_processes_than_allowed(sandbox: Sandbox) -> None:
    (attack,) = (attack for attack in ATTACKS if attack.name == "fork without end")
    with host() as one:
        most, _ = most_while(lambda: len(alive(one.mark)), lambda: shoot(sandbox, attack, one))
    # The launcher's child, the waiting shell, and what was counted while it was replaced.
    assert LIMITS.processes <= most <= LIMITS.processes + 4


@needs_sandbox
def test_nothing_is_left_after_all_of_it(sandbox: Sandbox) -> None:
    """Not even a descriptor, a zombie, or a file system of ours."""
    sandbox.run(["true"])
    descriptors, mounts = len(os.listdir("/proc/self/fd")), Path("/proc/self/mounts").read_text()
    for _ in range(20):
        sandbox.run(shell="sleep 100 & (setsid sleep 100 &) ; true")
    assert len(os.listdir("/proc/self/fd")) <= descriptors  # what tests before left may close
    assert Path("/proc/self/mounts").read_text() == mounts
    assert wait_for(lambda: zombies() == [])


def zombies() -> list[str]:
    """Dead children of this process that nobody waited for."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] == "Z" and int(fields[1]) == os.getpid():
            found.append(path.parent.name)
    return found
