"""`zerogym baselines Cheetah --task run --agent sac`: reference returns, kept as data."""

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from zerogym.cli.console import (
    UsageError,
    friendly,
    interrupted,
    out,
    progress_bar,
    usage_errors,
)
from zerogym.cli.names import typed_task
from zerogym.envs.plugins import RegisteredTask

SHOWN_TASKS, NAMED_TASKS = 30, 3
STEPS, SEEDS, EPISODES = 50_000, 1, 20


@friendly
def baselines(
    worlds: Annotated[
        list[str] | None,
        typer.Argument(metavar="ENV...", help="Control worlds, for example Cheetah; or all."),
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option(help="A named task; may be repeated. Default: all.")
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option(
            help="random, scripted, exact (the default: these), planner, sac, ppo or dqn."
        ),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Of each training run.")] = STEPS,
    seeds: Annotated[int, typer.Option(min=1, help="Training runs of each learner.")] = SEEDS,
    episodes: Annotated[int, typer.Option(min=2, help="Played by each agent.")] = EPISODES,
    folder: Annotated[
        Path | None,
        typer.Option("--out", help="Folder of the results.  [default: results/control]"),
    ] = None,
    missing: Annotated[
        bool,
        typer.Option("--missing", help="List what was not measured, and how to; measure nothing."),
    ] = False,
) -> None:
    """Returns of random actions, scripts, plans, learners and exact play in control worlds.

    Results in the folder are not measured again; after a stop the same command continues.
    """
    from zerogym.benchmarks.baselines.measure import UNTRAINED, Request, control_worlds
    from zerogym.benchmarks.baselines.store import FOLDERS, LOCAL

    known = control_worlds()
    every = not worlds or worlds == ["all"]
    chosen = known if every else list(map(typed_task, worlds or ()))
    for entry in chosen:
        brought = isinstance(entry, RegisteredTask) and entry.family == "control"
        if entry not in known and not brought:
            raise UsageError(f"{entry.name} is not among the control worlds that can be measured")
    own = {typed_task(name).id: name for name in worlds or () if ":" in name}
    names = {entry.id: own.get(entry.id, entry.name) for entry in chosen}
    folder = folder or LOCAL
    if missing:
        _show_missing(chosen, names, task or [], dict.fromkeys((folder, *FOLDERS)))
        return
    if not worlds:
        raise UsageError("name a world, or all; --missing says what was not measured")
    agents = tuple(dict.fromkeys(agent or UNTRAINED))
    for entry in chosen:
        request = Request(entry, tuple(task or ()), agents, steps, seeds, episodes)
        _measure(request, names[entry.id], folder)


def _measure(request: Any, typed: str, folder: Path) -> None:
    from zerogym.benchmarks.baselines.measure import measure

    command = ["zerogym", "baselines", typed]
    command += [word for name in request.tasks for word in ("--task", name)]
    command += [word for name in request.agents for word in ("--agent", name)]
    for name, default in {"steps": STEPS, "seeds": SEEDS, "episodes": EPISODES}.items():
        if getattr(request, name) != default:
            command += [f"--{name}", str(getattr(request, name))]
    with (
        interrupted(f"what is finished is kept in {folder}; the same command continues"),
        usage_errors(OSError, prefix=f"{folder}: "),
        progress_bar(transient=True) as bar,
    ):
        line = bar.add_task(f"[bold]{request.entry.name}[/]", note="")

        def show(what: str, done: int, total: int) -> None:
            what = f"[bold]{escape(what)}[/]"
            bar.update(line, description=what, completed=done, total=total)

        records = measure(request, folder, shlex.join(command), show)
    _show(records, request.tasks, folder)


def _show(records: Any, tasks: tuple[str, ...], folder: Path) -> None:
    from zerogym.benchmarks.baselines.store import file_of

    names = list(dict.fromkeys(row.task for row in records.rows.values()))
    shown = [name for name in names if not tasks or name in tasks]
    agents = list(dict.fromkeys((row.agent, row.steps) for row in records.rows.values()))
    table = Table("task", *(f"{name} {count:,}" if count else name for name, count in agents))
    for name in shown[:SHOWN_TASKS]:
        rows = {(row.agent, row.steps): row for row in records.of_task(name)}
        table.add_row(name, *(_cell(rows.get(one)) for one in agents))
    out.print(f"[bold]{records.world}[/], undiscounted returns, 95% intervals")
    out.print(table)
    rest = f"{len(shown) - SHOWN_TASKS} more tasks, " if len(shown) > SHOWN_TASKS else ""
    out.print(f"[dim]{rest}{escape(str(file_of(records.world, folder)))}[/]")


def _cell(row: Any) -> str:
    if row is None:
        return "–"
    if row.exact:
        return f"{row.mean:.4g}"
    if row.low is None:
        return f"{row.mean:.4g} (one run)"
    return f"{row.mean:.4g} ({row.low:.4g} to {row.high:.4g})"


def _show_missing(
    entries: Iterable[Any], names: Mapping[str, str], tasks: list[str], folders: Iterable[Path]
) -> None:
    """Print a line for each world and kind of reference that is missing."""
    import gymnasium as gym

    from zerogym.benchmarks.baselines.measure import task_names
    from zerogym.benchmarks.baselines.scores import Gap, command, references

    found = 0
    for entry in entries:
        env = gym.make(entry.id, task=None)
        world: Any = env.unwrapped
        gaps = references(entry, world, tasks or task_names(world), folders).values()
        env.close()
        missing = [gap for gap in gaps if isinstance(gap, Gap)]
        found += len(missing)
        for lacks, agent in dict.fromkeys((gap.lacks, gap.agent) for gap in missing):
            named = [gap.task for gap in missing if (gap.lacks, gap.agent) == (lacks, agent)]
            few = named if len(named) <= NAMED_TASKS else []
            out.print(f"[bold]{entry.name}[/]: no {lacks} of {len(named)} tasks", soft_wrap=True)
            out.print(f"  {escape(command(names[entry.id], few, agent))}", soft_wrap=True)
    if not found:
        out.print("Every task has a random return and a best one.")
