"""Iterative-SPO: self-play of the clues and verifiable rewards of the votes, by turns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zerogym.agents.llm.algorithms.stage_table import Stages, StageStep, moving_average, stages


def _clue() -> dict[str, Any]:
    return {
        "learns": ["civilian", "spy"],
        "advantage": {"part": "rae"},
        "env_kwargs": {"reward": "clues"},
    }


def _decision() -> dict[str, Any]:
    return {"learns": ["voter"], "advantage": "grpo", "env_kwargs": {"reward": "votes"}}


@stages("iterative_spo")
@dataclass(frozen=True)
class IterativeSpo(Stages):
    """Train the votes until they are right, then the clues until votes go wrong, and so on.

    In the stage `decision` the voters learn from right and wrong votes relative to their group, in
    the stage `clue` all learn to talk, from the zero-sum reward of clues less a moving average for
    each role. All votes of both stages count in two moving averages: that of right votes, and that
    of abstentions. The decision stage ends when `accuracy_high` is reached and at most `none_low`
    abstain; the clue stage ends when at least `error_high` are not right or `none_high` abstain.
    Between these bounds the stage stays, so that noise does not switch it, nor before `least`
    steps. The bounds are our choice: the public code switches after each step, which is `sequence`
    with two stages of one step. Left out: voters that see the scene without being a player.
    """

    source = (
        "Vision-Zero: Scalable VLM Self-Improvement via Strategic Gamified Self-Play (2025, arXiv "
        "2509.25541)"
    )

    accuracy_high: float = 0.9  # share of right votes that ends the decision stage, at least
    none_low: float = 0.1  # share of abstentions that ends the decision stage, at most
    error_high: float = 0.4  # share of votes that are not right that ends the clue stage, at least
    none_high: float = 0.5  # share of abstentions that ends the clue stage, at least
    decay: float = 0.95  # share of the old averages that stays after a step, in [0, 1)
    least: int = 5  # steps of a stage, at least 1
    outcome: str = "vote"  # key of the last info of an episode: right, wrong or none
    clue: Mapping[str, Any] = field(default_factory=_clue)  # settings of the clue stage
    decision: Mapping[str, Any] = field(default_factory=_decision)  # of the decision stage

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.decay < 1:
            raise ValueError(f"decay must be in [0, 1), got {self.decay!r}")
        for name in ("accuracy_high", "none_low", "error_high", "none_high"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be in [0, 1], got {getattr(self, name)!r}")
        if self.least < 1:
            raise ValueError(f"least must be at least 1, got {self.least!r}")
        if 1 - self.accuracy_high >= self.error_high or self.none_low >= self.none_high:
            raise ValueError(
                "no hysteresis: 1 - accuracy_high must be below error_high, and none_low below "
                f"none_high, got {self!r:.120}"
            )

    def plan(self) -> dict[str, Mapping[str, Any]]:
        """Return the settings of `decision`, which is first as in the public code, and `clue`."""
        return {"decision": self.decision, "clue": self.clue}

    def __call__(self, step: StageStep) -> str:
        """Return the next stage, after the votes of a step were added to the averages."""
        votes = [item.info[self.outcome] for item in step.episodes if self.outcome in item.info]
        if not votes:  # all have forfeited before
            return step.stage
        state = step.state
        for name in ("right", "none"):
            share = votes.count(name) / len(votes)
            state[name] = moving_average(state.get(name), share, self.decay)
        if step.steps < self.least:
            return step.stage
        if step.stage == "decision":
            done = state["right"] >= self.accuracy_high and state["none"] <= self.none_low
        else:
            done = 1 - state["right"] >= self.error_high or state["none"] >= self.none_high
        other = "clue" if step.stage == "decision" else "decision"
        return other if done else step.stage

    def measures(self, state: Mapping[str, Any]) -> dict[str, float]:
        """Return both averages."""
        return dict(state)
