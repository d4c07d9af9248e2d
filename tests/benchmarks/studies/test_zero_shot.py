"""Proofs of zero-shot agents: how they are kept and shown, and the scales they are measured on."""

import dataclasses
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.evaluation.returns import policy_score
from zerogym.benchmarks.studies.zero_shot import __main__ as command
from zerogym.benchmarks.studies.zero_shot import (
    agents,
    conservative,
    contexts,
    coverage,
    mazes,
    memory,
    narrow,
    rivals,
    rooms,
)
from zerogym.benchmarks.studies.zero_shot.record import FIRST_SEED, Cell, Proof, Scores, read, run
from zerogym.benchmarks.studies.zero_shot.table import in_markdown, lines
from zerogym.envs.control.classic.pendulum import PendulumEnv
from zerogym.envs.control.core.contexts import SPLITS
from zerogym.envs.control.tabular.dynamic_programming import evaluate_policy, value_iteration
from zerogym.envs.control.tabular.effective_horizon import effective_horizon_of
from zerogym.envs.control.tabular.layouts import greedy_policy

GAMMA = 0.95


def _proof(done: list[tuple[Cell, int]], settings: int = 1) -> Proof:
    """Two groups; the second seed of the first is interrupted the first time."""

    def measure(cell: Cell, seed: int) -> Scores:
        done.append((cell, seed))
        if len(done) == 2:
            raise KeyboardInterrupt
        return {"agent": {"goals": {"a": 0.2 + seed - FIRST_SEED, "b": 0.4, "c": math.nan}}}

    cells = (Cell("here", "agent"), Cell("there", "agent"))
    return Proof("some", "A title", "What 0 is.", {"size": settings}, cells, measure, "How.")


def _quietly(cell: Cell, seed: int, done: int, total: int) -> None:
    assert done < total == 4


def test_a_measurement_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    done: list[tuple[Cell, int]] = []
    path = tmp_path / "some.json"
    with pytest.raises(KeyboardInterrupt):
        run(_proof(done), 2, path, _quietly)
    assert len(read(path)["cells"]) == 1
    record = run(_proof(done), 2, path, _quietly)
    assert len(done) == 5 and done[1] == done[2]
    assert read(path) == record
    assert [(row["seed"], row["group"]) for row in record["cells"]] == [
        (10, "here"), (11, "here"), (10, "there"), (11, "there"),
    ]  # fmt: skip
    for other, seeds in ((_proof(done, settings=2), 2), (_proof(done), 3)):
        with pytest.raises(ValueError, match="other settings"):
            run(other, seeds, path, _quietly)
    for damaged in ("{", "[]", '{"proof": "some", "settings": {}, "provenance": {}, "cells": [1]}'):
        path.write_text(damaged)
        with pytest.raises(ValueError, match="no record"):
            run(_proof(done), 2, path, _quietly)


def test_the_mean_is_over_tasks_and_runs_and_the_interval_over_runs(tmp_path: Path) -> None:
    record = run(_proof([(Cell("", ""), 0)] * 3), 2, tmp_path / "some.json", _quietly)
    here, there = lines(record)
    assert (here.group, there.group, here.who) == ("here", "there", "agent")
    estimate = here.means["goals"]
    assert estimate.value == pytest.approx((0.3 + 0.8) / 2)  # the task without a scale is left out
    assert (estimate.low, estimate.high) == pytest.approx((0.3, 0.8))
    assert in_markdown(record).splitlines()[2] == "| here | agent | 0.55 (0.30…0.80) | 0.55 |"


def test_the_command_prints_and_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = typer.Typer()
    app.command()(command.main)
    wrong = CliRunner().invoke(app, ["mazs"], env={"COLUMNS": "200"})
    assert wrong.exit_code == 2 and "Did you mean 'mazes'" in " ".join(wrong.output.split())
    done: list[tuple[Cell, int]] = []
    monkeypatch.setattr(command, "PROOFS", {"some": _proof(done)})
    arguments = ["some", "--out", str(tmp_path / "kept"), "--seeds", "2"]
    stopped = CliRunner().invoke(app, arguments)
    assert stopped.exit_code == 130 and "what was measured is in" in stopped.output
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert "A title" in result.output and "0.55 (0.30…0.80)" in result.output
    assert "IQM" in result.output and "4 of 4" in result.output
    assert "## A title" in (tmp_path / "kept.md").read_text("utf-8")
    (tmp_path / "kept" / "some.json").write_text("{")
    broken = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert broken.exit_code == 2 and "no record" in broken.output


@pytest.fixture(scope="module")
def world() -> Any:
    return gym.make("zerogym/FourRooms-v0", task=None).unwrapped


def test_the_best_inside_data_of_one_policy_is_that_policy(world: Any) -> None:
    rng, states = np.random.default_rng(0), np.arange(world.num_states)
    task = world.tasks["goal_7_7"]
    reward, one = world.reward_of(task), rng.integers(5, size=world.num_states)
    visited = np.eye(5, dtype=bool)[one]
    expected = evaluate_policy(world.next_state, one, reward, GAMMA)
    np.testing.assert_allclose(
        coverage.best_inside(world, task, visited, GAMMA), expected, atol=1e-8
    )
    everything = coverage.best_inside(world, task, np.ones_like(visited), GAMMA)
    best, chosen = value_iteration(world.next_state, reward, GAMMA)
    np.testing.assert_allclose(everything, best, atol=1e-8)
    nothing = coverage.best_inside(world, task, np.zeros_like(visited), GAMMA)
    even = np.full((world.num_states, 5), 0.2)
    np.testing.assert_allclose(
        nothing, evaluate_policy(world.next_state, even, reward, GAMMA), atol=1e-8
    )
    # Half the states known, where the optimal action is: random elsewhere, optimal here.
    half = np.eye(5, dtype=bool)[chosen] & (states < 20)[:, None]
    mixed = np.where((states < 20)[:, None], np.eye(5)[chosen], even)
    expected = evaluate_policy(world.next_state, mixed, reward, GAMMA)
    np.testing.assert_allclose(coverage.best_inside(world, task, half, GAMMA), expected, atol=1e-8)


def test_a_score_inside_is_1_for_the_best_and_0_for_random_actions(world: Any) -> None:
    task = world.tasks["goal_7_7"]
    chosen = value_iteration(world.next_state, world.reward_of(task), GAMMA)[1]
    visited = np.eye(5, dtype=bool)[chosen]
    assert coverage.score_inside(world, task, chosen, visited, GAMMA) == pytest.approx(1)
    even: Any = np.full((world.num_states, 5), 0.2)
    assert coverage.score_inside(world, task, even, visited, GAMMA) == pytest.approx(0)
    still = np.eye(5, dtype=bool)[np.zeros(world.num_states, int)]
    assert math.isnan(coverage.score_inside(world, task, chosen, still, GAMMA))


def test_walks_cover_what_they_say(world: Any) -> None:
    found = {kind: coverage.walks(world, kind, 2_000, 3) for kind in coverage.KINDS}
    pairs = {kind: coverage.actions_in_data(world, data) for kind, data in found.items()}
    assert all(len(data) == 2_000 for data in found.values())
    assert pairs["random"].mean() > 0.99
    corner = np.array(world.layout.cells)[pairs["one corner"].any(axis=1)]
    assert (np.abs(corner - 1).sum(axis=1) < coverage.SHORT).all()
    for kind, data in found.items():
        after = world.next_state[world.state_of(data.observations), data.actions]
        assert (world.state_of(data.next_observations) == after).all()
        again = coverage.walks(world, kind, 2_000, 3)
        assert (again.actions == data.actions).all()
    # Who goes the shortest way never bumps into a wall, and stays only at a goal.
    data, up = found["goal-directed"], world.action_names.index("up")
    moves = data.actions != world.action_names.index("stay")
    assert (data.observations != data.next_observations).any(axis=1)[moves].all()
    assert pairs["goal-directed"][:, up].any() and pairs["goal-directed"].mean() < 0.8


def test_the_straight_walk_takes_the_nearest_of_several(world: Any) -> None:
    goal = world.tasks["goal_7_7"]
    expected = greedy_policy(world.layout, int(world.state_of(goal.goal)))
    np.testing.assert_array_equal(rooms.straight(world.layout, goal), expected)
    several = world.tasks["multi_goal_0"]
    policy, eye = rooms.straight(world.layout, several), np.eye(world.num_states)
    rewards_of = np.flatnonzero(several.reward(eye, np.zeros(len(eye)), eye))
    assert len(rewards_of) == 3
    for goal_state in rewards_of:  # who is there stays
        assert policy[goal_state, world.action_names.index("stay")] == 1
    # A penalty is nowhere to go to, and of a field only the top is.
    for name in ("goal_penalty_0", "smooth_0"):
        rewarded = world.tasks[name].reward(eye, np.zeros(len(eye)), eye)
        expected = greedy_policy(world.layout, int(rewarded.argmax()))
        np.testing.assert_array_equal(rooms.straight(world.layout, world.tasks[name]), expected)


def _pairs(world: Any, shown: np.ndarray) -> Dataset:
    """Each of these pairs of state and action once."""
    states, actions = np.nonzero(shown)
    after = world.next_state[states, actions]
    return Dataset(world.observation_of(states), actions, world.observation_of(after))


def test_one_step_of_improvement_solves_just_the_tasks_of_effective_horizon_1(world: Any) -> None:
    names = [f"{kind}_{n}" for kind in ("multi_goal", "goal_penalty", "smooth") for n in range(4)]
    horizons = {name: effective_horizon_of(world, world.tasks[name], GAMMA) for name in names}
    assert {1} < set(horizons.values())
    for name, k in horizons.items():
        task = world.tasks[name]
        score = policy_score(world, task, rivals.greedy_on_random(world, task, GAMMA), GAMMA)
        if k == 1:
            assert score == pytest.approx(1, abs=1e-9)
        else:  # of several greedy policies one could be optimal; here none is
            assert score < 1 - 1e-6


def test_planning_inside_data_keeps_to_them(world: Any) -> None:
    rng, task = np.random.default_rng(5), world.tasks["goal_1_1"]
    reward, everything = world.reward_of(task), np.ones((world.num_states, 5), dtype=bool)
    data = _pairs(world, everything)
    for policy in (
        rivals.planned_on_counts(world, task, data, GAMMA),
        rivals.best_of_data(world, task, everything, GAMMA),
    ):
        assert policy_score(world, task, policy, GAMMA) == pytest.approx(1)
    for _ in range(5):
        shown = rng.random((world.num_states, 5)) < 0.5
        shown[:, 4] |= ~shown.any(axis=1)  # every state has data
        inside = coverage.best_inside(world, task, shown, GAMMA)
        policy = rivals.best_of_data(world, task, shown, GAMMA)
        own = evaluate_policy(world.next_state, policy, reward, GAMMA)
        np.testing.assert_allclose(own, inside, atol=1e-8)
        counted = rivals.planned_on_counts(world, task, _pairs(world, shown), GAMMA)
        values = evaluate_policy(world.next_state, counted, reward, GAMMA)
        there = inside > 1e-8  # where the data lead to the goal; elsewhere all actions are alike
        np.testing.assert_allclose(values[there], inside[there], atol=1e-8)
        assert (counted * ~shown)[there].sum() == 0
    shown[:3] = False  # three states without data
    for policy in (
        rivals.planned_on_counts(world, task, _pairs(world, shown), GAMMA),
        rivals.best_of_data(world, task, shown, GAMMA),
    ):
        np.testing.assert_array_equal(policy[:3], 0.2)


def test_counts_of_a_slippery_floor_become_its_chances() -> None:
    """Every outcome as often as it is likely: the plan of the counts is that of the model."""
    slippery: Any = gym.make("zerogym/SlipperyGrid-v0", task=None).unwrapped
    states, actions, after = np.nonzero(slippery.P)
    often = np.rint(slippery.P[states, actions, after] * 10).astype(int)  # 0.1, 0.2, 0.8, 0.9, 1
    rows = [np.repeat(column, often) for column in (states, actions, after)]
    data = Dataset(slippery.observation_of(rows[0]), rows[1], slippery.observation_of(rows[2]))
    for name in ("goal_7_7", "goal_penalty_0"):
        task = slippery.tasks[name]
        policy = rivals.planned_on_counts(slippery, task, data, GAMMA)
        assert policy_score(slippery, task, policy, GAMMA) == pytest.approx(1)


@pytest.mark.proof
def test_optimal_actions_score_1_and_even_ones_0(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    model: Any = SimpleNamespace(act=lambda here, z: np.zeros(len(here), int), infer=lambda task: 0)
    monkeypatch.setattr(rooms, "trained", lambda config, seed: model)
    found = rooms.measure(Cell("9x9", "forward-backward"), 0)
    assert set(found["straight line"]) == set(rooms.COLUMNS)
    sizes = [len(tasks) for tasks in found["random"].values()]
    assert sizes == [world.num_states, 20, 20, 20]
    for who, score in {"random": 0, "value iteration": 1}.items():
        for tasks in found[who].values():
            assert list(tasks.values()) == pytest.approx([score] * len(tasks))
    # Who stays is rewarded for ever, in the one of all starts that is the goal.
    reward, even = world.reward_of(world.tasks["goal_7_7"]), np.full((world.num_states, 5), 0.2)
    value = 1 / (1 - GAMMA) / world.num_states
    chance = evaluate_policy(world.next_state, even, reward, GAMMA).mean()
    top = value_iteration(world.next_state, reward, GAMMA)[0].mean()
    staying = found["forward-backward"]["every goal"]["goal_7_7"]
    assert staying == pytest.approx((value - chance) / (top - chance))


def test_agents_by_name_are_measured_beside_rivals_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("scipy")
    monkeypatch.setattr(agents, "UPDATES", {"psm": 2, "hilp": 2})
    monkeypatch.setattr(agents, "STEPS", 2_000)
    monkeypatch.setattr(agents, "COLUMNS", {"smooth": "smooth_1"})
    found = [agents.measure(Cell(agents.GROUP, name), 0) for name in agents.UPDATES]
    assert set(found[0]) == {"psm", "greedy on random's Q", "straight line"}
    assert set(found[1]) == {"hilp"}
    sizes = {len(columns["smooth"]) for scores in found for columns in scores.values()}
    assert sizes == {11}  # smooth_1, smooth_10 to smooth_19
    world: Any = gym.make(agents.ENV, task=None).unwrapped
    task = world.tasks["smooth_1"]
    greedy = policy_score(world, task, rivals.greedy_on_random(world, task, GAMMA), GAMMA)
    assert found[0]["greedy on random's Q"]["smooth"]["smooth_1"] == pytest.approx(greedy)


def test_what_is_won_back_is_a_share_of_what_flickering_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = {"full view": 0.8, "no memory": 0.2, "stacked history": 0.1, "memory": 0.65}
    monkeypatch.setattr(memory, "config_of", lambda group, name: name)
    rows = {"a": 0.1, "b": -0.1}  # around the mean
    monkeypatch.setattr(
        memory,
        "_played",
        lambda name, seed: {
            task: {"score": scores[name] + more, "straight_line_score": 0.5}
            for task, more in rows.items()
        },
    )
    found = memory.measure(memory.PROOF.cells[0], 0)
    won = {name: found[name][memory.WON]["all"] for name in scores}
    assert won == pytest.approx(
        {"full view": 1.0, "no memory": 0.0, "stacked history": -1 / 6, "memory": 0.75}
    )
    assert found["memory"][memory.GOALS] == pytest.approx({"a": 0.75, "b": 0.55})


@pytest.mark.proof
def test_an_expert_walks_to_every_goal_and_repeats_itself() -> None:
    goals = ["goal_left_bottom", "goal_right_top"]
    data, again = (narrow.expert_walks(goals, 3) for _ in range(2))
    for name, column in data.columns().items():
        np.testing.assert_array_equal(column, again.columns()[name])
    tasks: Any = gym.make(narrow.BASE.env).unwrapped
    last = data.next_observations.reshape(narrow.WALKS, -1, 2)[:, -1]  # (W, 2)
    for number, name in enumerate(goals):
        away = np.linalg.norm(last[number::2] - tasks.tasks[name].goal, axis=1)
        assert (away < 0.2).all()
    assert (narrow.expert_walks(goals, 4).observations != data.observations).any()


def test_the_sensor_flickers_before_a_history_is_made_of_it() -> None:
    assert not memory.config_of("flicker 0.5", "full view").wrappers
    blind, stacked = (
        memory.config_of("flicker 0.2", name).wrappers for name in ("no memory", "stacked history")
    )
    assert blind == {"FlickeringObservation": {"probability": 0.2}}
    assert list(stacked) == ["FlickeringObservation", "ObservationHistory", "FlattenObservation"]


@pytest.mark.parametrize("view", contexts.VIEWS)
def test_every_view_plays_the_same_episodes_under_gravities_of_the_part(view: str) -> None:
    low, high = PendulumEnv.constants["gravity"].train
    for split in SPLITS:
        envs = contexts.worlds(view, split, "hang")
        assert len(envs) == contexts.EPISODES
        for seed, env in enumerate(envs):
            visited, info = env.reset(seed=seed)
            gravity = info["context"]["gravity"]
            assert (low <= gravity <= high) == (split != "extrapolation")
            plain, other = contexts.worlds("hidden", split, "hang")[0].reset(seed=seed)
            assert other["context"] == info["context"]
            newest = {"hidden": visited, "history": visited[-4:-1], "visible": visited[:3]}[view]
            np.testing.assert_array_equal(newest, plain)
            if view == "visible":
                assert visited[3] == pytest.approx((gravity - 1) / 19 * 2 - 1, abs=1e-6)


def test_mean_returns_are_those_of_plain_loops() -> None:
    envs = contexts.worlds("hidden", "train", "hang")
    total = 0.0
    for episode, env in enumerate(envs):
        env.reset(seed=7 * contexts.EPISODES + episode)
        total += sum(float(env.step([1.0])[1]) for _ in range(contexts.HORIZON))

    class Pushes:
        def predict(self, observations: Any, *_: Any) -> Any:
            return np.ones((len(observations), 1), np.float32), None

    found = contexts.mean_return(envs, Pushes(), 7)  # type: ignore[arg-type]
    assert found == pytest.approx(total / len(envs))


@pytest.mark.proof
def test_every_proof_is_measured_from_training_to_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"data_steps": 4_000, "updates": 2, "batch_size": 16, "hidden": 8, "dim": 4, "anchors": 0}

    def small(config: Any) -> Any:
        return dataclasses.replace(config, **few)

    monkeypatch.setattr(contexts, "CONFIG", small(contexts.CONFIG))
    monkeypatch.setattr(contexts, "TASKS", ("hang",))
    monkeypatch.setattr(contexts, "references", lambda split, seed: {"hang": (0.0, 100.0)})
    for module in (contexts, mazes, memory, narrow):
        monkeypatch.setattr(module, "EPISODES", 1)
    for module, settings, columns in (
        (rooms, "SETTINGS", set(rooms.COLUMNS)),
        (memory, "RUNS", {memory.GOALS, memory.WON}),
        (narrow, "RUNS", {narrow.SCORE, narrow.MADE_UP}),
        (mazes, "SETTINGS", {"goals", "peaks"}),
        (conservative, "RUNS", {conservative.INSIDE, conservative.BEST}),
        (contexts, "", set(SPLITS)),
    ):
        if settings:
            smaller = {name: small(config) for name, config in getattr(module, settings).items()}
            monkeypatch.setattr(module, settings, smaller)
        found = [module.measure(module.PROOF.cells[-1], seed) for seed in (3, 4)]
        assert found[0] != found[1]
        for scores in found:
            agent = next(iter(scores.values()))
            assert set(agent) == columns and all(agent.values())
