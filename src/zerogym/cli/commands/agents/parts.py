"""`zerogym parts`: the papers that a training run can name, and the page of each."""

import inspect
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table as Lines

from zerogym.agents.parts import Part, Table
from zerogym.cli.console import AsJson, friendly, out, print_json
from zerogym.cli.names import import_typed
from zerogym.cli.settings.fields import settings_of
from zerogym.envs.references import load_reference
from zerogym.errors import NotAPart, UnknownName


@friendly
def parts(
    name: Annotated[
        str | None,
        typer.Argument(metavar="TABLE|PART", help="A table, a part of one, or `module:Name`."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the parts of training that papers brought, or explain one of them."""
    from zerogym.agents.llm.algorithms.tables import TABLES

    if name is not None and name not in TABLES:
        _explain(_find(name, TABLES))
        return
    shown = TABLES if name is None else {name: TABLES[name]}
    if as_json:
        records = [
            {"table": kind, "name": each, "summary": _summary(table[each])}
            | {"source": table[each].source, "settings": table.make(each).record()}
            for kind, table in shown.items()
            for each in table
        ]
        print_json(records)
        return
    for kind, table in shown.items():
        lines = Lines(box=None, pad_edge=False, header_style="bold")
        lines.add_column(kind, no_wrap=True)
        lines.add_column("part")
        lines.add_column("source", style="dim")
        for each in table:
            part = table[each]
            lines.add_row(f"[cyan]{each}[/]", escape(_summary(part)), escape(part.source))
        out.print(lines)
        out.print()
    out.print(
        "zerogym parts NAME explains one; zerogym train llm --advantage NAME trains with it.",
        style="dim",
    )


def _find(name: str, tables: "dict[str, Table[Part]]") -> "tuple[str, Table[Part], type[Part]]":
    """Return the table and class of a name.

    Raises:
        UnknownName: If there is none; it names the nearest.
        NotAPart: If it is something else of a module.
    """
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
    raise UnknownName("part", name, [*tables, *known])


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
    return (inspect.getdoc(part) or "").partition("\n")[0]
