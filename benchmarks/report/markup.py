"""Text that is safe to show: everything a model or an environment wrote passes through here.

Pages are Jinja templates with automatic escaping. A report holds no script and forbids all of them;
this keeps foreign text from changing its looks.
"""

import math
import unicodedata
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

_KEPT = "\n\t"


def visible(text: object) -> str:
    """Replace characters that have no picture of their own.

    Control characters become their visible pictures, lone surrogates and characters that reorder
    or hide text become `\\u....`.

    Example:
        >>> visible('a\\x00\\u202e')
        'a␀\\\\u202e'
    """
    return "".join(_visible(c) for c in str(text))


def _visible(character: str) -> str:
    code = ord(character)
    if character in _KEPT:
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return f"\\u{code:04x}"
    return character


def render(template: str, **context: Any) -> str:
    """Return a template of `data` filled in; all that is not `Markup` is made visible and escaped.

    Raises:
        jinja2.UndefinedError: If the template names something that the context lacks.
    """
    environment = Environment(
        loader=PackageLoader("zerogym.benchmarks", "data"), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        finalize=lambda value: value if isinstance(value, Markup) else visible(value),
    )  # fmt: skip
    environment.tests["finite"] = math.isfinite
    return environment.get_template(template).render(context)
