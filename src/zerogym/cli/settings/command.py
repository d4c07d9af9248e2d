"""A verb whose options are the fields of a dataclass, in the look of all other verbs.

The dataclass is imported when the verb is used, not for the list of verbs.
"""

import importlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperCommand

from zerogym.cli.names import import_typed
from zerogym.cli.settings.fields import Setting, read_name, settings_of
from zerogym.cli.settings.values import choices_of, read_text, shown_type
from zerogym.errors import ZerogymError

_TYPED = "zerogym.settings"  # of the context: what was typed, by path


def settings_command(place: str) -> type[TyperCommand]:
    """Return the class of a command with an option for each setting of a dataclass.

    Args:
        place: The dataclass, `module:Class`.
    """

    class Command(SettingsCommand):
        config = place

    return Command


class SettingsCommand(TyperCommand):
    """A command with the options of its function and of a dataclass; see `typed`."""

    config: str
    _settings: "dict[str, Setting] | None" = None
    _options: "dict[str, Any]"
    _own: tuple[tuple[str, str], ...] = ()

    @property
    def settings(self) -> Mapping[str, Setting]:
        """The settings by path."""
        if self._settings is None:
            self._load(())
        return self._settings or {}

    def _load(self, own: tuple[tuple[str, str], ...]) -> None:
        """Read the dataclass; `own` has paths and names of parts outside of the tables."""
        if self._settings is not None and own == self._own:
            return
        module, _, name = self.config.partition(":")
        self._settings = settings_of(getattr(importlib.import_module(module), name), own=own)
        self._options, self._own = _make_options(self._settings), own

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options of the function, those of the settings and `--help`."""
        *own, last = super().get_params(ctx)
        return [*own, *(self._options[path] for path in self.settings), last]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; the settings that it sets are kept for `typed`."""
        self._load(())
        self._load(tuple(_own_parts(self.settings, args)))
        for path, setting in self.settings.items():
            if setting.of_parts:  # the help shows those of the part that is chosen
                owner = self.settings[setting.owner]
                chosen = (_typed_value(owner.option, args) or owner.default,)
                option = self._options[path]
                option.hidden = set(chosen).isdisjoint(setting.of_parts)
                option.help = _help(setting.of_parts.get(*chosen, setting))
        rest = super().parse_args(ctx, args)
        found = {}
        for path in self.settings:
            name = self._options[path].name
            value, source = ctx.params.pop(name, None), ctx.get_parameter_source(name)
            if source is not None and source.name == "COMMANDLINE":
                found[path] = value
        ctx.meta[_TYPED] = found
        return rest


def typed(context: typer.Context) -> dict[str, Any]:
    """Return the settings that were typed, by path."""
    return dict(context.meta[_TYPED])


def _make_options(settings: Mapping[str, Setting]) -> dict[str, Any]:
    """Return an option of the parser for each setting, made by typer from a signature."""
    names = {path.replace(".", "__"): path for path in settings}
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(name, keyword, default=None, annotation=_annotation(settings[path]))
        for name, path in names.items()
    ]

    def verb(**values: Any) -> None:
        raise NotImplementedError

    verb.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    verb.__annotations__ = {each.name: each.annotation for each in parameters}
    app = typer.Typer(add_completion=False)
    app.command()(verb)
    made = typer.main.get_command(app).params
    return {names[option.name]: option for option in made if option.name in names}


def _own_parts(settings: Mapping[str, Setting], args: list[str]) -> Iterator[tuple[str, str]]:
    """Yield path and name of each typed part `module:Class`; its module is imported."""
    for path, setting in settings.items():
        name = _typed_value(setting.option, args) or "" if setting.table is not None else ""
        if ":" in name:
            try:
                import_typed(name.partition(":")[0])
                if setting.table is not None and setting.table[name]:
                    yield path, name
            except ZerogymError as error:
                raise typer.BadParameter(str(error)) from None


def _typed_value(option: str, args: list[str]) -> str | None:
    """Return the last value of an option in a command line that is not parsed yet."""
    found = None
    for word, after in zip_longest(args, args[1:]):
        if word == option:
            found = after
        elif word.startswith(f"{option}="):
            found = word.partition("=")[2]
    return found


def _annotation(setting: Setting) -> Any:
    return Annotated[
        Any,
        typer.Option(
            setting.option,
            metavar=shown_type(setting.hint) if setting.table is None else "NAME",
            help=_help(setting),
            rich_help_panel=setting.group,
            parser=_reader(setting),
            show_default=False,
        ),
    ]


def _help(setting: Setting) -> str:
    shown = shown_type(setting.hint) if setting.table is None else "NAME"
    choices = choices_of(setting.hint) if setting.table is None else tuple(setting.table)
    text = setting.comment
    if shown == "NAME" and not all(name in text for name in choices):
        text = f"{text}: {', '.join(choices)}"
    return f"{escape(text)} [dim]{escape(f'[default: {setting.default}]')}[/]"


def _reader(setting: Setting) -> Callable[[str], Any]:
    """Return what reads the text of an option; that of a part's setting waits for its part."""

    def read(text: str) -> Any:
        try:
            if setting.of_parts:
                return text
            return read_name(setting, text) if setting.table else read_text(setting.hint, text)
        except ValueError as error:
            raise typer.BadParameter(str(error)) from None

    return read
