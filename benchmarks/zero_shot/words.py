"""Words about the table that are made from its numbers.

Expert data are compared with what can be planned from the same data, all else with one step of
improvement over random actions, which knows the world.

An agent is above a rival in a cell if its whole interval over seeds is, by more than `MARGIN`, and
below it likewise. Cells of one seed are not counted.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from zerogym.benchmarks.zero_shot.suite import EXPERT_DATA, GREEDY, RIVALS
from zerogym.benchmarks.zero_shot.table import over_seeds, over_worlds, shown

MARGIN = 0.005  # half of the last digit shown
LINE, COUNTS = RIVALS[0], RIVALS[2]
FIRST = 5  # agents that are listed for a kind of task
DEFAULT = "FB"  # the agent that is trained where none is named
WHY = """\
Where it is not, F and its policy are to blame more than B: in four rooms B keeps every reward
whole, and in pits nearly (*What agents make of a reward*, below). F'z is the value of a softmax
policy. With a softer one in the targets FB comes nearer to one step of improvement: it scores more
on goals of slippery rooms in the table of settings, and less on penalties. With a sharper one it is
the other way round."""


def in_words(table: Mapping[str, Any]) -> str:
    """Return where agents are above greedy on random's Q and where they are not."""
    agents = [name for name in table["columns"] if name not in table["rivals"]]
    rows = [row for row in table["rows"] if EXPERT_DATA not in row["kind"]]
    narrow = [row for row in table["rows"] if EXPERT_DATA in row["kind"]]
    lines = [
        *_leaders(table, agents),
        f"\nAgainst *{GREEDY}* from random walks, in cells with two seeds or more;"
        " above and below mean that the whole interval is.\n",
        f"| agent | above {GREEDY} | level | below |",
        "| --- | --- | ---: | ---: |",
    ]
    for name in agents:
        found = [(row, compare(row, name)) for row in rows]
        if all(sign is None for _, sign in found):
            continue  # fewer than two seeds
        wins = [row for row, sign in found if sign == 1]
        level, below = (sum(sign == one for _, sign in found) for one in (0, -1))
        lines.append(f"| {name} | {_cells(wins)} | {level} | {below} |")
    exact = [row for row in rows if row["horizon"] is not None]
    hard = [row for row in exact if row["horizon"] > 1]
    names = [f"{row['world']} ({row['kind']})" for row in hard]
    counted = [row for row in hard if compare(row, DEFAULT) is not None]
    wins = [row for row in counted if compare(row, DEFAULT) == 1]
    words = [
        f"\n{len(hard)} of {len(exact)} cells with exact scores have a median effective horizon"
        " above 1" + (f": {', '.join(names)}." if names else ".")
    ]
    if counted:
        words.append(
            f"{DEFAULT}, the default, is above {GREEDY} in {len(wins)} of {len(counted)} of them."
        )
        if len(wins) < len(counted):
            words.append(WHY)
    played = [row for row in rows if row["horizon"] is None]
    words += _above(played, agents, LINE) + _above(narrow, agents, COUNTS)
    return "\n".join(lines) + "\n" + "\n".join(words) + "\n"


def _leaders(table: Mapping[str, Any], agents: list[str]) -> list[str]:
    """Return the agents with the highest scores of each kind of task, and the rivals."""
    kinds: dict[str, list[Mapping[str, Any]]] = {}
    for row in table["rows"]:
        kinds.setdefault(row["kind"], []).append(row)
    lines = [
        f"\n## In words\n\nThe {FIRST} agents with the highest IQM, and the simple rivals.\n",
        "| tasks | agents | rivals |",
        "| --- | --- | --- |",
    ]
    for kind, rows in kinds.items():
        best, rivals = (_ordered(rows, names) for names in (agents, (LINE, GREEDY, COUNTS)))
        lines.append(f"| {kind} | {', '.join(best[:FIRST])} | {', '.join(rivals)} |")
    return lines


def _ordered(rows: list[Mapping[str, Any]], names: Iterable[str]) -> list[str]:
    found = {name: over_worlds(rows, name) for name in names}
    scores = {name: shown(each.value) for name, each in found.items() if each}
    return [f"{name} {scores[name]:.2f}" for name in sorted(scores, key=lambda name: -scores[name])]


def compare(row: Mapping[str, Any], name: str, beside: str = GREEDY) -> int | None:
    """Return 1 above a rival, -1 below, 0 neither, None where it cannot be said."""
    own, rival = row["scores"].get(name, {}), row["scores"].get(beside, {})
    if len(own) < 2 or not rival:
        return None
    found = over_seeds(row["kind"], own, np.random.default_rng(0))
    other = math.fsum(rival.values()) / len(rival)
    if round(found.low - other, 9) > MARGIN:
        return 1
    return -1 if round(other - found.high, 9) > MARGIN else 0


def _above(rows: list[Mapping[str, Any]], agents: list[str], rival: str) -> list[str]:
    """Return a sentence for each row with an agent above a rival, and one for those without."""
    found, nobody = [], []
    for row in rows:
        if all(compare(row, name, rival) is None for name in agents):
            continue
        title = f"{row['world']} ({row['kind']})"
        above = [name for name in agents if compare(row, name, rival) == 1]
        if above:
            found.append(f"In {title}, above *{rival}*: {', '.join(above)}.")
        else:
            nobody.append(title)
    if nobody:
        found.append(f"No agent is above *{rival}* in {', '.join(nobody)}.")
    return ["", *found] if found else []


def _cells(rows: list[Mapping[str, Any]]) -> str:
    kinds: dict[str, list[str]] = {}
    for row in rows:
        kinds.setdefault(row["kind"], []).append(row["world"])
    if not kinds:
        return "nowhere"
    return f"{len(rows)}: " + "; ".join(f"{kind} in {', '.join(w)}" for kind, w in kinds.items())
