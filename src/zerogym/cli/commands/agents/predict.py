"""`zerogym predict RUN PROMPT...`: a trained zero-shot agent plays saved prompts."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from zerogym.cli.console import UsageError, friendly, out, printable, progress_bar
from zerogym.cli.rewards import recorded_reward, typed_reward
from zerogym.cli.zero_shot import TrainedAgent, make_table, numbers, place
from zerogym.errors import require


@friendly
def predict(
    run: Annotated[Path, typer.Argument(help="A run directory of `zerogym train`.")],
    prompts: Annotated[
        list[Path], typer.Argument(help="What `zerogym infer --save` kept: files, or its folder.")
    ],
    task: Annotated[
        str | None,
        typer.Option(
            help="The task, by name, as a reward or module:Name; else that of each prompt."
        ),
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Of each prompt and policy.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the starts.")] = 0,
) -> None:
    """Let a trained zero-shot agent act on saved prompts, and compare its returns.

    Nothing is inferred again: z is read from the file. The score is 0 for random actions and 1 for
    the oracle.
    """
    require("torch", "control", "zerogym predict")
    from zerogym.agents.zero_shot.prompts.prompt import Prompt

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
