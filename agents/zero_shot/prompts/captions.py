"""Nearest states by words: the caption of a frame against the captions of the data.

The score is the sum of the weights of shared words and pairs of neighbouring words: log(N / n) for
a term of n of N captions ("A Statistical Interpretation of Term Specificity and Its Application in
Retrieval", 1972). It separates "row 3" from "column 3", but ignores synonyms and the order of
sentences; for those, embed the sentences with a language model behind the same `Matcher` protocol.
scikit-learn's TF-IDF is not used: its weights, 1 + log(N / n), count words of every caption.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerogym.agents.zero_shot.prompts.imagination import NoMatch
from zerogym.agents.zero_shot.prompts.matchers import distinct, shares
from zerogym.envs.control.core.features import Measures

LEVELS = ("lowest", "low", "middle", "high", "highest")
_PHRASES = re.compile(r"[.,;:!?](?:\s|$)|\n")
_WORDS = re.compile(r"-?\w+(?:\.\w+)?")


class CaptionMatcher:
    """A matcher of frames in words.

    Attributes:
        observations: The distinct states, (N, k).
        captions: The caption of each.

    Args:
        observations: States of the agent's own data, (M, k).
        describe: Returns the caption of one of them (k,).

    Raises:
        ValueError: If all captions have the same words, or a caption is no text.
    """

    def __init__(self, observations: ArrayLike, describe: Callable[[Any], str]) -> None:
        self.observations = distinct(observations)
        self.captions = [describe(observation) for observation in self.observations]
        rows = defaultdict(list)
        for row, caption in enumerate(self.captions):
            if not isinstance(caption, str):
                raise ValueError(f"descriptions are text, got {caption!r:.80}")
            for term in _terms(caption):
                rows[term].append(row)
        # A word of every caption has weight 0.
        self._entries = {
            term: (np.array(found), math.log(len(self.captions) / len(found)))
            for term, found in rows.items()
            if len(found) < len(self.captions)
        }
        if not self._entries:
            raise ValueError(f"all states have the same words: {self.captions[0][:80]!r}")

    def match(self, frames: Sequence[Any]) -> NDArray[np.float64]:
        """Match by the summed weights of shared terms; states with equal best sums share a frame.

        Sums are not divided by the length of captions, or a short frame would match the states with
        the shortest captions.
        """
        found = np.zeros((len(frames), len(self.captions)))
        for row, frame in zip(found, frames, strict=True):
            if not isinstance(frame, str):
                raise NoMatch(f"captions match frames in words, got {type(frame).__name__}")
            for term in _terms(frame):
                if term in self._entries:
                    states, weight = self._entries[term]
                    row[states] += weight
            if not row.any():
                raise NoMatch(f"no word of {frame[:80]!r} tells one state of the data from another")
        return shares(found)


def in_words(measures: Measures, observations: ArrayLike) -> Callable[[Any], str]:
    """Return captions of any environment with named features, such as "x lowest, y high".

    Args:
        measures: Of the environment, `env.unwrapped.measures`.
        observations: (N, k), whose range of each feature is cut into five even parts.
    """
    states = np.asarray(observations, dtype=np.float32)
    values = {name: np.asarray(measure(states)) for name, measure in measures.items()}
    # Constant features are left out.
    ranges = {name: (v.min(), np.ptp(v)) for name, v in values.items() if np.ptp(v) > 0}

    def describe(observation: Any) -> str:
        phrases = []
        for name, (low, span) in ranges.items():
            share = (float(measures[name](observation[None])[0]) - low) / span
            phrases.append(f"{name} {LEVELS[min(max(int(share * len(LEVELS)), 0), 4)]}")
        return ", ".join(phrases)

    return describe


def _terms(text: str) -> list[str]:
    """Return words, and pairs of neighbours with no mark between them; each once, in order."""
    phrases = [_WORDS.findall(phrase) for phrase in _PHRASES.split(text.lower())]
    pairs = [f"{a} {b}" for words in phrases for a, b in pairwise(words)]
    return list(dict.fromkeys([word for words in phrases for word in words] + pairs))
