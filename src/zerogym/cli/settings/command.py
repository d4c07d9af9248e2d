"""A verb whose options are the fields of a dataclass, in the look of all other verbs.

The dataclass is imported when the verb is used, not for the list of verbs.
"""

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer
from rich.markup import escape
from typer.core import TyperCommand

from zerogym.cli.settings.fields import Setting, read_name, settings_of
from zerogym.cli.settings.values import choices_of, read_text, shown_type

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

    @property
    def settings(self) -> Mapping[str, Setting]:
        """The settings by path."""
        if self._settings is None:
            module, _, name = self.config.partition(":")
            self._settings = settings_of(getattr(importlib.import_module(module), name))
            self._options = _make_options(self._settings)
        return self._settings

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options of the function, those of the settings and `--help`."""
        *own, last = super().get_params(ctx)
        return [*own, *(self._options[path] for path in self.settings), last]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the command line; the settings that it sets are kept for `typed`."""
        words = {word.rpartition("=")[2] for word in args}
        for path, setting in self.settings.items():
            if setting.of_parts:  # the help shows those of the parts that are chosen
                chosen = words.union([self.settings[setting.owner].default])
                self._options[path].hidden = chosen.isdisjoint(setting.of_parts)
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


def _annotation(setting: Setting) -> Any:
    shown = shown_type(setting.hint) if setting.table is None else "NAME"
    choices = choices_of(setting.hint) if setting.table is None else tuple(setting.table)
    text = setting.comment
    if shown == "NAME" and not all(name in text for name in choices):
        text = f"{text}: {', '.join(choices)}"
    default = f"[dim]{escape(f'[default: {setting.default}]')}[/]"
    return Annotated[
        Any,
        typer.Option(
            setting.option,
            metavar=shown,
            help=f"{escape(text)} {default}",
            rich_help_panel=setting.group,
            parser=_reader(setting),
            show_default=False,
        ),
    ]


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
