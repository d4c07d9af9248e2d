"""Several samples of each evaluated problem of a run: metrics and logs."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

from typer.testing import CliRunner

from zerogym.agents.llm.evaluated_samples import sample_metrics
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.sampled_problem import SampledProblem
from zerogym.agents.llm.training.grpo import train
from zerogym.benchmarks.results.outcome_log import read_outcomes
from zerogym.benchmarks.results.outcome_measures import measures
from zerogym.cli import app


def test_metrics_by_hand() -> None:
    """Two and none of four samples are right; a third problem has one that was not scored."""
    some = SampledProblem(0, "a", (1.0, 1.0, 0.0, 0.0), (True, True, False, False), tuple("1123"))
    none = SampledProblem(1, "b", (0.0,) * 4, (False,) * 4, tuple("4444"), token_entropy=0.5)
    less = SampledProblem(2, "c", (1.0, None, 0.0, 0.0), (True, None, False, False), tuple("1555"))
    found = sample_metrics([some, none, less], 4)
    assert found["pass@1"] == pytest.approx((0.5 + 0 + 1 / 3) / 3)
    assert found["pass@2"] == pytest.approx((5 / 6 + 0 + 2 / 3) / 3)
    assert found["pass@4"] == pytest.approx((1 + 0) / 2)  # of those with four samples
    assert found["max@4"] == found["pass@4"] and found["token_entropy"] == 0.5


def test_a_run_samples_each_problem_several_times(tmp_path: Path) -> None:
    metrics: list[dict[str, float]] = []
    settings = {"steps": 1, "prompts_per_step": 1, "group_size": 2, "max_new_tokens": 24}
    config = GRPOConfig(
        **settings, model="tiny", eval_episodes=3, eval_samples=3, eval_temperature=1.0,
        env_kwargs={"difficulty": 0.5}, out=str(tmp_path), device="cpu",
    )  # fmt: skip
    train(config, on_progress=lambda one: metrics.append(dict(one)))
    logs = [tmp_path / f"outcomes/step-{step:06d}.jsonl" for step in (0, 1)]
    evaluated = [one for one in metrics if "eval/pass@1" in one]
    assert len(evaluated) == 2
    for log, shown in zip(logs, evaluated, strict=True):
        found = read_outcomes(log)
        assert len(found.problems) == 3 and found.samples == 3
        assert len({each.key for each in found.problems}) == 3
        assert any(len(set(each.answers)) > 1 for each in found.problems)
        for row in measures(found.problems, (1, 2, 3)):
            assert row.passed is not None
            assert shown[f"eval/pass@{row.k}"] == pytest.approx(row.passed.value)
            assert shown[f"eval/max@{row.k}"] == pytest.approx(row.best.value)
        first = [each.scores[0] for each in found.problems]
        assert shown["eval/reward"] == pytest.approx(sum(map(float, first)) / 3)  # type: ignore[arg-type]
        assert shown["eval/episodes"] == 3 and shown["eval/token_entropy"] > 0
    result = CliRunner().invoke(app, ["eval", str(logs[1]), "--against", str(logs[0]), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["against"]["problems"] == 3


def test_each_seat_of_a_game_has_a_log_of_its_own(tmp_path: Path) -> None:
    config = GRPOConfig(
        env="zerogym/kuhn_poker-v0", steps=0, model="tiny", max_new_tokens=12, eval_episodes=3,
        eval_samples=2, eval_temperature=1.0, out=str(tmp_path), device="cpu",
    )  # fmt: skip
    train(config)
    logs = sorted((tmp_path / "outcomes").iterdir())
    names = [f"step-000000-player_{seat}.jsonl" for seat in (0, 1)]
    assert [log.name for log in logs] == names
    for seat, log in enumerate(logs):
        found = read_outcomes(log)
        assert found.about["env_kwargs"]["seat"] == seat
        assert len({each.seed for each in found.problems}) == len(found.problems) == 3
