"""`zerogym data`: cards, subsets, export and import of reward-free data."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from zerogym.cli.commands.agents.collect import write_card
from zerogym.cli.console import friendly, out, usage_errors
from zerogym.cli.parsing import Verbs
from zerogym.errors import require

data = typer.Typer(
    help="Cut, describe, export and import reward-free data.", no_args_is_help=True, cls=Verbs
)
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Data of `zerogym collect`.")]
Made = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to make.")]


@data.command("card")
@friendly
def card(
    folder: Folder,
    reference: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Data that coverage is compared with (SACo).")
    ] = None,
) -> None:
    """Print the coverage of a dataset, and its rewards in each task."""
    require("torch", "control", "zerogym data")
    write_card(folder, reference)


@data.command("subset")
@friendly
def subset(
    folder: Folder,
    made: Made,
    steps: Annotated[int, typer.Option(help="Transitions to keep; 0: all.")] = 0,
    length: Annotated[int, typer.Option(help="Steps of a trajectory; 0: whole episodes.")] = 0,
    share: Annotated[float, typer.Option(help="Part of the groups to keep.")] = 1.0,
    of: Annotated[
        str, typer.Option(help="Groups: episodes, players, skills, tasks, variants or starts.")
    ] = "episodes",
    random: Annotated[
        float, typer.Option(help="Share of pieces by random actions; below 0: as it is.")
    ] = -1.0,
    variants: Annotated[str, typer.Option(help="Only these worlds, such as 0,2.")] = "",
    seed: Annotated[int, typer.Option(help="Of all draws.")] = 0,
) -> None:
    """Write a smaller, less diverse or shorter-cut part of a dataset."""
    require("torch", "control", "zerogym data")
    from zerogym.agents.datasets.stored import load_dataset
    from zerogym.agents.datasets.subset import SubsetConfig
    from zerogym.agents.datasets.subset import subset as cut

    group: Any = of
    with usage_errors(ValueError):
        worlds = tuple(int(part) for part in variants.split(",") if part)
        config = SubsetConfig(steps, length, share, group, random, worlds, seed=seed)
        cut(load_dataset(folder), config, made)
    write_card(made)


@data.command("export")
@friendly
def export(
    folder: Folder,
    name: Annotated[str, typer.Argument(help="Id in Minari, such as zerogym/walker-rnd-v0.")],
) -> None:
    """Write a dataset where Minari keeps its own."""
    from zerogym.agents.datasets.minari import export_minari
    from zerogym.agents.datasets.stored import load_dataset

    with usage_errors(ValueError):
        export_minari(load_dataset(folder), name)
    out.print(f"[green]Minari:[/] {escape(name)}")


@data.command("import")
@friendly
def import_(
    name: Annotated[str, typer.Argument(help="Id of a Minari dataset on this machine.")],
    made: Made,
    env: Annotated[
        str | None, typer.Option(help="Id of the environment, if the data do not say.")
    ] = None,
) -> None:
    """Make a folder of data from a Minari dataset."""
    from zerogym.agents.datasets.minari import import_minari

    with usage_errors(ValueError):
        import_minari(name, made, env)
    out.print(f"[green]Data:[/] {escape(str(made))}")
