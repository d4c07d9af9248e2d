"""`zerogym list` and `zerogym info ID`: the list of environments, and a page about each."""

import inspect
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

from zerogym.cli.console import AsJson, friendly, out, print_json, printable
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
    as_json: AsJson = False,
) -> None:
    """List the tasks, a line each."""
    named = [typed_task(word) for word in words or () if ":" in word]
    searched = " ".join(word for word in words or () if ":" not in word)
    found = [*(tasks(family, searched) if searched or not named else ()), *named]
    if as_json:
        print_json([_record(task) for task in found])
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
    as_json: AsJson = False,
) -> None:
    """Show the page of an environment: its documentation, spaces and an example episode."""
    task = typed_task(name)
    if as_json:
        print_json({**_record(task), "page": page_of(task), **_example(task, seed)})
        return
    out.print(f"[bold cyan]{task.id}[/]  [dim]{task.family}[/]\n")
    for line in page_of(task).splitlines():
        heading = re.fullmatch(r"(?:## )?([A-Z][A-Za-z ]+?):?", line)
        out.print(f"[bold]{heading[1]}[/]" if heading else Text(line))
    found = _example(task, seed)
    if "observation_space" in found:
        out.print("\n[bold]Spaces[/]")
        out.print(f"  observation  {escape(found['observation_space'])}")
        out.print(f"  action       {escape(found['action_space'])}")
    if "example" in found:
        _print_episode(found["example"])
    if "missing" in found:
        out.print(f"\n[yellow]No example:[/] {escape(found['missing'])}")


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


def _example(task: Task, seed: int) -> dict[str, Any]:
    """Return spaces and an example episode as texts, or what is missing for them."""
    found: dict[str, Any] = {}
    try:
        name = _example_task(task)
        arguments = {"task": name} if name else {}
        with make(task, arguments) as env:
            found["observation_space"] = str(env.observation_space)
            found["action_space"] = str(env.action_space)
            found["example"] = {"arguments": arguments, **_episode(env, seed)}
    except ZerogymError as error:  # an extra may be missing, also at the first reset
        found["missing"] = str(error)
    return found


def _episode(env: Any, seed: int) -> dict[str, Any]:
    """Play the first steps of an episode by the oracle, or by random actions without one."""
    known = env.has_wrapper_attr("oracle_action") and getattr(env.unwrapped, "has_oracle", True)
    rng = np.random.default_rng(seed)
    env.action_space.seed(seed)
    observation, _ = env.reset(seed=seed)
    first, over = str(observation), False
    steps: list[dict[str, Any]] = []
    while not over and len(steps) < SHOWN_STEPS:
        if known:
            action = env.get_wrapper_attr("oracle_action")()
        elif env.has_wrapper_attr("random_action"):
            action = env.get_wrapper_attr("random_action")(rng)
        else:
            action = env.action_space.sample()
        observation, reward, terminated, truncated, _ = env.step(action)
        over = bool(terminated or truncated)
        shown = {"action": str(action), "observation": str(observation), "reward": float(reward)}
        steps.append(shown)
    who = "oracle" if known else "random"
    return {"actions": who, "seed": seed, "observation": first, "steps": steps, "over": over}


def _print_episode(example: dict[str, Any]) -> None:
    given = "".join(f", {name}={value!r}" for name, value in example["arguments"].items())
    who = "the oracle's" if example["actions"] == "oracle" else "random"
    out.print(f"\n[bold]Example[/] [dim]{who} actions, seed {example['seed']}{escape(given)}[/]")
    _print_block("world", example["observation"])
    for step in example["steps"]:
        _print_block("agent", step["action"])
        _print_block("world", step["observation"])
        out.print(f"  [dim]reward {step['reward']:g}[/]")
    if not example["over"]:
        out.print("  [dim]…[/]")


def _print_block(who: str, item: str) -> None:
    text = printable(item)
    cut = text if len(text) <= SHOWN_TEXT else text[:SHOWN_TEXT] + " …"
    out.print(Padding(Text(textwrap.indent(cut, f"{who} │ ")), (0, 0, 0, 2)))
