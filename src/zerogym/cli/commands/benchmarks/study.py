"""`zerogym study FILE.toml`: algorithms compared over tasks and training runs."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from zerogym.cli.console import (
    AsJson,
    friendly,
    interrupted,
    json_only,
    out,
    print_json,
    progress_bar,
    usage_errors,
)
from zerogym.cli.names import typed_modules
from zerogym.cli.settings.study import read_study
from zerogym.errors import require

FAILED = 1


@friendly
def study(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The study, TOML.")],
    out_dir: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder of the numbers, page and picture.")
    ] = Path("runs/studies"),
    workers: Annotated[int, typer.Option(min=1, help="Processes that train.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Compare presets and parts over tasks and seeds. Run again to continue after a stop.

    The file has a table [tasks.NAME] for each task, [variants.NAME] for each preset or part, and
    [run] for the settings that all share; seeds, first_seed, baseline, rival, title and notes are
    above them.
    """
    from zerogym.agents.llm.models.loading import require_llm

    json_only(as_json)
    compared = read_study(file)
    require_llm("zerogym study")
    require("matplotlib", "bench", "the picture of a study")
    from zerogym.benchmarks.results.results_file import write_whole
    from zerogym.benchmarks.studies.comparison.page import page
    from zerogym.benchmarks.studies.comparison.picture import study_picture
    from zerogym.benchmarks.studies.comparison.runner import run
    from zerogym.benchmarks.studies.comparison.table import in_terminal

    modules = "".join(f"--import {name} " for name in sorted(typed_modules))
    again = f"zerogym {modules}study {file} --out {out_dir} --workers {workers}"
    with progress_bar() as bar:
        line = bar.add_task("runs", total=len(compared.cells), note="")

        def show(done: int, total: int, note: str) -> None:
            bar.update(line, completed=done, note=note)

        with usage_errors(ValueError, TypeError), interrupted(f"saved; continue with: {again}"):
            record = run(compared, out_dir, workers, show)
    base = out_dir / compared.name
    write_whole(base.with_suffix(".svg"), study_picture(record))
    write_whole(base.with_suffix(".md"), page(record))
    for task in record["tasks"]:
        out.print(in_terminal(record, task))
        out.print()
    out.print(f"[bold]Page[/]  {escape(str(base))}.md, with .svg and .json", soft_wrap=True)
    if as_json:
        print_json(record)
    for row in record["errors"]:
        cell = f"{row['task']}, {row['variant']}, seed {row['seed']}"
        out.print(f"[red]failed[/] {cell}: {escape(row['error'])}", soft_wrap=True)
    if record["errors"]:
        out.print(f"The same command tries them again: {escape(again)}", soft_wrap=True)
        raise typer.Exit(FAILED)
