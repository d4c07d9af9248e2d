"""The errors zerogym raises on purpose, and the one door to optional dependencies."""

import importlib
from types import ModuleType


class ZerogymError(Exception):
    """Base of every error that zerogym raises on purpose."""


class EnvironmentFailed(ZerogymError):
    """An environment of a pool raised; `env_id` says which one, `__cause__` is what it raised."""

    def __init__(self, env_id: int, error: BaseException) -> None:
        super().__init__(f"environment {env_id} raised {type(error).__name__}: {error}")
        self.env_id, self._error = env_id, error

    def __reduce__(self) -> tuple[object, ...]:  # pickled errors come from other processes
        return type(self), (self.env_id, self._error)


class MissingExtra(ZerogymError, ImportError):
    """A feature needs an optional dependency that is not installed."""


class EngineFailed(ZerogymError):
    """An engine that generates text gave none that can be used; says which engine, and why."""


class ServerDown(EngineFailed):
    """A server of a language model did not reply, however often it was asked."""


class ProblemSpaceTooSmall(ZerogymError):
    """A generator found no problem on the asked side of the train/test split."""


class ModelNotFound(ZerogymError):
    """A language model cannot be had from where it was asked for; says what is missing."""


class NoTruth(ZerogymError):
    """The truth was asked for where there is none, for example in a world without a reward."""


class NothingToEarn(NoTruth):
    """An oracle was asked in an episode in which the task pays nothing, whatever is done."""


class SandboxUnavailable(ZerogymError):
    """Code cannot be run safely on this machine; says what is missing and what would cure it."""


class UnsafeSandboxWarning(UserWarning):
    """Code of a model is about to run without a sandbox, because that was asked for."""


class UnknownName(ZerogymError, ValueError):
    """A name (of a task, game, opponent, agent, ...) that does not exist; names the nearest one."""

    def __init__(self, kind: str, name: object, known: "list[str]") -> None:
        import difflib

        folded = {each.casefold(): each for each in known}
        near = difflib.get_close_matches(str(name).casefold(), folded, n=1, cutoff=0.5)
        hint = f" Did you mean {folded[near[0]]!r}?" if near else ""
        shown = ", ".join(sorted(known)[:20])
        if len(known) > 20:
            shown += f" and {len(known) - 20} more"
        super().__init__(f"There is no {kind} {str(name)[:80]!r}.{hint} Known: {shown}.")
        self._made_of = kind, str(name), list(known)

    def __reduce__(self) -> tuple[object, ...]:  # pickled errors come from other processes
        return type(self), self._made_of


def require(module: str, extra: str, needed_by: str) -> ModuleType:
    """Import an optional module, or say in one line how to install it.

    Args:
        module: Import name, for example ``"minigrid.core.grid"``.
        extra: The zerogym extra that brings it.
        needed_by: What the user asked for, for example ``"zerogym/FourRooms-v0"``.

    Raises:
        MissingExtra: If the module's top-level package is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise  # a dependency of the dependency: hiding its name would mislead
        raise MissingExtra(f"{needed_by} needs {package}: pip install 'zerogym[{extra}]'") from None
