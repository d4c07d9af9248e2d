"""Make the page of the table from the committed numbers, after new ones are taken in.

zerogym bench zero_shot --out runs/table                              # measure
python -m zerogym.benchmarks.zero_shot --results runs/table           # take in, and write
python -m zerogym.benchmarks.zero_shot --results runs/more --add      # more seeds or worlds
python -m zerogym.benchmarks.zero_shot --run-ablation --ablation runs/ablation
python -m zerogym.benchmarks.zero_shot --run-longer --longer runs/longer
python -m zerogym.benchmarks.zero_shot --run-bodies --bodies runs/bodies      # needs a GPU
python -m zerogym.benchmarks.zero_shot --spans                        # five minutes of training
python -m zerogym.benchmarks.zero_shot --ways                         # two minutes of training
python -m zerogym.benchmarks.zero_shot                                # the page only
"""

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from zerogym.benchmarks.results.results_file import RESULTS, read_records, write_whole
from zerogym.benchmarks.zero_shot.page import page
from zerogym.benchmarks.zero_shot.reduced import add_seeds, reduce_run
from zerogym.benchmarks.zero_shot.runner import Plan, run_zero_shot

FOLDER, PAGE = "zero_shot", "zero_shot_table.md"
TABLE, ABLATION, LONGER = "table.json", "ablation.json", "longer.json"
BODIES = "bodies.json"
SPANS, WAYS = "spans.json", "ways.json"
PICTURE = "ways.svg"


def main(
    docs: Annotated[Path, typer.Option(help="Folder of the page.")] = Path("docs"),
    results: Annotated[
        list[Path] | None,
        typer.Option(help="A folder of `zerogym bench zero_shot` to take in; may be repeated."),
    ] = None,
    add: Annotated[
        bool, typer.Option(help="Add its seeds and worlds to the numbers that are there.")
    ] = False,
    ablation: Annotated[Path | None, typer.Option(help="The same of variants.")] = None,
    run_ablation: Annotated[bool, typer.Option(help="Train what that folder lacks.")] = False,
    longer: Annotated[
        Path | None, typer.Option(help="The same of agents with more updates.")
    ] = None,
    run_longer: Annotated[bool, typer.Option(help="Train what that folder lacks.")] = False,
    bodies: Annotated[
        Path | None, typer.Option(help="The same of bodies at published sizes.")
    ] = None,
    run_bodies: Annotated[
        bool, typer.Option(help="Train what that folder lacks; needs a GPU.")
    ] = False,
    spans: Annotated[bool, typer.Option(help="Measure what prompts keep of rewards.")] = False,
    ways: Annotated[bool, typer.Option(help="Train the agents of the picture.")] = False,
) -> None:
    """Write the page of zero-shot agents."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    import zerogym  # noqa: F401 (registers the ids)

    numbers = docs / FOLDER
    if add and not results:
        raise typer.BadParameter("--add needs --results")
    try:
        if results:
            records = [record for folder in results for record in read_records(folder / RESULTS)]
            if add:
                table = add_seeds(_needed(numbers / TABLE), Plan(), records)
            else:
                table = reduce_run(Plan(), records)
            _write(numbers / TABLE, table)
        if ablation:
            from zerogym.benchmarks.zero_shot.ablation import PLACES, SEEDS, VARIANTS

            plan = Plan(PLACES, VARIANTS, (), SEEDS)
            _take_in(plan, ablation, run_ablation, numbers / ABLATION)
        if longer:
            from zerogym.benchmarks.zero_shot import longer as more

            plan = Plan(more.PLACES, more.LONGER, (), more.SEEDS)
            _take_in(plan, longer, run_longer, numbers / LONGER)
        if bodies:
            from zerogym.agents.zero_shot.algorithms.computing import find_device
            from zerogym.benchmarks.zero_shot import bodies as large

            if run_bodies:
                find_device(large.config())
            plan = Plan(large.PLACES, large.BODIES, large.RIVALS, large.SEEDS)
            _take_in(plan, bodies, run_bodies, numbers / BODIES)
        if spans:
            from zerogym.benchmarks.zero_shot.spans import measure_spans

            _write(numbers / SPANS, measure_spans())
        if ways:
            from zerogym.benchmarks.zero_shot.ways import walk

            _write(numbers / WAYS, walk())
        for path, text in made(docs).items():
            write_whole(path, text)
            typer.echo(str(path))
    except (OSError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None


def _take_in(plan: Plan, folder: Path, run: bool, numbers: Path) -> None:
    if run:
        run_zero_shot(plan, folder)
    _write(numbers, reduce_run(plan, read_records(folder / RESULTS)))


def made(docs: Path) -> dict[Path, str]:
    """Return the page and its picture from the numbers beside it, as text by path."""
    from zerogym.benchmarks.zero_shot.ways import picture

    table = _needed(docs / FOLDER / TABLE)
    ablation, longer, bodies, spans, ways = (
        _read(docs / FOLDER / name) for name in (ABLATION, LONGER, BODIES, SPANS, WAYS)
    )
    image = f"{FOLDER}/{PICTURE}" if ways else None
    text = page(table, ablation, longer, bodies, spans, image)
    found = {docs / PAGE: text}
    if ways:
        found[docs / FOLDER / PICTURE] = picture(ways)
    return found


def _needed(path: Path) -> Any:
    if (found := _read(path)) is None:
        raise ValueError(f"there is no {path}: take in a run by --results FOLDER")
    return found


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def _write(path: Path, record: Any) -> None:
    write_whole(path, json.dumps(record, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    typer.run(main)
