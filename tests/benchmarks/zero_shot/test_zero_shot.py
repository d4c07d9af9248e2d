"""The table of zero-shot agents: what is run, what is kept, and its numbers by hand."""

from pathlib import Path

import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.benchmarks.zero_shot.data import data_of
from zerogym.benchmarks.zero_shot.runner import Plan, identity, run_zero_shot
from zerogym.benchmarks.zero_shot.suite import MOST_TASKS, RIVALS, ZeroShotEntry, ZeroShotWorld
from zerogym.benchmarks.zero_shot.table import long_rows, markdown, tabulate
from zerogym.errors import UnknownName

SMALL = ZeroShotWorld("open", "zerogym/OpenGrid-v0", {"layout": "open_3"}, steps=600)
PSM = ZeroShotEntry("PSM", {"part": "psm"}, 40)
PLAN = Plan((SMALL,), (PSM,), RIVALS, seeds=2)


def test_a_run_is_kept_and_continued_and_its_numbers_are_right(tmp_path: Path) -> None:
    events = []
    records = run_zero_shot(PLAN, tmp_path, events.append)
    cells = [record for record in records if record["kind"] == "cell"]
    assert len(cells) == 2 * (len(RIVALS) + 1)
    rows = {row.kind: row for row in tabulate(PLAN, records)}
    # On an open grid the straight line and one step of improvement are optimal for single goals,
    # and so are all that plan; with penalties only those are.
    assert set(rows) == {"goal", "multi goal", "goal penalty", "smooth"}
    # The ends of the scale, by their own policies.
    for row in rows.values():
        assert row.scores["random"].value == pytest.approx(0.0, abs=1e-9)
        assert row.scores["oracle"].value == pytest.approx(1.0, abs=1e-9)
    for name in {*RIVALS, "PSM"} - {"random"}:
        assert rows["goal"].scores[name].value == pytest.approx(1.0, abs=1e-6)
    penalty = rows["goal penalty"].scores
    assert penalty["plan on counts"].value == pytest.approx(1.0, abs=1e-6)
    assert penalty["greedy on random's Q"].value < 0.9
    again = run_zero_shot(PLAN, tmp_path)
    assert [record for record in again if record["kind"] == "cell"] == cells
    changed = PLAN._replace(entries=(ZeroShotEntry("PSM", {"part": "psm"}, 41),))
    assert len([r for r in run_zero_shot(changed, tmp_path) if r["kind"] == "cell"]) == 2 * (
        len(RIVALS) + 2
    )
    assert "| open | goal |" in markdown(PLAN, rows.values())


def test_means_and_intervals_by_hand() -> None:
    world, other = SMALL, ZeroShotEntry("A", {"part": "psm"}, 1)
    plan = Plan((world,), (other,), (), seeds=2)
    records = [
        {**identity(world, other, seed), "scores": {"goal": {"x": score, "y": score + 0.2}}}
        for seed, score in ((0, 0.2), (1, 0.6))
    ]
    ((_, kind, agent, value, low, high, seeds),) = long_rows(tabulate(plan, records))
    assert (kind, agent, seeds) == ("goal", "A", 2) and value == pytest.approx(0.5)
    assert (low, high) == pytest.approx((0.3, 0.7))


def test_agents_of_a_seed_share_their_data() -> None:
    one, other, next_one = data_of(SMALL, 3), data_of(SMALL, 3), data_of(SMALL, 4)
    np.testing.assert_array_equal(one.actions, other.actions)
    assert not np.array_equal(one.actions, next_one.actions)


def test_parts_of_the_plan_by_name() -> None:
    plan = Plan().only(["cliff", "FB"])
    assert [world.name for world in plan.worlds] == ["cliff"] and not plan.rivals
    assert Plan().only(["U-map"]).rivals == RIVALS
    with pytest.raises(UnknownName, match="cliff"):
        Plan().only(["clif"])
    assert MOST_TASKS > 0
