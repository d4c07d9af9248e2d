"""Texts: counts and positions of words in a text of made-up words."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal, get_args

import numpy as np

from zerogym.envs.reasoning.draws import draw_int, draw_ints, pick
from zerogym.envs.tools.notebook.puzzle import INTEGER, FilePuzzle, sample_names, scaled

MAX_WORDS = 20_000
Kind = Literal["rank", "letters", "pair", "distance", "lines"]


@dataclass(frozen=True)
class TextPuzzle(FilePuzzle):
    """A text, and a question about the words in it.

    Attributes:
        lines: The words of each line, as they count: in lower case.
        marks: The characters after each word of each line: a blank, or punctuation and a blank.
        notes: Numbers of lines that are notes.
        kind: `rank`: the word with the given rank by frequency; `letters` in all words that come
            at least `number` times; the most frequent `pair` of neighbours; the longest `distance`
            between two uses of `word`; the letters in `lines` with `word`.
        word: A word.
        number: A rank or a count.
    """

    category: ClassVar[str] = "text"
    lines: tuple[tuple[str, ...], ...]
    marks: tuple[tuple[str, ...], ...]
    notes: frozenset[int]
    kind: Kind
    word: str
    number: int

    @property
    def question(self) -> str:
        question = {
            "rank": f"Order the different words by how often they come, most often first, equally "
            f"often ones alphabetically. Which is number {self.number} of that list? Answer with "
            "the word.",
            "letters": "How many letters have all words together that come at least "
            f"{self.number} times, each counted as often as it comes? {INTEGER}",
            "pair": "Which two words in a row come most often in that order, line ends ignored? Of "
            "pairs that come equally often, the alphabetically first (by the first word, then by "
            "the second). Answer with the two words.",
            "distance": f"Number the words 1, 2, 3, ... in order. What is the largest difference "
            f"between the numbers of two uses of {self.word} with no other use of it between "
            f"them? {INTEGER}",
            "lines": f"How many letters stand in the lines in which {self.word} comes? {INTEGER}",
        }[self.kind]
        notes = " Leave out lines that begin with %." if self.notes else ""
        return (
            f"Words of {self.file} are runs of letters; upper and lower case are the same."
            f"{notes} {question}"
        )

    def text(self) -> str:
        text, capital = [], True
        for number, (words, marks) in enumerate(zip(self.lines, self.marks, strict=True)):
            line = ""
            for word, mark in zip(words, marks, strict=True):
                line += (word.capitalize() if capital else word) + mark
                capital = mark[0] in ".!?"
            text.append(("% " if number in self.notes else "") + line.rstrip())
        return "\n".join(text) + "\n"

    def solve(self) -> str:
        lines = self._lines()
        words = [word for line in lines for word in line]
        counts = Counter(words)
        if self.kind == "rank":
            return sorted(counts, key=lambda word: (-counts[word], word))[self.number - 1]
        if self.kind == "letters":
            return str(sum(len(w) for w in words if counts[w] >= self.number))
        if self.kind == "pair":
            pairs = Counter(pairwise(words))
            return " ".join(min(pairs.items(), key=lambda item: (-item[1], item[0]))[0])
        if self.kind == "lines":
            return str(sum(len(w) for line in lines if self.word in line for w in line))
        places = [number for number, word in enumerate(words) if word == self.word]
        return str(max(b - a for a, b in pairwise(places)))

    def is_sound(self) -> bool:
        counts = Counter(word for line in self._lines() for word in line)
        if self.kind == "letters":
            return min(counts.values()) < self.number <= max(counts.values())
        return counts[self.word] > 2 and len(counts) >= self.number

    def _lines(self) -> list[tuple[str, ...]]:
        return [line for number, line in enumerate(self.lines) if number not in self.notes]

    def program(self) -> str:
        return (
            f"word, number = {self.word!r}, {self.number}\n"
            + _READER.format(file=self.file, notes="%" if self.notes else "\0")
            + _FINISH[self.kind]
        )


_READER = """\
import re
from collections import Counter
lines = [line.lower() for line in open({file!r}) if not line.startswith({notes!r})]
words = re.findall("[a-z]+", "".join(lines))
counts = Counter(words)
"""
_FINISH = {
    "rank": "print(sorted(counts, key=lambda w: (-counts[w], w))[number - 1])",
    "letters": "print(sum(len(w) * n for w, n in counts.items() if n >= number))",
    "pair": """\
pairs = Counter(zip(words, words[1:]))
print(*sorted(pairs, key=lambda pair: (-pairs[pair], pair))[0])""",
    "distance": """\
last, best = None, 0
for n, w in enumerate(words):
    if w == word:
        best = max(best, 0 if last is None else n - last)
        last = n
print(best)""",
    "lines": """\
found = [line for line in lines if word in re.findall("[a-z]+", line)]
print(sum(len(re.findall("[a-z]", line)) for line in found))""",
}
_PLAIN = (" ",)
_PUNCTUATION = (" ", " ", " ", " ", ", ", ". ", "; ", "! ", "? ", " - ", ' "', ": ")


def sample_text(rng: np.random.Generator, difficulty: float, hidden: bool) -> TextPuzzle:
    """From about 100 words on; some words come much more often than others."""
    count = scaled(rng, difficulty, 100, MAX_WORDS)
    different = max(12, int(count**0.5) * 2)
    name, *known = sample_names(rng, different + 1, pick(rng, (2, 3)))
    # The square of a uniform number: early words come more often, none is rare.
    ranks = (rng.random(count) ** 2 * different).astype(int).tolist()
    words = [known[rank] for rank in ranks]
    lengths = draw_ints(rng, 6, 14, count // 6 + 1)
    choice = _PUNCTUATION if hidden else _PLAIN
    marks = [choice[n] for n in draw_ints(rng, 0, len(choice) - 1, count)]
    lines, noted, start = [], [], 0
    for length in lengths:
        if start < count:
            lines.append(tuple(words[start : start + length]))
            noted.append(tuple(marks[start : start + length]))
            start += length
    skipped = draw_ints(rng, 0, len(lines) - 1, len(lines) // 8) if difficulty >= 1 else []
    return TextPuzzle(
        hidden=hidden,
        name=name,
        lines=tuple(lines),
        marks=tuple(noted),
        notes=frozenset(skipped),
        kind=(kind := pick(rng, get_args(Kind))),
        word=pick(rng, known),
        number=draw_int(rng, 3, 9 if kind == "letters" else different // 2),
    )
