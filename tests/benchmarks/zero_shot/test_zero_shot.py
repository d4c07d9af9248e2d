"""The table of zero-shot agents: what is run, what is kept, and its numbers by hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.environments import make_env
from zerogym.benchmarks.zero_shot.data import GOALS, ExpertWalks, data_of, tasks_in
from zerogym.benchmarks.zero_shot.runner import Plan, identity, run_zero_shot
from zerogym.benchmarks.zero_shot.suite import (
    EXPERT_DATA,
    MOST_TASKS,
    RIVALS,
    ZeroShotEntry,
    ZeroShotWorld,
    tasks_by_kind,
)
from zerogym.benchmarks.zero_shot.table import long_rows, markdown, tabulate
from zerogym.errors import UnknownName

SMALL = ZeroShotWorld("open", "zerogym/OpenGrid-v0", {"layout": "open_3"}, steps=600)
NARROW = ZeroShotWorld("narrow", "zerogym/FourRooms-v0", steps=600, data=EXPERT_DATA)
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


def test_a_run_may_begin_at_any_seed() -> None:
    plan = PLAN._replace(first_seed=7)
    assert {seed for _, _, seed in plan.cells()} == {7, 8}
    assert len(list(plan.cells())) == len(list(PLAN.cells()))


def distances(grid: Any, goal: int) -> NDArray[np.int64]:
    """Return the steps from each state to a goal, breadth first."""
    found = np.full(grid.num_states, -1)
    found[goal], frontier = 0, [goal]
    for state in frontier:
        before = np.flatnonzero((grid.next_state == state).any(axis=1) & (found < 0))
        found[before] = found[state] + 1
        frontier.extend(before)
    return found


def test_an_expert_goes_the_shortest_way_from_goal_to_goal() -> None:
    data, again, other = (data_of(NARROW, seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(data.actions, again.actions)
    assert not np.array_equal(data.actions, other.actions)
    grid: Any = make_env(NARROW.env, NARROW.kwargs).unwrapped
    before, after = (grid.state_of(one) for one in (data.observations, data.next_observations))
    expert, aim, aims = ExpertWalks(grid, 3), None, set()
    far = [distances(grid, goal) for goal in expert.states]
    fresh = 0  # starts of episodes at which it turns to another goal
    for step in range(len(data)):
        last, start = aim, np.array([data.starts[step]])
        chosen, aim = expert.predict(data.observations[[step]], last, start)
        if last not in (None, aim) and before[step] != expert.states[last]:
            assert data.starts[step]
            fresh += 1
        assert chosen[0] == data.actions[step]
        assert far[aim][after[step]] == far[aim][before[step]] - 1
        aims.add(aim)
    assert fresh > 0 and aims == set(range(GOALS)) and len(set(expert.states)) == GOALS
    for goal, there in enumerate(expert.states):  # kept where nothing says that an episode begins
        spot = data.observations[before != there][:1]
        for begins in (None, np.array([False])):
            assert expert.predict(spot, goal, begins)[1] == goal
    with pytest.raises(ValueError, match="data 'good': there are random and expert"):
        data_of(replace(NARROW, data="good"), 0)


def test_tasks_of_which_the_data_of_an_expert_say_nothing_are_left_out() -> None:
    grid: Any = make_env(NARROW.env, NARROW.kwargs).unwrapped
    data = data_of(replace(NARROW, steps=12), 3)
    goals = tasks_in(NARROW, grid.tasks, data)["goal, expert data"]
    entered = set(grid.state_of(data.next_observations))
    everything = tasks_by_kind(NARROW, grid.tasks)["goal, expert data"]
    reached = [t.name for t in everything if int(grid.state_of(t.goal[None])[0]) in entered]
    assert [task.name for task in goals] == reached and 0 < len(reached) < len(everything)
    assert set(tasks_in(SMALL, grid.tasks, data)) == set(tasks_by_kind(SMALL, grid.tasks))


def test_expert_data_have_rows_of_their_own(tmp_path: Path) -> None:
    plan = PLAN._replace(worlds=(SMALL, NARROW), seeds=1)
    rows = {
        (row.world, row.kind): row.scores for row in tabulate(plan, run_zero_shot(plan, tmp_path))
    }
    narrow = rows["narrow", "goal penalty, expert data"]
    assert ("open", "goal penalty") in rows and ("narrow", "goal penalty") not in rows
    # What the data show is less than the world allows, and planning on their counts finds it.
    assert narrow["best in the data"].value < 0.999 < narrow["oracle"].value
    assert identity(SMALL, PSM, 0).get("data") is None != identity(NARROW, PSM, 0)["data"]


def test_parts_of_the_plan_by_name() -> None:
    plan = Plan().only(["cliff", "FB"])
    assert [world.name for world in plan.worlds] == ["cliff"] and not plan.rivals
    assert Plan().only(["U-map"]).rivals == RIVALS
    with pytest.raises(UnknownName, match="cliff"):
        Plan().only(["clif"])
    assert MOST_TASKS > 0
