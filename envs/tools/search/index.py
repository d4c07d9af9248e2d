"""BM25 over many documents: weights computed when the index is built, summed when it is searched.

The ranking is that of SQLite's FTS5 ("The Probabilistic Relevance Framework: BM25 and Beyond",
2009, Robertson and Zaragoza), with k1 = 1.2 and b = 0.75. The score of a document D is the sum over
the words q of the query that stand in it of

    idf(q) * f(q, D) * (k1 + 1) / (f(q, D) + k1 * (1 - b + b * |D| / average length))
    idf(q) = ln((N - n(q) + 0.5) / (n(q) + 0.5)), and 1e-6 where that is not above 0

with f(q, D) how often q stands in D, and N documents of which n(q) hold q. Each summand depends on
the documents alone, so that all of them are computed once ("BM25S: Orders of magnitude faster
lexical search via eager sparse scoring", 2024, arXiv 2407.03618). They lie word by word, one
column of a sparse matrix each; a query adds up its columns.

A word that more than half of the documents hold hardly matters: it counts only where nothing is
found without it, which makes questions with "the" and "of" several times faster.

Left out: word stems, synonyms, phrases, fields, and changing an index once it is built.
"""

import math
import re
import unicodedata
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

K1, B = 1.2, 0.75
_LEAST_IDF = 1e-6
_MARKS = "\u0300-\u036f"  # combining accents
# Chinese, Japanese and Korean have no spaces between words: each of their characters is a word.
_ALONE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
WORD = re.compile(rf"[{_ALONE}]|(?:[^\W_{_ALONE}][{_MARKS}]*)+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_MARK = re.compile(f"[{_MARKS}]")
_BLOCK = 64  # scores whose best is found at once
_SPARSE = 16  # an array of all documents costs about as much as sorting so many times fewer hits

Scores = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


def fold(word: str) -> str:
    """Return a word in small letters and without accents.

    Example:
        >>> fold("Crème")
        'creme'
    """
    if word.isascii():
        return word.lower()
    bare = _MARK.sub("", unicodedata.normalize("NFD", word.lower()))
    return unicodedata.normalize("NFC", bare)


def tokens(text: str) -> list[str]:
    """Return the folded words of a text, in order.

    Example:
        >>> tokens("The café of 東京")
        ['the', 'cafe', 'of', '東', '京']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    return [fold(word) for word in WORD.findall(text)]


class BM25Index:
    """The weight of each word in each document, and the search for the best sums.

    Args:
        texts: One a document; their order decides between equal scores.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        numbers: defaultdict[str, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        words, lengths = array("i"), array("i")
        for text in texts:
            found = tokens(text)
            words.extend(map(numbers.__getitem__, found))
            lengths.append(len(found))
        numbers.default_factory = None
        self._numbers = dict(numbers)
        self.size = len(lengths)
        sizes = np.frombuffer(lengths, np.int32) if self.size else np.zeros(0, np.int32)
        self._average = max(float(sizes.mean()), 1.0) if self.size else 1.0
        # One sort brings equal pairs of word and document together, in the order of the columns.
        places = np.repeat(np.arange(self.size), sizes)
        flat = np.frombuffer(words, np.int32) if len(words) else np.zeros(0, np.int32)
        pairs, often = np.unique(flat * np.int64(max(self.size, 1)) + places, return_counts=True)
        columns, self._places = np.divmod(pairs, max(self.size, 1))
        holding = np.bincount(columns, minlength=len(numbers))  # documents a word
        self._starts = np.concatenate([[0], np.cumsum(holding)])
        idf = np.log((self.size - holding + 0.5) / (holding + 0.5))
        self._idf = np.where(idf > 0, idf, _LEAST_IDF)
        damp = K1 * (1 - B + B * sizes / self._average)
        self._weights = self._idf[columns] * often * (K1 + 1) / (often + damp[self._places])

    def is_common(self, word: str) -> bool:
        """Return whether more than half of the documents hold a folded word."""
        number = self._numbers.get(word)
        if number is None:
            return False
        return bool(2 * (self._starts[number + 1] - self._starts[number]) > self.size)

    def search(self, words: Sequence[str], k: int) -> list[tuple[int, float]]:
        """Return the places and scores of the `k` best documents, the best first.

        Args:
            words: Folded, each once.
            k: At least 1.
        """
        known = [self._numbers[word] for word in words if word in self._numbers]
        if not known:
            return []
        spans = [slice(self._starts[number], self._starts[number + 1]) for number in known]
        places = np.concatenate([self._places[span] for span in spans])
        weights = np.concatenate([self._weights[span] for span in spans])
        hits: Places | None = None  # None: each document has a score
        if len(known) == 1:
            hits, scores = places, weights
        elif len(places) * _SPARSE < self.size:
            hits, back = np.unique(places, return_inverse=True)
            scores = np.bincount(back, weights)
        else:
            scores = np.bincount(places, weights, self.size)
        return [
            (place if hits is None else int(hits[place]), float(scores[place]))
            for place in _best(scores, k)
        ]

    def score(self, words: Sequence[str], text: str) -> float:
        """Return the score of a text that is no document, with the numbers of those that are.

        Args:
            words: Folded, each once.
            text: The text.
        """
        found = tokens(text)
        damp = K1 * (1 - B + B * len(found) / self._average)
        often, total = Counter(found), 0.0
        for word in words:
            if times := often[word]:
                number = self._numbers.get(word)
                idf = math.log(2 * self.size + 1) if number is None else float(self._idf[number])
                total += idf * times * (K1 + 1) / (times + damp)
        return total


def _best(scores: Scores, k: int) -> list[int]:
    """Return the places of the `k` best scores above 0, the best first, the first of equal ones.

    The k-th best of the blocks' best scores is not above the k-th best score: whatever is below it
    is not among the best. That leaves few to sort.
    """
    least = 0.0
    if len(scores) > 4 * k * _BLOCK:
        whole = len(scores) // _BLOCK * _BLOCK
        tops = scores[:whole].reshape(-1, _BLOCK).max(axis=1)
        least = float(np.partition(tops, len(tops) - k)[len(tops) - k])
    candidates = np.flatnonzero(scores >= least) if least > 0 else np.flatnonzero(scores > 0)
    order = np.argsort(-scores[candidates], kind="stable")[:k]
    return [int(place) for place in candidates[order]]
