"""The study of offline agents: exact rivals, exact play, and a run that goes on."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.dataset import Dataset
from zerogym.benchmarks.offline import __main__ as command
from zerogym.benchmarks.offline import agents, data, rivals, study
from zerogym.benchmarks.offline.page import ORDER, compare, page
from zerogym.benchmarks.studies.zero_shot.coverage import best_inside
from zerogym.benchmarks.studies.zero_shot.record import FIRST_SEED, Cell, read
from zerogym.benchmarks.studies.zero_shot.rivals import best_of_data, optimal
from zerogym.envs.control.tabular.dynamic_programming import evaluate_policy, value_iteration
from zerogym.envs.control.tabular.effective_horizon import effective_horizon_of

GAMMA = 0.95


def test_the_page_is_that_of_the_numbers() -> None:
    folder = Path(__file__).parents[3] / "docs/studies"
    assert page(read(folder / "offline.json")) == (folder / "offline.md").read_text("utf-8")


@pytest.mark.parametrize("name", list(data.TASKS))
def test_horizons_are_those_of_the_tasks(name: str) -> None:
    world, task = data.TASKS[name].world()
    assert effective_horizon_of(world, task, GAMMA) == data.TASKS[name].horizon > 1


def test_the_best_policy_inside_data_of_a_slippery_floor_is_the_best_by_enumeration() -> None:
    world, task = data.TASKS["slippery pits, goal"].world()
    rng, states = np.random.default_rng(3), world.num_states
    reward, every = world.reward_of(task), rng.integers(5, size=states)
    shown = np.eye(5, dtype=bool)[every]
    shown[20:23] = False  # without data: random there
    several = [0, 1, 8, 9, 10]  # in the goal's corner and on the way to it: two actions
    for state in several:
        shown[state, [0, 3]] = True
        shown[state, [1, 2, 4]] = False
    values = []
    for chosen in product([0, 3], repeat=len(several)):
        policy = shown.astype(float)
        policy[several] = np.eye(5)[list(chosen)]
        policy[20:23] = 0.2
        values.append(evaluate_policy(world.mdp.dynamics, policy, reward, GAMMA))
    best = np.max(values, axis=0)
    assert (np.ptp(values, axis=0) > 1e-3).any()
    np.testing.assert_allclose(best_inside(world, task, shown, GAMMA), best, atol=1e-8)
    found = evaluate_policy(
        world.mdp.dynamics, best_of_data(world, task, shown, GAMMA), reward, GAMMA
    )
    np.testing.assert_allclose(found, best, atol=1e-8)


def test_policies_of_data_are_their_frequencies() -> None:
    world, task = data.TASKS["rooms, penalties"].world()
    pairs = np.array([(0, 1), (0, 1), (0, 3), (2, 0), (2, 4)])
    before, actions = pairs.T
    after = world.next_state[before, actions]
    some = Dataset(world.observation_of(before), actions, world.observation_of(after))
    found = rivals.policies_of(world, task, some)
    assert tuple(found) == rivals.RIVALS
    frequencies, frequent = found[rivals.FREQUENCIES], found[rivals.FREQUENT]
    np.testing.assert_allclose(frequencies[0], [0, 2 / 3, 0, 1 / 3, 0])
    np.testing.assert_array_equal(frequent[0], [0, 1, 0, 0, 0])
    for policy in (frequencies, frequent):
        np.testing.assert_array_equal(policy[2], [0.5, 0, 0, 0, 0.5])
        np.testing.assert_array_equal(policy[1], [0.2] * 5)


def test_each_grade_has_its_share_of_optimal_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "STEPS", 1_000)
    row = data.TASKS["cliff, goal"]
    world, task = row.world()
    best = optimal(world, task, GAMMA).argmax(axis=1)
    for grade, share in data.GRADES.items():
        found = data.data_of(row, grade, 5)
        assert len(found) == data.STEPS
        right = best[world.state_of(found.observations)] == found.actions
        chance = 1 - share + share / 5
        # Six deviations of a count of independent draws.
        assert abs(right.mean() - chance) < 6 * np.sqrt(chance * (1 - chance) / data.STEPS)
    assert (data.data_of(row, grade, 5).actions == found.actions).all()
    assert (data.data_of(row, grade, 6).actions != found.actions).any()


@pytest.mark.parametrize("name", ["cliff, goal", "slippery pits, goal"])
def test_play_of_a_policy_without_memory_has_its_exact_value(name: str) -> None:
    world, task = data.TASKS[name].world()
    policy, length, starts = optimal(world, task, GAMMA), 60, list(world.mdp.starts)

    class Table:
        """Looks up the action; its memory is the number of calls."""

        def predict(self, observations: Any, state: Any, begins: Any, likeliest: bool) -> Any:
            assert likeliest and (begins == (state is None)).all()
            return policy[world.state_of(observations)].argmax(axis=1), (state or 0) + 1

    # The same sum by powers of the policy's matrix.
    chances = (world.mdp.probabilities * policy[:, :, None]).sum(axis=1)  # (S, S)
    reward = (world.reward_of(task) * policy).sum(axis=1)
    there, total = np.bincount(starts, minlength=len(policy)) / len(starts), 0.0
    for step in range(length):
        total += GAMMA**step * float(there @ reward)
        there = there @ chances
    found = agents.played(world, task, Table(), length, 200, 0)
    if world.mdp.is_deterministic:
        assert found == pytest.approx(total, abs=1e-9)
    else:  # 200 episodes from each of 58 starts, whose returns are in [0, 20]
        most = value_iteration(world.mdp.dynamics, world.reward_of(task), GAMMA)[0].max()
        assert abs(found - total) < 6 * most / 2 / np.sqrt(200 * len(starts))


def test_above_means_on_every_seed() -> None:
    assert compare({"10": 0.5, "11": 0.2}, {"10": 0.4, "11": 0.1}) == 1
    assert compare({"10": 0.3, "11": 0.0}, {"10": 0.4, "11": 0.1}) == -1
    assert compare({"10": 0.9, "11": 0.103}, {"10": 0.4, "11": 0.1}) == 0


def test_a_run_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {name: replace(each, updates=1, hidden=4) for name, each in agents.AGENTS.items()}
    monkeypatch.setattr(agents, "AGENTS", small)
    monkeypatch.setattr(agents, "SEQUENCES", replace(agents.SEQUENCES, updates=1, width=4))
    monkeypatch.setattr(agents, "LENGTH", 5)
    monkeypatch.setattr(data, "STEPS", 60)
    done: list[int] = []

    def measure(cell: Cell, seed: int) -> Any:
        done.append(seed)
        if len(done) == 2:
            raise KeyboardInterrupt
        return study.measure(cell, seed)

    cells = (Cell("rooms, penalties", study.EVERYONE),)
    monkeypatch.setattr(command, "STUDY", replace(study.STUDY, cells=cells, measure=measure))
    app = typer.Typer()
    app.command()(command.main)
    call = ["--out", str(tmp_path), "--seeds", "2"]
    stopped = CliRunner().invoke(app, call)
    assert stopped.exit_code == 130 and "stopped; what was measured is in" in stopped.output
    first = read(tmp_path / "offline.json")["cells"]
    ended = CliRunner().invoke(app, call, env={"COLUMNS": "200"})
    assert ended.exit_code == 0, ended.output
    assert done == [FIRST_SEED, FIRST_SEED + 1, FIRST_SEED + 1]
    kept = read(tmp_path / "offline.json")["cells"]
    assert kept[0] == first[0] and len(kept) == 2
    for row in kept:
        assert set(row["scores"]) == set(ORDER)
        for grade in data.GRADES:
            assert row["scores"]["random"][grade] == {"goal_penalty_5": 0.0}
            assert row["scores"]["oracle"][grade] == {"goal_penalty_5": 1.0}
    again = study.measure(cells[0], FIRST_SEED)
    rounded = {
        who: {
            grade: {task: round(x, 4) for task, x in tasks.items()} for grade, tasks in by.items()
        }
        for who, by in again.items()
    }
    assert rounded == kept[0]["scores"]
    text = (tmp_path / "offline.md").read_text("utf-8")
    assert "## Data: random actions" in text and "| oracle | 1.00 | 1.00 |" in text
    broken = CliRunner().invoke(app, ["--out", str(tmp_path), "--seeds", "3"])
    assert broken.exit_code == 2 and "other settings" in broken.output
