"""`zerogym predict RUN PROMPT...`: a trained zero-shot agent acts on tasks that it was told."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from zerogym.cli.console import UsageError, friendly, out, printable
from zerogym.cli.zero_shot import TrainedAgent, make_table, numbers, place
from zerogym.errors import require


@friendly
def predict(
    run: Annotated[Path, typer.Argument(help="A run directory of `zerogym train fb`.")],
    prompts: Annotated[
        list[Path], typer.Argument(help="What `zerogym infer --save` kept: files, or its folder.")
    ],
    task: Annotated[
        str | None,
        typer.Option(help="What pays, by name or as a reward; else what each prompt was told."),
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Of each prompt and policy.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Of the starts.")] = 0,
) -> None:
    """Let a trained zero-shot agent act on saved prompts, and compare its returns.

    Nothing is inferred again: z is what the file holds. The score is 0 for random actions and 1 for
    the oracle.
    """
    require("torch", "control", "zerogym predict")
    from zerogym.agents.zero_shot.prompts.prompt import Prompt
    from zerogym.cli.commands.train import progress_bar

    agent = TrainedAgent(run)
    told = {path: Prompt.load(path, agent.model) for path in _files(prompts)}
    paying = {path: _paying(agent, path, task or one.asked) for path, one in told.items()}
    table = make_table(agent.env, "prompt", "task")
    with progress_bar() as bar:
        line = bar.add_task("prompts", total=len(told), note="")
        for path, one in told.items():
            pays = paying[path]
            cells = numbers(agent.returns(one.z, pays, episodes, seed))
            shown = (escape(printable(text)) for text in (path.name, pays.name))
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


def _paying(agent: TrainedAgent, path: Path, asked: str) -> Any:
    if not asked:
        raise UsageError(f"{path} does not say what pays: name it by --task")
    return agent.task_of(place(asked) if asked.startswith("[") else asked)
