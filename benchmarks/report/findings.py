"""Findings of a run: a few sentences that are computed from its table.

A finding appears only if its cells were measured; the absence of an expected effect is reported
too.
"""

import math
from dataclasses import dataclass

from zerogym.benchmarks.suites.scores import Score, Table


@dataclass(frozen=True)
class Finding:
    """A number and the sentence that explains it."""

    number: str
    text: str


def findings(table: Table) -> list[Finding]:
    """All findings for which the table has the cells."""
    found = [_reinforced(table), _zero_shot(table), _straight_line(table), _one_goal(table)]
    return [finding for finding in found if finding is not None]


def _value(table: Table, world: str, agent: str) -> float | None:
    score = table.cells.get((world, agent))
    if score is None or score.estimate is None or not math.isfinite(score.estimate.value):
        return None
    return score.estimate.value


def _reinforced(table: Table) -> Finding | None:
    """The world in which GRPO changed the tiny model most."""
    best: tuple[float, str, Score, Score] | None = None
    for world in table.suite.worlds:
        before, after = (table.cells.get((world.name, n)) for n in ("tiny", "tiny_grpo"))
        if before is None or after is None or not (before.estimate and after.estimate):
            continue
        gain = after.estimate.value - before.estimate.value
        if math.isfinite(gain) and (best is None or abs(gain) > abs(best[0])):
            best = (gain, world.name, before, after)
    if best is None:
        return None
    _, world_name, before, after = best
    assert before.estimate is not None and after.estimate is not None
    apart = after.estimate.low > before.estimate.high
    certainty = "the intervals do not overlap" if apart else "the intervals overlap"
    return Finding(
        f"{before.estimate.value:.2f} → {after.estimate.value:.2f}",
        f"{world_name}: the tiny language model before and after minutes of GRPO, on problems of "
        f"the test split ({certainty}).",
    )


def _zero_shot(table: Table) -> Finding | None:
    values = [
        value
        for world in table.suite.worlds
        if world.family == "control" and (value := _value(table, world.name, "fb")) is not None
    ]
    if not values:
        return None
    return Finding(
        f"{min(values):.2f} – {max(values):.2f}",
        f"The zero-shot agent over {len(values)} control worlds. Its training had no reward: each "
        "task was given afterwards.",
    )


def _straight_line(table: Table) -> Finding | None:
    world = next((w for w in table.suite.worlds if w.env_id == "zerogym/UMap-v0"), None)
    if world is None:
        return None
    line, agent = (_value(table, world.name, name) for name in ("rule", "fb"))
    if line is None or agent is None:
        return None
    verb = "beats" if agent > line else "does not beat"
    return Finding(
        f"{agent:.2f} vs {line:.2f}",
        f"{world.name}: the zero-shot agent {verb} the straight line, so the map "
        f"{'rewards' if agent > line else 'would reward'} planning round walls.",
    )


def _one_goal(table: Table) -> Finding | None:
    own = _value(table, "Four rooms: DQN's goal", "sb3")
    others = _value(table, "Four rooms: goals", "sb3")
    if own is None or others is None:
        return None
    return Finding(
        f"{own:.2f} / {others:.2f}",
        "DQN on the goal it was trained for, and over many goals: what one reward teaches does "
        "not carry over.",
    )
