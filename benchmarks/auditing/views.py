"""Views of a prompt for a classifier that cannot reason: bags of words of the whole and of parts.

Sentences that nearly all prompts share are left out. A view is a set of features, which are texts.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import log2

from zerogym.benchmarks.auditing.canonical import common_words, names, sentences, tokens

FORM = 0.9  # share of the prompts that have a sentence of the form
MOST_LINES = 20  # beside the question, of which pairs are made


@dataclass(frozen=True)
class Views:
    """Knowledge of the task, from the prompts of the train side.

    Attributes:
        form: Sentences that nearly all prompts share.
        common: Words that are no names.
        labels: The possible answers, in lower case.
    """

    form: frozenset[str]
    common: set[str]
    labels: tuple[str, ...]

    @classmethod
    def learn(cls, prompts: Sequence[str], labels: Sequence[str]) -> "Views":
        """Find the form of the task."""
        found = Counter(part for prompt in prompts for part in set(sentences(prompt)))
        form = frozenset(part for part, count in found.items() if count >= FORM * len(prompts))
        return cls(form, common_words(prompts), tuple(labels))

    def of(self, prompt: str) -> dict[str, set[str]]:
        """Return the features of a prompt in each view.

        The question is taken to be the last sentence that is not of the form.
        """
        parts = [tokens(part) for part in sentences(prompt) if part not in self.form] or [[""]]
        hidden = names(prompt, self.common)
        everything = [token for part in parts for token in part]
        numbers = _numbered(everything, hidden)
        posed = _numbered(parts[-1], hidden)
        return {
            "words": _grams(everything),
            "words without names": _grams([numbers.get(one, one) for one in everything]),
            "first sentence": _grams(parts[0]),
            "last sentence": _grams(parts[-1]),
            "sentences that share names with the last": _beside(parts, hidden, posed),
            "counts": self._counts(prompt, parts, hidden),
        }

    def _counts(self, prompt: str, parts: list[list[str]], hidden: set[str]) -> set[str]:
        """Lengths and counts, where the answers stand, and what is new in the last sentence."""
        *before, last = parts
        pairs = {pair for part in before for pair in pairwise(part)}
        words = {token for part in before for token in part}
        everything = [token.casefold() for part in parts for token in part]
        new = sum(pair not in pairs for pair in pairwise(last))
        given = [token for token in everything if token in self.labels]
        counts = Counter(given)
        found = {
            "characters": int(2 * log2(1 + len(prompt))),
            "tokens": int(4 * log2(1 + len(everything))),
            "sentences": len(parts),
            "tokens of the last": len(last),
            "different tokens of the last": len(set(last)),
            "new tokens of the last": sum(token not in words for token in last),
            "new neighbours of the last": new,
            "share of new neighbours": round(5 * new / max(1, len(last) - 1)),
            "names": len(hidden),
            "names of the last": len(hidden.intersection(last)),
            "numbers": sum(token[0].isdigit() for token in everything if token),
            "answer that comes most": max(self.labels, key=lambda label: counts[label]),
            "answer that comes first": given[0] if given else "",
            "answer that comes last": given[-1] if given else "",
        }
        return {f"{name} {value}" for name, value in found.items()}


def _numbered(part: list[str], hidden: set[str]) -> dict[str, str]:
    """Names and the number of their first occurrence in a part."""
    found = dict.fromkeys(token for token in part if token in hidden)
    return {name: f"#{number}" for number, name in enumerate(found)}


def _grams(part: list[str]) -> set[str]:
    """Tokens and pairs of neighbours."""
    return {*part, *map(" ".join, pairwise(part))}


def _beside(parts: list[list[str]], hidden: set[str], posed: dict[str, str]) -> set[str]:
    """The sentences that name what the last one names: their words, each, pairs, and all at once.

    All at once is one feature: weights of these are a table of the answers.
    """
    near = [part for part in parts if posed.keys() & part]
    shown = [[posed.get(one, "#" if one in hidden else one) for one in part] for part in near]
    lines = sorted(map(" ".join, shown))
    grams = set[str]().union(*map(_grams, shown))
    pairs = {" / ".join(pair) for pair in combinations(lines[:MOST_LINES], 2)}
    return grams | set(lines) | pairs | {"all: " + " / ".join(lines)}
