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

Rules = Mapping[str, Rule]  # rules by their kind, of which there is one each
Rows = list[list[str]]  # the words of each sentence; empty where any word will do


def write_text(rules: Sequence[Rule], start: int) -> str | None:
    """Write a text that obeys all rules, or None; `start` is a place in the list of words."""
    by_kind = {rule["kind"]: rule for rule in rules}
    required = list(by_kind["include"]["words"]) if "include" in by_kind else []
    if "keyword" in by_kind:
        required += [by_kind["keyword"]["word"]] * by_kind["keyword"]["n"]
    initials = ""  # first letters that the sentences must have, repeated as long as needed
    if "acrostic" in by_kind:
        initials = str(by_kind["acrostic"]["word"])
    elif "initial" in by_kind:
        initials = str(by_kind["initial"]["letter"])
    lengths = _lengths(by_kind, len(required))
    rows = [[""] * length for length in lengths]
    if min(lengths) < 1 or not _place(rows, by_kind, required, bool(initials)):
        return None
    if not _Filler(by_kind, rows, start).fill(rows, initials):
        return None
    written = _write_out(by_kind, rows)
    text = Text(written)
    return written if all(obeys(text, rule) for rule in rules) else None


def _lengths(rules: Rules, required: int) -> list[int]:
    """Return the number of words of each sentence."""
    if "sentence_lengths" in rules:
        return list(rules["sentence_lengths"]["lengths"])
    total = 0
    if "words" in rules:
        total = rules["words"]["n"]
    elif "word_range" in rules:
        total = rules["word_range"]["low"]
    if "acrostic" in rules:
        count = len(rules["acrostic"]["word"])
    elif "sentences" in rules:
        count = rules["sentences"]["n"]
    else:
        parts = ("paragraphs", "bullets", "exclamations", "questions")
        count = max(3, total // 10, *(rules[kind]["n"] for kind in parts if kind in rules))
    total = total or max(5 * count, 2 * count + required)
    return [total // count + (place < total % count) for place in range(count)]


def _place(rows: Rows, rules: Rules, required: list[str], keep_starts: bool) -> bool:
    """Put the words that the rules name; False if there is no room."""
    if "first_word" in rules:
        rows[0][0] = rules["first_word"]["word"]
    if "last_word" in rules:
        if rows[-1][-1]:
            return False
        rows[-1][-1] = rules["last_word"]["word"]
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

    def __init__(self, rules: Rules, rows: Rows, start: int) -> None:
        placed = [word for words in rows for word in words if word]
        self.avoid = {*placed, *(rules["forbid"]["words"] if "forbid" in rules else ())}
        self.once = "no_repeats" in rules
        self.longest = rules["short_words"]["n"] if "short_words" in rules else _LONGEST_FILLER
        self.letter, self.left = "", 0  # a letter, and how often it may still occur
        if "no_letter" in rules:
            self.letter = rules["no_letter"]["letter"]
        elif "letter_count" in rules:
            self.letter = rules["letter_count"]["letter"]
            self.left = rules["letter_count"]["n"] - "".join(placed).count(self.letter)
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


def _write_out(rules: Rules, rows: Rows) -> str:
    """Write rows of words as sentences, with the required marks, case and layout."""
    marks = ["."] * len(rows)
    for kind, mark in (("exclamations", "!"), ("questions", "?")):
        if kind in rules:
            marks[: rules[kind]["n"]] = mark * min(len(rows), rules[kind]["n"])
    commas = rules["commas"]["n"] if "commas" in rules else 0
    sentences = []
    for words, mark in zip(rows, marks, strict=True):
        here = min(commas, len(words) - 1)
        commas -= here
        tokens = [word + "," * (place < here) for place, word in enumerate(words)]
        sentence = " ".join(tokens) + mark
        sentences.append(sentence if "lower_case" in rules else sentence.capitalize())
    text = _arrange(rules, sentences)
    return text.upper() if "upper_case" in rules else text


def _arrange(rules: Rules, sentences: list[str]) -> str:
    bullets = "bullets" in rules
    if bullets or "paragraphs" in rules:
        count = rules["bullets" if bullets else "paragraphs"]["n"]
        ends = [part * len(sentences) // count for part in range(count + 1)]
        blocks = [" ".join(sentences[a:b]) for a, b in pairwise(ends)]
        return "\n".join(f"- {block}" for block in blocks) if bullets else "\n\n".join(blocks)
    text = " ".join(sentences)
    return f'"{text}"' if "quoted" in rules else text
