"""Nearest states by words: what is said of a frame against what is said of the data.

Plain counting of shared words and pairs of neighbouring words, the rarer the more (the weight
log(N / n) is of "A Statistical Interpretation of Term Specificity and Its Application in
Retrieval", 1972). It knows that "row 3" is not "column 3", but no synonyms and no order of
sentences. Where meanings must be known, embed the sentences with a language model behind the same
`Matcher` protocol.
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
        captions: What is said of each.

    Args:
        observations: States of the agent's own data, (M, k).
        describe: What is said of one of them (k,).

    Raises:
        ValueError: If nothing tells two states apart, or a description is no text.
    """

    def __init__(self, observations: ArrayLike, describe: Callable[[Any], str]) -> None:
        self.observations = distinct(observations)
        self.captions = [describe(observation) for observation in self.observations]
        wordless = [said for said in self.captions if not isinstance(said, str)]
        if wordless:
            raise ValueError(f"descriptions are text, got {wordless[0]!r:.80}")
        rows = defaultdict(list)
        for row, caption in enumerate(self.captions):
            for term in _terms(caption):
                rows[term].append(row)
        # A word of every caption weighs nothing: it says nothing of the state.
        self._entries = {
            term: (np.array(found), math.log(len(self.captions) / len(found)))
            for term, found in rows.items()
            if len(found) < len(self.captions)
        }
        if not self._entries:
            raise ValueError(f"all states have the same words: {self.captions[0][:80]!r}")

    def match(self, frames: Sequence[Any]) -> NDArray[np.float64]:
        """By what captions share with a frame; states that are best alike share it evenly."""
        found = [self._shared(frame) for frame in frames]
        return shares(np.reshape(found, (len(found), len(self.captions))))

    def _shared(self, frame: Any) -> NDArray[np.float64]:
        """Weights of the shared terms, summed; (N,).

        Not divided by the length of captions, or a frame that says less than they do would be
        taken for the states of which there is least to say.
        """
        if not isinstance(frame, str):
            raise NoMatch(f"captions match frames in words, got {type(frame).__name__}")
        found = np.zeros(len(self.captions))
        for term in _terms(frame):
            if term in self._entries:
                rows, weight = self._entries[term]
                found[rows] += weight
        if not found.any():
            raise NoMatch(f"no word of {frame[:80]!r} tells one state of the data from another")
        return found


def in_words(measures: Measures, observations: ArrayLike) -> Callable[[Any], str]:
    """Descriptions of any world that has named features, such as "x lowest, y high".

    Args:
        measures: Of the world, `env.unwrapped.measures`.
        observations: (N, k), whose range of each feature is cut into five even parts.
    """
    seen = np.asarray(observations, dtype=np.float32)
    values = {name: np.asarray(measure(seen)) for name, measure in measures.items()}
    # A feature that never changes says nothing.
    ranges = {name: (v.min(), np.ptp(v)) for name, v in values.items() if np.ptp(v) > 0}

    def describe(observation: Any) -> str:
        phrases = []
        for name, (low, span) in ranges.items():
            share = (float(measures[name](observation[None])[0]) - low) / span
            phrases.append(f"{name} {LEVELS[min(max(int(share * len(LEVELS)), 0), 4)]}")
        return ", ".join(phrases)

    return describe


def _terms(text: str) -> list[str]:
    """Words, and pairs of neighbours with no mark between them; each once, in their order."""
    phrases = [_WORDS.findall(phrase) for phrase in _PHRASES.split(text.lower())]
    pairs = [f"{a} {b}" for words in phrases for a, b in pairwise(words)]
    return list(dict.fromkeys([word for words in phrases for word in words] + pairs))
