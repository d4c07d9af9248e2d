"""`zerogym parts`: the papers that a training run can name, and the page of each."""

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table as Lines

from zerogym.agents.parts import Part, Table
from zerogym.cli.console import AsJson, friendly, out, print_json
from zerogym.cli.names import import_typed
from zerogym.cli.settings.fields import settings_of
from zerogym.envs.references import load_reference
from zerogym.errors import NotAPart, UnknownName

if TYPE_CHECKING:
    from zerogym.agents.llm.algorithms.presets import Preset

_PRESET = "preset"  # the table of whole algorithms, which are combinations of parts


@friendly
def parts(
    name: Annotated[
        str | None,
        typer.Argument(metavar="TABLE|PART", help="A table, a part of one, or `module:Name`."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the parts of training that papers brought, or explain one of them."""
    from zerogym.agents.explore.policies import POLICIES
    from zerogym.agents.llm.algorithms.presets import PRESETS
    from zerogym.agents.llm.algorithms.tables import TABLES
    from zerogym.agents.offline.draws import DRAWS
    from zerogym.agents.offline.method import METHODS
    from zerogym.agents.zero_shot.agents import AGENTS
    from zerogym.agents.zero_shot.features import FEATURES

    # of collections, and of zero-shot and offline agents, too
    tables: dict[str, Table[Any]] = {**TABLES, "policy": POLICIES, "features": FEATURES}
    tables |= {"agent": AGENTS, "method": METHODS, "draw": DRAWS}
    if name is not None and name not in (*tables, _PRESET):
        if name in PRESETS and not any(name in table.names() for table in tables.values()):
            _explain_preset(name)
        else:
            _explain(_find(name, tables))
        return
    shown = {kind: table for kind, table in tables.items() if name in (None, kind)}
    presets = PRESETS if name in (None, _PRESET) else {}
    if as_json:
        records = [
            {"table": kind, "name": each, "summary": _summary(table[each])}
            | {"source": table[each].source, "settings": table.make(each).record()}
            for kind, table in shown.items()
            for each in table
        ]
        records += [
            {"table": _PRESET, "name": each, "summary": preset.notes, "source": preset.source}
            | {"settings": preset.changes()}
            for each, preset in presets.items()
        ]
        print_json(records)
        return
    for kind, table in shown.items():
        parts_of = {each: table[each] for each in table}
        _print_table(kind, "part", {k: (_summary(v), v.source) for k, v in parts_of.items()})
    if presets:
        rows = {each: (_settings(preset), preset.source) for each, preset in presets.items()}
        _print_table(_PRESET, "settings", rows)
    out.print(
        "zerogym parts NAME explains one; zerogym train llm --advantage NAME trains with it, and "
        "--preset NAME with an algorithm.",
        style="dim",
    )


def _print_table(kind: str, what: str, rows: dict[str, tuple[str, str]]) -> None:
    lines = Lines(box=None, pad_edge=False, header_style="bold")
    lines.add_column(kind, no_wrap=True)
    lines.add_column(what)
    lines.add_column("source", style="dim")
    for name, (text, source) in rows.items():
        lines.add_row(f"[cyan]{name}[/]", escape(text), escape(source))
    out.print(lines)
    out.print()


def _settings(preset: "Preset") -> str:
    return ", ".join(f"{name}={value}" for name, value in preset.changes().items())


def _explain_preset(name: str) -> None:
    from zerogym.agents.llm.algorithms.presets import PRESETS

    preset = PRESETS[name]
    out.print(f"[bold cyan]{name}[/]  [dim]{_PRESET}[/]\n")
    out.print(escape(preset.notes), soft_wrap=True)
    out.print(f"\n[bold]Source[/]\n{escape(preset.source)}", soft_wrap=True)
    out.print("\n[bold]Settings[/]")
    for setting, value in preset.changes().items():
        out.print(escape(f"--{setting.replace('_', '-')} {value}"))


def _find(name: str, tables: "dict[str, Table[Part]]") -> "tuple[str, Table[Part], type[Part]]":
    """Return the table and class of a name.

    Raises:
        UnknownName: If there is none; it names the nearest.
        NotAPart: If it is something else of a module.
    """
    from zerogym.agents.llm.algorithms.presets import PRESETS

    module, colon, _ = name.partition(":")
    own = None
    if colon:
        import_typed(module)
        own = load_reference(name, "part")
    for kind, table in tables.items():
        if inspect.isclass(own) and issubclass(own, table.base):
            return kind, table, table[name]
        if name in table.names():
            return kind, table, table[name]
    if colon:
        bases = ", ".join(table.base.__name__ for table in tables.values())
        raise NotAPart(f"{name} is no part: it must be a subclass of one of {bases}")
    known = [each for table in tables.values() for each in table]
    raise UnknownName("part", name, [*tables, *known, _PRESET, *PRESETS])


def _explain(found: "tuple[str, Table[Part], type[Part]]") -> None:
    kind, table, part = found
    out.print(f"[bold cyan]{escape(part.title())}[/]  [dim]{kind}, version {part.version}[/]\n")
    out.print(escape(inspect.getdoc(part) or "It has no description."), soft_wrap=True)
    if part.source:
        out.print(f"\n[bold]Source[/]\n{escape(part.source)}", soft_wrap=True)
    settings = settings_of(part)
    if settings:
        out.print("\n[bold]Settings[/]")
    for each in settings.values():
        out.print(escape(f"--{kind}.{each.option[2:]} [default: {each.default}]  {each.comment}"))
    if needs := table.make(part()).needs():
        out.print(f"\n[bold]Needs[/]\n{escape('; '.join(needs))}")
    out.print(f"\n[dim]{escape(inspect.getsourcefile(part) or '')}[/]")


def _summary(part: type[Part]) -> str:
    return " ".join((inspect.getdoc(part) or "").split("\n\n")[0].split())
