"""A control world on a person's screen: its map, the goal, named features, and the actions.

The map is left out where it shows what the agent does not observe.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from rich.markup import escape
from rich.text import Text

from zerogym.cli.console import out, printable
from zerogym.envs.plugins import creator_of

MAP = "ansi"  # the render mode


def map_arguments(env_id: str) -> dict[str, Any]:
    """Return the arguments with which an environment draws a map; none if it has no such map."""
    from zerogym.envs.control.core.env import ControlEnv

    creator = creator_of(gym.spec(env_id))
    drawn = (
        isinstance(creator, type)
        and issubclass(creator, ControlEnv)
        and MAP in creator.metadata["render_modes"]
        and not creator.map_reveals
    )
    return {"render_mode": MAP} if drawn else {}


def show_start(env: Any, info: Mapping[str, Any]) -> None:
    """Print the goal and the actions of an episode whose observations are numbers."""
    world = env.unwrapped
    if not _is_control(world) or isinstance(env.observation_space, spaces.Text):
        return
    if name := info.get("category"):
        task = world.tasks.get(name)
        out.print(Text(printable(f"Goal: {name if task is None else task.text}")))
    out.print(Text(printable(f"Action: {actions_text(env.action_space, world)}")))


def actions_text(space: spaces.Space[Any], world: Any) -> str:
    """Describe what to type for the actions of a space of numbers."""
    names = getattr(world, "action_names", ())
    if isinstance(space, spaces.Discrete):
        if len(names) == space.n:
            return ", ".join(f"{number} {name}" for number, name in enumerate(names))
        return f"a number from {space.start} to {space.start + space.n - 1}"
    if isinstance(space, spaces.Box):
        low, high = float(space.low.min()), float(space.high.max())
        count = int(np.prod(space.shape))
        return f"{count} number{'s' if count > 1 else ''} from {low:g} to {high:g}, spaces between"
    return str(space)


def show_state(env: Any, observation: Any) -> bool:
    """Print map and features; return whether they say all that the observation does."""
    world = env.unwrapped
    if not _is_control(world):
        return False
    if world.render_mode == MAP and (drawn := env.render()) is not None:
        out.print(Text(printable(str(drawn)), "cyan"))
    if isinstance(observation, str) or not world.measures:
        return False
    found = world.features(np.asarray(observation)[None])
    shown = [f"{escape(name)} [bold]{float(found[name][0]):.3g}[/]" for name in found]
    out.print("  ".join(shown))
    return True


def _is_control(world: Any) -> bool:
    from zerogym.envs.control.core.env import ControlEnv

    return isinstance(world, ControlEnv)
