"""`zerogym infer RUN`: tell a trained zero-shot agent tasks that it never saw, and see it act."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from zerogym.cli.console import UsageError, friendly, out, printable
from zerogym.cli.zero_shot import TrainedAgent, make_table, numbers, place
from zerogym.errors import UnknownName, require

MOST = 12  # of the world's own tasks, evenly spaced, where none is named
METHODS = ("search", "residual")  # of `--adapt-method`


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
        int, typer.Option(min=0, help="Steps in the world for a better z for each task; 0: none.")
    ] = 0,
    adapt_method: Annotated[
        str, typer.Option(help="search, or residual: learn it (continuous actions).")
    ] = "search",
    save: Annotated[
        Path | None,
        typer.Option(help="A folder for the prompts, a JSON file a task, for `zerogym predict`."),
    ] = None,
) -> None:
    """Tell a trained zero-shot agent tasks that it never saw, and compare its returns.

    Without a task, some of the world's own. The score is 0 for random actions and 1 for the oracle.
    With --adapt, what a better z earns that was found in the world itself, on other starts.
    """
    require("torch", "control", "zerogym infer")
    from zerogym.cli.commands.train import progress_bar

    agent = TrainedAgent(run)
    if save is not None and any(save.glob("*.json")):
        raise UsageError(f"{save} holds prompts already: remove them, or name another folder")
    # On other starts than those of the table.
    find = _finder(adapt_method, adapt, seed + episodes, agent.gamma)
    asked = _tasks(agent, [*(task or []), *(reward or [])], goal or [])
    shown = asked if task or reward or goal else _tellable(agent.model, asked)
    if not shown:
        raise UsageError("the model's samples show no reward of any task: name one by --reward")
    table = make_table(agent.env, "task", last="adapted" if adapt > 0 else None)
    prompts = []
    with progress_bar() as bar:
        line = bar.add_task("tasks", total=len(shown), note="")
        for one in shown.values():
            bar.update(line, note=printable(one.name[:40]))
            prompts.append(_told(agent.model, one))
            cells = numbers(agent.returns(prompts[-1], one, episodes, seed))
            if find is not None:
                make = partial(agent.make, one)
                prompts[-1] = _better(find, agent.model, prompts[-1], make, one)
                cells.append(f"{_earned(agent.model, prompts[-1], make(), episodes, seed):.2f}")
            table.add_row(escape(printable(one.name)), *cells)
            bar.advance(line)
    out.print(table)
    for one in asked.values():
        _explain(agent.model, one, agent.gamma)
    if save is not None:
        _save(agent.model, shown, prompts, save)
        out.print(f"Next: zerogym predict {escape(str(run))} {escape(str(save))}")


def _tasks(agent: TrainedAgent, names: list[str], goals: list[str]) -> dict[str, Any]:
    """Tasks by what was typed for them."""
    if not (names or goals):
        every = agent.world.tasks
        return {name: every[name] for name in list(every)[:: max(1, -(-len(every) // MOST))]}
    named = {name: agent.task_of(name) for name in names}
    return named | {f"[{goal}]": agent.task_of(place(goal)) for goal in goals}


def _tellable(model: Any, tasks: dict[str, Any]) -> dict[str, Any]:
    """Those whose reward the model's samples show: nobody asked for the others."""
    from zerogym.agents.zero_shot.evaluation.returns import can_be_told

    return {name: task for name, task in tasks.items() if can_be_told(model, task)}


def _told(model: Any, task: Any) -> Any:
    try:
        return model.infer(task)
    except ValueError as error:
        raise UsageError(f"{task.name}: {error}") from None


def _finder(method: str, budget: int, seed: int, gamma: float) -> Callable[..., Any] | None:
    """What looks for a better z, (model, z, make, task) to an `Adapted`; None without a budget."""
    from zerogym.agents.zero_shot.adaptation.latent_search import SearchConfig, adapt
    from zerogym.agents.zero_shot.adaptation.residual import ResidualConfig, adapt_residual

    if method not in METHODS:
        raise UnknownName("way to adapt", method, list(METHODS))
    if budget == 0:
        if method != METHODS[0]:
            raise UsageError(f"--adapt-method {method} needs --adapt and a number of steps")
        return None
    if method == "search":
        return partial(adapt, config=SearchConfig(budget=budget, seed=seed))
    try:
        config = ResidualConfig(budget=budget, gamma=gamma, seed=seed)
    except ValueError as error:
        raise UsageError(f"--adapt {budget}: {error}") from None
    return partial(adapt_residual, config=config)


def _better(find: Callable[..., Any], model: Any, z: Any, make: Any, task: Any) -> Any:
    try:
        return find(model, z, make, task=task).z
    except ValueError as error:
        raise UsageError(f"{task.name}: {error}") from None


def _earned(model: Any, z: Any, env: Any, episodes: int, seed: int) -> float:
    from zerogym.agents.zero_shot.evaluation.returns import evaluate_returns
    from zerogym.agents.zero_shot.models.policy import FixedTask

    return evaluate_returns(FixedTask(model, z), env, episodes, seed)


def _explain(model: Any, task: Any, gamma: float) -> None:
    from zerogym.agents.zero_shot.evaluation.diagnosis import explain

    for reason in explain(model, task, gamma).reasons:
        out.print(f"[yellow]{escape(printable(task.name))}:[/] {escape(reason)}")


def _save(model: Any, tasks: dict[str, Any], found: list[Any], folder: Path) -> None:
    from zerogym.agents.zero_shot.prompts.prompt import Prompt

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the prompts cannot be kept: {error}") from None
    for number, ((asked, task), z) in enumerate(zip(tasks.items(), found, strict=True)):
        Prompt.of(model, z, task.text, asked=asked).save(folder / f"{number}.json")
    out.print(f"[green]Prompts:[/] {escape(str(folder))}")
