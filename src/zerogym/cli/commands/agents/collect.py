"""`zerogym collect ENV --policy rnd`: reward-free data, and a card with their coverage.

The options are the fields of the config. Ctrl-C keeps finished shards; `--resume DIR` continues.
"""

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from zerogym.cli.commands.agents.train import ConfigFile, Resume, shown_metrics
from zerogym.cli.console import friendly, interrupted, out, progress_bar, usage_errors
from zerogym.cli.names import typed_id
from zerogym.cli.settings import build, from_file, read_config, typed
from zerogym.errors import require

CARD = "card.json"


@friendly
def collect(
    context: typer.Context,
    world: Annotated[
        str | None, typer.Argument(metavar="ENV", help="The environment, as --env.")
    ] = None,
    chosen: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="The folder of the data.")
    ] = None,
    resume: Resume = None,
    config_file: ConfigFile = None,
) -> None:
    """Collect reward-free data: random actions, an oracle, or an explorer."""
    from zerogym.agents.explore.config import CollectConfig

    given = typed(context)
    if named := world or given.get("env"):
        given["env"] = typed_id(named)
    given = read_config(CollectConfig, config_file, given)
    require("torch", "control", "zerogym collect")
    from zerogym.agents.datasets.stored import MANIFEST, read_manifest
    from zerogym.agents.explore.collection import collect as run

    if resume is not None:
        given = from_file(read_manifest(resume)["config"], given, resume / MANIFEST)
    config = build(CollectConfig, given)
    title = config.policy_title
    name = f"{config.env.rpartition('/')[2]}-{title.replace(':', '-')}-{config.seed}"
    folder = resume or chosen or Path("runs/data") / name
    kept = f"finished shards are kept; continue with: zerogym collect --resume {folder}"
    with progress_bar() as bar:
        line = bar.add_task(title, total=config.steps, note="")

        def show(progress: Any) -> None:
            note = shown_metrics(progress.metrics, "")
            bar.update(line, completed=progress.steps, note=note)

        with usage_errors(ValueError, TypeError, FileExistsError), interrupted(kept):
            run(config, folder, show)
    write_card(folder)


def write_card(folder: Path, reference: Path | None = None) -> None:
    """Write and print the card of a dataset; coverage is compared with `reference`."""
    from zerogym.agents.atomic_files import write_text
    from zerogym.agents.datasets.card import make_card
    from zerogym.agents.datasets.stored import load_dataset

    card = make_card(load_dataset(folder), None if reference is None else load_dataset(reference))
    write_text(folder / CARD, json.dumps(dataclasses.asdict(card), indent=1) + "\n")
    _show_card(card)
    out.print(f"[green]Data:[/] {escape(str(folder))}")


def _show_card(card: Any) -> None:
    coverage = card.coverage
    whole = "" if coverage.all_states is None else f" of {coverage.all_states}"
    share = "" if coverage.saco is None else f", {coverage.saco:.0%} of all (SACo)"
    worlds = f", {card.worlds} worlds in turns" if card.worlds > 1 else ""
    out.print(f"{card.transitions:,} transitions, {card.episodes:,} episodes{worlds}")
    for step in card.origin:
        out.print(f"Made by {escape(json.dumps(step))}")
    quantities = ", ".join(coverage.quantities)
    out.print(f"States visited: {coverage.states}{whole}, told apart by {quantities}")
    out.print(f"Entropy of the visits: {coverage.entropy:.2f} bits")
    if coverage.spread is not None:
        spread = f"{coverage.spread:.2f} nats (from 12th neighbours)"
        out.print(f"Entropy of all that is observed: {spread}")
    out.print(f"State-action pairs: {coverage.pairs:,}{share}")
    if not card.tasks:
        return
    table = Table("task", *("99.9 % reward", "mean return", "best return", "TQ"))
    for task in card.tasks:
        numbers = (task.high, task.mean_return, task.best_return, task.tq)
        table.add_row(task.name, *("–" if n is None else f"{n:.2f}" for n in numbers))
    out.print(table)
