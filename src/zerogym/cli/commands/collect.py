"""`zerogym collect ENV --policy rnd`: reward-free data, and the card that says what they cover.

The options are the fields of the config. Ctrl-C keeps what is finished; `--resume DIR` goes on.
"""

import dataclasses
import json
from pathlib import Path
from typing import Any

import typer
from rich.markup import escape
from rich.table import Table

from zerogym.cli.commands.train import progress_bar, shown_metrics
from zerogym.cli.console import UsageError, friendly, out
from zerogym.cli.names import find_task
from zerogym.cli.settings import build, make_parser
from zerogym.errors import require

CARD = "card.json"


@friendly
def collect(context: typer.Context) -> None:
    """Collect reward-free data: random actions, an oracle, or an explorer."""
    from zerogym.agents.explore.config import CollectConfig

    parser = make_parser(CollectConfig, "zerogym collect")
    parser.add_argument("world", nargs="?", metavar="ENV", help="the environment, as --env")
    given = vars(parser.parse_args(context.args))
    resume, chosen = given.pop("resume", None), given.pop("out", None)
    named = given.pop("world", None) or given.get("env")
    if named is not None:
        own = "/" not in named or named.startswith("zerogym/")
        given["env"] = find_task(named).id if own else named
    require("torch", "control", "zerogym collect")
    given = {**(_settings(resume) if resume is not None else {}), **given}
    config = build(CollectConfig, given)
    _run(config, resume or chosen or _folder(config))


def _settings(folder: Path) -> dict[str, Any]:
    from zerogym.agents.datasets.stored import read_manifest

    found: dict[str, Any] = read_manifest(folder)["config"]
    return found


def _folder(config: Any) -> Path:
    return Path("runs/data") / f"{config.env.rpartition('/')[2]}-{config.policy}-{config.seed}"


def _run(config: Any, folder: Path) -> None:
    from zerogym.agents.atomic_files import write_text
    from zerogym.agents.datasets.card import make_card
    from zerogym.agents.datasets.stored import load_dataset
    from zerogym.agents.explore.collect import collect as run

    done = 0
    with progress_bar() as bar:
        line = bar.add_task(config.policy, total=config.steps, note="")

        def show(progress: Any) -> None:
            nonlocal done
            done = progress.steps
            bar.update(line, completed=done, note=shown_metrics(progress.metrics, ""))

        try:
            run(config, folder, show)
        except (ValueError, TypeError, FileExistsError) as error:
            raise UsageError(str(error)) from None
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"finished shards are kept; continue with: zerogym collect --resume {folder}"
            ) from None
    card = make_card(load_dataset(folder))
    write_text(folder / CARD, json.dumps(dataclasses.asdict(card), indent=1) + "\n")
    show_card(card)
    out.print(f"[green]Data:[/] {escape(str(folder))}")


def show_card(card: Any) -> None:
    """Print a card of `zerogym.agents.datasets.card`."""
    seen = card.coverage
    whole = "" if seen.all_states is None else f" of {seen.all_states}"
    share = "" if seen.saco is None else f", {seen.saco:.0%} of all (SACo)"
    worlds = f", {card.worlds} worlds in turns" if card.worlds > 1 else ""
    out.print(f"{card.transitions:,} transitions, {card.episodes:,} episodes{worlds}")
    for step in card.origin:
        out.print(f"Made by {escape(json.dumps(step))}")
    out.print(f"States visited: {seen.states}{whole}, told apart by {', '.join(seen.quantities)}")
    out.print(f"Entropy of the visits: {seen.entropy:.2f} bits")
    if seen.spread is not None:
        out.print(f"Entropy of all that is observed: {seen.spread:.2f} nats (from 12th neighbours)")
    out.print(f"State-action pairs: {seen.pairs:,}{share}")
    if not card.tasks:
        return
    table = Table("task", *("99.9 % reward", "mean return", "best return", "TQ"))
    for task in card.tasks:
        numbers = (task.high, task.mean_return, task.best_return, task.tq)
        table.add_row(task.name, *("–" if n is None else f"{n:.2f}" for n in numbers))
    out.print(table)
