"""Words, sentences and paragraphs of a text, for rules that a program can check.

Simple on purpose, so that a prompt can state it in one line: blanks separate words, a sentence ends
with a word that ends in `.`, `!` or `?`, an empty line separates paragraphs. Left out: all that
makes these notions hard (abbreviations end sentences here, and `well-known` is one word).
"""

import string
from functools import cached_property
from itertools import pairwise

DEFINITIONS = (
    "Words are separated by blanks, sentences end with '.', '!' or '?', paragraphs are separated\n"
    "by an empty line. Where a rule names a word or letter, upper and lower case are the same."
)
_PUNCTUATION = string.punctuation + "\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2022"
_CLOSING = "\"')]\u2019\u201d"


class Text:
    """A text and its parts.

    Attributes:
        raw: The text without outer blanks, with `\\n` between lines.
        lower: The same in lower case.

    Example:
        >>> text = Text("It rains. Again?\\n\\n- 'Yes', it does")
        >>> text.words
        ['it', 'rains', 'again', 'yes', 'it', 'does']
        >>> text.sentences, text.paragraphs, text.bullets
        ([['it', 'rains'], ['again'], ['yes', 'it', 'does']], 2, 1)
    """

    def __init__(self, text: str) -> None:
        self.raw = text.replace("\r\n", "\n").strip()
        self.lower = self.raw.lower()

    @cached_property
    def words(self) -> list[str]:
        """Return tokens with a letter or digit, in lower case, without punctuation around them."""
        return [word for word in map(_bare, self.lower.split()) if word]

    @cached_property
    def sentences(self) -> list[list[str]]:
        """Return the words of each sentence; words after the last end are a sentence too."""
        found: list[list[str]] = [[]]
        for token in self.lower.split():
            word = _bare(token)
            if word:
                found[-1].append(word)
            if found[-1] and token.rstrip(_CLOSING).endswith((".", "!", "?")):
                found.append([])
        return found if found[-1] else found[:-1]

    @cached_property
    def paragraphs(self) -> int:
        """Count the blocks of lines with an empty line between them."""
        filled = [bool(line.strip()) for line in self.raw.split("\n")]
        return sum(now and not before for before, now in pairwise([False, *filled]))

    @cached_property
    def bullets(self) -> int:
        """Count the lines that start with a hyphen or star and a blank, and have a word."""
        lines = (line.lstrip() for line in self.raw.split("\n"))
        return sum(line.startswith(("- ", "* ")) and bool(_bare(line)) for line in lines)


def _bare(token: str) -> str:
    word = token.strip(_PUNCTUATION)
    return word if word[:1].isalnum() or any(map(str.isalnum, word)) else ""
