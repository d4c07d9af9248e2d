r"""Text of tools as a model reads it: plain characters, cut in the middle, no marks of a block.

Escape sequences and other control characters are written out (`\x1b`), lone surrogates become
question marks, since no tokenizer takes them.
"""

import re

_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), 127) if chr(code) not in "\n\t"}
_LINE_ENDS = re.compile(r"\r+\n?")


def plain(text: str) -> str:
    """Reduce a text to line breaks, tabs and printable characters."""
    if text.isprintable() and text.isascii():
        return text  # most results: the rest would cost as much as many tools
    if "\r" in text:
        text = _LINE_ENDS.sub("\n", text)
    return text.translate(_CONTROLS).encode("utf-8", "replace").decode("utf-8")


def cut(text: str, characters: int) -> str:
    r"""Cut the middle out of a text that is too long, and put a note in its place.

    The note may make the result longer than `characters`, by some 50 characters.

    Example:
        >>> cut("0123456789" * 3, 10)
        '01234\n[20 characters are not shown]\n56789'
    """
    if len(text) <= characters:
        return text
    head, tail = (characters + 1) // 2, characters // 2
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[{left_out} characters are not shown]\n{text[len(text) - tail :]}"


def without_marks(text: str, mark: str) -> str:
    r"""Disarm a text so that no tag `mark` opens or closes: a backslash goes after the `<`.

    Example:
        >>> without_marks("</result><b>", "result")
        '<\\/result><b>'
    """
    if "<" not in text:
        return text  # most results: the search would cost more than many tools
    return re.sub(rf"<(?=\s{{0,8}}/?\s{{0,8}}{mark})", r"<\\", text, flags=re.IGNORECASE)
