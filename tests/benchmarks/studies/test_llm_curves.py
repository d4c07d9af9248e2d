"""Learning curves of the tiny model: how they are measured and shown, and that they rise."""

import json
from dataclasses import replace
from pathlib import Path

import gymnasium as gym
import pytest
import typer
from typer.testing import CliRunner

from helpers.svg import texts
from zerogym.agents.baselines.random_and_oracle import OraclePolicy, RandomPolicy
from zerogym.agents.llm.models.loading import load_model
from zerogym.agents.llm.models.tiny import TinyConfig
from zerogym.agents.llm.supervised.oracle_traces import Source
from zerogym.agents.llm.supervised.sft import SFTConfig
from zerogym.benchmarks.league import standings
from zerogym.benchmarks.league.game_value import exact_payoff
from zerogym.benchmarks.studies.llm_curves import run
from zerogym.benchmarks.studies.llm_curves.page import ABOUT, page, table
from zerogym.benchmarks.studies.llm_curves.picture import curves, curves_picture
from zerogym.benchmarks.studies.zero_shot.record import Cell, read
from zerogym.envs.games.cards.kuhn_poker import KuhnPoker
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.solvers.best_response import exploitability

SAME_UP_TO_ROUNDING = {"micro_batch", "micro_tokens", "packing"}
DOCS = Path(__file__).parents[3] / "docs"
EASY = {"difficulty": 0.0}
SHORT = run.LearningTask(
    "Short",
    replace(
        run.BASE,
        env_kwargs=EASY, steps=2, prompts_per_step=2, group_size=2, eval_every=1, eval_episodes=4,
        max_new_tokens=8,
    ),
)  # fmt: skip


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "LEARNING_TASKS", {"short": SHORT})


def test_the_page_is_of_the_numbers_beside_it() -> None:
    kept = [DOCS / f"llm_curves/{name}.json" for name in run.LEARNING_TASKS]
    records = [read(path) for path in kept]
    for record in records:
        now = json.loads(json.dumps(run.proof(record["proof"], Path()).settings["config"]))
        kept = record["settings"]["config"]
        assert {name for name in kept if kept[name] != now[name]} <= SAME_UP_TO_ROUNDING
    assert page(records) == (DOCS / "llm_curves.md").read_text("utf-8")
    assert texts(curves_picture(records)) == texts((DOCS / "llm_curves.svg").read_text("utf-8"))


def test_a_curve_has_the_start_and_each_evaluation(short: None, tmp_path: Path) -> None:
    cell = Cell("short", "dr_grpo")
    found = run.measure(tmp_path, cell, 3)
    assert list(found["dr_grpo"]) == ["0", "1", "2"]
    assert found == run.measure(tmp_path, cell, 3) and not list(tmp_path.iterdir())


def test_a_warm_start_of_its_own_is_made_once(tmp_path: Path) -> None:
    traces = (Source(SHORT.config.env, 4, EASY),)
    task = replace(SHORT, traces=traces, training=SFTConfig(steps=1, batch_tokens=64))
    shipped = run.start(SHORT, tmp_path / "none")
    own = run.start(task, tmp_path / "own")
    assert shipped == "tiny" and own == str(tmp_path / "own")
    weights = tmp_path / "own" / "model.safetensors"
    first = weights.stat().st_mtime_ns
    assert run.start(task, tmp_path / "own") == own
    assert weights.stat().st_mtime_ns == first
    run.start(task, tmp_path / "again")
    assert (tmp_path / "again" / "model.safetensors").read_bytes() == weights.read_bytes()


def test_a_warm_start_may_be_a_model_of_its_own_size(tmp_path: Path) -> None:
    size = TinyConfig(hidden=16, layers=1, heads=2, feed_forward=32, merge_count=4)
    traces = (Source(SHORT.config.env, 4, EASY),)
    task = replace(SHORT, traces=traces, training=SFTConfig(steps=1, batch_tokens=64), size=size)
    model, tokenizer = load_model(run.start(task, tmp_path / "own"), "cpu")
    assert model.config.hidden_size == 16 and model.config.vocab_size == len(tokenizer)
    shipped, _ = load_model("tiny", "cpu")
    assert shipped.config.hidden_size != 16


def test_the_command_writes_three_files(short: None, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(run.main)
    wrong = CliRunner().invoke(app, ["shrt"], env={"COLUMNS": "200"})
    assert wrong.exit_code == 2 and "Did you mean 'short'" in " ".join(wrong.output.split())
    arguments = ["short", "--out", str(tmp_path / "kept"), "--seeds", "2"]
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    record = read(tmp_path / "kept" / "short.json")
    assert [row["seed"] for row in record["cells"]] == [10, 11]
    assert "| Short | 2 |" in table([record]) and table([record]) in page([record])
    assert all(len(runs) == 2 for runs in curves(record).values())
    assert (tmp_path / "kept.md").read_text("utf-8") == page([record])
    assert (tmp_path / "kept.svg").read_text("utf-8").count("FillBetweenPolyCollection_1") == 1


def test_the_returns_of_kuhn_poker_in_the_page_are_exact() -> None:
    env = gym.make("zerogym/KuhnPoker-v0", opponent="scripted")
    chance, best = exact_payoff(env, RandomPolicy([env])), exact_payoff(env, OraclePolicy([env]))
    said = " ".join(ABOUT.split())
    assert f"random play has a return of {chance:.2f}, the best reply {best:.2f}" in said
    loss = exploitability(KuhnPoker(), uniform_policy(KuhnPoker()))
    assert f"0 at an equilibrium, {-loss:.2f} for random play" in said


@pytest.mark.proof
def test_a_model_in_all_seats_is_evaluated_at_its_start_and_its_checkpoints(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(standings, "SAMPLES", 2)
    task = run.LEARNING_TASKS["kuhn_seats"]
    few = replace(task.config, steps=2, prompts_per_step=1, group_size=2, save_every=1)
    monkeypatch.setattr(run, "LEARNING_TASKS", {"few": replace(task, config=few)})
    found = run.measure(tmp_path, Cell("few", "dr_grpo"), 3)["dr_grpo"]
    assert list(found) == ["0", "1", "2"]
    assert all(-2 <= values["return"] <= 0 for values in found.values())
    assert found == run.measure(tmp_path, Cell("few", "dr_grpo"), 3)["dr_grpo"]


@pytest.mark.proof
def test_grpo_finds_the_reply_to_a_scripted_player_in_kuhn_poker(tmp_path: Path) -> None:
    """The runs of the table gain 0.32 or more; 0 is a model that does not learn."""
    [curve] = run.measure(tmp_path, Cell("kuhn", "dr_grpo"), 1).values()
    first, *_, last = (values["return"] for values in curve.values())
    assert first is not None and last is not None and last - first > 0.15


@pytest.mark.proof
def test_grpo_finds_the_columns_that_questions_about_totals_name(tmp_path: Path) -> None:
    [curve] = run.measure(tmp_path, Cell("sql", "dr_grpo"), 1).values()
    first, *_, last = (values["return"] for values in curve.values())
    assert first is not None and last is not None and last - first > 0.05
