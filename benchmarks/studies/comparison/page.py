"""The page of a study in Markdown: what was compared, a table a task, the picture, all settings."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from zerogym.benchmarks.studies.comparison.record import missing
from zerogym.benchmarks.studies.comparison.study import RIVAL, START
from zerogym.benchmarks.studies.comparison.table import in_markdown


def page(record: Mapping[str, Any]) -> str:
    """Return the page of a record."""
    name = record["study"]
    command = f"zerogym study {name}.toml"
    parts = [
        f"# {record['title']}",
        f"<!-- Made by `{command}`. -->",
        record["notes"].strip(),
        _about(record),
        *(in_markdown(record, task).rstrip() for task in record["tasks"]),
        f"![Mean returns of all runs]({name}.svg)",
        _not_run(record),
        _settings(record),
        _origins(record, command),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _about(record: Mapping[str, Any]) -> str:
    seeds = record["seeds"]
    text = (
        f"Each of {len(seeds)} runs of a variant has a seed of its own, {seeds[0]} to {seeds[-1]}; "
        "runs of one seed meet the same problems. The score of a run is its mean return in the "
        "evaluation after training, and the tables have the mean over runs with a 95 % bootstrap "
        "interval over runs (of so few, it is narrower than that). Differences are taken seed by "
        f"seed from `{record['baseline']}`; bold ones have an interval without 0, as a few of many "
        f"variants would without any difference. *{START}* is the model before training."
    )
    if record["rival"]:
        text += (
            f" *{RIVAL}* is the simplest rival: as many replies to the same problems, all from the "
            "start model, of each problem the best (none below the mean of all), and supervised "
            "training on them, with as many optimiser steps at the same learning rate."
        )
    return text


def _not_run(record: Mapping[str, Any]) -> str:
    """Return what is not there yet, and why where it failed; empty if all runs are there."""
    cells = missing(record)
    if not cells:
        return ""
    counts = Counter(cell.task for cell in cells)
    each = ", ".join(f"{task} {counts[task]}" for task in record["tasks"] if counts[task])
    text = f"**Not yet run**: {len(cells)} of {len(cells) + len(record['cells'])} runs ({each})."
    failed = ("- {task}, {variant}, seed {seed}: {error}".format(**row) for row in record["errors"])
    return "\n".join([text, *failed])


def _settings(record: Mapping[str, Any]) -> str:
    """Return the settings: those of all variants of a task, and what each adds to them."""
    text = (
        "## Settings\n\nAs `GRPOConfig` has them; those that are not named have their defaults.\n"
    )
    settings = {task: _of_task(record, task) for task in record["tasks"]}
    for task, own in settings.items():
        shared = dict.fromkeys(own[record["baseline"]])
        for found in own.values():
            shared = {k: found[k] for k in shared if k in found and _same(own, k)}
        text += f"\n- all of {task}: {_shown(shared)}"
        for name, found in own.items():
            settings[task][name] = {k: v for k, v in found.items() if k not in shared}
    first = settings[record["tasks"][0]]
    for name, found in first.items():
        text += f"\n- `{name}`: {_shown(found) or 'nothing more'}"
        for task in record["tasks"][1:]:
            if settings[task][name] != found:
                text += f" (in {task}: {_shown(settings[task][name]) or 'nothing more'})"
    return text


def _of_task(record: Mapping[str, Any], task: str) -> dict[str, dict[str, Any]]:
    """Return by variant the settings of its runs; the part of a record is shown by its name."""
    return {name: record["settings"][f"{task}/{name}"] for name in record["variants"]}


def _same(own: Mapping[str, Mapping[str, Any]], key: str) -> bool:
    return len({json.dumps(found.get(key)) for found in own.values()}) == 1


def _shown(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name} = {_value(value)}`" for name, value in settings.items())


def _value(value: Any) -> str:
    """Return a value as a file of settings has it; of a part without its version."""
    if isinstance(value, Mapping):
        inside = ", ".join(f"{k} = {_value(v)}" for k, v in value.items() if k != "version")
        return f"{{{inside}}}"
    return json.dumps(value)


def _origins(record: Mapping[str, Any], command: str) -> str:
    """Return where and when the numbers were measured."""
    spent = sum(row["seconds"] for row in record["cells"]) / 60
    numbers = f"[all numbers]({record['study']}.json)"
    text = f"## Origin\n\n`{command}`, {spent:.0f} CPU minutes; {numbers}.\n"
    for where in record["sessions"]:
        packages = ", ".join(f"{p} {where['packages'].get(p)}" for p in ("torch", "transformers"))
        device = where["gpu"] or f"{where['workers']} process(es) on {where['processor']}"
        text += f"\n- {where['date'][:10]}, {device}, commit {where['commit']}, {packages}"
    return text
