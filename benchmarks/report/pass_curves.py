"""pass@k of evaluations with several samples a problem, as curves with intervals over problems.

"Does Reinforcement Learning Really Incentivize Reasoning Capacity in LLMs Beyond the Base Model?"
(2025, arXiv 2504.13837) draws a model before and after training: the trained one may be better at
one sample and worse at many. Where a task reports no success the curve is that of max@k.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

from zerogym.agents.json_lines import NotALog
from zerogym.benchmarks.report.charts import ACCENTS, alone, figure, inline
from zerogym.benchmarks.report.markup import visible
from zerogym.benchmarks.results.outcome_log import Outcomes, read_outcomes
from zerogym.benchmarks.results.outcome_measures import measures

LOGS = "outcomes*.jsonl"  # of a run's folder, in its report


def pass_picture(evaluations: Sequence[Outcomes]) -> str:
    """Return an SVG file with a curve for each evaluation; all of the same problems."""
    with figure(520, 320) as (drawn, axes):
        _draw(axes, evaluations)
        axes.set_title(visible(str(evaluations[0].about["env"])), parse_math=False)
        return alone(drawn)


def pass_panels(folder: Path) -> list[tuple[str, str, Markup | str]]:
    """Return name, label and chart of each task of which a folder holds logs of `zerogym eval`.

    A log that cannot be read has its error for a label and no chart.
    """
    tasks: dict[str, list[Outcomes]] = {}
    panels: list[tuple[str, str, Markup | str]] = []
    for path in sorted(folder.glob(LOGS)):
        try:
            found = read_outcomes(path)
        except (NotALog, OSError) as error:
            panels.append((path.name, str(error), ""))
        else:
            task = f"{found.about['env']} {dict(found.about.get('env_kwargs') or {}) or ''}"
            tasks.setdefault(task.strip(), []).append(found)
    for task, evaluations in tasks.items():
        with figure(250, 200) as (drawn, axes):
            label = _draw(axes, evaluations)
            panels.append((task, label, inline(drawn, f"{label} in {task}")))
    return panels


def _draw(axes: Axes, evaluations: Sequence[Outcomes]) -> str:
    """Draw a curve for each evaluation and return what they show."""
    known, most = True, 1
    for number, each in enumerate(evaluations):
        doubled = [2**power for power in range(each.samples.bit_length())]
        rows = measures(each.problems, sorted({*doubled, each.samples}))
        known &= all(row.passed is not None for row in rows)
        values: list[Any] = [row.passed or row.best for row in rows]
        ks, colour = [row.k for row in rows], ACCENTS[number % len(ACCENTS)]
        axes.plot(
            ks, [value.value for value in values], "o-", color=colour, markersize=4,
            label=visible(str(each.about.get("model"))),
        )  # fmt: skip
        lows, highs = [value.low for value in values], [value.high for value in values]
        axes.fill_between(ks, lows, highs, color=colour, alpha=0.13, lw=0)
        most = max(most, *ks)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator([2**power for power in range(most.bit_length())]))
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.xaxis.set_minor_locator(NullLocator())
    label = "pass@k" if known else "max@k"
    axes.set(xlabel="k", ylabel=label)
    for text in axes.legend(labelcolor="linecolor").get_texts():
        text.set_parse_math(False)
    return label
