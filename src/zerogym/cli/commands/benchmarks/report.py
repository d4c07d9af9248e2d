"""`zerogym report DIR`: the page of a training run of a language model."""

from pathlib import Path
from typing import Annotated

import typer

from zerogym.cli.console import AsJson, friendly, out, print_json, usage_errors
from zerogym.errors import require


@friendly
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of `zerogym train llm`.")],
    as_json: AsJson = False,
) -> None:
    """Write report.html into the folder of a training run: curves, and conversations by seat.

    Episodes are those that the run kept: train with --keep-rollouts true.
    """
    require("jinja2", "bench", "the page")
    require("matplotlib", "bench", "the page")
    from zerogym.benchmarks.report.training import write_training_report

    with usage_errors(ValueError, OSError):
        page = write_training_report(folder)
    if as_json:
        print_json({"report": page})
    else:
        out.print(f"[bold]Report[/]  {page.resolve().as_uri()}", soft_wrap=True)
