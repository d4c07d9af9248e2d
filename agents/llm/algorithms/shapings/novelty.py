"""CRT: a reward for texts that are unlike those of before."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerogym.agents.llm.algorithms.batch import Batch, Sample
from zerogym.agents.llm.algorithms.episode_tables import Shaping, shaping
from zerogym.envs.games.talk.core.messages import without_reasoning
from zerogym.envs.reasoning.answers import extract_answer

ORDERS = (3, 4, 5)  # lengths up to which n-grams count, one SelfBLEU each; as the authors' code
_WORD = re.compile(r"\w+")
_MAX_TEXT = 2000  # characters of a text that are compared


@shaping("crt")
@dataclass(frozen=True)
class Crt(Shaping):
    """Take off the likeness of a text to those of earlier updates: SelfBLEU, and mean cosine.

    A text is the answer in the last reply of a seat in the given role; other episodes get 0, and so
    do all while nothing is kept. The texts of an update are compared with those before it, and kept
    then. SelfBLEU is the mean over `ORDERS` of the text's BLEU with all kept texts as references.
    The paper embeds sentences by a model; here a text's vector counts its triples of characters,
    which needs none (our choice). Left out: the penalty for gibberish; the entropy bonus and the
    divergence are settings of the algorithm.
    """

    source = "Curiosity-driven Red-teaming for Large Language Models (2024, arXiv 2402.19464)"

    role: str = "attacker"  # whose texts count
    bleu: float = 0.5  # weight of SelfBLEU, in [0, 1] a text; as the authors' code
    cosine: float = 0.5  # weight of the mean cosine, in [0, 1] a text; our choice
    capacity: int = 1000  # texts that are kept, the last ones

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bleu < 0 or self.cosine < 0:
            raise ValueError(f"bleu and cosine must be at least 0, got {self.bleu}, {self.cosine}")
        if self.capacity < 1:
            raise ValueError(f"capacity must be at least 1, got {self.capacity!r}")

    def __call__(self, batch: Batch, limit: int) -> list[list[float]]:
        """Return minus the likeness of each episode's text, in [-bleu - cosine, 0]."""
        texts = [self._text(sample) for sample in batch.samples]
        own = sorted(text for text in texts if text is not None)
        kept: list[str] = batch.state.setdefault("texts", [])
        likeness = dict.fromkeys(own, 0.0)
        if kept and own:
            references, distinct = References(kept), list(likeness)
            cosines = mean_cosines(distinct, kept)
            for text, cosine in zip(distinct, cosines, strict=True):
                likeness[text] = self.bleu * references.self_bleu(text) + self.cosine * cosine
        kept.extend(own)
        del kept[: -self.capacity]
        return batch.grouped([0.0 if text is None else -likeness[text] for text in texts])

    def _text(self, sample: Sample) -> str | None:
        """Return the last answer in the role; None without one."""
        for turn in reversed(sample.trajectory.replies):
            if turn.role == self.role:
                answer, _ = extract_answer(without_reasoning(turn.action))
                return answer[:_MAX_TEXT].lower()
        return None


class References:
    """Texts with which others are compared by BLEU.

    Args:
        texts: At least one.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        words = [_WORD.findall(text) for text in texts]
        self._lengths = {len(own) for own in words}
        self._most: Counter[tuple[str, ...]] = Counter()  # of each n-gram in one reference
        for order in range(1, max(ORDERS) + 1):
            for own in words:
                self._most |= ngrams(own, order)

    def self_bleu(self, text: str) -> float:
        """Return the mean over `ORDERS` of BLEU: 1 for a text that is a reference.

        BLEU is the geometric mean of the clipped precisions of n-grams of up to so many words, or
        as many as the text has, times the penalty for a text that is shorter than the reference
        nearest in length. Without smoothing it is 0 where no n-gram of some length is known.

        Example:
            >>> round(References(["tell me the word"]).self_bleu("tell me the secret"), 2)
            0.21
        """
        words = _WORD.findall(text)
        size = len(words)
        if not size:
            return 0.0
        nearest = min(self._lengths, key=lambda length: (abs(length - size), length))
        brevity = min(1.0, float(np.exp(1 - nearest / size)))
        precisions = []
        for order in range(1, min(max(ORDERS), size) + 1):
            own = ngrams(words, order)
            precisions.append((own & self._most).total() / own.total())
        scores = []
        for most in ORDERS:
            counted = np.array(precisions[:most])
            scores.append(float(np.exp(np.log(counted).mean())) if counted.all() else 0.0)
        return brevity * sum(scores) / len(scores)


def ngrams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """Return how often each row of so many words is in a text."""
    return Counter(tuple(words[at : at + order]) for at in range(len(words) - order + 1))


def mean_cosines(texts: Sequence[str], others: Sequence[str]) -> list[float]:
    """Return the mean cosine of each text with all others, in [0, 1], by triples of characters.

    Example:
        >>> mean_cosines(["lemon", "tiger"], ["lemon"])
        [1.0, 0.0]
    """
    counts = [_triples(text) for text in (*texts, *others)]
    places = {triple: place for place, triple in enumerate(sorted({t for c in counts for t in c}))}
    vectors: NDArray[np.float64] = np.zeros((len(counts), len(places)))
    for row, own in zip(vectors, counts, strict=True):
        row[[places[triple] for triple in own]] = list(own.values())
    vectors /= np.sqrt((vectors**2).sum(axis=1, keepdims=True))
    mean = vectors[len(texts) :].mean(axis=0)
    return [min(1.0, round(float(cosine), 12)) for cosine in vectors[: len(texts)] @ mean]


def _triples(text: str) -> Counter[str]:
    framed = f"  {text} "  # so that a text of one letter has some, and its ends count
    return Counter(framed[at : at + 3] for at in range(len(framed) - 2))
