"""The errors that zerogym raises on purpose, and the import of optional dependencies."""

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from types import ModuleType


class ZerogymError(Exception):
    """Base of every error that zerogym raises on purpose."""


class EnvironmentFailed(ZerogymError):
    """An environment of a pool raised: `env_id` is its index, `__cause__` the original error."""

    def __init__(self, env_id: int, error: BaseException) -> None:
        super().__init__(f"environment {env_id} raised {type(error).__name__}: {error}")
        self.env_id, self._error = env_id, error

    def __reduce__(self) -> tuple[object, ...]:  # pickled errors come from other processes
        return type(self), (self.env_id, self._error)


class CannotWrite(ZerogymError, OSError):
    """A file cannot be written; the message has its path and the system's reason."""


class MissingExtra(ZerogymError, ImportError):
    """A feature needs an optional dependency that is not installed."""


class NoSnapshot(ZerogymError, RuntimeError):
    """An episode cannot be copied: it is not, or not only, in this process."""


class EngineFailed(ZerogymError):
    """An engine for text generation returned no usable text; the message names engine and cause."""


class ServerDown(EngineFailed):
    """A language model server did not reply to any of several requests."""


class ProblemSpaceTooSmall(ZerogymError):
    """A generator found no problem in the requested split."""


class ModelNotFound(ZerogymError):
    """A language model is not available at the given place; the message names what is missing."""


class ImportRefused(ZerogymError, ValueError):
    """A file names something that would be imported; the message names the file and the remedy."""


class NoOracle(ZerogymError):
    """No oracle or exact value exists, for example in a reward-free environment."""


class NoRewardPossible(NoOracle):
    """The task gives no reward in this episode, whatever the actions are."""


class SandboxUnavailable(ZerogymError):
    """Code cannot run safely on this machine; the message names the cause and the remedy."""


class UnsafeSandboxWarning(UserWarning):
    """Code written by a model is about to run without a sandbox, as the user requested."""


class NotAPart(ZerogymError, TypeError):
    """A class cannot be a part of an algorithm; the message names the class and what it lacks."""


class PartFailed(ZerogymError):
    """A part of an algorithm raised or returned unusable numbers; the message names the part."""


class TrainingDiverged(ZerogymError, FloatingPointError):
    """Training has diverged; the message names the sign, and the last good state that is kept."""


class UnknownArgument(ZerogymError, TypeError):
    """An environment or the rules of a game have no argument of this name."""

    @classmethod
    def of(cls, what: str, name: str, known: Sequence[str]) -> "UnknownArgument":
        """Return the error for a name, with the nearest of those that are known.

        Its first words are Python's own, which other libraries search for.
        """
        import difflib

        near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}? " if near else ""
        takes = f"known: {', '.join(known) or 'none'}"
        return cls(f"{what} got an unexpected keyword argument {name[:80]!r} ({hint}{takes})")


class UnknownName(ZerogymError, ValueError):
    """No task, game, opponent, agent, ... has this name; the message suggests the nearest one."""

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
    """Import an optional module, or raise an error with the command that installs it.

    Args:
        module: Import name, for example ``"minigrid.core.grid"``.
        extra: The zerogym extra that brings it.
        needed_by: The feature that the user requested, for example ``"zerogym/FourRooms-v0"``.

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


@contextmanager
def writing(path: str | PathLike[str]) -> Iterator[None]:
    """Name a file in errors of writing it; the system's own often have no path.

    Of blocks inside each other, as of a file of a folder, the outer one names it.

    Raises:
        CannotWrite: If an `OSError` was raised, or the error in its place of safetensors.
    """
    library = sys.modules.get("safetensors")  # imported by whoever writes with it
    kinds = (OSError,) if library is None else (OSError, library.SafetensorError)
    try:
        yield
    except kinds as error:
        cause = error.__cause__ if isinstance(error, CannotWrite) else error
        raise CannotWrite(f"{path} cannot be written: {reason_of(cause)}") from cause


def reason_of(error: BaseException | None) -> str:
    """Return the reason in an error of the system, without its number and path."""
    return str(getattr(error, "strerror", None) or error)
