"""`zerogym eval` with a scripted engine: the log, its measures, two logs, and mistakes."""

import json
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from typer.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("transformers")

import zerogym
from helpers.llm.scripted_engine import Letters
from helpers.svg import texts
from zerogym.agents.llm import evaluate_samples, sampled_evaluation
from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.rollout.evaluation import NotHeldOut
from zerogym.agents.llm.sample_measures import pass_at_k
from zerogym.benchmarks.results.outcome_log import read_outcomes
from zerogym.cli import app

ENV, SEEDS = "RandomCalculation", range(3, 7)


class Sometimes:
    """An engine that knows some problems, and solves each in a share of its samples."""

    def __init__(self, known: dict[str, float]) -> None:
        self.tokenizer, self.context_length, self.weight_version = Letters(), 10_000, 0
        self.known, self.rows = known, 0
        env = zerogym.make(ENV, split="test")
        self.answers = {}
        for seed in SEEDS:
            prompt, _ = env.reset(seed=seed)
            self.answers[prompt] = env.unwrapped.oracle_action()  # type: ignore[attr-defined]

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        return [
            self._reply("".join(map(chr, prompt)), seed)
            for prompt, seed in zip(prompts, sampling.seeds, strict=True)
        ]

    def _reply(self, prompt: str, seed: int) -> Completion:
        [shown] = (each for each in self.answers if each in prompt)
        share = list(self.answers).index(shown) / 3 if not self.known else self.known[shown]
        text = self.answers[shown] if seed % 1000 < 1000 * share else f"<answer>{seed % 2}</answer>"
        ids = tuple(map(ord, text + "~"))
        return Completion(text, ids, (-0.5,) * len(ids), "stop")

    def update_weights(self, weights: Any, version: int) -> None: ...


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Sometimes:
    """The engine of every name: it solves the problems in 0, 1/3, 2/3 and all of their samples."""
    made = Sometimes({})
    monkeypatch.setattr(sampled_evaluation, "load_generator", lambda name: made)
    return made


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["eval", *map(str, words)])


def evaluated(path: Path, *words: object) -> dict[str, Any]:
    """Evaluate four problems with eight samples each."""
    given = ("--samples", 8, "--episodes", 4, "--seed", 3, "--out", path, "--json", *words)
    result = run("any", ENV, *given)
    assert result.exit_code == 0, (result.output, result.exception)
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_the_log_has_all_samples_and_the_table_their_measures(
    engine: Sometimes, tmp_path: Path
) -> None:
    document = evaluated(tmp_path / "a" / "outcomes.jsonl", "--k", "1,8")
    found = read_outcomes(tmp_path / "a" / "outcomes.jsonl")
    assert [each.seed for each in found.problems] == list(SEEDS)
    correct = [sum(map(bool, each.correct)) for each in found.problems]
    assert correct[0] == 0 and correct[1] > 0 and correct[2] < 8 and correct[3] == 8
    for problem in found.problems:  # own sampling seeds, one problem
        assert problem.scores == tuple(map(float, map(bool, problem.correct)))
        right = {a for a, c in zip(problem.answers, problem.correct, strict=True) if c}
        assert len(right) <= 1
    assert len(set(found.problems[0].answers)) == 2
    assert [row["k"] for row in document["at_k"]] == [1, 8]
    for row in document["at_k"]:
        expected = fmean(pass_at_k(8, number, row["k"]) for number in correct)
        estimate = row["passed"]
        assert estimate["value"] == pytest.approx(expected)
        assert estimate == pytest.approx(row["best"])  # rewards are 0 and 1
        assert 0 <= estimate["low"] <= estimate["value"] <= estimate["high"] <= 1
    assert document["env_kwargs"]["split"] == "test"
    shown = run(tmp_path / "a" / "outcomes.jsonl")
    assert f"{document['at_k'][1]['passed']['value']:.3f}" in shown.output
    assert "4 test problems, 8 samples each" in shown.output
    assert document["token_entropy"] == 0.5 and "Entropy of a token: 0.500" in shown.output


def test_two_logs_are_compared_in_pairs(engine: Sometimes, tmp_path: Path) -> None:
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    evaluated(first)
    lost, kept, outside, gained = reversed(list(engine.answers))  # the fourth was never solved
    engine.known = {lost: 0.0, kept: 1.0, outside: 0.0, gained: 1.0}
    against = evaluated(second, "--against", first)["against"]
    support: dict[str, float] = {"kept": 1, "lost": 2, "gained": 1, "outside": 0}
    support |= {"retention": 1 / 3, "discovery": 0.5, "net_change": -0.25}
    assert against["support"] == support and against["problems"] == 4
    [last] = [each for each in against["differences"] if each["k"] == 8]
    assert last["values"] == [0.75, 0.5] and last["difference"]["value"] == -0.25
    assert last["difference"]["low"] < -0.25 < last["difference"]["high"]
    same = run(second, "--against", second, "--k", 4)
    assert "2 kept, 0 lost, 0 gained, 2 solved by neither" in same.output.replace("\n", " ")
    strict = run(first, "--against", first, "--threshold", 0.9, "--json")
    assert json.loads(strict.stdout)["against"]["support"]["kept"] == 1


def test_sampling_is_the_same_again_and_differs_between_samples(engine: Sometimes) -> None:
    one, two, more = (
        evaluate_samples(engine, ENV, 5, episodes, 3, on_problem=None) for episodes in (2, 2, 3)
    )
    assert one == two == more[:2]
    [cut] = evaluate_samples(engine, ENV, 5, 1, 3, sampling=Sampling(seed=3, top_k=2))
    assert one[0].token_entropy == 0.5 and cut.token_entropy is None
    other = evaluate_samples(engine, ENV, 5, 2, 3, sampling=Sampling(seed=1))
    assert [each.key for each in other] == [each.key for each in one] and other != one


MISTAKES = {
    "tyni Countdown": "Did you mean 'tiny'?",
    "tiny Countdwn": "Did you mean 'Countdown'?",
    "tiny Countdown --samples 8 --k 1,16": "--k must be in 1..8",
    "tiny Countdown --k some": "--k takes whole numbers with commas, got 'some'",
    "tiny": "zerogym eval needs ENV",
    "tiny Countdown --temperature 0": "at temperature 0 all 64 samples",
    "tiny Countdown --env-kwargs {": "--env-kwargs takes JSON",
    "tiny FourRooms": "needs text",
    "tiny Countdown --against nowhere.jsonl": "nowhere.jsonl: No such file",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_one_line(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*line.split())
    assert result.exit_code == 2, (result.output, result.exception)
    [shown] = result.stderr.splitlines()
    assert shown.startswith("error ") and MISTAKES[line] in shown, shown
    assert result.stdout == "" and not list(tmp_path.iterdir())


def test_a_picture_has_the_curve_of_both_models(engine: Sometimes, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    first, second, picture = (tmp_path / name for name in ("a.jsonl", "b.jsonl", "new/c.svg"))
    evaluated(first)
    evaluated(second, "--against", first, "--picture", picture)
    assert texts(picture.read_text("utf-8")).count("any") == 2


def test_logs_that_cannot_be_compared_are_refused(engine: Sometimes, tmp_path: Path) -> None:
    log, other = tmp_path / "log.jsonl", tmp_path / "other.jsonl"
    evaluated(log)
    few = run("any", ENV, "--samples", 4, "--episodes", 2, "--out", other, "--against", log)
    assert few.exit_code == 2 and "differ in samples" in few.stderr and not other.exists()
    again = run("any", ENV, "--out", log)
    assert again.exit_code == 2 and "is there already" in again.stderr
    rows = log.read_text().splitlines()
    other.write_text("\n".join([rows[0], rows[1].replace('"key": "', '"key": "0')]) + "\n")
    changed = run(log, "--against", other)
    assert changed.exit_code == 2 and "another problem" in changed.stderr
    for damage in ("", rows[1] + "\n", rows[0] + "\n", rows[0] + '\n{"kind": "problem"}\n'):
        other.write_text(damage)
        refused = run(other)
        assert refused.exit_code == 2 and len(refused.stderr.splitlines()) == 1, damage


def test_a_task_without_test_problems_is_refused(
    engine: Sometimes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: Any) -> None:
        raise NotHeldOut("it poses no test problems")

    monkeypatch.setattr("zerogym.agents.llm.sampled_evaluation.held_out", refuse)
    result = run("any", ENV)
    assert result.exit_code == 2 and "no test problems" in result.stderr
