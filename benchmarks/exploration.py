"""How much of a maze each explorer has seen, step by step: one command, one figure.

    python -m zerogym.benchmarks.exploration docs/exploration

writes `docs/exploration.json` (every curve, with versions and hardware) and `.svg`. Every episode
of the point maze starts in the same corner: where starts are drawn evenly, as by default, random
actions are everywhere already. All policies are run with the default settings of `zerogym collect`.
Two rows are random actions; those held for eight steps are the simplest way to go far.

Measured on 2026-11-21 on 2 cores of an AMD EPYC, no GPU, 3 seeds of 6,000 steps: with every seed
RND (144 states), disagreement (133), APS (132), MaxInfoRL (129) and DIAYN (117) see more than
random actions (100); ICM (102) and ProtoRL (95) do not. Held random actions (221) beat them all: in
so small a maze going far is enough.
"""

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zerogym.agents.explore.card import cells
from zerogym.agents.explore.collect import collect
from zerogym.agents.explore.config import LEARNED, CollectConfig
from zerogym.agents.explore.storage import load_dataset
from zerogym.agents.zero_shot.storage import write_text
from zerogym.benchmarks.coverage_picture import coverage_picture
from zerogym.benchmarks.provenance import provenance

ENV = "zerogym/PointMaze-v0"
START = (0.4375, 0.375)  # the corner
EVERY = 250  # steps between two points of a curve
HELD = 8
CONTENDERS: Mapping[str, Mapping[str, Any]] = {
    "random": {"policy": "random"},
    f"random, held {HELD} steps": {"policy": "random", "hold": HELD},
    **{name: {"policy": name} for name in LEARNED},
}


def curve(config: CollectConfig, folder: Path) -> list[int]:
    """How many distinct states were entered after each `EVERY` steps of a collection."""
    data = load_dataset(collect(config, folder))
    env = data.make()
    try:
        entered = cells(data, env)[2]
    finally:
        env.close()
    _, first = np.unique(entered, axis=0, return_index=True)
    return [int((first < steps).sum()) for steps in range(EVERY, config.steps + 1, EVERY)]


def measure(steps: int, seeds: Sequence[int]) -> dict[str, Any]:
    """The curves of every contender, one for each seed."""
    found: dict[str, list[list[int]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, settings in CONTENDERS.items():
            found[name] = [
                curve(
                    CollectConfig(
                        env=ENV,
                        reset_options={"start": START},
                        steps=steps,
                        seed=seed,
                        **settings,
                    ),
                    Path(folder) / f"{name}-{seed}",
                )
                for seed in seeds
            ]
    start = {"env": ENV, "start": START, "steps": steps, "seeds": list(seeds), "every": EVERY}
    return {**start, "curves": found, "provenance": provenance()}


def main() -> None:
    """Measure, and write both files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path, help="path of both files, without their endings")
    parser.add_argument("--steps", type=int, default=6_000)
    parser.add_argument("--seeds", type=int, default=3, help="how many, from 0")
    given = parser.parse_args()
    record = measure(given.steps, range(given.seeds))
    write_text(given.out.with_suffix(".json"), json.dumps(record, indent=1) + "\n")
    write_text(given.out.with_suffix(".svg"), coverage_picture(record))


if __name__ == "__main__":
    main()
