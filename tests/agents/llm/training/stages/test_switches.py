"""Switches of stages: averages and bounds by hand, and settings that no stage can have."""

from pathlib import Path
from typing import Any

import pytest

import zerogym  # noqa: F401  (registers the ids)
from zerogym.agents.llm.algorithms.advantages.rae import Rae
from zerogym.agents.llm.algorithms.stage_table import Stages, StageStep
from zerogym.agents.llm.algorithms.stages.iterative_spo import IterativeSpo
from zerogym.agents.llm.algorithms.stages.sequence import Sequence
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.trajectory import Trajectory
from zerogym.errors import ImportRefused, UnknownArgument, UnknownName

SPY = "zerogym/spy-v0"


def voting(right: int, none: int = 0, wrong: int = 0) -> list[Trajectory]:
    """Episodes of seats with these votes, and of one that has none."""
    votes = ["right"] * right + ["none"] * none + ["wrong"] * wrong
    infos: list[dict[str, Any]] = [*({"vote": vote} for vote in votes), {}]
    return [Trajectory(SPY, 0, number, (), info=info) for number, info in enumerate(infos)]


def run(part: Stages, steps: list[Any]) -> list[str]:
    """The stage of each step of a run with these episodes or metrics, and the one after."""
    stage, since, state, found = next(iter(part.plan())), 0, dict[str, Any](), []
    for given in steps:
        found.append(stage)
        since += 1
        metrics = given if isinstance(given, dict) else {}
        episodes = given if isinstance(given, list) else []
        following = part(StageStep(stage, since, metrics, episodes, state))
        stage, since = following, since if following == stage else 0
    return [*found, stage]


@pytest.mark.claim(
    "iterative_spo",
    says="the stages alternate as votes saturate and fail, and noise between does not switch them",
)
def test_a_run_that_saturates_switches_and_noise_does_not_switch_it_back() -> None:
    part = IterativeSpo(decay=0.5, least=2, accuracy_high=0.8, error_high=0.5)
    # Averages of right votes: 0.5, 0.75, 0.875 (above 0.8), 0.5625 (above 0.5: no switch back),
    # 0.53125, 0.265625 (below 0.5), 0.6328 and 0.8164.
    accuracies = [5, 10, 10, 2.5, 5, 0, 10, 10]
    steps = [voting(int(4 * right), wrong=int(40 - 4 * right)) for right in accuracies]
    assert run(part, steps) == ["decision"] * 3 + ["clue"] * 3 + ["decision"] * 2 + ["clue"]
    # Without a distance between the bounds the fourth step would have switched.
    close = IterativeSpo(decay=0.5, least=1, accuracy_high=0.8, error_high=0.21)
    assert run(close, steps[:5])[3:5] == ["clue", "decision"]


def test_abstentions_hold_the_votes_back_and_end_the_clues() -> None:
    part = IterativeSpo(decay=0.0, least=1, accuracy_high=0.7, error_high=0.6, none_high=0.25)
    steps = [voting(8, none=2), voting(9, none=1), voting(7, none=3), voting(10), voting(0)]
    # The first has 0.2 abstentions, more than none_low; the third 0.3, more than none_high.
    assert run(part, steps) == ["decision", "decision", "clue", "decision", "clue", "clue"]
    state: dict[str, Any] = {}
    part(StageStep("clue", 1, {}, voting(1, 1, 2), state))
    assert part.measures(state) == {"right": 0.25, "none": 0.25}


def test_a_stage_has_its_least_number_of_steps() -> None:
    part = IterativeSpo(decay=0.0, least=3)
    assert run(part, [voting(1)] * 4) == ["decision"] * 3 + ["clue"] * 2
    assert run(part, [voting(1)] * 3 + [voting(0, wrong=1)] * 3)[3:] == ["clue"] * 3 + ["decision"]


def test_a_list_goes_by_steps_or_by_metrics_and_begins_again() -> None:
    part = Sequence({"a": {"steps": 2}, "b": {"steps": 1}}, repeat=True)
    assert run(part, [{}] * 6) == ["a", "a", "b", "a", "a", "b", "a"]
    assert run(Sequence({"a": {"steps": 1}, "b": {"steps": 1}}), [{}] * 3) == ["a", "b", "b", "b"]
    high, low = {"until": {"r": [0.8, 1.0]}}, {"until": {"r": [0.0, 0.3]}}
    by_metric = Sequence({"up": high, "down": low}, repeat=True, decay=0.5)
    # Averages of "up": 0.6, 0.8; of "down" 0.5, 0.35, 0.275, each begun anew.
    rewards = [{"r": r} for r in (0.6, 1.0, 0.5, 0.2, 0.2, 0.9)]
    assert run(by_metric, rewards) == ["up", "up", "down", "down", "down", "up", "down"]
    late = Sequence({"up": high | {"least": 2}, "end": {}}, decay=0.0)
    assert run(late, [{"r": 1.0}, {}, {"r": 1.0}]) == ["up", "up", "end", "end"]
    assert run(Sequence(), [{}]) == ["all", "all"]


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"accuracy_high": 0.5, "error_high": 0.5}, "no hysteresis"),
        ({"none_low": 0.5}, "no hysteresis"),
        ({"decay": 1.0}, "decay"),
        ({"error_high": 1.5}, "error_high"),
        ({"least": 0}, "least"),
    ],
)
def test_bounds_without_hysteresis_are_refused(changed: dict[str, Any], line: str) -> None:
    with pytest.raises(ValueError, match=line):
        IterativeSpo(**changed)


@pytest.mark.parametrize(
    ("stage", "line"),
    [
        ({"steps": 0}, "'a': steps must be at least 1"),
        ({"steps": True}, "'a': steps"),
        ({"until": {"r": [1.0, 0.0]}}, "'a': r needs an interval"),
        (3, "'a' must be settings"),
    ],
)
def test_a_wrong_stage_is_refused_in_a_line(stage: Any, line: str) -> None:
    with pytest.raises((ValueError, TypeError), match=line):
        Sequence({"a": stage})


def test_a_stage_changes_settings_and_adds_arguments_of_the_environment() -> None:
    config = GRPOConfig(env=SPY, env_kwargs={"players": 3}, stages="iterative_spo", kl=0.0)
    decision, clue = config.staged.values()
    assert list(config.staged) == ["decision", "clue"]
    assert decision.env_kwargs == {"players": 3, "reward": "votes"}
    assert clue.env_kwargs == {"players": 3, "reward": "clues"} and clue.learns == (
        "civilian",
        "spy",
    )
    assert isinstance(clue.algorithm.estimator, Rae) and decision.algorithm.advantage == "grpo"
    assert clue.stages is None and list(GRPOConfig().staged.values()) == [GRPOConfig()]
    again = GRPOConfig(**config.record())
    assert again.staged == config.staged


def staged(stage: dict[str, Any], **settings: Any) -> GRPOConfig:
    return GRPOConfig(env=SPY, stages=Sequence({"a": {"steps": 1}, "b": stage}), **settings)


def test_settings_that_no_stage_can_have_are_refused_in_a_line(tmp_path: Path) -> None:
    for setting in ("lr", "model", "stages", "staleness"):
        with pytest.raises(UnknownArgument, match=f"stage 'b'.*{setting}"):
            staged({setting: 1})
    with pytest.raises(UnknownName, match="advantage"):
        staged({"advantage": "grop"})
    with pytest.raises(ImportRefused, match="stage 'b'"):
        staged({"advantage": "somebody.elses:Part"})
    with pytest.raises(ValueError, match="stage 'b': stages have no critic"):
        staged({"advantage": "gae"})
    with pytest.raises(ValueError, match="stages and staleness"):
        staged({}, staleness=1, correction="token_mask")
    with pytest.raises(ValueError, match="group_size"):
        staged({"group_size": 1, "advantage": "grpo"})
