"""Text that is safe to show: everything a model or a world wrote passes through here.

The report holds no script and forbids all of them; this keeps foreign text from changing its looks.
"""

import html
import unicodedata

_KEPT = "\n\t"


def clean(text: object) -> str:
    """Escaped for HTML, in elements and in quoted attributes.

    Control characters become their visible pictures, lone surrogates and characters that reorder
    or hide text become `\\u....`.

    Example:
        >>> clean('<script>"\\x00\\u202e')
        '&lt;script&gt;&quot;␀\\\\u202e'
    """
    return html.escape("".join(_visible(c) for c in str(text)), quote=True)


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
