"""The page of the table, from committed numbers alone: tables, words, costs, where they are from.

Numbers are rounded to nine digits before they are rounded for display, so that the last bits of a
processor do not decide a digit.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from zerogym.benchmarks.results.estimates import Estimate
from zerogym.benchmarks.zero_shot.data import GOALS
from zerogym.benchmarks.zero_shot.reasons import gains, kept
from zerogym.benchmarks.zero_shot.suite import EXPERT_DATA, ORACLE
from zerogym.benchmarks.zero_shot.table import over_seeds, over_worlds, shown
from zerogym.benchmarks.zero_shot.words import in_words

Reduced = Mapping[str, Any]

HEAD = """# Zero-shot agents and their simple rivals

<!-- Made by `python -m zerogym.benchmarks.zero_shot`; its test compares it with its numbers. -->

All agents of a seed learn from the same data without rewards, random walks but where a table says
*expert data*; then every task is scored. Where states are finitely many, scores are exact, over all
start states: 0 is random actions, 1 the optimum of the true model. Where a table says *played*,
actions are continuous and scores are of episodes, the same starts for all: in mazes 0 is random
actions and 1 the oracle, and the behaviours of bodies have the mean reward of a step. A number is
the mean over tasks and seeds, in brackets its 95 % bootstrap interval over seeds; without a bracket
it is of one seed, or its interval has no width at two digits. Bold is the best but for the oracle.
IQM is the interquartile mean over all seeds and worlds of a line, where it has all of them; its
bootstrap draws seeds world by world. Where there is no number the world has no such policy, or the
cell was not run. Horizon is the median effective horizon of the tasks: where it is 1, one step of
improvement over random actions solves most of them, and nothing has to be planned.
"""

RIVALS = """
*Straight line*, *random* and the oracle (value iteration; in mazes the shortest way) know the world
and do not learn. *Greedy on random's Q* is one step of improvement: by the exact Q of random
actions where states are finitely many, else by a network that is fitted to the Q of the data's
actions, for all tasks at once. *Plan on counts* is value iteration on the data's counts, and *best
in the data* the best policy with the actions of the data, where steps are certain. Where data cover
every state and action, planning on their counts is what an agent can hope for: *PSM* does so by a
linear program over all policies' visits, which are exact, and *neural PSM* by visits that networks
have learnt.
"""

PLAYED = """
Played worlds have random actions that are held, for 8 steps in mazes and 4 in the cheetah's 10
milliseconds, 40,000 transitions and the updates of the other worlds: minutes of one core, where
published agents of bodies had days of a GPU. Agents for discrete actions are not among them. The
oracle of a peak does not weigh the hill on its way, so that more than 1 is possible.
"""

EXPERTS = f"""
Experts go the shortest way from one of {GOALS} goals to the next, drawn for each seed, and do
nothing else: data lack most actions of a state. Tasks whose reward is the same everywhere in these
data are left out, since nothing says where it is, so that tasks are not those of the other tables.
*Greedy on random's Q* and the oracle know the world and not the data; *plan on counts* and *best in
the data* are what to compare with.
"""

MISSING = """
## Not yet run

Data of experts are of two worlds, and of none that is played; [what zero-shot agents can
do](zero_shot.md) has other data that are narrow. Cheetah, Walker and Ant at published sizes need a
GPU, and none was there: `python -m zerogym.benchmarks.zero_shot --run-bodies --bodies FOLDER`.
"""


def page(
    table: Reduced,
    ablation: Reduced | None = None,
    longer: Reduced | None = None,
    bodies: Reduced | None = None,
    spans: Reduced | None = None,
    picture: str | None = None,
) -> str:
    """Return the page in Markdown.

    Args:
        table: Of `reduce_run`.
        ablation: The same of the variants of forward-backward.
        longer: The same of agents with more updates.
        bodies: The same of bodies at published sizes.
        spans: Of `measure_spans`.
        picture: Path of the picture of ways, from the page.
    """
    parts = [HEAD, in_words(table)]
    parts += [table_of_kind(table, kind, f"Tasks: {kind}") for kind in _kinds(table)]
    if any(EXPERT_DATA in kind for kind in _kinds(table)):
        parts.append(EXPERTS)
    parts += [RIVALS, PLAYED, _costs(table), _source(table, "zerogym bench zero_shot", "table")]
    if picture:
        parts.append(
            "\n## Ways\n\nOne task a row, one seed; the start is where *greedy on random's Q* loses"
            f" the most, else the farthest from the goal.\n\n![Ways on small maps]({picture})\n"
        )
    if spans:
        call = "python -m zerogym.benchmarks.zero_shot --spans"
        parts += [kept(spans["worlds"]), _source(spans, call, "spans")]
    if longer:
        call = "python -m zerogym.benchmarks.zero_shot --run-longer --longer FOLDER"
        parts += [gains(table, longer), _source(longer, call, "longer")]
    if ablation:
        call = "python -m zerogym.benchmarks.zero_shot --run-ablation --ablation FOLDER"
        parts += [_ablation(ablation), _source(ablation, call, "ablation")]
    if bodies:
        call = "python -m zerogym.benchmarks.zero_shot --run-bodies --bodies FOLDER"
        parts += [table_of_kind(bodies, kind, f"Bodies: {kind}") for kind in _kinds(bodies)]
        parts += [_source(bodies, call, "bodies")]
    return "".join([*parts, MISSING])


def _kinds(table: Reduced) -> list[str]:
    return list(dict.fromkeys(row["kind"] for row in table["rows"]))


def table_of_kind(table: Reduced, kind: str, title: str) -> str:
    """Return the section of one kind: a line a column of the table, worlds beside each other.

    Args:
        table: Its `rows` have `world`, `kind`, `horizon` and `scores` by column and seed.
        kind: Of the rows that are taken.
        title: Of the section.
    """
    rows = [row for row in table["rows"] if row["kind"] == kind]
    names = [row["world"] for row in rows]
    best = [_best(row, table["columns"]) for row in rows]
    horizons = ["–" if row["horizon"] is None else f"*{row['horizon']:g}*" for row in rows]
    lines = [
        f"\n## {title}\n",
        f"|  | {' | '.join(names)} | IQM |",
        "| --- |" + " ---: |" * (len(rows) + 1),
    ]
    lines.append(f"| *seeds* | {' | '.join(_seeds(row) for row in rows)} |  |")
    if any(row["horizon"] is not None for row in rows):
        lines.append(f"| *horizon* | {' | '.join(horizons)} |  |")
    for name in table["columns"]:
        found = [_estimate(row, name) for row in rows]
        if any(found):
            cells = [
                _text(each, bold=name != ORACLE and each is not None and shown(each.value) == most)
                for each, most in zip(found, best, strict=True)
            ]
            lines.append(f"| {name} | {' | '.join(cells)} | {_text(over_worlds(rows, name))} |")
    return "\n".join(lines) + "\n"


def _seeds(row: Reduced) -> str:
    return _range([len(by_seed) for by_seed in row["scores"].values()] or [0])


def _range(numbers: list[int]) -> str:
    few, many = min(numbers), max(numbers)
    return f"{few}" if few == many else f"{few} to {many}"


def _best(row: Reduced, columns: list[str]) -> float:
    found = (_estimate(row, name) for name in columns if name != ORACLE)
    return max((shown(each.value) for each in found if each), default=math.nan)


def _estimate(row: Reduced, name: str) -> Estimate | None:
    by_seed = row["scores"].get(name)
    if not by_seed:
        return None
    return over_seeds(row["kind"], by_seed, np.random.default_rng(0))


def _text(found: Estimate | None, bold: bool = False) -> str:
    if found is None:
        return "–"
    value, low, high = (shown(each) for each in (found.value, found.low, found.high))
    text = f"{value:.2f}" if not bold else f"**{value:.2f}**"
    return text if math.isnan(low) or low == high else f"{text} ({low:.2f}…{high:.2f})"


def _costs(table: Reduced) -> str:
    seeds = {
        name: [len(row["scores"][name]) for row in table["rows"] if name in row["scores"]]
        for name in table["costs"]
    }
    lines = [
        "\n## Costs\n\nSeconds of learning, the median over worlds and seeds, on one core that"
        " other programs shared: CPU is what to compare.\n",
        "| agent | CPU s | wall s | seeds of a cell |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, cost in table["costs"].items():
        number = _range(seeds[name])
        lines.append(f"| {name} | {cost['cpu_s']:.1f} | {cost['wall_s']:.1f} | {number} |")
    return "\n".join(lines) + "\n"


def _ablation(table: Reduced) -> str:
    """Return the variants as lines, worlds and kinds of task as columns."""
    rows, columns = [row for row in table["rows"] if row["scores"]], table["columns"]
    base = columns[0]
    titles = [f"{row['world']}: {row['kind']}" for row in rows]
    best = [_best(row, columns) for row in rows]
    lines = [
        "\n## Forward-backward with other settings\n\n"
        'One change each, but for "softer, d = 96"; data as above. '
        "Targets follow a softmax of F'z / 10, in the softer ones of F'z / 100, in the sharper one"
        " of F'z.\n",
        f"| variant | {' | '.join(titles)} |",
        "| --- |" + " ---: |" * len(rows),
    ]
    above = []
    for name in columns:
        found = [_estimate(row, name) for row in rows]
        if not any(found):
            continue
        cells = [
            _text(each, bold=each is not None and shown(each.value) == most)
            for each, most in zip(found, best, strict=True)
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
        first = [_estimate(row, base) for row in rows]
        gains = [a.value - b.value for a, b in zip(found, first, strict=True) if a and b]
        if name != base and gains and min(gains) > 0:
            above.append(name)
    words = f"{', '.join(above)}: above the first line in every column that was run" if above else (
        "No variant is above the first line in every column that was run"
    )  # fmt: skip
    number = _range([len(by_seed) for row in rows for by_seed in row["scores"].values()])
    seeded = "one seed" if number == "1" else f"means over {number} seeds"
    return "\n".join(lines) + f"\n\n{words} ({seeded}).\n"


def _source(table: Reduced, call: str, name: str) -> str:
    sessions = "; ".join(
        f"{str(one['date'])[:10]}, one core of {one['processor']}, commit {one['commit']}"
        for one in table.get("sessions") or [table["session"]]
    )
    return f"\n*{sessions}: `{call}`; [the numbers](zero_shot/{name}.json).*\n"
