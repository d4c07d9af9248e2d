"""`zerogym infer RUN`: tell a trained zero-shot agent tasks that it never saw, and see it act."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from zerogym.cli.console import UsageError, friendly, out, printable
from zerogym.errors import require

MOST = 12  # of the world's own tasks, evenly spaced, where none is named
COLUMNS = (  # of a row of `evaluate_rollouts`
    *(("agent", "model"), ("random", "random"), ("straight line", "straight_line")),
    *(("oracle", "oracle"), ("score", "score")),
)


@friendly
def infer(
    run: Annotated[Path, typer.Argument(help="A run directory of `zerogym train fb`.")],
    task: Annotated[list[str] | None, typer.Option(help="A task of the world, by name.")] = None,
    reward: Annotated[
        list[str] | None, typer.Option(help="A reward over its features: '0.5*x - abs(y)'.")
    ] = None,
    goal: Annotated[
        list[str] | None, typer.Option(help="A place to reach: its numbers, with commas.")
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Of each task and policy.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Of the starts.")] = 0,
    save: Annotated[
        Path | None, typer.Option(help="A folder for the prompts, a JSON file a task.")
    ] = None,
) -> None:
    """Tell a trained zero-shot agent tasks that it never saw, and compare its returns.

    Without a task, some of the world's own. The score is 0 for random actions and 1 for the oracle.
    """
    require("torch", "control", "zerogym infer")
    from zerogym.agents.zero_shot.evaluation import evaluate_rollouts
    from zerogym.agents.zero_shot.model import FBModel
    from zerogym.agents.zero_shot.worlds import make_world
    from zerogym.cli.train import progress_bar

    settings, model = _settings(run), FBModel.load(run / "model")

    def make(asked: Any) -> Any:
        return make_world(settings["env"], settings["env_kwargs"], settings["wrappers"], asked)

    asked = _tasks(make(None).unwrapped, task or [], reward or [], goal or [])
    table = _table(settings["env"])
    with progress_bar() as bar:
        line = bar.add_task("tasks", total=len(asked), note="")
        for one in asked:
            bar.update(line, note=printable(one.name[:40]))
            row = evaluate_rollouts(model, make, [one], episodes, seed)[one.name]
            table.add_row(escape(printable(one.name)), *(_number(row, key) for _, key in COLUMNS))
            bar.advance(line)
    out.print(table)
    for one in asked:
        _explain(model, one, settings["gamma"])
    if save is not None:
        _save(model, asked, save)


def _settings(run: Path) -> dict[str, Any]:
    try:
        found = json.loads((run / "config.json").read_text(encoding="utf-8"))
        world = {name: found[name] for name in ("env", "env_kwargs")}
        return {**world, "wrappers": found.get("wrappers", {}), "gamma": found["gamma"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{run} is not a run of `zerogym train fb`: {error}") from None


def _tasks(world: Any, names: list[str], rewards: list[str], goals: list[str]) -> list[Any]:
    if not (names or rewards or goals):
        every = list(world.tasks.values())
        return every[:: max(1, -(-len(every) // MOST))]
    try:
        asked = (*names, *rewards, *map(_place, goals))
        return [world.task_of(one) for one in asked]
    except (ValueError, TypeError) as error:
        raise UsageError(str(error)) from None


def _place(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--goal takes numbers with commas, got {text[:60]!r}") from None


def _table(env: str) -> Table:
    table = Table(title=f"Zero-shot returns in {escape(env)}")
    table.add_column("task")
    for title, _ in COLUMNS:
        table.add_column(title, justify="right")
    return table


def _number(row: Any, key: str) -> str:
    return f"{row[key]:.2f}" if key in row else "-"


def _explain(model: Any, task: Any, gamma: float) -> None:
    from zerogym.agents.zero_shot.diagnosis import explain

    for reason in explain(model, task, gamma).reasons:
        out.print(f"[yellow]{escape(printable(task.name))}:[/] {escape(reason)}")


def _save(model: Any, tasks: list[Any], folder: Path) -> None:
    from zerogym.agents.zero_shot.prompt import Prompt

    folder.mkdir(parents=True, exist_ok=True)
    for number, task in enumerate(tasks):
        Prompt.of(model, model.infer(task), task.text).save(folder / f"{number}.json")
    out.print(f"[green]Prompts:[/] {escape(str(folder))}")
