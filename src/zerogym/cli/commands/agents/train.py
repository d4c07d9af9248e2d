"""`zerogym train llm`, `best`, `fb`, `zero_shot`, `offline`: options are the fields of the config.

All but `best` keep a run directory; Ctrl-C saves, and `--resume DIR` continues.
"""

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape

from zerogym.cli.console import UsageError, friendly, interrupted, out, progress_bar, usage_errors
from zerogym.cli.names import import_settings, typed_id
from zerogym.cli.parsing import Verbs
from zerogym.cli.settings import build, from_file, read_config, settings_command, typed
from zerogym.envs.registry import game_of
from zerogym.errors import reason_of, require

train = typer.Typer(help="Train an agent.", no_args_is_help=True, cls=Verbs)
Resume = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Continue the run in this directory.")
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="A TOML file of settings; typed ones go over it."
    ),
]
Recipe = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="A TOML file of settings, or the name of a paper's recipe; typed ones go over it.",
    ),
]
NO_ENV = (
    "train llm needs a task, --env: for example RandomCalculation, Countdown or KuhnPoker; the "
    "shortest command is: zerogym train llm --env RandomCalculation"
)
RunFolder = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="The run directory.")]


@train.command("llm", cls=settings_command("zerogym.agents.llm.grpo_config:GRPOConfig"))
@friendly
def train_llm(context: typer.Context, resume: Resume = None, config_file: Recipe = None) -> None:
    """Train a language model on a text environment, by GRPO or PPO."""
    from zerogym.agents.llm.grpo_config import GRPOConfig
    from zerogym.agents.llm.models.directories import model_directory
    from zerogym.agents.llm.models.loading import require_llm
    from zerogym.agents.llm.recipes import settings_file

    given = typed(context)
    if game_of(given.get("env", "")) is None:  # else the model plays all its seats
        given = _with_full_id(given)
    import_settings(given)
    file = None if config_file is None else settings_file(config_file)
    given = read_config(GRPOConfig, file, given)
    if resume is None:
        config = build(GRPOConfig, given)
        if "env" not in given:
            raise UsageError(NO_ENV)
        if "RANK" not in os.environ:
            model_directory(config.model)  # an unknown one ends here; one of the hub is fetched
    require_llm("zerogym train llm")
    from zerogym.agents.llm.training.checkpoint import checkpoints
    from zerogym.agents.llm.training.grpo import train as run

    if resume is not None:
        found = checkpoints(resume)
        if not found:
            raise UsageError(f"{resume} holds no checkpoint of a run")
        file = found[-1] / "run.json"
        given = from_file(_read(file).get("config", {}), {**given, "out": str(resume)}, file)
        config = build(GRPOConfig, given)
    out.quiet = os.environ.get("RANK", "0") != "0"  # torchrun's: one process prints for all
    with progress_bar() as bar:
        line = bar.add_task("steps", total=config.steps, note="")

        def show(metrics: Mapping[str, float]) -> None:
            bar.update(
                line, completed=metrics["step"], note=shown_metrics(metrics, "rollout/", "eval/")
            )

        with _run_errors():
            result = run(config, show, resume=resume is not None)
    if result.status == "interrupted":
        raise KeyboardInterrupt(_continuation(result.step, "steps", "llm", Path(config.out)))
    played = "test problems" if game_of(config.env) is None else "games"
    if config.wrappers and not config.eval_wrappers:
        played += " without the wrappers of training"
    elif config.eval_wrappers:
        played += f" inside {', '.join(config.eval_wrappers)}"
    for name, evaluation in (("before", result.before), ("after", result.after)):
        if evaluation is not None:
            text = f"mean reward {evaluation.reward:.3f} over {evaluation.episodes} {played}"
            if evaluation.accuracy is not None:
                between = f"{evaluation.low:.2f} to {evaluation.high:.2f}"
                text += f", accuracy {evaluation.accuracy:.2f} (95 %: {between})"
            out.print(f"{name:<7} {text}")
    out.print(f"[green]Model:[/] {escape(str(result.model))}")


@train.command(
    "best",
    cls=settings_command("zerogym.agents.llm.supervised.rejection_sampling:RejectionConfig"),
)
@friendly
def train_best(context: typer.Context, config_file: ConfigFile = None) -> None:
    """Fine-tune a language model on the best of recorded episodes (rejection sampling)."""
    from zerogym.agents.llm.models.directories import model_directory
    from zerogym.agents.llm.models.loading import require_llm
    from zerogym.agents.llm.supervised.rejection_sampling import RejectionConfig, rejection_sampling

    config = build(RejectionConfig, read_config(RejectionConfig, config_file, typed(context)))
    require_llm("zerogym train best")
    model_directory(config.model)  # an unknown one ends here
    with progress_bar() as bar:
        line = bar.add_task("steps", total=config.steps, note="")

        def show(metrics: Mapping[str, float]) -> None:
            bar.update(line, completed=metrics["step"], note=shown_metrics(metrics, "sft/"))

        with _run_errors():
            kept = rejection_sampling(config, show)
    out.print(f"learned from {kept.episodes} of {kept.of} episodes")
    out.print(f"[green]Model:[/] {escape(str(kept.model))}")


@train.command("fb", cls=settings_command("zerogym.agents.zero_shot.config:FBConfig"))
@friendly
def train_fb(
    context: typer.Context,
    chosen: RunFolder = None,
    resume: Resume = None,
    config_file: ConfigFile = None,
) -> None:
    """Train a forward-backward agent; tasks are given afterwards.

    The package's own worlds start from their tuned settings.
    """
    from zerogym.agents.zero_shot.config import PRESETS, FBConfig

    given = _with_full_id(typed(context))
    import_settings(given)
    given = read_config(FBConfig, config_file, given)
    folder = resume or chosen or Path("runs/fb")
    if resume is not None:
        file = resume / "config.json"
        given = from_file(_read(file), given, file)
    config = build(FBConfig, given, start=PRESETS.get(given.get("env", FBConfig.env)))
    require("torch", "control", "zerogym train fb")
    from zerogym.agents.zero_shot.training.train import train_seeds as run

    done = 0
    with progress_bar() as bar:
        line = bar.add_task("updates", total=config.updates, note="")

        def show(progress: Any) -> None:
            nonlocal done
            done = progress.updates
            bar.update(line, completed=done, note=shown_metrics(progress.metrics, ""))

        with interrupted(lambda: _continuation(done, "updates", "fb", folder)), _run_errors():
            trained = run(config, folder, show)
    for one in trained:
        out.print(f"[green]Model:[/] {escape(str(one.path))}")
    if len(trained) > 1:
        _compare_seeds(config, trained)
    else:
        _show_scores(folder / "log.jsonl")
    out.print(f"Next: zerogym infer {escape(str(trained[0].path.parent))}")


@train.command(
    "zero_shot", cls=settings_command("zerogym.agents.zero_shot.training.agents:ZeroShotConfig")
)
@friendly
def train_zero_shot(
    context: typer.Context,
    chosen: RunFolder = None,
    resume: Resume = None,
    config_file: ConfigFile = None,
) -> None:
    """Train a zero-shot agent by name (`zerogym parts agent`); tasks are given afterwards."""
    require("torch", "control", "zerogym train zero_shot")
    from zerogym.agents.zero_shot.training.agents import ZeroShotConfig, train_agent

    given = _with_full_id(typed(context))
    import_settings(given)
    given = read_config(ZeroShotConfig, config_file, given)
    folder = resume or chosen or Path("runs/zero_shot")
    if resume is not None:
        file = resume / "config.json"
        given = from_file(_read(file), given, file)
    config = build(ZeroShotConfig, given)
    done = 0
    with progress_bar() as bar:
        line = bar.add_task("updates", total=config.updates, note="")

        def show(progress: Any) -> None:
            nonlocal done
            done = progress.updates
            bar.update(line, completed=done, note=shown_metrics(progress.metrics, ""))

        verb = "zero_shot"
        with interrupted(lambda: _continuation(done, "updates", verb, folder)), _run_errors():
            trained = train_agent(config, folder, show)
    out.print(f"[green]Model:[/] {escape(str(trained.path))}")
    _show_scores(folder / "log.jsonl")
    out.print(f"Next: zerogym infer {escape(str(folder))}")


@train.command(
    "offline", cls=settings_command("zerogym.agents.offline.run_config:OfflineRunConfig")
)
@friendly
def train_offline_agent(
    context: typer.Context,
    chosen: RunFolder = None,
    resume: Resume = None,
    config_file: ConfigFile = None,
) -> None:
    """Train an offline agent (`zerogym parts method`) on one task, from stored data."""
    require("torch", "control", "zerogym train offline")
    from zerogym.agents.offline.run_config import OfflineRunConfig
    from zerogym.agents.offline.training import train_offline

    given = _with_full_id(typed(context))
    import_settings(given)
    given = read_config(OfflineRunConfig, config_file, given)
    folder = resume or chosen or Path("runs/offline")
    if resume is not None:
        file = resume / "config.json"
        given = from_file(_read(file), given, file)
    config = build(OfflineRunConfig, given)
    with usage_errors(ValueError):
        config.check_family(given)  # also those that are given as they are by default
    done = 0
    with progress_bar() as bar:
        line = bar.add_task("updates", total=config.updates, note="")

        def show(updates: int, metrics: Mapping[str, float]) -> None:
            nonlocal done
            done = updates
            bar.update(line, completed=updates, note=shown_metrics(metrics, "loss/"))

        verb = "offline"
        with interrupted(lambda: _continuation(done, "updates", verb, folder)), _run_errors():
            found = train_offline(config, folder, show)
    out.print(f"[green]Model:[/] {escape(str(folder / 'model'))}")
    if "evaluation/return" in found:
        mean = found["evaluation/return"]
        cost = found.get("evaluation/cost")
        costs = "" if cost is None else f", mean cost {cost:.2f}"
        played = f"over {config.episodes} episodes"
        out.print(f"Mean return of {config.task}: {mean:.2f}{costs} {played}")
        out.print(f"Next: zerogym predict {escape(str(folder))}")


def _show_scores(path: Path) -> None:
    """Print the last score in a log, and the best, which is no result."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    scores = {row["update"]: row["evaluation/score"] for row in rows if "evaluation/score" in row}
    if scores:
        best, last = max(scores, key=lambda update: scores[update]), max(scores)
        final = f"{scores[last]:.2f} at the end (update {last})"
        highest = f"the best, {scores[best]:.2f}, at {best}"
        out.print(f"Mean score of tasks never seen: {final}; {highest}")


def _compare_seeds(config: Any, trained: Sequence[Any]) -> None:
    """Print the final score of each seed, and their mean with its interval."""
    import numpy as np

    from zerogym.agents.zero_shot.models.model import FBModel
    from zerogym.agents.zero_shot.training.run import score_of
    from zerogym.benchmarks.results.estimates import RESAMPLES, Returns, interval, mean_draws

    scores = [score_of(FBModel.load(one.path), config) for one in trained]
    if not np.isfinite(scores).all():
        return  # the world has no oracle
    for one, score in zip(trained, scores, strict=True):
        name = escape(one.path.parent.name)
        out.print(f"{name}: mean score of tasks never seen {score:.2f}")
    [draws] = mean_draws([Returns(tuple(scores))], RESAMPLES, np.random.default_rng(0))
    low, high = interval(draws)
    between = f"{low:.2f} to {high:.2f}, 95 % bootstrap over {len(scores)} seeds"
    out.print(f"[bold]mean[/]: {np.mean(scores):.2f} ({between})")


def _with_full_id(given: dict[str, Any]) -> dict[str, Any]:
    """Allow `--env countdown` for `zerogym/Countdown-v0`."""
    return given | ({"env": typed_id(given["env"])} if "env" in given else {})


def _read(path: Path) -> dict[str, Any]:
    from zerogym.agents.checksums import check_regular

    try:
        check_regular(path)
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        says = reason_of(error) if isinstance(error, OSError) else error
        raise UsageError(f"{path.parent} is not a run directory: {path.name}: {says}") from None
    if not isinstance(values, dict):
        raise UsageError(f"{path} does not hold settings")
    return values


def _run_errors() -> AbstractContextManager[None]:
    """Errors of wrong settings, directories and learning rates."""
    return usage_errors(ValueError, OSError, FloatingPointError)


def _continuation(done: int, unit: str, verb: str, folder: Path) -> str:
    return f"saved after {done} {unit}; continue with: zerogym train {verb} --resume {folder}"


def shown_metrics(metrics: Mapping[str, float], *kinds: str, most: int = 3) -> str:
    """The first few metrics of some kinds in a line."""
    shown = [(n, v) for n, v in metrics.items() if n.startswith(kinds)][:most]
    return "  ".join(f"{name} {value:.3g}" for name, value in shown)
