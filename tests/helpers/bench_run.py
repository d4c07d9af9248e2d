"""A small synthetic run of `zerogym bench`: two worlds, four agents, one of which is missing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from zerogym.benchmarks.results.results_file import RESULTS, Record, ResultsFile
from zerogym.benchmarks.results.schema import EXACT, Agent, Suite, Variant, World
from zerogym.benchmarks.suites import agents as build
from zerogym.benchmarks.suites.cells import key

EVIL = (
    '" onclick="x() </p><script>alert(1)</script><img src=x onerror=alert(1)> {{ title }} '
    "\x00\x1b[31m\u202e\ud800"
)
NAMES = ("random", "model", "gone", "oracle")
WORLDS = (
    World("Sums <b>", "zerogym/RandomCalculation-v0", "about", NAMES),
    World(
        "Hands",
        "zerogym/KuhnPoker-v0",
        "about",
        ("random", "model", "oracle"),
        variants=(Variant("a"), Variant("b")),
        measure="game_tree",
    ),
)
SUITE = Suite(
    "test",
    WORLDS,
    tuple(Agent(name, name.title(), f"about {name}", build.random) for name in NAMES),
)


def cell(world: World, agent: str, *values: float, text: str = "hello") -> Record:
    exact = world.measure == "game_tree"
    names = [v.name for v in world.variants]
    variants = names if exact else names[:1] * len(values)
    episodes: list[dict[str, Any]] = [
        {
            "variant": variant,
            "seed": EXACT if exact else number,
            "value": value,
            "length": 1,
            "score": None,
            "success": None,
            "transcript": [{"role": "world", "text": "q"}, {"role": "policy", "text": text}],
            "path": [],
        }
        for number, (variant, value) in enumerate(zip(variants, values, strict=True))
    ]
    if exact:  # hands that were played to be read; no part of the score
        episodes += [{**episode, "seed": 7, "value": 99.0} for episode in episodes]
    found = {"world": world.name, "contender": agent, "key": key(world, agent)}
    return {"kind": "cell", "seconds": 1.0, "episodes": episodes, **found}


def records() -> list[Record]:
    sums, hands = WORLDS
    return [
        {"kind": "session", "date": "2030-01-02T03:04:05", "zerogym": "9", "commit": "c0ffee"},
        cell(sums, "random", 0, 0, 1, 0),
        cell(sums, "model", 1, 0, 1, 0, text=EVIL),
        {
            "kind": "error",
            "world": sums.name,
            "contender": "gone",
            "key": key(sums, "gone"),
            "missing": True,
            "message": f"needs x {EVIL}",
        },
        cell(sums, "oracle", 1, 1, 1, 1),
        cell(hands, "random", -1, 0),
        cell(hands, "model", 0, 1),
        cell(hands, "oracle", 1, 2),
        {"kind": "curve", "name": EVIL, "x": "steps", "y": "reward", "points": [[0, 1], [1, None]]},
        {"kind": "end", "seconds": 90},
    ]


def write_run(folder: Path, rows: Sequence[Record] | None = None) -> Path:
    """Write the run, or other records, into a folder and return it."""
    file = ResultsFile(folder / RESULTS)
    for record in records() if rows is None else rows:
        file.append(record)
    return folder
