"""Parts: papers as small objects with settings, in tables that anybody can extend.

A part is a frozen dataclass with the methods of its kind, most often `__call__` alone; a `Table`
holds the parts of one kind by name. A part is given as an object (`Tempo(alpha=0.5)`), by name
(`"tempo"`), as `"my_module:Name"` (the module is imported), or as JSON values
(`{"part": "tempo", "alpha": 0.5, "version": 1}`), which import nothing. Installed packages add
parts by entry points of the group `zerogym.parts`, named `<kind>.<name>`. Readers of settings pass
strings from files through `recorded_part`.
"""

import importlib
import inspect
import pkgutil
import sys
import traceback
from abc import ABC
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar, cast

from zerogym.agents.settings import check_types
from zerogym.envs import extensions
from zerogym.envs.references import load_reference
from zerogym.errors import (
    ImportRefused,
    NotAPart,
    PartFailed,
    UnknownArgument,
    UnknownName,
    ZerogymError,
)

GROUP = "zerogym.parts"
_RESERVED = ("part", "version")  # keys of a record beside the settings


@dataclass(frozen=True)
class Part(ABC):  # noqa: B024  (kinds of parts name the methods)
    """Base of all parts: its subclasses' fields are settings, each with a default.

    Attributes:
        source: Title, year and arXiv id of the paper; empty without one.
        version: Number of the formula; a change of its results raises it.
    """

    source: ClassVar[str] = ""
    version: ClassVar[int] = 1
    registered: ClassVar[str] = ""  # set by the table

    def __post_init__(self) -> None:
        check_types(self)

    @classmethod
    def title(cls) -> str:
        """Return the name in records and messages: `my_module:Name` of a part of one's own."""
        return vars(cls).get("registered") or f"{cls.__module__}:{cls.__qualname__}"

    @classmethod
    def is_zerogyms(cls) -> bool:
        """Return whether the part came with zerogym."""
        return cls.__module__.startswith("zerogym.")

    @classmethod
    def fault(cls) -> str:
        """Return what the class declares and no run can give, in words; empty if nothing."""
        return ""

    def needs(self) -> list[str]:
        """Return what the part needs of a run, in words; kinds of parts add to it."""
        return []

    def record(self) -> dict[str, Any]:
        """Return name, settings and version as JSON values."""
        settings = {field.name: getattr(self, field.name) for field in fields(self)}
        listed = {k: list(v) if isinstance(v, tuple) else v for k, v in settings.items()}
        return {"part": self.title(), **listed, "version": self.version}


P = TypeVar("P", bound=Part)


class Table(Generic[P]):
    """The parts of one kind by name.

    Args:
        kind: The kind in messages, and the first word of an entry point's name.
        base: The class of its parts.
        home: The module or package whose modules register zerogym's own parts.
    """

    def __init__(self, kind: str, base: type[Any], home: str) -> None:
        self.kind, self.home = kind, home
        self.base: type[P] = base  # abstract, unlike its parts
        self._parts: dict[str, type[P]] = {}
        self._complete = False

    def register(self, name: str) -> Callable[[type[P]], type[P]]:
        """Return a decorator of frozen dataclasses that adds a part under a name.

        A part of one's own replaces one of the same name, but none of zerogym's.

        Raises:
            NotAPart: If the class is not frozen, lacks a method, has another base, or a field
                without default.
            ValueError: If zerogym has a part of this name.
        """

        def add(part: type[P]) -> type[P]:
            self._check(part)
            if part.is_zerogyms():
                part.registered = name
            else:
                self._load()
                if name in self._parts and self._parts[name].registered == name:
                    raise ValueError(f"{self.kind} {name!r} is zerogym's: choose another name")
            self._parts[name] = part
            return part

        return add

    def names(self) -> list[str]:
        """Return the names of all parts, those of installed packages included."""
        self._load()
        return [*self._parts, *(name for name in self._installed() if name not in self._parts)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __getitem__(self, name: str) -> type[P]:
        """Return the class of a name, or of `my_module:Name`, which is imported.

        Raises:
            UnknownName: If there is none; it suggests the nearest.
        """
        self._load()
        if name in self._parts:
            return self._parts[name]
        if name in self._installed():
            return self._from_package(name)
        if ":" in name:
            return self._imported(name)
        raise UnknownName(self.kind, name, self.names())

    def make(self, value: P | str | Mapping[str, Any]) -> P:
        """Return the part of an object, a name or a record; a record imports nothing.

        Raises:
            UnknownName: If there is no part of this name.
            UnknownArgument: If a record has a setting that the part has not.
            TypeError: If the value is neither, or a setting has another type.
            ValueError: If the record is of another version of the part.
            ImportRefused: If a record names a module that is not imported.
        """
        if isinstance(value, str):
            return self[value]()
        if isinstance(value, Mapping):
            return self._from_record(value)
        if isinstance(value, self.base):
            self._check(type(value))
            return value
        raise TypeError(
            f"{self.kind} must be a name, {self.base.__name__} or a record, got {value!r:.60}"
        )

    def record(self, value: P | str | Mapping[str, Any]) -> dict[str, Any]:
        """Return the record of what `make` takes."""
        return self.make(value).record()

    def _from_record(self, record: Mapping[str, Any]) -> P:
        settings = {k: tuple(v) if isinstance(v, list) else v for k, v in record.items()}
        name = settings.pop("part", None)
        if not isinstance(name, str):
            raise TypeError(f"{self.kind} {dict(record)!r:.80} has no 'part', which is its name")
        if ":" in name and name.partition(":")[0] not in sys.modules:
            raise ImportRefused(_refusal(f"a record of an {self.kind}", name))
        part = self[name]
        version = settings.pop("version", part.version)
        if version != part.version:
            raise ValueError(
                f"{self.kind} {name!r} has version {part.version} here, and {version!r:.20} in the "
                "record: its results differ"
            )
        known = [field.name for field in fields(part)]
        for setting in settings:
            if setting not in known:
                raise UnknownArgument.of(f"{self.kind} {name!r}", setting, known)
        return part(**settings)

    def _load(self) -> None:
        """Import the modules that register zerogym's own parts, once."""
        if self._complete:
            return
        self._complete = True
        home = importlib.import_module(self.home)
        for module in pkgutil.iter_modules(getattr(home, "__path__", [])):
            importlib.import_module(f"{self.home}.{module.name}")

    def _installed(self) -> dict[str, Any]:
        """Return the entry points of installed packages by name."""
        start = f"{self.kind}."
        found = extensions.entries(GROUP)
        return {each.name[len(start) :]: each for each in found if each.name.startswith(start)}

    def _from_package(self, name: str) -> type[P]:
        part: type[P] = extensions.load(self._installed()[name])
        self._check(part)
        part.registered = name
        return self._parts.setdefault(name, part)

    def _imported(self, name: str) -> type[P]:
        part = load_reference(name, self.kind)
        self._check(part)
        return cast(type[P], part)

    def _check(self, part: Any) -> None:
        """Raise `NotAPart` unless a class is a part of this kind."""
        name = getattr(part, "__qualname__", repr(part))
        if not (inspect.isclass(part) and issubclass(part, self.base)):
            raise NotAPart(
                f"{name} is no {self.kind}: it must be a subclass of {self.base.__name__}"
            )
        own = vars(part).get("__dataclass_params__")
        if own is None or not own.frozen:
            raise NotAPart(f"{name} must be a frozen dataclass: @dataclass(frozen=True)")
        for field in fields(part):
            if field.name in _RESERVED:
                raise NotAPart(f"{name}.{field.name}: a setting cannot have this name")
            if field.default is MISSING and field.default_factory is MISSING:
                raise NotAPart(f"{name}.{field.name} needs a default")
        missing = sorted(getattr(part, "__abstractmethods__", ()))
        if missing:
            raise NotAPart(f"{name} must define {', '.join(missing)}")
        if fault := part.fault():
            raise NotAPart(f"{name} {fault}")


def recorded_part(value: Any, file: Path, typed: Collection[str] | None = None) -> Any:
    """Return the name or record of a part that a file holds, for `Table.make`.

    Args:
        value: What stands in the file.
        file: The file, for the message.
        typed: The modules that the user named; None: those that are imported.

    Raises:
        ImportRefused: If it is `module:Name` of another module.
    """
    name = value.get("part") if isinstance(value, Mapping) else value
    known = sys.modules if typed is None else typed
    if isinstance(name, str) and ":" in name and name.partition(":")[0] not in known:
        raise ImportRefused(_refusal(str(file), name))
    return value


def _refusal(place: str, name: str) -> str:
    return (
        f"{place} names the part {name!r:.200}, and nothing that a file names is imported: "
        f"name the module yourself (zerogym --import {name.partition(':')[0]:.200} ...)"
    )


@contextmanager
def errors_of(part: Part) -> Iterator[None]:
    """Turn an exception of a part inside the block into one line that names it.

    Raises:
        PartFailed: From any exception but those of zerogym and of memory.
    """
    try:
        yield
    except (ZerogymError, MemoryError):
        raise
    except Exception as error:
        if "OutOfMemory" in type(error).__name__ or "can't allocate memory" in str(error):
            raise  # torch's, which are RuntimeErrors
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(last.filename).name}, line {last.lineno}"
        kind = type(error).__name__
        raise PartFailed(f"{part.title()} raised {kind}: {error} ({place})") from error
