"""Wrappers of the environments of a training run, by name: hints, rewards, attempts, tools.

`GRPOConfig.wrappers` are those of the training problems, `GRPOConfig.eval_wrappers` those of the
evaluation, which has none by default: a hint or a shaped reward is no part of the task. A wrapper
with progress over episodes (`Reformulate`) is for the prompts part that keeps the progress.
"""

import json
from collections.abc import Mapping
from typing import Any

from zerogym import wrappers as own
from zerogym.envs.registry import game_of, single_seat_id
from zerogym.errors import UnknownArgument
from zerogym.wrappers import by_name

TEXT_WRAPPERS: by_name.Table = {
    wrapper.__name__: wrapper
    for wrapper in (
        own.CallReward,
        own.ErrorInject,
        own.FlawedPrefix,
        own.FormatReward,
        own.GatedReward,
        own.LengthPenalty,
        own.PrefixHint,
        own.Reformulate,
        own.RetryReward,
        own.RewardAblation,
        own.RewardFunction,
        own.ToolBudget,
        own.TwoAttempts,
        own.UnaryFeedback,
        own.WithTools,
    )
}


def check_text_wrappers(setting: str, wrappers: Mapping[str, Any], env_id: str) -> None:
    """Raise unless these are wrappers by name for an environment of one seat.

    Raises:
        ValueError, TypeError: If not; an `UnknownName` for an unknown wrapper.
    """
    by_name.check_wrappers(setting, wrappers, TEXT_WRAPPERS)
    if "Reformulate" in wrappers:
        raise ValueError(
            f"{setting}: each copy of Reformulate would have a progress of its own: take "
            "prompts='cog_drift', which keeps that of the run"
        )
    game = game_of(env_id)
    if wrappers and game is not None:
        raise ValueError(
            f"{setting} are for environments of one seat: {env_id} has all seats, take "
            f"{single_seat_id(game.name)}"
        )


def check_task(setting: str, task: Any, *others: str) -> None:
    """Raise unless these are a task: `{"env": ID, "kwargs": {...}, "wrappers": {...}}`.

    Args:
        setting: Its name, for messages.
        task: The task.
        others: Further keys that it may have.

    Raises:
        ValueError, TypeError: If not; an `UnknownName` for an unknown wrapper.
    """
    if not isinstance(task, Mapping) or not isinstance(task.get("env"), str):
        raise ValueError(f'{setting} must be {{"env": ID, ...}}, got {task!r:.60}')
    known = ["env", "kwargs", "wrappers", *others]
    for key in task:
        if key not in known:
            raise UnknownArgument.of(setting, key, known)
    for key in ("kwargs", "wrappers"):
        if not isinstance(task.get(key, {}), Mapping):
            raise ValueError(f"{setting}: {key} are arguments by name, got {task[key]!r:.60}")
    json.dumps(dict(task.get("kwargs", {})))  # raises the TypeError before the run is saved
    check_text_wrappers(f"wrappers of {setting}", task.get("wrappers", {}), task["env"])


def turns_inside(wrappers: Mapping[str, Mapping[str, Any]], turns: int | None) -> int | None:
    """Return the most turns of an episode inside wrappers, from those of the environment alone.

    Example:
        >>> turns_inside({"WithTools": {"max_calls": 3}}, 1), turns_inside({"TwoAttempts": {}}, 1)
        (4, 2)
    """
    for name, arguments in wrappers.items():
        if name == "TwoAttempts":
            turns = 2
        elif name == "WithTools" and turns is not None:
            turns += arguments.get("max_calls", 8)
        elif name in ("ErrorInject", "ToolBudget") and turns is not None:
            turns += arguments.get("most", 2)  # replies that the environment does not count
        elif name == "UnaryFeedback" or ":" in name:
            default = 5 if name == "UnaryFeedback" else turns
            turns = arguments.get("max_turns", default)
    return turns
