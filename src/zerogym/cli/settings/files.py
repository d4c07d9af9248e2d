"""Settings from files: TOML that a person wrote, and the JSON of a run that goes on.

Either may be anybody's: what it names is not imported, and its servers get no key
(`envs/recorded.py`). What is typed goes over it.
"""

import dataclasses
import difflib
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.markup import escape

from zerogym.agents.settings import groups_of
from zerogym.cli.console import UsageError, out
from zerogym.cli.names import typed_modules
from zerogym.cli.settings.fields import Setting, read_name, settings_of
from zerogym.cli.settings.values import read_value
from zerogym.envs.lookup import full_id
from zerogym.envs.registry import game_of

_NO_PART = Setting("", None)


def read_config(config: type[Any], path: Path | None, typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a TOML file by path, and over them those that were typed.

    Tables are groups, which the settings of a class with inherited groups may do without; of a
    part, `part` is its name. Keys may have hyphens for underscores.

    Raises:
        UsageError: If the file cannot be read, or holds an unknown key, one in another group than
            its own, one twice, or a wrong value.
        ImportRefused: If its environment or a wrapper is of a module that nobody typed.
    """
    if path is None:
        return dict(typed)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no TOML file: {error}") from None
    return read_table(config, document, path, typed)


def read_table(
    config: type[Any], table: Mapping[str, Any], place: Path, typed: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings of one table of a TOML file by path, as `read_config`.

    Args:
        config: The dataclass of the settings.
        table: What the file holds.
        place: The file, perhaps with the name of the table behind it, for messages.
        typed: Settings that go over it.
    """
    known = settings_of(config)
    flat = _ungrouped(config, table, place)
    if own := tuple(_own_parts(flat, known)):
        known = settings_of(config, own=own)
    found: dict[str, Any] = {}
    for name, value in _leaves(flat, known, "", place):
        try:
            found[name] = _read(known[name], value)
        except ValueError as error:
            raise UsageError(f"{place}: {name} {error}") from None
    env = found.get("env", ":")
    if ":" not in env and game_of(env) is None:  # else the model plays all its seats
        found["env"] = full_id(env)
    return from_file(found, typed, place)


def _own_parts(table: Mapping[str, Any], known: Mapping[str, Setting]) -> Iterator[tuple[str, str]]:
    """Yield path and name of each part `module:Class` of a module that the user typed."""
    for key, value in table.items():
        name = value.get("part") if isinstance(value, Mapping) else value
        path = key.replace("-", "_")
        if not isinstance(name, str) or known.get(path, _NO_PART).table is None:
            continue
        if ":" in name and name.partition(":")[0] in typed_modules:
            yield path, name


def from_file(saved: Mapping[str, Any], typed: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Return the settings of a file, and over them what was typed.

    Raises:
        ImportRefused: If the environment, a wrapper or a part is of a module that nobody typed.
    """
    from zerogym.agents.llm.algorithms.tables import TABLES
    from zerogym.agents.parts import recorded_part
    from zerogym.envs.recorded import recorded_id, recorded_wrappers, without_keys

    kept = {name: value for name, value in saved.items() if name not in typed}
    # Beside those of language models: of collections, of zero-shot and of offline agents.
    for setting in (*TABLES, "policy", "features", "agent", "method", "draw"):
        recorded_part(kept.get(setting), file, typed_modules)
    if "env" in kept:
        recorded_id(kept["env"], file)
    for setting in ("wrappers", "eval_wrappers"):
        recorded_wrappers(kept.get(setting), file, typed_modules)
    of_part = kept["prompts"].get("tasks") if isinstance(kept.get("prompts"), Mapping) else None
    for tasks in (kept.get("eval_tasks"), kept.get("prompts.tasks"), of_part):
        for task in tasks.values() if isinstance(tasks, Mapping) else ():
            if isinstance(task, Mapping):
                recorded_id(task.get("env"), file)
                recorded_wrappers(task.get("wrappers"), file, typed_modules)
    safe: dict[str, Any] = without_keys(kept)
    changed = [f"--{name.replace('_', '-')}" for name in kept if safe[name] != kept[name]]
    if changed:
        out.print(
            f"[yellow]no key is sent to servers that only {escape(str(file))} names:[/] type "
            f"{', '.join(changed)} again to send one"
        )
    return {**safe, **typed}


def _ungrouped(config: type[Any], document: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Return a document without the tables of inherited groups, whose keys take their place."""
    groups = {
        name: {field.name for field in dataclasses.fields(group)}  # type: ignore[arg-type]
        for name, group in groups_of(config).items()
    }
    own = {key.replace("-", "_"): value for key, value in document.items()}
    flat = {key: value for key, value in own.items() if key not in groups}
    settings = {field.name for field in dataclasses.fields(config)}
    for key in flat:
        if groups and isinstance(flat[key], dict) and key not in settings:
            raise UsageError(_unknown(file, key, [*groups, *settings]))
    for name in groups:
        table = own.get(name, {})
        if not isinstance(table, dict):
            raise UsageError(f"{file}: {name} is a group: [{name}], and below it its settings")
        for key, value in table.items():
            setting = key.replace("-", "_")
            [home] = [other for other, keys in groups.items() if setting in keys] or [name]
            if home != name:
                raise UsageError(f"{file}: {setting} is a setting of [{home}], not of [{name}]")
            if setting in flat:
                raise UsageError(f"{file}: {setting} is set twice: once in [{name}], once above")
            flat[setting] = value
    return flat


def _leaves(
    table: Mapping[str, Any], known: Mapping[str, Setting], prefix: str, file: Path
) -> Iterator[tuple[str, Any]]:
    """Yield path and value of each setting in a table of a file."""
    for key, value in table.items():
        path = f"{prefix}{key.replace('-', '_')}"
        if key == "part" and prefix and known.get(prefix[:-1], _NO_PART).table is not None:
            path = prefix[:-1]
        if path in known and not (isinstance(value, dict) and known[path].table is not None):
            yield path, value
        elif isinstance(value, dict) and any(each.startswith(f"{path}.") for each in known):
            yield from _leaves(value, known, f"{path}.", file)
        else:
            raise UsageError(_unknown(file, path, known))


def _unknown(file: Path, name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else ""
    return f"{file}: there is no setting {name!r}{hint}"


def _read(setting: Setting, value: Any) -> Any:
    """Read a value of a file; that of a part's setting waits for its part."""
    if setting.table is None:
        return value if setting.of_parts else read_value(setting.hint, value)
    name = read_name(setting, value)
    module, colon, _ = (name or "").partition(":")
    if colon and module not in typed_modules:
        raise ValueError(
            f"names {name!r:.80}, and nothing that a file names is imported: type {setting.option} "
            f"again, or name the module yourself (zerogym --import {module:.80} ...)"
        )
    return name
