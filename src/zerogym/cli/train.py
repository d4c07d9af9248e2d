"""`zerogym train llm` and `zerogym train fb`: their options are the fields of the config.

Both keep a run directory; Ctrl-C saves, and `--resume DIR` continues.
"""

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from zerogym.cli.console import UsageError, friendly, out
from zerogym.cli.settings import build, parse
from zerogym.errors import require

train = typer.Typer(help="Train an agent (each verb has its own --help).", no_args_is_help=True)
# Options are read from the dataclass when the verb runs: its module needs torch.
_AS_TYPED: dict[str, Any] = {
    "context_settings": {"ignore_unknown_options": True, "allow_extra_args": True},
    "add_help_option": False,
}


@train.command("fb", **_AS_TYPED)
@friendly
def train_fb(context: typer.Context) -> None:
    """Train a forward-backward agent; tell it a task afterwards."""
    from zerogym.agents.zero_shot.config import FBConfig

    given = parse(FBConfig, "zerogym train fb", context.args)
    folder, config = _run_of(FBConfig, given, Path("runs/fb"))
    require("torch", "control", "zerogym train fb")
    from zerogym.agents.zero_shot.train import train as run

    with _bar() as bar:
        line = bar.add_task("updates", total=config.updates, note="")
        trained = _interruptible(
            lambda: run(
                config,
                folder,
                lambda p: bar.update(line, completed=p.updates, note=_note(p.metrics)),
            ),
            "fb",
            folder,
        )
    out.print(f"[green]Model:[/] {trained.path}")


def _run_of(config: type[Any], given: dict[str, Any], default: Path) -> tuple[Path, Any]:
    """Run directory and settings: those of the run for `--resume`, else those that were typed."""
    resume, chosen = given.pop("resume", None), given.pop("out", None)
    if resume is None:
        return chosen or default, build(config, given)
    if given or chosen:
        raise UsageError("--resume continues with the run's own settings: give no others")
    path = resume / "config.json"
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{resume} is not a run directory: {error}") from None
    if not isinstance(values, dict):
        raise UsageError(f"{path} does not hold settings")
    names = {field.name for field in dataclasses.fields(config)}
    return resume, build(config, {k: v for k, v in values.items() if k in names})


def _interruptible(run: Any, verb: str, folder: Path) -> Any:
    """Run; after Ctrl-C, say how to go on. A ValueError is about the settings."""
    try:
        return run()
    except ValueError as error:
        raise UsageError(str(error)) from None
    except KeyboardInterrupt as stop:
        raise KeyboardInterrupt(
            f"{stop or 'saved'}; continue with: zerogym train {verb} --resume {folder}"
        ) from None


def _bar() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[note]}[/]"),
        console=out,
    )


def _note(metrics: Mapping[str, float], most: int = 3) -> str:
    """The first few metrics in a line."""
    return "  ".join(f"{name} {value:.3g}" for name, value in list(metrics.items())[:most])
