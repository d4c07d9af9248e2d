"""Rewards for reading files end repairs, and do not where they are gated: by exact gradients."""

import math

import pytest

from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.tools.repo_fix.env import RepoFixEnv
from zerogym.wrappers import CallReward, GatedReward

TURNS, VIEW = 6, 0.5


def world(gated: bool) -> tuple[CallReward | GatedReward, RepoFixEnv]:
    inside = RepoFixEnv(difficulty=0, max_turns=TURNS)
    env = CallReward(inside, {"read_file": VIEW})
    return (GatedReward(env) if gated else env), inside


def outcome(gated: bool, views: int) -> tuple[float, bool]:
    """Return reward and completion if a file is read again `views` times before the repair."""
    env, inside = world(gated)
    env.reset(seed=0)
    read = inside.oracle_action()
    total = 0.0
    for turn in range(TURNS):
        _, reward, ended, cut, info = env.step(read if turn < views else inside.oracle_action())
        total += float(reward)
        if ended or cut:
            return total, bool(info.get("score"))
    raise AssertionError("the episode has no end")


@needs_sandbox
def test_views_count_behind_the_gate_only() -> None:
    for gated in (False, True):
        assert outcome(gated, 0) == (1.0 + VIEW, True)
        assert outcome(gated, 2) == (1.0 + 2 * VIEW, True)
    assert outcome(False, TURNS) == (TURNS * VIEW, False)
    assert outcome(True, TURNS) == (0.0, False)


@needs_sandbox
@pytest.mark.parametrize("gated", [False, True])
def test_a_policy_that_learns_goes_on_viewing_or_repairs(gated: bool) -> None:
    """Gradient ascent over the only choice of a policy, to view once more or to repair."""
    outcomes = [outcome(gated, views) for views in range(TURNS + 1)]
    logit = 0.0  # of repairing, in every turn
    for _ in range(2000):
        p = 1 / (1 + math.exp(-logit))
        chances = [(1 - p) ** k * p for k in range(TURNS)] + [(1 - p) ** TURNS]
        scores = [(1 - p) - k * p for k in range(TURNS)] + [-TURNS * p]  # d log chance / d logit
        terms = zip(chances, scores, outcomes, strict=True)
        logit += 0.1 * sum(chance * score * reward for chance, score, (reward, _) in terms)
    p = 1 / (1 + math.exp(-logit))
    chances = [(1 - p) ** k * p for k in range(TURNS)] + [(1 - p) ** TURNS]
    repaired = sum(c for c, (_, done) in zip(chances, outcomes, strict=True) if done)
    assert repaired > 0.8 if gated else repaired < 0.1
