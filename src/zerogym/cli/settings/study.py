"""The TOML file of `zerogym study`: tasks, variants, and the settings that all of them share."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zerogym.cli.console import UsageError, usage_errors
from zerogym.cli.settings.construction import build
from zerogym.cli.settings.files import read_table
from zerogym.errors import UnknownName, ZerogymError

if TYPE_CHECKING:
    from zerogym.benchmarks.studies.comparison.study import Study

TABLES = ("run", "tasks", "variants")
VALUES = {
    "title": str, "notes": str, "baseline": str, "seeds": int, "first_seed": int, "rival": bool,
}  # fmt: skip
# The study sets them itself, or they have no meaning in it.
OWNED = ("seed", "out", "eval_every", "keep_rollouts")


def read_study(path: Path) -> "Study":
    """Return the study of a file; nothing that it names is imported.

    Raises:
        UsageError: If it cannot be read, holds an unknown key or part, lacks a task or a variant,
            or its settings contradict each other; it names the table.
        ImportRefused: If it names a module that nobody typed.
    """
    from zerogym.agents.llm.grpo_config import GRPOConfig
    from zerogym.benchmarks.studies.comparison.study import Study

    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is no TOML file: {error}") from None
    for key, value in document.items():
        if key not in (*TABLES, *VALUES):
            with usage_errors(UnknownName, prefix=f"{path}: "):
                raise UnknownName("key of a study", key, [*TABLES, *VALUES])
        kind = VALUES.get(key, dict)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise UsageError(f"{path}: {key} takes {_KINDS[kind]}, got {value!r:.80}")
    run = _settings(document.get("run", {}), path, "run")
    tasks, variants = (_tables(document.get(name, {}), path, name) for name in TABLES[1:])
    configs: dict[str, dict[str, Any]] = {}
    for task, of_task in tasks.items():
        if "env" not in run | of_task:
            raise UsageError(f"{path}: [tasks.{task}] has no env: say which task it is")
        for variant, own in variants.items():
            if both := of_task.keys() & own.keys():
                raise UsageError(
                    f"{path}: {', '.join(sorted(both))} is in [tasks.{task}] and in "
                    f"[variants.{variant}]: choose one of them"
                )
            try:
                config = build(GRPOConfig, run | of_task | own)
            except ZerogymError as error:
                place = f"[tasks.{task}] with [variants.{variant}]"
                raise UsageError(f"{path}: {place}: {error}") from None
            configs.setdefault(task, {})[variant] = config
    if tasks and not variants:
        raise UsageError(f"{path}: a study needs a variant: a table [variants.NAME]")
    given = {name: document[name] for name in VALUES if name in document}
    try:
        return Study(path.stem, configs, **given)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from None


_KINDS = {dict: "a table", str: "a text", int: "a whole number", bool: "true or false"}


def _tables(named: Mapping[str, Any], path: Path, kind: str) -> dict[str, dict[str, Any]]:
    """Return the settings of each table [kind.NAME]."""
    for name, table in named.items():
        if not isinstance(table, dict):
            raise UsageError(
                f"{path}: {kind}.{name} must be a table [{kind}.{name}], got {table!r:.80}"
            )
    return {name: _settings(table, path, f"{kind}.{name}") for name, table in named.items()}


def _settings(table: Mapping[str, Any], path: Path, name: str) -> dict[str, Any]:
    from zerogym.agents.llm.grpo_config import GRPOConfig

    place = Path(f"{path}: [{name}]")
    found = read_table(GRPOConfig, table, place, {})
    for key in OWNED:
        if key in found:
            raise UsageError(f"{place}: a study sets {key} itself; seeds and --out are its own")
    return found
