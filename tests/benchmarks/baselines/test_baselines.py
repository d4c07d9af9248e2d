"""Floors and ceilings as data: against enumeration, against playing, and after a stop."""

import itertools
import json
import math
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from typer.testing import CliRunner

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.baselines.random_and_oracle import RandomPolicy
from zerogym.benchmarks.baselines import measure as measure_module
from zerogym.benchmarks.baselines.exact import exact_returns
from zerogym.benchmarks.baselines.measure import (
    CannotMeasure,
    Request,
    about,
    control_worlds,
    measure,
    task_names,
)
from zerogym.benchmarks.baselines.store import (
    SHIPPED,
    Records,
    exact_row,
    file_of,
    load,
    merged,
    sampled_row,
    save,
)
from zerogym.benchmarks.suites.episodes import play
from zerogym.cli import app
from zerogym.errors import UnknownName

ENTRIES = {entry.name: entry for entry in control_worlds()}
MEASURED = sorted(path.stem for path in SHIPPED.glob("*.json"))


def run(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["baselines", *arguments], env={"COLUMNS": "150"})


def make_request(world: str, **kwargs: Any) -> Request:
    return Request(ENTRIES[world], **kwargs)


def rows_of(records: Records) -> dict[Any, Any]:
    return {key: (row.mean, row.seeds, row.returns) for key, row in records.rows.items()}


@pytest.mark.parametrize(
    ("id", "kwargs", "task", "horizon"),
    [
        ("Chain", {"length": 3}, "far_end", 4),
        ("FourRooms", {}, "goal_1_2", 2),
        ("FourRooms", {"ends_at_goal": True}, "goal_1_2", 3),
        ("TMaze", {"length": 2}, "treasure", 5),
    ],
)
def test_exact_returns_are_those_of_every_sequence_of_actions(
    id: str, kwargs: dict[str, Any], task: str, horizon: int
) -> None:
    """Every start, every sequence, played: the mean of all, and the best of each start."""
    env = gym.make(f"zerogym/{id}-v0", task=task, horizon=horizon, **kwargs)
    world: Any = env.unwrapped
    means, bests = [], []
    for start in world.mdp.starts:
        returns = []
        for actions in itertools.product(range(len(world.action_names)), repeat=horizon):
            env.reset(seed=0)
            world._episode.state = start
            returns.append(0.0)
            for action in actions:
                _, reward, terminated, truncated, _ = env.step(action)
                returns[-1] += float(reward)
                if terminated or truncated:
                    break
        means.append(np.mean(returns))
        bests.append(max(returns))
    found = exact_returns(world, world.tasks[task])
    assert found == (pytest.approx(np.mean(means)), pytest.approx(np.mean(bests)))
    assert found[0] < found[1]


def test_exact_returns_average_over_chance_and_end_at_the_goal() -> None:
    river: Any = gym.make("zerogym/RiverSwim-v0", task=None, horizon=2, ends_at_goal=True).unwrapped
    # From the first state: right arrives in the second with 0.6, in two tries with 1 - 0.4 ** 2.
    # Random play goes right half of the time.
    assert exact_returns(river, river.tasks["goal_2"]) == (
        pytest.approx(1 - 0.7**2),
        pytest.approx(1 - 0.4**2),
    )


def test_intervals_are_over_runs_for_those_who_learn() -> None:
    one = sampled_row("t", "sac", 10, (0,), [[1.0, 3.0]])
    assert (one.mean, one.low, one.high) == (2.0, None, None)
    three = sampled_row("t", "sac", 10, (0, 1, 2), [[1.0, 3.0], [5.0, 5.0], [2.0, 3.0]])
    assert three.mean == pytest.approx((2 + 5 + 2.5) / 3, abs=1e-6)
    assert three.low is not None and three.high is not None
    assert three.low == pytest.approx(2.0) and three.high == pytest.approx(5.0)
    values = np.random.default_rng(0).normal(10, 2, 400)
    played = sampled_row("t", "random", 0, (0,), [values])
    assert played.low is not None and played.high is not None
    half = 1.96 * values.std() / math.sqrt(400)  # what theory says of a mean
    assert played.low == pytest.approx(values.mean() - half, abs=0.05)
    assert played.high == pytest.approx(values.mean() + half, abs=0.05)
    never = sampled_row("t", "random", 0, (0,), [[0.0] * 20])
    assert never.low == 0.0 and never.high is not None and 0.05 < never.high < 0.2
    exact = exact_row("t", "exact", 0.5)
    assert exact.exact and (exact.low, exact.mean, exact.high) == (0.5, 0.5, 0.5)


def test_what_is_measured_is_what_is_played(tmp_path: Path) -> None:
    records = measure(make_request("PointMaze", tasks=("goal_left",), episodes=2), tmp_path, "c")
    env = gym.make("zerogym/PointMaze-v0", task="goal_left")
    world: Any = env.unwrapped
    rng = np.random.default_rng(0)
    for agent, act in {
        "random": lambda: world.random_action(rng),
        "straight_line": lambda: world.straight_line_action(rng),
        "oracle": world.oracle_action,
    }.items():
        returns = []
        for seed in (1_000_000, 1_000_001):
            env.reset(seed=seed)
            returns.append(0.0)
            over = False
            while not over:
                _, reward, terminated, truncated, _ = env.step(act())
                returns[-1] += float(reward)
                over = terminated or truncated
        row = records.rows["goal_left", agent, 0]
        assert row.returns[0] == pytest.approx(returns, abs=1e-5), agent
        assert row.mean == pytest.approx(np.mean(returns), abs=1e-5)
    assert set(records.rows) == {("goal_left", a, 0) for a in ("random", "straight_line", "oracle")}


def test_random_returns_of_bodies_equal_played_ones(tmp_path: Path) -> None:
    """They are simulated once for all tasks; here each task is played."""
    tasks = ("run", "flip")
    records = measure(
        make_request("Cheetah", tasks=tasks, agents=("random",), episodes=2), tmp_path, "c"
    )
    for task in tasks:
        env = gym.make("zerogym/Cheetah-v0", task=task)
        played = play([env], RandomPolicy([env]), [1_000_000, 1_000_001])
        found = records.rows[task, "random", 0].returns[0]
        assert found == pytest.approx([episode.value for episode in played], abs=1e-5)
        assert found[0] != found[1]


def test_a_finite_world_is_computed_and_draws_are_played(tmp_path: Path) -> None:
    records = measure(make_request("RiverSwim", episodes=3), tmp_path, "c")
    world: Any = gym.make("zerogym/RiverSwim-v0", task=None).unwrapped
    for name, task in world.tasks.items():
        random, best = exact_returns(world, task)
        assert records.rows[name, "random", 0].mean == pytest.approx(random, abs=1e-6)
        assert records.rows[name, "exact", 0].mean == pytest.approx(best, abs=1e-6)
        assert (name, "oracle", 0) not in records.rows
    assert len(records.rows["random_goal", "oracle", 0].returns[0]) == 3


def test_a_stop_keeps_what_is_finished_and_the_same_command_goes_on(tmp_path: Path) -> None:
    request = make_request(
        "Pendulum", tasks=("hang", "upright", "left"), agents=("random",), episodes=2
    )
    whole = measure(request, tmp_path / "whole", "c")

    def stop(what: str, done: int, total: int) -> None:
        if what.endswith("left"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        measure(request, tmp_path / "parts", "c", stop)
    info = dict(whole.about)
    kept = load("Pendulum", info, tmp_path / "parts")
    assert set(kept.rows) == {("hang", "random", 0), ("upright", "random", 0)}
    again = measure(request, tmp_path / "parts", "c")
    assert rows_of(again) == rows_of(whole) and len(again.sessions) == 2
    assert rows_of(load("Pendulum", info, tmp_path / "parts")) == rows_of(whole)
    before = file_of("Pendulum", tmp_path / "parts").read_bytes()
    measure(request, tmp_path / "parts", "another")
    assert file_of("Pendulum", tmp_path / "parts").read_bytes() == before
    more = measure(make_request("Pendulum", tasks=("hang",), agents=("random",), episodes=3),
                   tmp_path / "parts", "c")  # fmt: skip
    assert len(more.rows["hang", "random", 0].returns[0]) == 3


def test_training_runs_are_added_to_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    original = measure_module.train_sb3
    monkeypatch.setattr(
        measure_module,
        "train_sb3",
        lambda config, *rest: made.append(config) or original(config, *rest),
    )
    settings: dict[str, Any] = {"tasks": ("far_end",), "agents": ("dqn",), "episodes": 2}
    first = measure(make_request("RiverSwim", steps=150, **settings), tmp_path, "c")
    assert first.rows["far_end", "dqn", 150].seeds == (0,)
    both = measure(make_request("RiverSwim", steps=150, seeds=2, **settings), tmp_path, "c")
    row = both.rows["far_end", "dqn", 150]
    assert row.seeds == (0, 1) and row.returns[0] == first.rows["far_end", "dqn", 150].returns[0]
    assert row.low is not None
    assert [(config.algorithm, config.steps, config.seed) for config in made] == [
        ("dqn", 150, 0),
        ("dqn", 150, 1),
    ]
    assert all(config.envs == 1 and not config.settings for config in made)  # its own defaults
    other = measure(make_request("RiverSwim", steps=160, **settings), tmp_path, "c")
    assert {key[2] for key in other.rows} == {150, 160}


def test_sac_learns_where_actions_are_numbers(tmp_path: Path) -> None:
    request = make_request("Pendulum", tasks=("upright",), agents=("sac",), steps=120, episodes=2)
    events: list[tuple[str, int, int]] = []
    records = measure(request, tmp_path, "c", lambda *item: events.append(item))
    assert len(records.rows["upright", "sac", 120].returns[0]) == 2
    assert ("Pendulum upright sac seed 0", 0, 120) in events


@pytest.mark.parametrize(
    ("world", "settings", "error", "words"),
    [
        ("Pendulum", {"agents": ("dqn",)}, CannotMeasure, "take sac or ppo"),
        ("RiverSwim", {"agents": ("sac",)}, CannotMeasure, "take ppo or dqn"),
        ("Pendulum", {"agents": ("scriptd",)}, UnknownName, "'scripted'"),
        ("Pendulum", {"tasks": ("uprigt",)}, UnknownName, "'upright'"),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, world: str, settings: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        measure(make_request(world, **settings), tmp_path, "c")
    assert not list(tmp_path.iterdir())


def test_the_command_from_the_terminal(tmp_path: Path) -> None:
    arguments = ("riverswim", "--task", "far_end", "--out", str(tmp_path))
    first = run(*arguments)
    assert first.exit_code == 0, first.output
    assert "far_end" in first.output and "3.397" in first.output
    session = json.loads(file_of("RiverSwim", tmp_path).read_text())["sessions"][0]
    assert session["command"] == (
        "zerogym baselines RiverSwim --task far_end --agent random --agent scripted --agent exact"
    )
    assert session["date"] and session["packages"]["numpy"] and "processor" in session
    missing = run("RiverSwim", "Walker", "--task", "walk", "--missing", "--out", str(tmp_path))
    assert missing.exit_code == 2  # RiverSwim has no such task
    for wrong, words in (
        (("Countdown",), "not among the control worlds"),
        ((), "name a world"),
        (("Pendulm",), "Pendulum"),
        (("Pendulum", "--agent", "dqn"), "take sac or ppo"),
        (("RiverSwim", "--task", "far_edn"), "far_end"),
    ):
        found = run(*wrong, "--out", str(tmp_path))
        assert found.exit_code == 2 and words in " ".join(found.output.split()), found.output


def test_what_is_missing_is_said_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zerogym.benchmarks.baselines.store.FOLDERS", (tmp_path,))
    run("RiverSwim", "--task", "goal_1", "--agent", "random", "--out", str(tmp_path))
    messages = run("RiverSwim", "--missing", "--out", str(tmp_path)).output
    assert (
        "RiverSwim: no best return of 1 tasks\n  zerogym baselines RiverSwim --task goal_1"
        in messages
    )
    assert "no random return of 7 tasks\n  zerogym baselines RiverSwim\n" in messages
    run("RiverSwim", "--out", str(tmp_path))
    assert "Every task has" in run("RiverSwim", "--missing", "--out", str(tmp_path)).output
    bodies = run("Walker", "--task", "walk", "--missing", "--out", str(tmp_path)).output
    assert "zerogym baselines Walker --task walk\n" in bodies


def test_the_first_folder_counts_and_the_second_fills_up(tmp_path: Path) -> None:
    info = {"id": "zerogym/Chain-v0", "kwargs": {}, "horizon": 19}
    for folder, value, tasks in (("own", 1.0, ("a",)), ("shipped", 2.0, ("a", "b"))):
        records = Records("Chain", info, [{"command": "c"}])
        for task in tasks:
            records.add(exact_row(task, "exact", value))
        save(records, tmp_path / folder)
    rows = merged("Chain", info, (tmp_path / "own", tmp_path / "shipped"))
    assert {row.task: row.mean for row in rows} == {"a": 1.0, "b": 2.0}


def test_worlds_were_measured() -> None:
    assert {"RiverSwim", "PointMaze", "MiniGrid", "Pendulum", "Cheetah"} <= set(MEASURED)


@pytest.mark.parametrize("name", MEASURED)
def test_the_stored_returns_belong_to_the_world_as_it_is(name: str) -> None:
    """Exact ones are computed again (some), means are those of the returns, tasks exist."""
    world: Any = gym.make(ENTRIES[name].id).unwrapped
    info = about(world, ENTRIES[name])
    records = load(name, info, SHIPPED)
    rows = merged(name, info, (SHIPPED,))
    assert {row.task for row in rows} <= set(task_names(world))
    for row in rows:
        assert records.sessions[row.session]["command"].startswith(f"zerogym baselines {name} ")
        if not row.exact:
            mean = np.mean([np.mean(run) for run in row.returns])
            assert row.mean == pytest.approx(mean, abs=2e-6)
            assert row.low is None or row.low <= row.mean <= (row.high or 0.0)
    for task in [row.task for row in rows if row.agent == "exact"][:3]:
        found = records.rows[task, "random", 0].mean, records.rows[task, "exact", 0].mean
        assert found == pytest.approx(exact_returns(world, world.tasks[task]), abs=2e-6)
