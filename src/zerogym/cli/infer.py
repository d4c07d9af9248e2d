"""`zerogym infer RUN`: tell a trained zero-shot agent tasks that it never saw, and see it act."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from zerogym.cli.console import UsageError, friendly, out, printable
from zerogym.cli.zero_shot import TrainedAgent, make_table, numbers, place
from zerogym.errors import require

MOST = 12  # of the world's own tasks, evenly spaced, where none is named


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
        Path | None,
        typer.Option(help="A folder for the prompts, a JSON file a task, for `zerogym predict`."),
    ] = None,
) -> None:
    """Tell a trained zero-shot agent tasks that it never saw, and compare its returns.

    Without a task, some of the world's own. The score is 0 for random actions and 1 for the oracle.
    With --adapt, what a better z earns that was searched in the world itself, on other starts.
    """
    require("torch", "control", "zerogym infer")
    from zerogym.agents.zero_shot.adaptation import SearchConfig
    from zerogym.agents.zero_shot.adaptation import adapt as search_z
    from zerogym.cli.train import progress_bar

    agent = TrainedAgent(run)
    asked = _tasks(agent, [*(task or []), *(reward or [])], goal or [])
    table = make_table(agent.env, "task", last="adapted" if adapt > 0 else None)
    prompts = []
    with progress_bar() as bar:
        line = bar.add_task("tasks", total=len(asked), note="")
        for one in asked.values():
            bar.update(line, note=printable(one.name[:40]))
            prompts.append(_told(agent.model, one))
            cells = numbers(agent.returns(prompts[-1], one, episodes, seed))
            if adapt > 0:
                search = SearchConfig(budget=adapt, seed=seed + episodes)  # on other starts
                make = partial(agent.make, one)
                prompts[-1] = search_z(agent.model, prompts[-1], make, search).z
                cells.append(f"{_earned(agent.model, prompts[-1], make(), episodes, seed):.2f}")
            table.add_row(escape(printable(one.name)), *cells)
            bar.advance(line)
    out.print(table)
    for one in asked.values():
        _explain(agent.model, one, agent.gamma)
    if save is not None:
        _save(agent.model, asked, prompts, save)
        out.print(f"Next: zerogym predict {escape(str(run))} {escape(str(save))}")


def _tasks(agent: TrainedAgent, names: list[str], goals: list[str]) -> dict[str, Any]:
    """Tasks by what was typed for them."""
    if not (names or goals):
        every = agent.world.tasks
        return {name: every[name] for name in list(every)[:: max(1, -(-len(every) // MOST))]}
    named = {name: agent.task_of(name) for name in names}
    return named | {goal: agent.task_of(place(goal)) for goal in goals}


def _told(model: Any, task: Any) -> Any:
    try:
        return model.infer(task)
    except ValueError as error:
        raise UsageError(f"{task.name}: {error}") from None


def _earned(model: Any, z: Any, env: Any, episodes: int, seed: int) -> float:
    from zerogym.agents.zero_shot.evaluation import evaluate_returns
    from zerogym.agents.zero_shot.policy import FixedTask

    return evaluate_returns(FixedTask(model, z), env, episodes, seed)


def _explain(model: Any, task: Any, gamma: float) -> None:
    from zerogym.agents.zero_shot.diagnosis import explain

    for reason in explain(model, task, gamma).reasons:
        out.print(f"[yellow]{escape(printable(task.name))}:[/] {escape(reason)}")


def _save(model: Any, tasks: dict[str, Any], found: list[Any], folder: Path) -> None:
    from zerogym.agents.zero_shot.prompt import Prompt

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the prompts cannot be kept: {error}") from None
    for number, ((asked, task), z) in enumerate(zip(tasks.items(), found, strict=True)):
        Prompt.of(model, z, task.text, asked=asked).save(folder / f"{number}.json")
    out.print(f"[green]Prompts:[/] {escape(str(folder))}")
