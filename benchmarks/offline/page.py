"""The page of the study, from its committed numbers alone: a table a grade, and words."""

from collections.abc import Mapping
from typing import Any

from zerogym.benchmarks.offline.agents import AGENTS, LENGTH, NAMES, REPEATS, SEQUENCES
from zerogym.benchmarks.offline.data import GRADES, STEPS, TASKS
from zerogym.benchmarks.offline.rivals import COUNTS, FREQUENT, INSIDE, RIVALS
from zerogym.benchmarks.offline.study import STUDY
from zerogym.benchmarks.zero_shot.page import table_of_kind

ORDER = (*RIVALS[:-1], *NAMES, RIVALS[-1])
SIZES = AGENTS["BC"]
MARGIN = 0.005  # half of the last digit shown

HEAD = f"""# Offline agents and policies that count

<!-- Made by `python -m zerogym.benchmarks.offline`. -->

One task, {STEPS:,} stored transitions of it, no further play. All players of a seed learn from the
same data, whose episodes begin anywhere. 0 is random actions, 1 the optimum of the true model:
discounted values, the mean over all starts. Policies of the state are scored exactly, agents by
their likeliest actions. The decision transformer has a memory: it is played for {LENGTH} steps from
every start, {REPEATS} times where the floor is slippery, towards the largest return in the data.
What comes later, at most 0.6 % of a value that goes on, is left out, and it learns returns without
discount. In brackets is the 95 % bootstrap interval over seeds; without one, it has no width at two
digits. IQM is the interquartile mean over tasks and seeds, whose bootstrap draws seeds task by
task. Bold is the best but for the oracle. Horizon is the effective horizon: none of these tasks is
solved by one step of improvement over random actions.

*Policy of the data* takes each action as often as the data do in that state, *{FREQUENT}* the one
that they have most. *Plan on counts* is value iteration on the data's counts, and *{INSIDE}* the
best policy with the actions of the data by the true model, a bound that nobody else knows.

Networks are small ({SIZES.layers} x {SIZES.hidden}) and updates few ({SIZES.updates}, the
transformer {SEQUENCES.updates}), chosen with seed 0 on three of the tasks for a run of minutes;
longer runs may score more.
"""


def page(record: Mapping[str, Any]) -> str:
    """Return the page in Markdown.

    Args:
        record: Of `record.run`.
    """
    rows, where = rows_of(record), record["provenance"]
    table = {"rows": rows, "columns": ORDER}
    parts = [HEAD]
    for grade in GRADES:
        parts.append(table_of_kind(table, grade, f"Data: {grade}"))
        parts.append(in_words([row for row in rows if row["kind"] == grade]))
    parts.append(f"\n## In words\n\n{STUDY.notes}\n")
    parts.append(
        f"\n*{where['date'][:10]}, one core of {where['processor']} with other load, "
        f"{record['seeds']} seeds, commit {where['commit']}: `python -m "
        "zerogym.benchmarks.offline`; [the numbers](offline.json).*\n"
    )
    return "".join(parts)


def rows_of(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of `table_of_kind`: one for each task, of the kind of each grade."""
    rows: list[dict[str, Any]] = [
        {"world": name, "kind": grade, "horizon": task.horizon, "scores": {}}
        for grade in GRADES
        for name, task in TASKS.items()
    ]
    for row in rows:
        for cell in record["cells"]:
            if cell["group"] == row["world"]:
                for who, grades in cell["scores"].items():
                    (score,) = grades[row["kind"]].values()
                    row["scores"].setdefault(who, {})[str(cell["seed"])] = score
    return [row for row in rows if row["scores"]]


def in_words(rows: list[Mapping[str, Any]]) -> str:
    """Return where each agent is above and below planning on counts, on every seed.

    Args:
        rows: Of one grade.
    """
    lines = [
        f"\nAgainst *{COUNTS}*, which has the same data, seed by seed: above and below mean on"
        " every seed.\n",
        "| agent | above | neither | below |",
        "| --- | --- | --- | --- |",
    ]
    for name in NAMES:
        signs = {row["world"]: compare(row["scores"][name], row["scores"][COUNTS]) for row in rows}
        cells = [
            "; ".join(world for world, found in signs.items() if found == sign) or "nowhere"
            for sign in (1, 0, -1)
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def compare(own: Mapping[str, float], other: Mapping[str, float]) -> int:
    """Return 1 if the first is above the second by more than `MARGIN` on every seed, -1 if below.

    Example:
        >>> compare({"10": 0.5, "11": 0.7}, {"10": 0.4, "11": 0.6})
        1
        >>> compare({"10": 0.5, "11": 0.7}, {"10": 0.4, "11": 0.7})
        0
    """
    gains = [round(own[seed] - other[seed], 9) for seed in own]
    if min(gains) > MARGIN:
        return 1
    return -1 if max(gains) < -MARGIN else 0
