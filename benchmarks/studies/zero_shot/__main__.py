"""Measure a proof, print its table, and save its numbers.

    python -m zerogym.benchmarks.studies.zero_shot conservative --out docs/zero_shot

Ctrl-C loses the current seed only: the same command continues.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer
from rich.console import Console

from zerogym.benchmarks.results.results_file import write_whole
from zerogym.benchmarks.studies.zero_shot import (
    agents,
    conservative,
    contexts,
    mazes,
    memory,
    narrow,
    rooms,
)
from zerogym.benchmarks.studies.zero_shot.page import page
from zerogym.benchmarks.studies.zero_shot.record import FIRST_SEED, Cell, read, run
from zerogym.benchmarks.studies.zero_shot.table import in_terminal
from zerogym.errors import UnknownName

PROOFS = {
    each.PROOF.name: each.PROOF
    for each in (rooms, agents, mazes, contexts, memory, conservative, narrow)
}


def main(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(PROOFS)}.")],
    out: Annotated[Path, typer.Option(help="Folder of the JSON files.")] = Path("runs/zero_shot"),
    seeds: Annotated[
        int, typer.Option(min=2, help=f"Training runs, seeded from {FIRST_SEED}.")
    ] = 3,
) -> None:
    """Measure what the file does not hold yet, and print the table."""
    console = Console()
    if name not in PROOFS:
        raise typer.BadParameter(str(UnknownName("proof", name, list(PROOFS))))
    proof, path = PROOFS[name], out / f"{name}.json"
    torch.set_num_threads(1)  # so small networks are fastest with one

    def report(cell: Cell, seed: int, done: int, total: int) -> None:
        console.print(f"{done + 1} of {total}: {cell.group}, {cell.run}, seed {seed}")

    try:
        record = run(proof, seeds, path, report)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    except KeyboardInterrupt:
        console.print(f"stopped; what was measured is in {path}")
        raise typer.Exit(130) from None
    console.print(in_terminal(record, proof.title))
    console.print(proof.about)
    records = [(each, out / f"{each.name}.json") for each in PROOFS.values()]
    known = [(each, read(kept)) for each, kept in records if kept.exists()]
    write_whole(out.with_suffix(".md"), page(known))
    console.print(f"{path}, {out.with_suffix('.md')}")


if __name__ == "__main__":
    typer.run(main)
