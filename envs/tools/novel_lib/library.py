"""Libraries with invented names: the same operations, but other names and orders of arguments.

"SE-Bench: Benchmarking Self-Evolution with Knowledge Internalization" (2026, arXiv 2602.04811)
gives NumPy and its documents random identifiers, so that no model can know them; here the
operations are our own, and every seed gives another library.

Left out: classes, and functions of more than one list.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from zerogym.envs.tools.functions.draws import Draws
from zerogym.envs.tools.functions.words import sample_names
from zerogym.envs.tools.novel_lib.operations import OPERATIONS, Operation

LIST = "values"  # the name of the list in the table of operations
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Entry:
    """A function of a library.

    Attributes:
        name: An invented word.
        operation: What it does.
        order: The operation's arguments, `values` among them, in the order of the signature.
        names: Their invented names, in the same order.
    """

    name: str
    operation: Operation
    order: tuple[str, ...]
    names: tuple[str, ...]

    @cached_property
    def document(self) -> str:
        """Signature and result in words."""
        called = {own: f"`{name}`" for own, name in zip(self.order, self.names, strict=True)}
        kinds = (
            f"{name}: {'list' if own == LIST else 'int'}"
            for own, name in zip(self.order, self.names, strict=True)
        )
        return f"{self.name}({', '.join(kinds)}): {self.operation.document.format(**called)}"


@dataclass(frozen=True)
class Library:
    """A library: its name, and its functions by name."""

    name: str
    entries: Mapping[str, Entry]

    @cached_property
    def of(self) -> dict[str, Entry]:
        """The functions by the operation's key."""
        return {entry.operation.key: entry for entry in self.entries.values()}

    @cached_property
    def words(self) -> dict[str, frozenset[str]]:
        """The words of each document."""
        return {name: words_of(entry.operation.document) for name, entry in self.entries.items()}

    @cached_property
    def weights(self) -> dict[str, float]:
        """One over the number of documents that have a word, for each word."""
        counts = Counter(word for has in self.words.values() for word in has)
        return {word: 1.0 / count for word, count in counts.items()}

    def search(self, query: str) -> str:
        """Return the document that shares most words with a query, rare ones above all.

        Of equals the shortest one, then the first in the alphabet; an empty text if no word fits.
        """
        sought = sorted(word for word in words_of(query) if word in self.weights)
        ranked = []
        for name, has in self.words.items():
            weight = sum(self.weights[word] for word in sought if word in has)
            ranked.append((-weight, len(has), name))
        weight, _, name = min(ranked)
        return self.entries[name].document if weight else ""


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in small letters, without names in braces."""
    return frozenset(_WORD.findall(re.sub(r"\{\w+\}", " ", text.lower())))


@lru_cache(maxsize=64)
def make_library(seed: int) -> Library:
    """Return the library of a seed, the same for all times."""
    draws = Draws(np.random.default_rng([seed, 0x11B]))
    names = [name.lower() for name in sample_names(draws, 1 + 4 * len(OPERATIONS))]
    title = names.pop()
    entries = {}
    for operation in draws.some(OPERATIONS, len(OPERATIONS)):
        own = (LIST, *(number for number, _ in operation.numbers))
        order = tuple(draws.some(own, len(own)))
        called = tuple(names.pop()[:4] for _ in order)
        if len(set(called)) < len(called):
            called = tuple(f"{name}{place}" for place, name in enumerate(called))
        entry = Entry(names.pop(), operation, order, called)
        entries[entry.name] = entry
    return Library(title, dict(sorted(entries.items())))
