"""The page of a training run of a language model: curves, and conversations by seat.

Read from its folder: `metrics.jsonl`, and `rollouts` where the run kept its episodes
(`keep_rollouts`). Evaluations are shown before the rewards of training, which in self-play say
nothing by themselves. Left out: runs of zero-shot agents, whose curves are in reports of `bench`.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from zerogym.agents.trajectory import Trajectory, read_jsonl
from zerogym.benchmarks.report.charts import line_chart
from zerogym.benchmarks.report.page import write_page
from zerogym.benchmarks.report.talk_lines import Line, lines_of_seat
from zerogym.benchmarks.results.results_file import read_records

REPORT, METRICS = "report.html", "metrics.jsonl"
CURVES = 24  # that are shown
EPISODES = 2  # of each task, from the first and the last file
ORDER = ("eval", "rollout/reward", "rollout", "algorithm", "actor")  # of curves


def write_training_report(folder: Path) -> Path:
    """Write `report.html` into the folder of a run, and return its path.

    Raises:
        ValueError: If the folder holds no metrics of a run, or a file of rollouts is broken.
    """
    rows = list(read_records(folder / METRICS))
    if not rows:
        raise ValueError(f"{folder} holds no {METRICS} of a training run")
    files = sorted((folder / "rollouts").glob("step-*.jsonl"))
    steps = [(file.stem, _episodes(file)) for file in dict.fromkeys([*files[:1], *files[-1:]])]
    last = {key: value for row in rows for key, value in row.items() if value is not None}
    return write_page(
        folder / REPORT,
        "training.html",
        f"Training run {folder.resolve().name}",
        [],
        charts=curves_of(rows),
        last=[(key, last[key]) for key in _ordered(last)],
        steps=steps,
        settings=_settings(folder),
    )


def _settings(folder: Path) -> list[tuple[str, str]]:
    """Return the settings of the last checkpoint that are not None; none before the first."""
    for path in sorted(folder.glob("checkpoint-*/run.json"))[-1:]:
        config = json.loads(path.read_text(encoding="utf-8")).get("config", {})
        return [(key, json.dumps(value)) for key, value in config.items() if value is not None]
    return []


def curves_of(rows: Sequence[dict[str, Any]]) -> list[tuple[str, str, Any]]:
    """Return the name, an empty label and the chart of each metric that has several points."""
    points: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        for key, value in row.items():
            if isinstance(value, int | float) and isinstance(row.get("step"), int | float):
                points.setdefault(key, []).append((row["step"], float(value)))
    names = [key for key in _ordered(points) if len({step for step, _ in points[key]}) > 1]
    return [(key, "", line_chart(points[key], "step", key)) for key in names[:CURVES]]


def _ordered(keys: Any) -> list[str]:
    """Return metrics in the order of `ORDER`, without steps and seconds."""
    kept = [key for key in keys if key != "step" and not key.startswith("time/")]
    places = {key: [not key.startswith(start) for start in ORDER] for key in kept}
    return sorted(kept, key=lambda key: (places[key], key))


def _episodes(file: Path) -> list[tuple[str, list[tuple[str, list[Line]]]]]:
    """Return some episodes of each task, each with the lines of every seat that wrote."""
    found: dict[tuple[Any, ...], list[Trajectory]] = {}
    for trajectory in read_jsonl(file):
        if trajectory.turns:
            key = (trajectory.env, trajectory.seed, trajectory.group, trajectory.episode)
            found.setdefault(key, []).append(trajectory)
    shown, episodes = dict[str, int](), []
    for (env, seed, _, episode), seats in found.items():
        shown[env] = shown.get(env, 0) + 1
        if shown[env] <= EPISODES:
            title = f"{env}, seed {seed}, episode {episode}"
            episodes.append((title, [(_title(each), lines_of_seat(each)) for each in seats]))
    return episodes


def _title(trajectory: Trajectory) -> str:
    roles = dict.fromkeys(turn.role for turn in trajectory.turns if turn.role != "player")
    source = "" if trajectory.source == "policy" else f", {trajectory.source}"
    return trajectory.seat + (f" ({', '.join(roles)})" if roles else "") + source
