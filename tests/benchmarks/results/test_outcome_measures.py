"""Measures of logged outcomes: samples that do not count, tasks without success, and pairs."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from zerogym.agents.llm.sampled_problem import SampledProblem
from zerogym.agents.trajectory import Trajectory, Turn
from zerogym.benchmarks.results.outcome_log import OutcomeLog, Outcomes, read_outcomes
from zerogym.benchmarks.results.outcome_measures import (
    compare_outcomes,
    mean_entropy,
    mean_token_entropy,
    measures,
)


def problem(seed: int, scores: tuple[float | None, ...]) -> SampledProblem:
    correct = tuple(score == 1 for score in scores)
    return SampledProblem(seed, "key", scores, correct, tuple(map(str, scores)))


def outcomes(*problems: SampledProblem) -> Outcomes:
    return Outcomes({"env": "e", "env_kwargs": {}, "samples": 4}, problems)


def test_an_episode_in_which_a_tool_failed_does_not_count() -> None:
    problems = [problem(0, (1, 0, 0, 0)), problem(1, (1, 1, None, None)), problem(2, (None,) * 4)]
    rows = {row.k: row for row in measures(problems, (1, 2, 4))}
    assert [rows[k].problems for k in (1, 2, 4)] == [2, 2, 1]
    assert rows[1].passed is not None and rows[1].passed.value == (0.25 + 1) / 2
    assert rows[4].best.value == 1 and math.isnan(rows[4].best.low)  # of a single problem
    quarter = -0.25 * math.log(0.25) - 0.75 * math.log(0.75)
    assert mean_entropy(problems) == pytest.approx(quarter / 2)
    assert measures([problems[2]], (1, 2)) == [] and math.isnan(mean_entropy([problems[2]]))


def test_a_task_that_reports_no_success_has_scores_only() -> None:
    plain = [replace(problem(seed, (2.0, 0.0, 0.5, 0)), correct=(None,) * 4) for seed in (0, 1)]
    [row] = measures(plain, (2,))
    assert row.passed is None and row.best.value == pytest.approx((3 * 2 + 2 * 0.5) / 6)
    found = compare_outcomes(outcomes(*plain), outcomes(*plain), (2,))
    assert found.support is None and found.differences[0].difference.value == 0
    # a cut episode has no last info: it failed where others report success
    cut = replace(problem(0, (1, 0, 0, 0)), correct=(True, None, None, None))
    assert measures([cut], (1,))[0].passed.value == 0.25  # type: ignore[union-attr]


def test_pairs_are_of_the_common_problems_and_narrower_than_both() -> None:
    hard = [problem(seed, (1, 0, 0, 0)) for seed in range(10)]
    easy = [problem(seed, (1, 1, 1, 0)) for seed in range(10, 20)]
    better = [replace(each, scores=(1, 1, 1, 1), correct=(True,) * 4) for each in easy[:5]]
    first, second = outcomes(*hard, *easy), outcomes(*hard, *better, problem(99, (0,) * 4))
    found = compare_outcomes(first, second, (1,))
    assert found.problems == 15 and found.support is not None and found.support.kept == 15
    [row] = found.differences
    assert row.difference.value == pytest.approx(5 * 0.25 / 15)
    [alone] = measures(second.problems[:15], (1,))
    assert alone.passed is not None
    width = row.difference.high - row.difference.low
    assert row.difference.low > 0 and width < 0.5 * (alone.passed.high - alone.passed.low)
    with pytest.raises(ValueError, match="no seed"):
        compare_outcomes(outcomes(*hard), outcomes(*easy), (1,))
    other = outcomes(*(replace(each, key="other") for each in hard))
    with pytest.raises(ValueError, match="another problem"):
        compare_outcomes(first, other, (1,))


def test_outcomes_of_episodes() -> None:
    replies = {"2 + 2?": "wait", "Again.": "<answer> Four </answer>"}
    turns = tuple(Turn(shown, reply, (), (), ()) for shown, reply in replies.items())
    right = Trajectory("e", 7, 0, turns, reward=1.0, info={"correct": True})
    failed = Trajectory("e", 7, 1, (), reward=0.0, info={"unavailable": True})
    found = SampledProblem.of([failed, right])
    assert (found.seed, found.scores, found.correct) == (7, (None, 1.0), (None, True))
    assert found.answers == ("", "four") and found.counted == [1]
    assert found.key == SampledProblem.of([right]).key


def test_the_entropy_of_tokens_is_estimated_from_their_own_probabilities(tmp_path: Path) -> None:
    half, quarter = math.log(0.5), math.log(0.25)
    turns = [Turn("", "", (), (1, 2), (half, quarter)), Turn("", "", (), (1,), (half,))]
    one = Trajectory("e", 7, 0, tuple(turns), reward=1.0)
    other = replace(one, episode=1, turns=(Turn("", "", (), (3,), (quarter,)),))
    found = SampledProblem.of([one, other], whole=True)
    assert found.token_entropy == pytest.approx(1.5 * math.log(2))
    assert SampledProblem.of([one]).token_entropy is None  # of a cut distribution
    unknown = replace(one, turns=(Turn("", "", (), (1,), (math.nan,)),))
    assert SampledProblem.of([unknown], whole=True).token_entropy is None
    assert mean_token_entropy([found, replace(found, token_entropy=None)]) == found.token_entropy
    # A log of before has no such column.
    log = tmp_path / "outcomes.jsonl"
    OutcomeLog(log, {"env": "e", "samples": 2}).append(found)
    assert read_outcomes(log).problems == (found,)
    head, row = map(json.loads, log.read_text("utf-8").splitlines())
    del row["token_entropy"]
    log.write_text(f"{json.dumps(head)}\n{json.dumps(row)}\n", "utf-8")
    assert read_outcomes(log).problems == (replace(found, token_entropy=None),)
