"""`zerogym play ID`: a person takes the agent's place, or watches one."""

import sys
from collections.abc import Collection
from io import TextIOWrapper
from typing import Annotated, Any

import numpy as np
import typer
from gymnasium import spaces
from rich.markup import escape
from rich.text import Text

from zerogym.agents.core import Policy
from zerogym.cli.agents import make_player, opponent_argument
from zerogym.cli.console import UsageError, friendly, out, printable
from zerogym.cli.control_screen import map_arguments, show_start, show_state
from zerogym.cli.names import import_opponents, make, parse_arguments, typed_task
from zerogym.cli.rewards import typed_reward
from zerogym.errors import UnknownArgument

SHOWN_INFO = ("feedback", "answer", "success")


@friendly
def play(
    name: Annotated[str, typer.Argument(metavar="ID", help="For example kuhn_poker.")],
    opponent: Annotated[
        str | None,
        typer.Option(
            help="Games: random, scripted, mcts:200, ... (a wrong name lists those of the game), "
            "llm:tiny or llm:FOLDER, past:FOLDER, module:Name, person; of random+mcts, one for "
            "each episode."
        ),
    ] = None,
    seat: Annotated[str | None, typer.Option(help="Games: 0, 1, ... or random.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the first episode.")] = None,
    agent: Annotated[
        str | None,
        typer.Option(help="Watch an agent: random, oracle, tiny, smollm2 or a model directory."),
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="How many episodes.")] = 1,
    arg: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Argument of the environment; may be repeated."),
    ] = None,
) -> None:
    """Play an environment in the terminal: type replies, Ctrl-D leaves.

    A reply of several lines begins with ``` or a tag alone in its line, and ends where that closes.
    """
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # input that is no UTF-8 is no move
    task = typed_task(name)
    arguments = parse_arguments(arg or [])
    if opponent is not None:
        import_opponents(opponent)
        arguments["opponent"] = opponent_argument(opponent)
    if seat is not None:
        arguments["seat"] = int(seat) if seat.isdigit() else seat
    if task.family == "control" and isinstance(arguments.get("task"), str):
        arguments["task"] = typed_reward(arguments["task"], lambda: _own_tasks(task))
    env = _make_readable(task, arguments)
    shared = opponent is not None and "person" in opponent.split("+")
    player = None if agent is None else make_player(agent, env, seed or 0)
    several = "; ``` begins and ends a reply of several lines"
    typed = several if player is None and isinstance(env.action_space, spaces.Text) else ""
    out.print(f"[bold cyan]{task.id}[/]  [dim]Ctrl-D leaves{typed}[/]")
    total = 0.0
    for index in range(episodes):
        try:
            total += _episode(env, player, None if seed is None else seed + index, shared)
        except EOFError:
            out.print("\n[dim]Goodbye.[/]")
            break
    env.close()
    if episodes > 1:
        out.print(f"[bold]Total[/] {total:g}")


def _own_tasks(task: Any) -> Collection[str]:
    """Return the names of a control environment's tasks."""
    with make(task, {"task": None}) as env:
        names: Collection[str] = getattr(env.unwrapped, "tasks", {})
    return names


def _make_readable(task: Any, arguments: dict[str, Any]) -> Any:
    """The text view where there is one, and a map where it does not show too much."""
    arguments = map_arguments(task.id) | arguments
    if "view" not in arguments:
        try:
            return make(task, {**arguments, "view": "text"})
        except (UsageError, UnknownArgument) as error:
            if not any(said in str(error) for said in ("'view'", "no view 'text'")):
                raise
    return make(task, arguments)


def _episode(env: Any, player: Policy | None, seed: int | None, shared: bool) -> float:
    """Play one episode and return its return; `shared` marks a screen with other seats.

    Raises:
        EOFError: When the person leaves.
    """
    from zerogym.cli.person import plain, read_action, read_message
    from zerogym.envs.games.talk.core.env import TalkEnv

    talks = player is None and isinstance(env.unwrapped, TalkEnv) and env.unwrapped.view == "text"
    shown = plain if talks else lambda observation: observation
    observation, info = env.reset(seed=seed)
    state: Any = None
    value, fresh, over = 0.0, True, False
    show_start(env, info)
    if talks:
        out.print("[dim]What stands in ‘quotes’ is typed without them.[/]")
    _show(env, shown(observation), shared)
    while not over:
        if talks:
            action = read_message(env.unwrapped)
        elif player is None:
            action = read_action(env.action_space)
        else:
            batch = [observation] if isinstance(observation, str) else observation[None]
            actions, state = player.predict(batch, state, np.array([fresh]), True)
            action, fresh = actions[0], False
            out.print(Text(f"› {printable(str(action))}", style="magenta"))
        observation, reward, terminated, truncated, info = env.step(action)
        value += float(reward)
        over = terminated or truncated
        _show(env, shown(observation), shared)
    facts = [f"{key}: {printable(str(info[key]))}" for key in SHOWN_INFO if info.get(key)]
    out.print(f"[bold]Return {value:g}[/]  [dim]{escape('; '.join(facts))}[/]\n")
    return value


def _show(env: Any, observation: Any, shared: bool) -> None:
    if shared:
        out.print("[bold]Your seat[/]")
    if show_state(env, observation):
        return
    if isinstance(observation, np.ndarray):
        observation = np.array2string(observation, precision=3, threshold=60)
    out.print(Text(printable(str(observation))))
