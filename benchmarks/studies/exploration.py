"""Coverage of a world by each explorer, step by step: one command, one figure.

    python -m zerogym.benchmarks.studies.exploration docs/exploration

writes `docs/exploration.json` (every curve, with versions and hardware) and `.svg`. It goes on
where it was stopped. Two worlds: the large point maze, where every episode starts in the same
corner (where starts are drawn evenly, as by default, random actions are everywhere already), and
the walker, whose cells are those of the data card: height, uprightness and speed. All policies are
run with the default settings of `zerogym collect`, but for two: in the maze networks learn every
second step (as in URLB, arXiv 2110.15191), and on the walker observations are fed as they are
(`waves=0`), since in eighteen dimensions random waves are noise. Two agents are random actions;
those held for eight steps are the simplest way to go far.

Measured on 2026-11-22 on 2 cores of a busy AMD EPYC, no GPU, 3 seeds of 6,000 steps (cells, mean):

| | random | held | rnd | icm | disagreement | max_info | diayn | aps | proto |
|---|---|---|---|---|---|---|---|---|---|
| point maze | 70 | 156 | 103 | 98 | 85 | 72 | 111 | 122 | 62 |
| walker | 168 | 343 | 499 | 698 | 495 | 465 | 170 | 215 | 196 |

With every seed RND, ICM, disagreement, DIAYN and APS cover more of the maze than any run of random
actions, and RND, ICM, disagreement, MaxInfoRL, APS and ProtoRL more of the walker, the first four
also than held ones. MaxInfoRL and ProtoRL do not in the maze, DIAYN does not on the walker. In the
maze held actions beat all but one run of APS: with so few steps going far is enough there. The
entropy of all states, in the `.json`, is on average lower for each explorer than for random
actions: they go farther, and stay longer at some places.
"""

import argparse
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from zerogym.agents.atomic_files import write_text
from zerogym.agents.datasets.coverage import cells, state_entropy
from zerogym.agents.datasets.stored import load_dataset
from zerogym.agents.explore.collection import collect
from zerogym.agents.explore.config import LEARNED, CollectConfig
from zerogym.benchmarks.report.charts import coverage_picture
from zerogym.benchmarks.results.provenance import provenance

EVERY = 250  # steps between two points of a curve
HELD = 8
WORLDS: Mapping[str, Mapping[str, Any]] = {
    "Point maze": {
        "env": "zerogym/PointMaze-v0",
        "env_kwargs": {"layout": "large"},
        "reset_options": {"start": (0.25, 0.25)},  # the corner
        "update_every": 2,
    },
    "Walker": {"env": "zerogym/Walker-v0", "waves": 0},
}
AGENTS: Mapping[str, Mapping[str, Any]] = {
    "random": {"policy": "random"},
    f"random, held {HELD} steps": {"policy": "random", "hold": HELD},
    **{name: {"policy": name} for name in LEARNED},
}


def settings(world: str, name: str, steps: int, seed: int) -> CollectConfig:
    """Return the settings of an agent."""
    return CollectConfig(steps=steps, seed=seed, **WORLDS[world], **AGENTS[name])


def curve(config: CollectConfig, folder: Path) -> dict[str, Any]:
    """Cells entered after each `EVERY` steps of a collection, and the entropy of all its states."""
    data = load_dataset(collect(config, folder))
    env = data.make()
    try:
        entered = cells(data, env)[2]
    finally:
        env.close()
    _, first = np.unique(entered, axis=0, return_index=True)
    counts = [int((first < steps).sum()) for steps in range(EVERY, config.steps + 1, EVERY)]
    entropy = state_entropy(data.column("next_observations"))
    return {"cells": counts, "entropy": round(entropy, 2)}


def measure(steps: int, seeds: int, kept: Path) -> dict[str, Any]:
    """The curves of every agent; each is written to `kept` as soon as it is known."""
    start = {"steps": steps, "every": EVERY, "worlds": json.loads(json.dumps(WORLDS))}
    record: dict[str, Any] = {**start, "curves": {}, "provenance": provenance()}
    if kept.exists():
        found = json.loads(kept.read_text("utf-8"))
        if any(found[name] != value for name, value in start.items()):
            raise ValueError(f"{kept} is of another run: remove it, or give its settings")
        record = found
    for seed in range(seeds):
        for world in WORLDS:
            for name in AGENTS:
                rows = record["curves"].setdefault(world, {}).setdefault(name, [])
                if len(rows) > seed:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    config = settings(world, name, steps, seed)
                    rows.append(curve(config, Path(folder) / "data"))
                write_text(kept, json.dumps(record) + "\n")
    return record


def main() -> None:
    """Measure, and write both files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path, help="path of both files, without their endings")
    parser.add_argument("--steps", type=int, default=6_000)
    parser.add_argument("--seeds", type=int, default=3, help="how many, from 0")
    given = parser.parse_args()
    kept = given.out.with_suffix(".partial.json")
    record = measure(given.steps, given.seeds, kept)
    write_text(given.out.with_suffix(".json"), json.dumps(record, indent=1) + "\n")
    write_text(given.out.with_suffix(".svg"), coverage_picture(record))
    kept.unlink()


if __name__ == "__main__":
    main()
