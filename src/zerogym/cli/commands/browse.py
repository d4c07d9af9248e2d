"""`zerogym list` and `zerogym info ID`: the list of environments, and a page about each."""

import inspect
import json
import re
import textwrap
from typing import Annotated, Any

import gymnasium as gym
import numpy as np
import typer
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from zerogym.cli.console import friendly, out, printable
from zerogym.cli.names import make, typed_task
from zerogym.envs.lookup import find_task, tasks
from zerogym.envs.pages import page
from zerogym.envs.plugins import creator_of
from zerogym.envs.registry import FAMILIES, GAMES, Task
from zerogym.errors import UnknownName, ZerogymError

SHOWN_STEPS = 3
SHOWN_TEXT = 600  # characters of an observation in an example episode


@friendly
def list_worlds(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WORD...", help="Only tasks with these words in id or summary, or `module:ID`."
        ),
    ] = None,
    family: Annotated[
        str | None, typer.Option(help=f"Only one family: {', '.join(FAMILIES)}.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON: id, family, summary and tags of each.")
    ] = False,
) -> None:
    """List the tasks, a line each."""
    named = [typed_task(word) for word in words or () if ":" in word]
    searched = " ".join(word for word in words or () if ":" not in word)
    found = [*(tasks(family, searched) if searched or not named else ()), *named]
    if as_json:
        typer.echo(json.dumps([_record(task) for task in found], indent=1))
        return
    if not found:
        raise UnknownName("task", " ".join(words or ()), [task.name for task in tasks(family)])
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("id", no_wrap=True)
    table.add_column("task")
    for task in found:
        tags = f"  [dim]{', '.join(task.tags)}[/]" if task.tags else ""
        table.add_row(f"[cyan]{task.id}[/]", escape(task.summary) + tags)
    out.print(table)
    if any(task.family == "control" for task in found):
        line = "Control tasks have a default reward, named by `zerogym info`; task=None: none."
        out.print(f"\n{line}")
    names = {task.name for task in found}
    if games := [game.id for game in GAMES if find_task(game.name).name in names]:
        out.print(f"\nWith all seats, through PettingZoo: {', '.join(games)}")


def _record(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "family": task.family,
        "summary": task.summary,
        "tags": list(task.tags),
    }


@friendly
def info(
    name: Annotated[str, typer.Argument(metavar="ID", help="For example Countdown.")],
    seed: Annotated[int, typer.Option(help="Seed of the example episode.")] = 0,
) -> None:
    """Show the page of an environment: its documentation, spaces and an example episode."""
    task = typed_task(name)
    out.print(f"[bold cyan]{task.id}[/]  [dim]{task.family}[/]\n")
    for line in page_of(task).splitlines():
        heading = re.fullmatch(r"(?:## )?([A-Z][A-Za-z ]+?):?", line)
        out.print(f"[bold]{heading[1]}[/]" if heading else Text(line))
    try:
        example = _example_task(task)
        arguments = {"task": example} if example else {}
        with make(task, arguments) as env:
            out.print("\n[bold]Spaces[/]")
            out.print(f"  observation  {escape(str(env.observation_space))}")
            out.print(f"  action       {escape(str(env.action_space))}")
            _print_episode(env, seed, arguments)
    except ZerogymError as error:  # an extra may be missing, also at the first reset
        out.print(f"\n[yellow]No example:[/] {escape(str(error))}")


def page_of(task: Task) -> str:
    """Return the documentation page of a task's class, or the docstring of its function."""
    creator = creator_of(gym.spec(task.id))
    return page(creator) if isinstance(creator, type) else inspect.getdoc(creator) or ""


def _example_task(task: Task) -> str | None:
    """A named task for worlds that are reward-free without one."""
    if task.family != "control":
        return None
    with make(task, {}) as env:
        names = getattr(env.unwrapped, "tasks", {})
    return next(iter(names), None)


def _print_episode(env: Any, seed: int, arguments: dict[str, Any]) -> None:
    """Print the first steps of an episode of the oracle, or of random actions without one."""
    given = "".join(f", {name}={value!r}" for name, value in arguments.items())
    known = env.has_wrapper_attr("oracle_action") and getattr(env.unwrapped, "has_oracle", True)
    rng = np.random.default_rng(seed)
    env.action_space.seed(seed)
    who = "the oracle's" if known else "random"
    out.print(f"\n[bold]Example[/] [dim]{who} actions, seed {seed}{escape(given)}[/]")
    observation, _ = env.reset(seed=seed)
    _print_block("world", observation)
    for _ in range(SHOWN_STEPS):
        if known:
            action = env.get_wrapper_attr("oracle_action")()
        elif env.has_wrapper_attr("random_action"):
            action = env.get_wrapper_attr("random_action")(rng)
        else:
            action = env.action_space.sample()
        _print_block("agent", action)
        observation, reward, terminated, truncated, _ = env.step(action)
        _print_block("world", observation)
        out.print(f"  [dim]reward {float(reward):g}[/]")
        if terminated or truncated:
            return
    out.print("  [dim]…[/]")


def _print_block(who: str, item: Any) -> None:
    text = printable(str(item))
    cut = text if len(text) <= SHOWN_TEXT else text[:SHOWN_TEXT] + " …"
    out.print(Padding(Text(textwrap.indent(cut, f"{who} │ ")), (0, 0, 0, 2)))
