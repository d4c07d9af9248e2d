"""A reward of one's own as the task of a control environment, by `module:Name` or of a package.

`zerogym infer RUN --reward my_rewards:fast` and `zerogym play Walker --arg task=my_rewards:fast`.
It is a function of `(features, action)` or of `(obs, action, next_obs)`, or a class of such. Left
out: `zerogym baselines`, whose results are kept under the names of tasks.
"""

import functools
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from zerogym.cli.console import UsageError, usage_errors
from zerogym.cli.names import import_typed, typed_modules
from zerogym.envs.extensions import REWARDS, entries, load
from zerogym.envs.references import load_reference
from zerogym.errors import ImportRefused, ZerogymError


def typed_reward(text: str, own: Callable[[], Collection[str]]) -> Any:
    """Return the function that a typed task names, or the text itself.

    Args:
        text: `module:Name`, whose module is imported; the name of an entry point of the group
            `zerogym.rewards`; or a name or an expression of the environment.
        own: Returns the names of the environment's own tasks, which come first.

    Returns:
        A function whose errors are a `UsageError` that names it, or `text`.

    Raises:
        CannotImport, UnknownName: If there is no such module, or it has no such name.
        UsageError: If it is nothing that can be called, or a class that needs arguments.
    """
    module, colon, _ = text.partition(":")
    if colon:
        import_typed(module)
        found = load_reference(text, "reward")
    else:
        entry = next((each for each in entries(REWARDS) if each.name == text), None)
        if entry is None or text in own():
            return text
        found = load(entry)
    with usage_errors(Exception, prefix=f"the reward {text}: "):
        function = found() if isinstance(found, type) else found
    if not callable(function):
        raise UsageError(f"the reward {text} cannot be called")

    @functools.wraps(function)
    def reward(*given: Any) -> Any:
        try:
            return function(*given)
        except ZerogymError:
            raise
        except Exception as error:  # whatever code of the user raises
            raise UsageError(f"the reward {text}: {type(error).__name__}: {error}") from error

    reward.__name__ = getattr(function, "__name__", type(function).__name__)
    return reward


def recorded_reward(text: str, file: Path, own: Callable[[], Collection[str]]) -> Any:
    """Return the function that a file's task names, or the text itself.

    Raises:
        ImportRefused: If it is `module:Name` of a module that nobody typed.
    """
    module, colon, _ = text.partition(":")
    if colon and module not in typed_modules:
        raise ImportRefused(
            f"{file} names the reward {text!r:.200}, and nothing that a file names is imported: "
            f"type --task again, or name the module yourself (zerogym --import "
            f"{module or 'MODULE':.200} ...)"
        )
    return typed_reward(text, own)
