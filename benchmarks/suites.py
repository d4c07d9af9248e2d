"""Suites are data: which worlds, with which arguments, for which contenders.

`QUICK` is a few minutes on two cores.
"""

from zerogym.benchmarks import contenders as build
from zerogym.benchmarks.records import Contender, Suite, World

WRITERS = ("random", "oracle")

QUICK = Suite(
    name="quick",
    worlds=(
        World(
            "Random calculation",
            "zerogym/RandomCalculation-v0",
            "Evaluate an arithmetic expression.",
            WRITERS,
            kwargs={"split": "test"},
        ),
        World(
            "Countdown",
            "zerogym/Countdown-v0",
            "Reach a number with given numbers.",
            WRITERS,
            kwargs={"split": "test"},
        ),
    ),
    contenders=(
        Contender("random", "random", "Well-formed actions.", build.random, deterministic=False),
        Contender("oracle", "truth", "Solvers.", build.oracle),
    ),
)
