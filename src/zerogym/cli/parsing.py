"""Errors of the command line's parser: one line with the value and the nearest name, exit code 2.

Typer shows them in a box of five lines otherwise. Its classes of errors are click's or its own
copies, by its version, and are recognised by `format_message`.
"""

import difflib
import re
import sys
from collections.abc import Sequence
from typing import Any

from rich.markup import escape
from typer.core import TyperGroup

from zerogym.cli.console import INTERRUPTED, USER_ERROR, err, printable


class Verbs(TyperGroup):
    """A group of verbs; as the root it shows every error of the parser as one line."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the verb of a command line, and leave with its exit code."""
        given = (args, prog_name, complete_var, False, windows_expand_args)
        if not standalone_mode:
            return super().main(*given, **extra)
        try:
            code = super().main(*given, **extra)
        except Exception as error:
            if type(error).__name__ == "Abort":  # the end of the input at a prompt
                sys.exit(INTERRUPTED)
            if not hasattr(error, "format_message"):
                raise
            if line := line_of(error):
                err.print(f"[bold red]error[/] {escape(printable(line))}")
            sys.exit(USER_ERROR)
        sys.exit(code if isinstance(code, int) else 0)


def line_of(error: Any) -> str:
    """Return the one line of an error of the parser; empty for a group without a verb.

    That one shows its help instead.
    """
    context = getattr(error, "ctx", None)
    verb = context.command_path if context is not None else "zerogym"
    parameter = getattr(error, "param", None)
    if hasattr(error, "possibilities"):
        return _no_such_option(error.option_name, context, verb)
    if parameter is not None and type(error).__name__ == "MissingParameter":
        return f"{verb} needs {_name_of(parameter)}; {verb} -h shows how"
    if parameter is not None:
        return f"{_name_of(parameter)} {_reason(error)}"
    if hasattr(error, "option_name"):
        return f"{error.option_name} needs a value"
    if type(error).__name__ == "BadParameter":  # of several options
        return str(error.message)
    message = re.sub(r"\. Did you mean", "; did you mean", error.format_message().strip())
    if not message or message.endswith("?"):
        return message
    return f"{message.rstrip('.')}; {verb} -h shows what it takes"


def _reason(error: Any) -> str:
    """Return what is wrong with a value, to follow the name of its option."""
    details = getattr(error.__cause__, "errors", None)
    if details is None or error.message.startswith("takes "):
        return re.sub(r"^(?!takes )", "cannot be set: ", error.message)
    [first, *_] = details()  # pydantic's, whose messages leave out the value
    expected = re.sub(r"^Input should be|, unable to.*", "", first["msg"]).strip()
    return f"must be {expected}, got {first['input']!r:.80}"


def _no_such_option(name: str, context: Any, verb: str) -> str:
    """Suggest the option with the nearest name, or with these words in its help."""
    known = {} if context is None else _helps(context)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    words = [word for word in re.split(r"[-_.]", name) if len(word) > 2] or [name]
    if not near:  # of several with these words the shortest: --lr, and not --value-lr
        patterns = [rf"\b{re.escape(word)}" for word in words]
        named = [o for o, text in known.items() if all(re.search(p, text, re.I) for p in patterns)]
        near = sorted(named, key=len)[:1]
    near = near or difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    hint = f"did you mean {near[0]}?" if near else f"{verb} -h lists them"
    return f"No such option {name}; {hint}"


def _helps(context: Any) -> dict[str, str]:
    """Return the help of each option of a command."""
    return {
        option: getattr(parameter, "help", None) or ""
        for parameter in context.command.get_params(context)
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("-")
    }


def _name_of(parameter: Any) -> str:
    options = [option for option in parameter.opts if option.startswith("-")]
    return str(max(options, key=len) if options else parameter.metavar or parameter.name.upper())
