"""`zerogym new task digit_sum`: a small package with an environment of your own and its tests.

The files are those of `templates`: Python that runs as it stands, in which `my_task`, `MyTask` and
`my-task` stand for the name.
"""

import importlib.util
import keyword
import re
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from zerogym.cli.console import UsageError, friendly, out
from zerogym.errors import UnknownName, writing

KINDS = ("task", "game", "tool-world", "control-task")
_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


@friendly
def new(
    kind: Annotated[str, typer.Argument(metavar="KIND", help=f"{', '.join(KINDS)}.")],
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Of the module, for example digit_sum.")
    ],
    folder: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="A folder that does not exist; default: NAME."),
    ] = None,
) -> None:
    """Write a package with an environment of your own that works, and its tests."""
    if kind not in KINDS:
        raise UnknownName("kind of package", kind, list(KINDS))
    check_name(name)
    target = folder or Path(name)
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target} exists already: choose another --out")
    written = write_package(kind, name, target)
    env_id = f"{name}/{_in_capitals(name)}-v0"
    out.print(f"{len(written)} files in [green]{escape(str(target))}[/]: {', '.join(written)}")
    out.print(f"Next: cd {escape(str(target))} && pytest && zerogym info {name}:{env_id}")


def check_name(name: str) -> None:
    """Raise unless a name can be that of a new module.

    Raises:
        UsageError: If it is no identifier in lower case, a word of Python, or a module that there
            is; suggests another.
    """
    if not _NAME.fullmatch(name):
        hint = _suggested(name)
        meant = f". Did you mean {hint!r}?" if hint else ""
        raise UsageError(f"NAME is lower case words joined by _, got {name!r:.80}{meant}")
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise UsageError(f"{name!r} is a word of Python: choose another, say {f'{name}_task'!r}")
    if name in sys.stdlib_module_names or importlib.util.find_spec(name) is not None:
        raise UsageError(f"there is a module {name!r}: choose another, say {f'my_{name}'!r}")


def write_package(kind: str, name: str, target: Path) -> list[str]:
    """Write the files of a package, and return their names.

    Raises:
        CannotWrite: If they cannot be written.
    """
    written = []
    templates = files("zerogym.cli") / "templates"
    for part in ("shared", kind.replace("-", "_")):
        with as_file(templates / part) as source:
            for path in sorted(source.rglob("*")):
                if path.is_dir() or path.suffix == ".pyc":
                    continue
                place = target / _named(path.relative_to(source).as_posix(), name)
                with writing(place):
                    place.parent.mkdir(parents=True, exist_ok=True)
                    place.write_text(_named(path.read_text("utf-8"), name), encoding="utf-8")
                written.append(place.relative_to(target).as_posix())
    return written


def _named(text: str, name: str) -> str:
    """Return a text of a template with the name in the place of `my_task`, in each spelling."""
    text = text.replace("my_task", name).replace("my-task", name.replace("_", "-"))
    return text.replace("MyTask", _in_capitals(name))


def _in_capitals(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _suggested(name: str) -> str:
    """Return the nearest name that can be taken, or nothing."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    words = re.sub(r"[^a-zA-Z0-9]+", "_", words).strip("_").lower()
    return words if _NAME.fullmatch(words) else _suggested(f"task_{words}") if words else ""
