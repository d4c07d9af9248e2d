"""`zerogym infer RUN`: tell a trained zero-shot agent tasks that it never saw, and see it act."""

from functools import partial
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
    adapt: Annotated[
        int, typer.Option(min=0, help="Steps of searching a better z for each task; 0: none.")
    ] = 0,
    save: Annotated[
        Path | None, typer.Option(help="A folder for the prompts, a JSON file a task.")
    ] = None,
) -> None:
    """Tell a trained zero-shot agent tasks that it never saw, and compare its returns.

    Without a task, some of the world's own. The score is 0 for random actions and 1 for the oracle.
    With --adapt, what a better z earns that was searched in the world itself, on other starts.
    """
    require("torch", "control", "zerogym infer")
    from zerogym.agents.zero_shot.adaptation import SearchConfig
    from zerogym.agents.zero_shot.adaptation import adapt as search_z
    from zerogym.agents.zero_shot.evaluation import evaluate_rollouts
    from zerogym.agents.zero_shot.model import FBModel
    from zerogym.agents.zero_shot.worlds import make_world
    from zerogym.cli.train import progress_bar

    settings, model = _settings(run), FBModel.load(run / "model")

    def make(asked: Any) -> Any:
        return make_world(settings["env"], settings["env_kwargs"], settings["wrappers"], asked)

    try:
        world = make(None).unwrapped
    except ValueError as error:
        raise UsageError(str(error)) from None
    asked = _tasks(world, task or [], reward or [], goal or [])
    table, prompts = _table(settings["env"], adapt > 0), []
    with progress_bar() as bar:
        line = bar.add_task("tasks", total=len(asked), note="")
        for one in asked:
            bar.update(line, note=printable(one.name[:40]))
            prompts.append(_told(model, one))
            row = evaluate_rollouts(model, make, [one], episodes, seed)[one.name]
            cells = [_number(row, key) for _, key in COLUMNS]
            if adapt > 0:
                search = SearchConfig(budget=adapt, seed=seed + episodes)  # on other starts
                prompts[-1] = search_z(model, prompts[-1], partial(make, one), search).z
                cells.append(f"{_earned(model, prompts[-1], make(one), episodes, seed):.2f}")
            table.add_row(escape(printable(one.name)), *cells)
            bar.advance(line)
    out.print(table)
    for one in asked:
        _explain(model, one, settings["gamma"])
    if save is not None:
        _save(model, asked, prompts, save)


def _settings(run: Path) -> dict[str, Any]:
    from zerogym.agents.zero_shot.storage import NotAModel, read_json

    try:
        found = read_json(run / "config.json")
        world = {name: found[name] for name in ("env", "env_kwargs")}
        return {**world, "wrappers": found.get("wrappers", {}), "gamma": found["gamma"]}
    except (NotAModel, KeyError) as error:
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


def _told(model: Any, task: Any) -> Any:
    try:
        return model.infer(task)
    except ValueError as error:
        raise UsageError(f"{task.name}: {error}") from None


def _place(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(f"--goal takes numbers with commas, got {text[:60]!r}") from None


def _table(env: str, adapted: bool) -> Table:
    table = Table(title=f"Zero-shot returns in {escape(env)}")
    table.add_column("task")
    for title in (*(title for title, _ in COLUMNS), *(["adapted"] if adapted else [])):
        table.add_column(title, justify="right")
    return table


def _number(row: Any, key: str) -> str:
    return f"{row[key]:.2f}" if key in row else "-"


def _earned(model: Any, z: Any, env: Any, episodes: int, seed: int) -> float:
    from zerogym.agents.zero_shot.evaluation import evaluate_returns

    return evaluate_returns(lambda seen: model.act(seen[None], z)[0], env, episodes, seed)


def _explain(model: Any, task: Any, gamma: float) -> None:
    from zerogym.agents.zero_shot.diagnosis import explain

    for reason in explain(model, task, gamma).reasons:
        out.print(f"[yellow]{escape(printable(task.name))}:[/] {escape(reason)}")


def _save(model: Any, tasks: list[Any], found: list[Any], folder: Path) -> None:
    from zerogym.agents.zero_shot.prompt import Prompt

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the prompts cannot be kept: {error}") from None
    for number, (task, z) in enumerate(zip(tasks, found, strict=True)):
        Prompt.of(model, z, task.text).save(folder / f"{number}.json")
    out.print(f"[green]Prompts:[/] {escape(str(folder))}")
