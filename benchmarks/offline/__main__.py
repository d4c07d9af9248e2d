"""Measure the study, print its table, and write its numbers and page.

    python -m zerogym.benchmarks.offline --out docs/studies

Ctrl-C loses one task of one seed only: the same command continues.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console

from zerogym.benchmarks.offline.page import page
from zerogym.benchmarks.offline.study import STUDY
from zerogym.benchmarks.results.results_file import write_whole
from zerogym.benchmarks.studies.zero_shot.record import FIRST_SEED, Cell, run
from zerogym.benchmarks.studies.zero_shot.table import in_terminal


def main(
    out: Annotated[Path, typer.Option(help="Folder of numbers and page.")] = Path("runs/studies"),
    seeds: Annotated[
        int, typer.Option(min=2, help=f"Data sets and training runs, seeded from {FIRST_SEED}.")
    ] = 3,
) -> None:
    """Measure what the file does not hold yet, and write the page."""
    console, path = Console(), out / f"{STUDY.name}.json"
    torch.set_num_threads(1)  # so small networks are fastest with one

    def report(cell: Cell, seed: int, done: int, total: int) -> None:
        console.print(f"{done + 1} of {total}: {cell.group}, seed {seed}")

    try:
        record = run(STUDY, seeds, path, report)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    except KeyboardInterrupt:
        console.print(f"stopped; what was measured is in {path}")
        raise typer.Exit(130) from None
    console.print(in_terminal(record, STUDY.title))
    console.print(STUDY.about)
    write_whole(path.with_suffix(".md"), page(record))
    console.print(f"{path}, {path.with_suffix('.md')}")


if __name__ == "__main__":
    typer.run(main)
