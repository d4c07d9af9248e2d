"""Reasons for the scores of the table, parts of its page: what prompts keep, and more updates."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zerogym.benchmarks.zero_shot.longer import TIMES

MUCH = 0.1  # change of a score

KEPT = """
## What agents make of a reward

Agents with features replace a reward by its least squares fit to these, FRE by what its decoder
reads from the code. Three numbers: the share of the reward's variance on the data that is kept; the
score in the task of the best policy for what is kept; the agent's score. Where the second is low,
features or code are to blame, and where it is far above the third, the policy. Means over the tasks
of a kind, one seed.

"""
LONGER = f"""
## {TIMES} times the updates

Scores of the table, and after the arrow those with {TIMES} times its updates (FRE's encoder, too):
means over the same {{seeds}} seeds.

"""


def kept(spans: Sequence[Mapping[str, Any]]) -> str:
    """Return what agents keep of rewards, what it is worth, and what they score.

    Args:
        spans: The worlds of `measure_spans`.
    """
    columns = [(span, kind) for span in spans for kind in next(iter(span["shares"].values()))]
    titles = [f"{span['world']}: {kind}" for span, kind in columns]
    lines = [f"| agent | {' | '.join(titles)} |", "| --- |" + " ---: |" * len(titles)]
    for agent in spans[0]["shares"]:
        found = [span["shares"][agent][kind] for span, kind in columns]
        cells = [
            " / ".join(f"{_shown(each[name]):.2f}" for name in ("kept", "optimum", "score"))
            for each in found
        ]
        lines.append(f"| {agent} | {' | '.join(cells)} |")
    return KEPT + "\n".join(lines) + "\n"


def gains(table: Mapping[str, Any], longer: Mapping[str, Any]) -> str:
    """Return the scores of agents before and after more updates, with the same seeds.

    Args:
        table: Of `reduce_run`, of the table.
        longer: The same with more updates.
    """
    before = {(row["world"], row["kind"]): row["scores"] for row in table["rows"]}
    rows = [row for row in longer["rows"] if row["scores"]]
    titles = [f"{row['world']}: {row['kind']}" for row in rows]
    lines = [f"| agent | {' | '.join(titles)} |", "| --- |" + " ---: |" * len(titles)]
    seeds: set[int] = set()
    changes: dict[str, list[float]] = {}  # of agents, in columns
    for agent in longer["columns"]:
        cells = []
        for row in rows:
            here, there = (
                scores.get(agent, {})
                for scores in (row["scores"], before[row["world"], row["kind"]])
            )
            shared = sorted(set(here) & set(there))
            if not shared:
                cells.append("–")
                continue
            seeds.add(len(shared))
            old, new = (_shown(np.mean([one[seed] for seed in shared])) for one in (there, here))
            changes.setdefault(agent, []).append(round(new - old, 2))
            cells.append(f"{old:.2f} → {new:.2f}")
        if agent in changes:
            lines.append(f"| {agent} | {' | '.join(cells)} |")
    number = str(min(seeds)) if len(seeds) == 1 else f"{min(seeds)} to {max(seeds)}"
    more, less = (
        [agent for agent, found in changes.items() if any(is_it(change) for change in found)]
        for is_it in (lambda change: change >= MUCH, lambda change: change <= -MUCH / 2)
    )
    gained, lost = (", ".join(agents) or "none" for agents in (more, less))
    words = (
        f"\nGains of {MUCH} or more in some column: {gained}. There the scores of the table are of "
        f"too few updates. Losses of {MUCH / 2} or more: {lost}.\n"
    )
    return LONGER.format(seeds=number) + "\n".join(lines) + "\n" + words


def _shown(value: float) -> float:
    return round(float(value), 2) + 0.0  # no -0.0
