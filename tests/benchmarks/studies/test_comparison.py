"""Studies: whole rows whatever interrupts them, exact tables, pages of the numbers beside them."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from safetensors.torch import load_file

from helpers.svg import texts
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.models.directories import model_directory
from zerogym.agents.llm.training.grpo import train
from zerogym.agents.trajectory import read_jsonl
from zerogym.benchmarks.studies.comparison import cell as cells
from zerogym.benchmarks.studies.comparison import runner
from zerogym.benchmarks.studies.comparison.page import page
from zerogym.benchmarks.studies.comparison.picture import study_picture
from zerogym.benchmarks.studies.comparison.record import missing, read, record_text
from zerogym.benchmarks.studies.comparison.study import RIVAL, START, Cell, Study
from zerogym.benchmarks.studies.comparison.table import lines, mean_over, signed
from zerogym.cli.settings.study import read_study
from zerogym.errors import PartFailed, UnknownName

FIRST = Path(__file__).parents[3] / "docs" / "studies" / "first"
TINY = GRPOConfig(
    env_kwargs={"difficulty": 0.5}, steps=2, prompts_per_step=2, group_size=2, max_new_tokens=8,
    eval_episodes=4, save_every=1,
)  # fmt: skip
CONFIGS = {"sums": {"grpo": TINY, "opo": replace(TINY, advantage="opo")}}


def row(task: str, variant: str, seed: int, before: float, after: float) -> dict[str, Any]:
    scores = {"before": {"reward": before}, "after": {"reward": after}, "seconds": 1.0}
    return {"task": task, "variant": variant, "seed": seed, **scores}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> list[Cell]:
    """Replace training by a row of its seed; the list has the cells that were measured."""
    measured: list[Cell] = []

    def measure(cell: Cell, config: GRPOConfig, folder: Path) -> dict[str, Any]:
        measured.append(cell)
        return row(cell.task, cell.variant, cell.seed, 0.0, cell.seed / 10)

    monkeypatch.setattr(runner, "measure", measure)
    return measured


def test_every_variant_meets_every_task_and_seed_and_the_rival_has_no_parts() -> None:
    study = Study("s", {"a": CONFIGS["sums"], "b": CONFIGS["sums"]}, seeds=2, first_seed=5)
    assert len(study.cells) == len(set(study.cells)) == 2 * 2 * 3
    assert [cell.seed for cell in study.cells] == [5] * 6 + [6] * 6
    own, rival = (study.config(Cell("a", name, 6)) for name in ("opo", RIVAL))
    assert (own.seed, own.advantage) == (6, "opo")
    assert (rival.seed, rival.advantage, rival.preset, rival.steps) == (6, None, "grpo", 2)
    settings = study.settings(Cell("a", "opo", 6))
    assert settings["advantage"] == {"part": "opo", "version": 1}
    assert "seed" not in settings and settings["steps"] == 2 and "temperature" not in settings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"configs": {}}, "needs a task"),
        ({"configs": {"a": {}}}, "needs a variant"),
        ({"configs": {"a/b": CONFIGS["sums"]}}, "cannot be a name"),
        ({"configs": {"a": {START: TINY}}}, "cannot be a name"),
        ({"seeds": 1}, "at least 2"),
        ({"first_seed": -1}, "at least 0"),
        ({"configs": {"a": {"x": replace(TINY, eval_episodes=0)}}}, "above 0"),
        ({"configs": {"a": {"x": replace(TINY, preset="ppo", group_size=1)}}}, "group_size"),
    ],
)
def test_a_study_that_cannot_be_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Study(**{"name": "s", "configs": CONFIGS} | changes)
    with pytest.raises(UnknownName, match="Did you mean 'grpo'"):
        Study("s", CONFIGS, baseline="grp")


def test_a_study_goes_on_and_takes_new_variants_and_seeds(fake: list[Cell], tmp_path: Path) -> None:
    study = Study("s", CONFIGS, seeds=2)

    def stop(done: int, total: int, note: str) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner.run(study, tmp_path, report=stop)
    assert len(read(tmp_path / "s.json")["cells"]) == 4
    whole = runner.run(study, tmp_path)
    assert fake == study.cells, "each once"
    assert not missing(whole) and len(whole["sessions"]) == 2
    wider = {"sums": CONFIGS["sums"] | {"rloo": replace(TINY, preset="rloo")}}
    more = runner.run(Study("s", wider, seeds=3), tmp_path)
    assert len(fake) == len(set(fake)) == len(more["cells"]) == 3 * 4
    assert more == read(tmp_path / "s.json")
    other = {"sums": CONFIGS["sums"] | {"opo": replace(TINY, advantage="opo", lr=1e-3)}}
    with pytest.raises(ValueError, match=r"runs of sums/opo with other settings \(lr\)"):
        runner.run(Study("s", other), tmp_path)
    fewer = runner.run(Study("s", {"sums": {"grpo": TINY}}, seeds=2, rival=False), tmp_path)
    assert [line.name for line in lines(fewer, "sums")] == [START, "grpo"]


def test_a_run_that_fails_is_a_line_and_is_tried_again(
    fake: list[Cell], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    study, whole = Study("s", CONFIGS, seeds=2, rival=False), runner.measure

    def failing(cell: Cell, config: GRPOConfig, folder: Path) -> dict[str, Any]:
        if cell == Cell("sums", "opo", 10):
            folder.mkdir(parents=True)
            return {"task": "sums", "variant": "opo", "seed": 10, "error": "opo returned NaN"}
        return whole(cell, config, folder)

    monkeypatch.setattr(runner, "measure", failing)
    record = runner.run(study, tmp_path)
    assert missing(record) == [Cell("sums", "opo", 10)] and (tmp_path / "s.runs").is_dir()
    assert "**Not yet run**: 1 of 4 runs (sums 1)." in page(
        record
    ) and "seed 10: opo returned NaN" in page(record)
    monkeypatch.setattr(runner, "measure", whole)
    record = runner.run(study, tmp_path)
    assert not missing(record) and not record["errors"] and "Not yet run" not in page(record)
    assert [each.name for each in tmp_path.iterdir()] == ["s.json"]


def test_a_run_that_is_stopped_in_the_middle_ends_as_a_whole_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cell = Cell("sums", "grpo", 0)

    def stopped(config: GRPOConfig, resume: bool) -> Any:
        def stop(metrics: Any) -> None:
            if metrics["step"] == 1:
                raise KeyboardInterrupt

        return train(config, stop, resume=resume)

    monkeypatch.setattr(cells, "train", stopped)
    with pytest.raises(KeyboardInterrupt):
        cells.measure(cell, TINY, tmp_path / "half")
    monkeypatch.setattr(cells, "train", train)
    assert (tmp_path / "half" / "run" / "checkpoint-000001").is_dir()
    two = [cells.measure(cell, TINY, tmp_path / name) for name in ("half", "whole")]
    for each in two:
        each.pop("seconds")
    assert two[0] == two[1] and two[0]["after"]["episodes"] == 4
    assert not list(tmp_path.iterdir())

    def failing(config: GRPOConfig, resume: bool) -> Any:
        raise PartFailed("opo returned NaN")

    monkeypatch.setattr(cells, "train", failing)
    failed = cells.measure(cell, TINY, tmp_path / "failed")
    assert failed == {"task": "sums", "variant": "grpo", "seed": 0, "error": "opo returned NaN"}


def test_the_rival_learns_from_replies_of_the_start_model_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    recorded: dict[str, Any] = {}
    whole: Callable[[Any], Any] = cells.rejection_sampling

    def watched(config: Any) -> Any:
        [folder] = config.rollouts
        recorded["config"] = config
        recorded["episodes"] = [x for file in Path(folder).iterdir() for x in read_jsonl(file)]
        recorded["weights"] = load_file(Path(folder).parent / "model" / "model.safetensors")
        return whole(config)

    monkeypatch.setattr(cells, "rejection_sampling", watched)
    poker = {"env": "zerogym/KuhnPoker-v0", "env_kwargs": {"opponent": "scripted"}}
    config = replace(TINY, **poker, passes=3, lr=1e-2)
    found = cells.measure(Cell("sums", RIVAL, 0), config, tmp_path / "run")
    start = load_file(model_directory("tiny") / "model.safetensors")
    assert all((recorded["weights"][name] == start[name]).all() for name in start)
    returns = [each.reward for each in recorded["episodes"]]
    assert len(set(returns)) > 1, "else no learning rate moves a weight"
    assert len(returns) == 2 * 2 * 2 and recorded["config"].least_reward == sum(returns) / 8
    assert (recorded["config"].steps, recorded["config"].lr) == (6, 1e-2)
    assert found["before"]["episodes"] == found["after"]["episodes"] == 4


def test_differences_are_taken_seed_by_seed() -> None:
    study = Study("s", CONFIGS, seeds=2, first_seed=1)
    record = {
        "baseline": "grpo", "rival": True, "seeds": [1, 2],
        "tasks": study.tasks, "variants": study.variants,
        "cells": [
            row("sums", "grpo", 1, 0.0, 0.25), row("sums", "opo", 1, 0.0, 0.5),
            row("sums", "grpo", 2, 0.5, 0.5), row("sums", "opo", 2, 0.5, 0.75),
            row("sums", "opo", 7, 0.0, 9.0), row("other", "opo", 1, 0.0, 9.0),
        ],
    }  # fmt: skip
    start, opo, grpo = lines(record, "sums")
    assert [start.name, opo.name, grpo.name] == [START, "opo", "grpo"], "the best variant first"
    assert start.runs == {1: 0.0, 2: 0.5} and grpo.difference is None
    assert (opo.mean.value, opo.mean.low, opo.mean.high) == (0.625, 0.5, 0.75)
    assert (grpo.mean.low, grpo.mean.high) == (0.25, 0.5), "they overlap, and yet"
    assert opo.difference is not None
    assert (opo.difference.low, opo.difference.value, opo.difference.high) == (0.25, 0.25, 0.25)
    assert signed(opo.difference) == "+0.25 (+0.25…+0.25)" and signed(None) == "–"
    assert signed(mean_over([0.5])) == "+0.50"


def test_the_interval_is_the_bootstrap_over_runs() -> None:
    """The bootstrap mean of 0, 0, 0, 1 is Binomial(4, 1/4) / 4: P(0) = 0.32, P(> 3/4) = 0.004."""
    found = mean_over([0.0, 0.0, 0.0, 1.0])
    assert (found.value, found.low, found.high) == (0.25, 0.0, 0.75)


def test_the_page_shows_what_differs_and_bold_where_zero_is_outside() -> None:
    record = {
        "study": "s", "title": "T", "notes": "N", "baseline": "grpo", "rival": False,
        "tasks": ["sums"], "variants": ["grpo", "opo"], "seeds": [1, 2], "errors": [],
        "settings": {
            "sums/grpo": {"steps": 2},
            "sums/opo": {"steps": 2, "advantage": {"part": "opo", "version": 1}},
        },
        "sessions": [],
        "cells": [row("sums", name, seed, 0.0, value) for name, seed, value in (
            ("grpo", 1, 0.0), ("grpo", 2, 0.5), ("opo", 1, 0.25), ("opo", 2, 0.75),
        )],
    }  # fmt: skip
    text = page(record)
    assert "| `opo` | 0.50 (0.25…0.75) | **+0.25 (+0.25…+0.25)** | 2 |" in text
    assert "- all of sums: `steps = 2`" in text
    assert '- `opo`: `advantage = {part = "opo"}`' in text and "- `grpo`: nothing more" in text
    assert texts(study_picture(record)).count("opo") == 1
    assert json.loads(record_text(record)) == record


def test_a_file_that_is_no_record_is_one_line(tmp_path: Path) -> None:
    for text in ("{", "[]", "{}", '{"study": 1}'):
        (tmp_path / "s.json").write_text(text)
        with pytest.raises(ValueError, match=r"s\.json is no record of a study"):
            read(tmp_path / "s.json")


def test_the_first_study_is_of_the_file_and_the_numbers_beside_it() -> None:
    record, study = read(FIRST.with_suffix(".json")), read_study(FIRST.with_suffix(".toml"))
    assert (record["notes"], record["baseline"]) == (study.notes, study.baseline)
    for cell in study.cells[: len(study.cells) // study.seeds]:
        assert record["settings"][f"{cell.task}/{cell.variant}"] == study.settings(cell)
    assert page(record) == FIRST.with_suffix(".md").read_text("utf-8")
    assert texts(study_picture(record)) == texts(FIRST.with_suffix(".svg").read_text("utf-8"))
