"""`zerogym infer` and `predict`: returns in new tasks, and prompts that can be played again."""

import dataclasses
import re
import shutil
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from zerogym.agents.zero_shot.adaptation import latent_search, residual
from zerogym.agents.zero_shot.adaptation.latent_search import Adapted
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.evaluation.returns import evaluate_returns
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.policy import FixedTask
from zerogym.agents.zero_shot.prompts.prompt import Prompt
from zerogym.agents.zero_shot.training.train import train
from zerogym.cli import app


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    train(FBConfig(data_steps=2000, batch_size=32, dim=8, hidden=16, updates=20), folder)
    return folder


def _run(verb: str, *arguments: object) -> Result:
    return CliRunner().invoke(app, [verb, *map(str, arguments)], env={"COLUMNS": "200"})


def _infer(*arguments: object) -> Result:
    return _run("infer", *arguments)


def _check_error(result: Result, words: str) -> None:
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())
    assert "Traceback" not in result.output


def _rows(result: Result) -> list[list[str]]:
    lines = [line for line in result.output.splitlines() if line.startswith("│")]
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines]


def test_the_table_has_the_given_tasks(run: Path, tmp_path: Path) -> None:
    reward = "0.5*smooth_1 - goal_4_5"
    goal = ",".join(["1"] + ["0"] * 44)
    result = _infer(
        *(run, "--task", "goal_1_1", "--reward", reward, "--goal", goal, "--episodes", 1),
        *("--save", tmp_path / "prompts"),
    )
    assert result.exit_code == 0, result.output
    rows = _rows(result)
    assert [row[0] for row in rows] == ["goal_1_1", reward, "goal_1_1"]
    assert rows[1][3] == "-"  # a straight line needs a goal
    for row in rows:
        assert all(re.fullmatch(r"-?\d+\.\d\d|-", cell) for cell in row[1:])
    model = FBModel.load(run / "model")
    prompts = [Prompt.load(tmp_path / "prompts" / f"{n}.json", model) for n in range(3)]
    assert prompts[0].z == prompts[2].z == tuple(model.infer_goal(np.eye(45)[0]))
    assert "0.5*smooth_1" in prompts[1].task
    assert [prompt.asked for prompt in prompts] == ["goal_1_1", reward, f"[{goal}]"]


def test_an_agent_by_name_is_trained_and_prompted(tmp_path: Path) -> None:
    folder = tmp_path / "psm"
    settings = ("--agent", "psm", "--agent.gamma", 0.9, "--data-steps", 3_000, "--updates", 181)
    trained = _run("train", "zero_shot", *settings, "--out", folder)
    assert trained.exit_code == 0, trained.output
    assert f"Next: zerogym infer {folder}" in " ".join(trained.output.split())
    assert _run("train", "zero_shot", "--resume", folder).exit_code == 0
    result = _infer(folder, "--task", "goal_1_1", "--reward", "row", "--episodes", 1)
    assert result.exit_code == 0, result.output
    assert [row[-1] for row in _rows(result)] == ["1.00", "1.00"]
    for more, words in ((("--adapt", 50), "--adapt: "), (("--save", tmp_path / "p"), "--save: ")):
        _check_error(_infer(folder, *more), f"{words}the agent of this run is none of forward")
    _check_error(_run("predict", folder, tmp_path / "psm"), "saved prompts: the agent of this run")
    _check_error(_run("train", "zero_shot", "--agent", "psn"), "did you mean 'psm'")


def test_a_searched_z_is_beside_the_inferred_one(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, search = [], latent_search.adapt

    def turned(model: FBModel, z: np.ndarray, make: Any, config: Any, task: Any) -> Adapted:
        settings.append(config)  # whether the search gains anything, the processor may decide
        return dataclasses.replace(search(model, z, make, config, task), z=-z)

    monkeypatch.setattr(latent_search, "adapt", turned)
    given = (run, "--task", "smooth_1", "--episodes", 1)
    plain = _infer(*given, "--save", tmp_path / "inferred")
    result = _infer(*given, "--adapt", 3_000, "--save", tmp_path / "found")
    assert result.exit_code == 0, result.output
    head, row = (
        [cell.strip() for cell in line.split(bar)[1:-1]]
        for bar, line in zip("┃│", _lines(result, "┃", "│"), strict=True)
    )
    assert head[-1] == "adapted" and "adapted" not in plain.output
    model = FBModel.load(run / "model")
    names = ("inferred", "found")
    inferred, found = (Prompt.load(tmp_path / name / "0.json", model) for name in names)
    assert found.z == tuple(-number for number in inferred.z)
    assert settings == [latent_search.SearchConfig(budget=3_000, seed=1)]
    env = gym.make("zerogym/UMap-v0", task="smooth_1")
    value = evaluate_returns(FixedTask(model, found.z), env, 1, seed=0)
    assert row[-1] == f"{value:.2f}"


def test_a_learned_z_is_beside_the_inferred_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {"batch_size": 32, "dim": 8, "hidden": 16, "anchors": 16, "updates": 20}
    config = FBConfig(env="zerogym/PointMaze-v0", exact=False, data_steps=500, **small)  # type: ignore[arg-type]
    train(config, tmp_path / "run")
    settings = []

    def learned(model: FBModel, z: np.ndarray, make: Any, task: Any, config: Any) -> Adapted:
        settings.append(config)
        return Adapted(-z, 0.0, 1.0, config.budget, ())

    monkeypatch.setattr(residual, "adapt_residual", learned)
    given = ("--task", "peak_1", "--episodes", 1, "--adapt", 900, "--adapt-method", "residual")
    result = _infer(tmp_path / "run", *given, "--save", tmp_path / "found")
    assert result.exit_code == 0, result.output
    model = FBModel.load(tmp_path / "run" / "model")
    task = gym.make(config.env).unwrapped.task_of("peak_1")  # type: ignore[attr-defined]
    assert settings == [residual.ReLAConfig(budget=900, gamma=config.gamma, seed=1)]
    assert Prompt.load(tmp_path / "found" / "0.json", model).z == tuple(-model.infer(task))
    again = _infer(tmp_path / "run", "--task", "peak_1", "--save", tmp_path / "found")
    _check_error(again, "holds prompts already")


def _lines(result: Result, *marks: str) -> list[str]:
    """The first line of the output that begins with each mark."""
    lines = result.output.splitlines()
    return [next(line for line in lines if line.startswith(mark)) for mark in marks]


def test_without_a_task_some_of_each_kind_are_shown(run: Path) -> None:
    result = _infer(run, "--episodes", 1)
    assert result.exit_code == 0, result.output
    names = [row[0] for row in _rows(result)]
    assert 8 <= len(names) <= 12
    assert any("smooth" in name for name in names) and any("multi_goal" in name for name in names)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--task", "smoth_1"), "Did you mean 'smooth_1'"),
        (("--reward", "goal_1_1 +"), "cannot be read"),
        (("--reward", "__import__('os').system('true')"), "is not understood"),
        (("--goal", "1,x"), "numbers with commas"),
        (("--goal", "1,0"), "goal"),
        (("--adapt", "900", "--adapt-method", "rela"), "no way to adapt 'rela'"),
        (("--adapt-method", "residual"), "needs --adapt"),
        (("--adapt", "100", "--adapt-method", "residual"), "above the 400 steps"),
        (("--adapt", "900", "--adapt-method", "residual"), "discrete actions have none"),
        (("--reward", "row > 99"), "row > 99: the reward is zero on every sample"),
        (("--task", "goal_1_1", "--episodes", "1", "--save", "/dev/null"), "cannot be kept"),
    ],
)
def test_errors_of_infer_name_the_reason(run: Path, arguments: tuple[str, ...], words: str) -> None:
    _check_error(_infer(run, *arguments), words)


def test_a_run_of_another_world_says_so(run: Path, tmp_path: Path) -> None:
    other = shutil.copytree(run, tmp_path / "other")
    settings = (other / "config.json").read_text()
    for world, words in (
        ("FourRooms", "shape (45,) and 5 discrete actions; zerogym/FourRooms-v0 has"),
        ("PointMaze", "zerogym/PointMaze-v0 has observations of shape (2,) and continuous"),
        ("Nowhere", "Nowhere"),
    ):
        (other / "config.json").write_text(settings.replace("UMap", world))
        _check_error(_infer(other, "--task", "goal_1_1"), words)


def test_a_folder_that_is_no_run_says_so(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    for folder, words in ((tmp_path, "is not a run of"), (nowhere, "there is no directory")):
        for verb, more in (("infer", ()), ("predict", ("z.json",))):
            _check_error(_run(verb, folder, *more), words)


def test_tasks_without_a_z_or_an_oracle_end_no_table(tmp_path: Path) -> None:
    """Rows of tasks for which there is a z, reasons for the others, a dash without an oracle."""
    small = {"exact": False, "data_steps": 2000, "batch_size": 32, "dim": 8, "hidden": 16}
    train(FBConfig("zerogym/KeyCorridor-v0", {"view": "numeric"}, updates=5, **small), tmp_path)  # type: ignore[arg-type]
    result = _infer(tmp_path, "--episodes", 1)
    assert result.exit_code == 0, result.output
    assert "hold_key" in [row[0] for row in _rows(result)]
    assert "hold_red_ball" not in [row[0] for row in _rows(result)]
    assert "hold_red_ball: The data never reach the reward" in result.output
    result = _infer(tmp_path, "--reward", "x", "--task", "hold_key", "--episodes", 1)
    assert result.exit_code == 0, result.output
    oracles = {row[0]: row[4] for row in _rows(result)}
    assert oracles["x"] == "-" and float(oracles["hold_key"]) > 0


def test_saved_prompts_have_the_same_returns(run: Path, tmp_path: Path) -> None:
    """A name, a reward and the numbers of a goal; files, or their folder in order."""
    goal = ",".join(["1"] + ["0"] * 44)
    given = ("--task", "goal_7_8", "--reward", "2*smooth_1", "--goal", goal)
    inferred = _infer(run, *given, "--episodes", 3, "--seed", 2, "--save", tmp_path)
    assert f"zerogym predict {run} {tmp_path}" in " ".join(inferred.output.split())
    played = _run("predict", run, tmp_path, "--episodes", 3, "--seed", 2)
    assert played.exit_code == 0, played.output
    assert [row[1:] for row in _rows(played)] == _rows(inferred)
    assert [row[0] for row in _rows(played)] == ["0.json", "1.json", "2.json"]
    one = _run("predict", run, tmp_path / "1.json", "--episodes", 3, "--seed", 2)
    assert _rows(one) == _rows(played)[1:2]
    assert _rows(_run("predict", run, tmp_path / "1.json", "--episodes", 3)) != _rows(one)


def test_the_z_of_the_file_is_played_in_another_task(run: Path, tmp_path: Path) -> None:
    model = FBModel.load(run / "model")
    z = model.infer_goal(np.eye(45)[30])
    Prompt.of(model, z, "somewhere").save(tmp_path / "z.json")
    result = _run("predict", run, tmp_path / "z.json", "--task", "smooth_1", "--episodes", 2)
    env = gym.make("zerogym/UMap-v0", task="smooth_1")
    value = evaluate_returns(FixedTask(model, z), env, 2, seed=0)
    assert _rows(result)[0][:3] == ["z.json", "smooth_1", f"{value:.2f}"]


@pytest.mark.parametrize(
    ("file", "arguments", "words"),
    [
        ("z.json", (), "does not say what pays: name it by --task"),
        ("z.json", ("--task", "smoth_1"), "Did you mean 'smooth_1'"),
        ("empty", (), "holds no prompt"),
        ("nowhere.json", (), "there is no file or directory"),
        ("z.json", ("--task", "0.5"), "names no task and no feature"),
        ("z.json", ("--task", "[1,x]"), "numbers with commas"),
        ("other.json", (), "made for another model"),
    ],
)
def test_errors_of_predict_name_the_reason(
    run: Path, tmp_path: Path, file: str, arguments: tuple[str, ...], words: str
) -> None:
    model = FBModel.load(run / "model")
    Prompt.of(model, np.ones(8, dtype=np.float32), "anything").save(tmp_path / "z.json")
    Prompt((1.0,) * 8, "", "another", "", "goal_1_1").save(tmp_path / "other.json")
    (tmp_path / "empty").mkdir()
    _check_error(_run("predict", run, tmp_path / file, *arguments), words)
