"""Work is cut for the processors that the process was granted, not for all of the machine."""

import os

import gymnasium as gym
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym import cli
from zerogym.envs.processors import processors


def _grant(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(count)), raising=False)


@pytest.mark.parametrize("count", [1, 7])
def test_threads_are_as_many_as_the_process_may_use(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _grant(monkeypatch, count)
    assert processors() == count
    envs = gym.make_vec("zerogym/Walker-v0", num_envs=9)
    assert envs._bodies._threads == count  # type: ignore[attr-defined]
    envs.close()


@pytest.mark.parametrize(("count", "sleeps"), [(cli.FEW_CORES, False), (cli.FEW_CORES - 1, True)])
def test_idle_threads_sleep_where_few_are_granted(
    count: int, sleeps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    _grant(monkeypatch, count)
    monkeypatch.setattr(os, "environ", {})
    cli.limit_spinning()
    assert ("OMP_WAIT_POLICY" in os.environ) == sleeps


def test_where_nothing_says_what_is_granted_all_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for found, expected in ((5, 5), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda found=found: found)
        assert processors() == expected
