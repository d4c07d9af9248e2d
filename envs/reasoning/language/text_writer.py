"""Writes a text that obeys a set of rules: a constructive proof that they can be obeyed together.

The texts are rows of listed words without sense. Left out: search. The words are laid out once; if
what comes out breaks a rule, the set is taken to contradict itself.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from zerogym.envs.reasoning.language.text_rules import Rule, obeys
from zerogym.envs.reasoning.language.texts import Text
from zerogym.envs.reasoning.language.words import words_by_initial, words_up_to

STARTS = 1000  # places in the word list to begin with
_LONGEST_FILLER = 7
_STRIDE = 997  # through a list of words; a prime that divides the length of none

Asked = Mapping[str, Rule]  # rules by their kind, of which there is one each
Rows = list[list[str]]  # the words of each sentence; empty where any word will do


def write_text(rules: Sequence[Rule], start: int) -> str | None:
    """A text that obeys all rules, or None; `start` decides where in the list words come from."""
    asked = {rule["kind"]: rule for rule in rules}
    required = list(asked["include"]["words"]) if "include" in asked else []
    if "keyword" in asked:
        required += [asked["keyword"]["word"]] * asked["keyword"]["n"]
    initials, lengths = _initials(asked), _lengths(asked, len(required))
    if min(lengths) < 1:
        return None
    rows = [[""] * length for length in lengths]
    if not _place(rows, asked, required, bool(initials)):
        return None
    if not _Filler(asked, rows, start).fill(rows, initials):
        return None
    written = _write_out(asked, rows)
    text = Text(written)
    return written if all(obeys(text, rule) for rule in rules) else None


def _initials(asked: Asked) -> str:
    """First letters that the sentences must have, repeated as long as needed; empty if any do."""
    if "acrostic" in asked:
        return str(asked["acrostic"]["word"])
    return str(asked["initial"]["letter"]) if "initial" in asked else ""


def _lengths(asked: Asked, required: int) -> list[int]:
    """How many words each sentence gets."""
    if "sentence_lengths" in asked:
        return list(asked["sentence_lengths"]["lengths"])
    total = 0
    if "words" in asked:
        total = asked["words"]["n"]
    elif "word_range" in asked:
        total = asked["word_range"]["low"]
    if "acrostic" in asked:
        count = len(asked["acrostic"]["word"])
    elif "sentences" in asked:
        count = asked["sentences"]["n"]
    else:
        parts = ("paragraphs", "bullets", "exclamations", "questions")
        count = max(3, total // 10, *(asked[kind]["n"] for kind in parts if kind in asked))
    total = total or max(5 * count, 2 * count + required)
    return [total // count + (place < total % count) for place in range(count)]


def _place(rows: Rows, asked: Asked, required: list[str], keep_starts: bool) -> bool:
    """Put the words that the rules name; False if there is no room."""
    if "first_word" in asked:
        rows[0][0] = asked["first_word"]["word"]
    if "last_word" in asked:
        if rows[-1][-1]:
            return False
        rows[-1][-1] = asked["last_word"]["word"]
    free = [
        (row, place)
        for row, words in enumerate(rows)
        for place, word in enumerate(words)
        if not word and not (keep_starts and place == 0)
    ]
    if len(required) > len(free):
        return False
    for number, word in enumerate(required):
        row, place = free[number * len(free) // len(required)]
        rows[row][place] = word
    return True


class _Filler:
    """Finds words for the places that no rule names a word for."""

    def __init__(self, asked: Asked, rows: Rows, start: int) -> None:
        placed = [word for words in rows for word in words if word]
        self.avoid = {*placed, *(asked["forbid"]["words"] if "forbid" in asked else ())}
        self.once = "no_repeats" in asked
        self.longest = asked["short_words"]["n"] if "short_words" in asked else _LONGEST_FILLER
        self.letter, self.left = "", 0  # a letter, and how often it may still occur
        if "no_letter" in asked:
            self.letter = asked["no_letter"]["letter"]
        elif "letter_count" in asked:
            self.letter = asked["letter_count"]["letter"]
            self.left = asked["letter_count"]["n"] - "".join(placed).count(self.letter)
        self.next = start

    def fill(self, rows: Rows, initials: str) -> bool:
        """Fill all empty places; False if there is no word for one."""
        for number, words in enumerate(rows):
            for place, word in enumerate(words):
                initial = initials[number % len(initials)] if initials and place == 0 else ""
                words[place] = word or self._find(initial)
                if not words[place]:
                    return False
        return True

    def _find(self, initial: str) -> str:
        known = words_by_initial().get(initial, ()) if initial else words_up_to(_LONGEST_FILLER)
        for _ in range(len(known)):
            self.next += _STRIDE
            word = known[self.next % len(known)]
            if len(word) > self.longest or word in self.avoid:
                continue
            count = word.count(self.letter) if self.letter else 0
            if count <= self.left and (count or initial or not self.left):
                self.left -= count
                self.avoid |= {word} if self.once else set()
                return word
        return ""


def _write_out(asked: Asked, rows: Rows) -> str:
    """Rows of words as sentences, with marks, case and layout as asked."""
    marks = ["."] * len(rows)
    for kind, mark in (("exclamations", "!"), ("questions", "?")):
        if kind in asked:
            marks[: asked[kind]["n"]] = mark * min(len(rows), asked[kind]["n"])
    commas = asked["commas"]["n"] if "commas" in asked else 0
    sentences = []
    for words, mark in zip(rows, marks, strict=True):
        here = min(commas, len(words) - 1)
        commas -= here
        tokens = [word + "," * (place < here) for place, word in enumerate(words)]
        sentence = " ".join(tokens) + mark
        sentences.append(sentence if "lower_case" in asked else sentence.capitalize())
    text = _arrange(asked, sentences)
    return text.upper() if "upper_case" in asked else text


def _arrange(asked: Asked, sentences: list[str]) -> str:
    bullets = "bullets" in asked
    if bullets or "paragraphs" in asked:
        count = asked["bullets" if bullets else "paragraphs"]["n"]
        ends = [part * len(sentences) // count for part in range(count + 1)]
        blocks = [" ".join(sentences[a:b]) for a, b in pairwise(ends)]
        return "\n".join(f"- {block}" for block in blocks) if bullets else "\n\n".join(blocks)
    text = " ".join(sentences)
    return f'"{text}"' if "quoted" in asked else text
