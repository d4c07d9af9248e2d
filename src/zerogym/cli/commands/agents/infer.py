"""`zerogym infer RUN`: infer latents of new tasks for a trained zero-shot agent."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from zerogym.cli.console import (
    AsJson,
    UsageError,
    friendly,
    json_only,
    out,
    print_json,
    printable,
    progress_bar,
    usage_errors,
)
from zerogym.cli.rewards import typed_reward
from zerogym.cli.zero_shot import TrainedAgent, make_table, numbers, place
from zerogym.errors import UnknownName, require

MOST = 12  # of the world's own tasks, evenly spaced, where none is named
METHODS = ("search", "residual")  # of `--adapt-method`


@friendly
def infer(
    run: Annotated[Path, typer.Argument(help="A run directory of `zerogym train`.")],
    task: Annotated[list[str] | None, typer.Option(help="A task of the world, by name.")] = None,
    reward: Annotated[
        list[str] | None,
        typer.Option(help="A reward over its features: '0.5*x - abs(y)'; or module:Name."),
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
    as_json: AsJson = False,
) -> None:
    """Give a trained zero-shot agent new tasks, and compare its returns.

    Without a task, some of the world's own. The score is 0 for random actions and 1 for the oracle.
    With --adapt, the return of a better z, found in the world itself on other starts.
    """
    json_only(as_json)
    require("torch", "control", "zerogym infer")
    from zerogym.agents.zero_shot.evaluation.diagnosis import explain
    from zerogym.agents.zero_shot.evaluation.returns import can_infer, evaluate_returns
    from zerogym.agents.zero_shot.models.model import FBModel
    from zerogym.agents.zero_shot.models.policy import FixedTask

    agent = TrainedAgent(run)
    if save is not None and any(save.glob("*.json")):
        raise UsageError(f"{save} holds prompts already: remove them, or name another folder")
    # On other starts than those of the table.
    find = _finder(adapt_method, adapt, seed + episodes, agent.gamma)
    for what, given in (("--adapt", find), ("--save", save)):
        if given is not None:
            agent.only_fb(what)
    tasks = _tasks(agent, [*(task or []), *(reward or [])], goal or [])
    shown = tasks
    if not (task or reward or goal):  # leave out tasks whose reward the samples do not show
        shown = {name: each for name, each in tasks.items() if can_infer(agent.model, each)}
    if not shown:
        raise UsageError("the model's samples show no reward of any task: name one by --reward")
    table = make_table(agent.env, "task", last="adapted" if adapt > 0 else None)
    prompts, rows = [], []
    with progress_bar() as bar:
        line = bar.add_task("tasks", total=len(shown), note="")
        for one in shown.values():
            bar.update(line, note=printable(one.name[:40]))
            with usage_errors(ValueError, prefix=f"{one.name}: "):
                z = agent.model.infer(one)
            row = dict(agent.returns(z, one, episodes, seed))
            cells = numbers(row)
            if find is not None:
                make = partial(agent.make, one)
                with usage_errors(ValueError, prefix=f"{one.name}: "):
                    z = find(agent.model, z, make, task=one).z
                policy = FixedTask(agent.only_fb("--adapt"), z)
                value = evaluate_returns(policy, make(), episodes, seed)
                cells.append(f"{value:.2f}")
                row["adapted"] = value
            prompts.append(z)
            table.add_row(escape(printable(one.name)), *cells)
            rows.append({"task": one.name, **row})
            bar.advance(line)
    out.print(table)
    notes: dict[str, Any] = {}
    if isinstance(agent.model, FBModel):  # the diagnosis is of F and B
        notes = {one.name: explain(agent.model, one, agent.gamma).reasons for one in tasks.values()}
    for name, reasons in notes.items():
        for reason in reasons:
            out.print(f"[yellow]{escape(printable(name))}:[/] {escape(reason)}")
    if save is not None:
        _save(agent.model, shown, prompts, save)
        out.print(f"Next: zerogym predict {escape(str(run))} {escape(str(save))}")
    if as_json:
        settings = {"run": run, "env": agent.env, "episodes": episodes, "seed": seed}
        print_json({**settings, "tasks": rows, "notes": notes})


def _tasks(agent: TrainedAgent, names: list[str], goals: list[str]) -> dict[str, Any]:
    """Tasks by their typed specs; by default some of the world's own."""
    if not (names or goals):
        every = agent.world.tasks
        return {name: every[name] for name in list(every)[:: max(1, -(-len(every) // MOST))]}
    own = agent.world.tasks.keys
    named = {name: agent.task_of(typed_reward(name, own)) for name in names}
    return named | {f"[{goal}]": agent.task_of(place(goal)) for goal in goals}


def _finder(method: str, budget: int, seed: int, gamma: float) -> Callable[..., Any] | None:
    """The function that adapts z, (model, z, make, task) to an `Adapted`; None without a budget."""
    from zerogym.agents.zero_shot.adaptation.latent_search import SearchConfig, adapt
    from zerogym.agents.zero_shot.adaptation.residual import ReLAConfig, adapt_residual

    if method not in METHODS:
        raise UnknownName("way to adapt", method, list(METHODS))
    if budget == 0:
        if method != METHODS[0]:
            raise UsageError(f"--adapt-method {method} needs --adapt and a number of steps")
        return None
    if method == "search":
        return partial(adapt, config=SearchConfig(budget=budget, seed=seed))
    with usage_errors(ValueError, prefix=f"--adapt {budget}: "):
        config = ReLAConfig(budget=budget, gamma=gamma, seed=seed)
    return partial(adapt_residual, config=config)


def _save(model: Any, tasks: dict[str, Any], found: list[Any], folder: Path) -> None:
    from zerogym.agents.zero_shot.prompts.prompt import Prompt

    with usage_errors(OSError, prefix="the prompts cannot be kept: "):
        folder.mkdir(parents=True, exist_ok=True)
    for number, ((spec, task), z) in enumerate(zip(tasks.items(), found, strict=True)):
        Prompt.of(model, z, task.text, asked=spec).save(folder / f"{number}.json")
    out.print(f"[green]Prompts:[/] {escape(str(folder))}")
