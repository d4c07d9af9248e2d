"""`zerogym bench quick` and `tools`: run a suite, print the table, write the report."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from zerogym.cli.bench_screen import Screen
from zerogym.cli.commands.benchmarks.bench_games import games
from zerogym.cli.commands.benchmarks.bench_talk import talk
from zerogym.cli.commands.benchmarks.bench_zero_shot import zero_shot
from zerogym.cli.console import (
    AsJson,
    friendly,
    interrupted,
    json_only,
    out,
    print_json,
    printable,
    usage_errors,
)
from zerogym.cli.parsing import Verbs
from zerogym.errors import require

bench = typer.Typer(help="Evaluate agents on the same tasks.", no_args_is_help=True, cls=Verbs)


def suite_command(suite: str) -> Callable[..., None]:
    """Return the command that runs a suite."""

    @friendly
    def run(
        out_dir: Annotated[
            Path, typer.Option("--out", help="Folder of results and report.")
        ] = Path(f"results/{suite}"),
        seed: Annotated[int, typer.Option(min=0, help="Of episodes, policies and training.")] = 0,
        only: Annotated[
            list[str] | None,
            typer.Option(help="A world or agent of the suite; may be repeated."),
        ] = None,
        model: Annotated[
            list[str] | None,
            typer.Option(
                help="A language model that joins: a folder, a hub id, or "
                "http://HOST:PORT/v1#MODEL; may be repeated."
            ),
        ] = None,
        processes: Annotated[
            bool, typer.Option(help="Language models and the others in a process each.")
        ] = True,
        samples: Annotated[
            int,
            typer.Option(
                min=0,
                help="Episodes of language models in each problem of the text worlds, for pass@k.",
            ),
        ] = 0,
        as_json: AsJson = False,
    ) -> None:
        json_only(as_json)
        require("jinja2", "bench", "the report")
        require("matplotlib", "bench", "the report")
        from zerogym.benchmarks.report.bench import REPORT, SUITES, run_suite
        from zerogym.benchmarks.report.table_csv import table_rows
        from zerogym.benchmarks.report.terminal import render_table
        from zerogym.benchmarks.results.results_file import RESULTS, read_records
        from zerogym.benchmarks.suites.external_models import usage_by_agent

        screen = Screen(suite)
        kept = f"finished cells are kept; continue with: zerogym bench {suite} --out {out_dir}"
        with usage_errors(ValueError), interrupted(kept), screen.live():
            table = run_suite(
                SUITES[suite],
                out_dir,
                seed,
                only or (),
                model or (),
                processes,
                screen.update,
                samples,
            )
        out.print(render_table(table))
        for name, usage in usage_by_agent(read_records(out_dir / RESULTS)).items():
            tokens = f"{usage.prompt_tokens:,} tokens read, {usage.reply_tokens:,} written"
            price = f"price {usage.price:.4g}" if usage.price else "no price given"
            if usage.uncounted:
                price += f" without {usage.uncounted} that were not counted"
            out.print(f"{escape(printable(name))}: {usage.requests:,} replies, {tokens}, {price}")
        out.print(f"[bold]Report[/]  {(out_dir / REPORT).resolve().as_uri()}")
        out.print(f"[dim]Results {out_dir / RESULTS}[/]")
        if as_json:
            paths = {"results": out_dir / RESULTS, "report": out_dir / REPORT}
            print_json({"suite": suite, "seed": seed, **paths, "rows": table_rows(table)})

    return run


bench.command(
    "quick",
    help="All worlds, all agents, a few minutes on two cores. Run again to continue after a stop.",
)(suite_command("quick"))
bench.command(
    "tools",
    help="Language models, scripted plans and random calls in the worlds with tools. Continues "
    "after a stop.",
)(suite_command("tools"))
bench.command("games")(games)
bench.command("talk")(talk)
bench.command("zero_shot")(zero_shot)
