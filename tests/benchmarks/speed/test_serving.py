"""The benchmark of a server counts steps and finds a leak."""

import asyncio

import pytest

pytest.importorskip("mcp_types", reason="the extra `serve` is not installed")

from helpers.serving import metric, running
from zerogym.benchmarks.speed import serving
from zerogym.serve import Limits, World

FOUR_ROOMS = World("zerogym/FourRooms-v0")


def test_steps_are_counted_and_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with running([FOUR_ROOMS], limits=Limits(sessions=100)) as address:
        found = asyncio.run(serving.rate(address, clients=3, seconds=1.0))
        counted = metric(address, "steps_total")
        # A step may be on its way when the time is over.
        assert 0 < found <= counted + 1
        assert serving.leaks(FOUR_ROOMS, address, 30) == 0
        assert metric(address, "sessions") == 0
        monkeypatch.setattr(serving, "REPLY", "<answer>2</answer>")
        other = World("zerogym/FourRooms-v0", {"task": "goal_1_1"})
        assert serving.leaks(other, address, 5) > 0
        asyncio.run(serving.open_and_close(address, 60, at_once=30))
        assert metric(address, "sessions_total") >= 98
