"""`zerogym predict RUN [PROMPT...]`: a zero-shot agent plays saved prompts, an offline its task."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from zerogym.cli.console import UsageError, friendly, out, printable, progress_bar
from zerogym.cli.offline import offline_returns, offline_settings
from zerogym.cli.rewards import recorded_reward, typed_reward
from zerogym.cli.zero_shot import TrainedAgent, make_table, numbers, place
from zerogym.errors import require


@friendly
def predict(
    run: Annotated[Path, typer.Argument(help="A run directory of `zerogym train`.")],
    prompts: Annotated[
        list[Path] | None,
        typer.Argument(
            help="What `zerogym infer --save` kept: files, or its folder; none of an offline agent."
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help="The task, by name, as a reward or module:Name; else that of each prompt."
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(help="Return for a decision transformer; else the best of its data."),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(help="Cost for a constrained one; else the least of its data."),
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Of each prompt and policy.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the starts.")] = 0,
) -> None:
    """Let a trained agent act, and compare its returns.

    A zero-shot agent acts on saved prompts: nothing is inferred again, z is read from the file. An
    offline agent (`zerogym train offline`) acts in its task, a decision transformer towards a
    --target return and, if it is constrained, within a --budget of cost. The score is 0 for random
    actions and 1 for the oracle.
    """
    require("torch", "control", "zerogym predict")
    from zerogym.agents.zero_shot.prompts.prompt import Prompt

    settings = offline_settings(run)
    if settings is not None:
        if prompts or task:
            raise UsageError(f"{run} is of an offline agent, which has one task and no prompts")
        out.print(offline_returns(run, settings, target, budget, episodes, seed))
        return
    if target is not None or budget is not None:
        raise UsageError("only offline agents take --target and --budget")
    if not prompts:
        raise UsageError(f"no prompt: `zerogym infer {run} --save FOLDER` makes some")
    agent = TrainedAgent(run)
    model = agent.only_fb("saved prompts")
    loaded = {path: Prompt.load(path, model) for path in _files(prompts)}
    tasks = {}
    for path, prompt in loaded.items():
        own = agent.world.tasks.keys
        spec: Any = task or prompt.asked
        if not spec:
            raise UsageError(f"{path} does not say what pays: name it by --task")
        if spec.startswith("["):
            spec = place(spec)
        else:
            spec = typed_reward(task, own) if task else recorded_reward(spec, path, own)
        tasks[path] = agent.task_of(spec)
    table = make_table(agent.env, "prompt", "task")
    with progress_bar() as bar:
        line = bar.add_task("prompts", total=len(loaded), note="")
        for path, prompt in loaded.items():
            cells = numbers(agent.returns(prompt.z, tasks[path], episodes, seed))
            shown = (escape(printable(text)) for text in (path.name, tasks[path].name))
            table.add_row(*shown, *cells)
            bar.advance(line)
    out.print(table)


def _files(given: list[Path]) -> list[Path]:
    """The files themselves, and those in folders, by number."""
    found = []
    for path in given:
        if not path.exists():
            raise UsageError(f"there is no file or directory {str(path)!r}")
        inside = sorted(path.glob("*.json"), key=lambda each: (len(each.name), each.name))
        if path.is_dir() and not inside:
            raise UsageError(
                f"{path} holds no prompt; `zerogym infer RUN --save {path}` makes some"
            )
        found += inside if path.is_dir() else [path]
    return found
