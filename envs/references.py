"""Objects and modules that a user names: `module:Name`, installed or in a folder of `sys.path`.

Only what a person typed, or wrote in Python, comes here. A name that a file holds passes through
`recorded.py` first, which imports nothing.
"""

import difflib
import importlib
import pkgutil
import traceback
from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from types import ModuleType
from typing import Any

from zerogym.errors import MissingExtra, UnknownName, ZerogymError


class CannotImport(ZerogymError, ImportError):
    """A module that the user named cannot be imported; the message has its file and the error."""


named_modules: set[str] = set()  # those that the user typed; files may name what is in them


def parameters_of(creator: Callable[..., Any]) -> Mapping[str, Parameter]:
    """Return the parameters of a class or of a function that makes something, by name.

    Those of a class are its `__init__`'s: Python 3.11.2 and others find `gymnasium.Env.__new__`
    first, which takes anything.
    """
    if not isinstance(creator, type):
        return signature(creator).parameters
    _, *own = signature(creator.__init__).parameters.items()  # type: ignore[misc]
    return dict(own)


def import_named(module: str) -> ModuleType:
    """Import a module that the user typed; from then on files may name what is in it.

    Raises:
        CannotImport: As `import_module`.
    """
    found = import_module(module)
    named_modules.add(module)
    return found


def import_module(module: str) -> ModuleType:
    """Import a module that the user named.

    Raises:
        CannotImport: If there is none, with the nearest name, or if it raises while it is imported.
        MissingExtra: If it needs an optional dependency of ours.
    """
    if not all(part.isidentifier() for part in module.split(".")):
        raise CannotImport(f"{module!r:.80} cannot be imported: it is no name of a module")
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if module != missing and not module.startswith(f"{missing}."):
            raise CannotImport(failure(module, error)) from error
        raise CannotImport(
            f"{module!r} cannot be imported: there is no module {missing!r}{_nearest(missing)}"
        ) from None
    except MissingExtra:
        raise
    except (Exception, SystemExit) as error:  # whatever code of the user raises
        raise CannotImport(failure(module, error)) from error


def load_reference(reference: str, what: str) -> Any:
    """Return the object that `module:Name` names; its module is imported.

    Args:
        reference: The name; after the colon perhaps with dots.
        what: Words for it in messages, such as `wrapper`.

    Raises:
        CannotImport: If the module cannot be imported.
        UnknownName: If the module has no such name.

    Example:
        >>> load_reference("zerogym.wrappers:FormatReward", "wrapper").__name__
        'FormatReward'
    """
    module, _, path = reference.partition(":")
    found: Any = import_module(module)
    for name in path.split("."):
        if not name or not hasattr(found, name):
            known = [each for each in vars(found) if not each.startswith("_")]
            raise UnknownName(f"{what} of {module}", path, known)
        found = getattr(found, name)
    return found


def failure(module: str, error: BaseException) -> str:
    """Return the line about an error inside a module: its file, the place there, and the error."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "importlib" not in frame.filename]
    own = [frame for frame in own if frame.filename != __file__]
    ends = module.replace(".", "/")
    within = [each for each in own if each.filename.endswith((f"{ends}.py", f"{ends}/__init__.py"))]
    frame = next(reversed(within or own), None)
    place = f" ({frame.filename}, line {frame.lineno})" if frame else ""
    if isinstance(error, SyntaxError):
        place = f" ({error.filename}, line {error.lineno})"
    says = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{module!r} cannot be imported{place}: {type(error).__name__}: {says}"


def _nearest(module: str) -> str:
    """Return a question after the nearest module that there is, or nothing."""
    parent, _, name = module.rpartition(".")
    path = getattr(importlib.import_module(parent), "__path__", []) if parent else None
    known = [found.name for found in pkgutil.iter_modules(path)]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return f". Did you mean {f'{parent}.{near[0]}' if parent else near[0]!r}?" if near else ""
