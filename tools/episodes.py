"""Example episodes for the pages of tasks: seed 0, and the actions of the oracle."""

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from zerogym.envs.core import TaskEnv
from zerogym.envs.references import parameters_of
from zerogym.envs.registry import Task

TURNS_SHOWN = 3  # at the start of an example episode; the last one is shown as well
# Longer episodes are not played to the end: after many steps of physics machines differ in digits.
LONG = 100
WIDTH = 110  # of an example episode in a README.md
LEVELS = (0, 3)  # difficulties of further example problems, beside the default of 1
LONGEST = 2500  # characters of a text on a page


@dataclass(frozen=True)
class Turn:
    """An action and what came of it."""

    action: Any
    reward: float
    score: float | None
    end: str
    observation: Any


@dataclass(frozen=True)
class Episode:
    """An episode from its start.

    Attributes:
        call: The expression that makes the environment.
        who: "the oracle", or "chance" where none is known.
        start: The first observation.
        turns: All of them, unless the episode is long.
        frames: Pictures of the start and after each turn; empty if they were not requested.
    """

    call: str
    who: str
    start: Any
    turns: Sequence[Turn]
    frames: Sequence[Any] = ()

    @property
    def is_over(self) -> bool:
        """True if the last turn ended the episode."""
        return bool(self.turns) and bool(self.turns[-1].end)


def make(registered: Task, /, **arguments: Any) -> TaskEnv[Any, Any]:
    """An environment without wrappers."""
    env = gym.make(registered.id, **arguments).unwrapped
    assert isinstance(env, TaskEnv)
    return env


def views(task: Task) -> list[str]:
    """The names of a task's views; empty if it has only one."""
    env = type(make(task))
    has_views = "view" in parameters_of(env)
    return list(getattr(env, "views", ("text", "numeric"))) if has_views else []


def play(task: Task, rendered: bool = False) -> Episode:
    """Play an episode of the text view, if there is one; pictures of it are optional."""
    arguments: dict[str, Any] = {"view": "text"} if "text" in views(task) else {}
    if named := list(getattr(make(task), "tasks", ())):
        arguments["task"] = named[0]
    shown = "".join(f", {name}={value!r}" for name, value in arguments.items())
    env: Any = make(task, **arguments, **({"render_mode": "rgb_array"} if rendered else {}))
    has_oracle = getattr(env, "has_oracle", True)
    rng = np.random.default_rng(0)
    start, _ = env.reset(seed=0)
    turns: list[Turn] = []
    frames = [env.render()] if rendered else []
    while len(turns) < LONG - 1 and not (turns and turns[-1].end):
        action = env.oracle_action() if has_oracle else env.random_action(rng)
        observation, reward, terminated, truncated, info = env.step(action)
        end = "Terminated." if terminated else "Truncated." if truncated else ""
        turns.append(Turn(action, float(reward), info.get("score"), end, observation))
        if rendered:
            frames.append(env.render())
    who = "the oracle" if has_oracle else "chance"
    return Episode(f'gym.make("{task.id}"{shown})', who, start, turns, frames)


def columns(episode: Episode) -> str:
    """The episode as a dialogue in two columns, its middle left out."""
    head, left_out, tail = shown(episode)
    parts = [_said("world", episode.start), *map(_exchange, head)]
    if left_out:
        parts.append(f"       ... {left_out} ...")
    return "\n".join([*parts, *map(_exchange, tail)])


def blocks(episode: Episode) -> str:
    """The episode as Markdown, a block for each observation and action, its middle left out."""
    before, action = ("Prompt", "Reply") if isinstance(episode.start, str) else ("State", "Action")
    head, left_out, tail = shown(episode)
    parts = [titled(text_of(episode.start), before)]
    for turn in head:
        parts += _blocks(turn, before, action)
    if left_out:
        parts.append(f"*... {left_out} ...*")
    for turn in tail:
        parts += _blocks(turn, before, action)
    return "\n\n".join(parts)


def shown(episode: Episode) -> tuple[Sequence[Turn], str, Sequence[Turn]]:
    """The turns at the start, words for those that are left out, and the last turn."""
    head, rest = episode.turns[:TURNS_SHOWN], episode.turns[TURNS_SHOWN:]
    if not episode.is_over:
        return head, "and so on", ()
    left_out = len(rest) - 1
    words = "1 more turn" if left_out == 1 else f"{left_out} more turns"
    return head, words if left_out > 0 else "", rest[-1:]


def problem(task: Task, difficulty: float) -> tuple[str, int | None]:
    """The problem of seed 0, and how many there are on the train side where these are few."""
    prompt, info = make(task, difficulty=difficulty).reset(seed=0)
    return text_of(prompt), info.get("problems")


def text_of(what: Any) -> str:
    """An observation or action as text, cut where it is very long."""
    if not isinstance(what, str):
        what = np.array2string(np.asarray(what), precision=2, threshold=12, suppress_small=True)
    return what if len(what) <= LONGEST else what[:LONGEST] + "\n..."


def titled(text: str, title: str) -> str:
    """A block of text with a title; `.wraps` breaks long lines, since they are prose."""
    return fenced(text, f' {{ .text .wraps title="{title}" }}')


def fenced(text: str, language: str = "") -> str:
    """A code block, with a fence that the text does not contain."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _exchange(turn: Turn) -> str:
    end = f" {turn.end}" if turn.end else ""
    gain = f"       (reward {turn.reward:.3g}){end}"
    return f"{_said('agent', turn.action)}\n{gain}\n{_said('world', turn.observation)}"


def _said(who: str, what: Any) -> str:
    """The text of one speaker, wrapped, in a column beside the name."""
    wrapped = [
        textwrap.wrap(line, WIDTH - 7) or [""] for line in text_of(what).splitlines() or [""]
    ]
    lines = [line for lines in wrapped for line in lines]
    return "\n".join(f"{who if n == 0 else '':<7}{line}".rstrip() for n, line in enumerate(lines))


def _blocks(turn: Turn, before: str, action: str) -> list[str]:
    """The action with its reward, and the observation that follows, if it is not empty."""
    score = f", score {turn.score:.3g}" if turn.end and turn.score is not None else ""
    end = f", {turn.end.lower().rstrip('.')}" if turn.end else ""
    title = f"{action} (reward {turn.reward:.3g}{score}{end})"
    found = [titled(text_of(turn.action), title)]
    if (observation := text_of(turn.observation)).strip():
        found.append(titled(observation, "Afterwards" if turn.end else before))
    return found
