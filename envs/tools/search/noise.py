"""Documents that cannot be trusted: a schedule of noise, false versions of pages, adverts.

The schedule is that of "ZeroSearch: Incentivize the Search Capability of LLMs without Searching"
(2025, arXiv 2505.04588): a simulated search engine writes useful or noisy documents, and noise
rises while a policy trains. There a language model writes them, and noise is drawn once a query;
here they are versions of generated pages, and noise is drawn once a document (our choice).
Adverts between the sentences of a page, and links to nowhere, are our reading of the web pages that
"DeepResearcher: Scaling Deep Research via Reinforcement Learning in Real-world Environments" (2025,
arXiv 2504.03160) trains on.
"""

import re
from dataclasses import replace

import numpy as np

from zerogym.envs.tools.search.generated_corpus import Fact
from zerogym.envs.tools.search.pages import Ground, random_object

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_ADVERTS = (
    "Subscribe to our letter for more pages like this one!",
    "We value your privacy: accept all cookies?",
    "Seven guilds that hide the truth. Number four will surprise you!",
    "Sign in to comment.",
    "Readers of this page also bought a map of the rivers.",
    "This page was last moved by the page mover.",
)


def noise_probability(
    step: float, steps: float, start: float = 0.25, end: float = 0.5, base: float = 4.0
) -> float:
    """Return the probability of a noisy document at a step of a training run (ZeroSearch).

    p = start + (base ** (step / steps) - 1) / (base - 1) * (end - start)

    The defaults of `start` and `end` are those of its public training scripts.

    Args:
        step: From 0 to `steps`.
        steps: Of the whole run, above 0.
        start, end: Probabilities at both ends.
        base: How late the noise comes, above 0; 1 is a straight line.

    Raises:
        ValueError: If a number is not in its range.

    Example:
        >>> [round(noise_probability(step, 100, 0.0, 0.75), 4) for step in (0, 50, 100)]
        [0.0, 0.25, 0.75]
    """
    if not (steps > 0 and 0 <= step <= steps and base > 0):
        raise ValueError(
            f"needs 0 <= step <= steps, steps > 0 and base > 0; got {step}, {steps} and {base}"
        )
    if not (0 <= start <= 1 and 0 <= end <= 1):
        raise ValueError(f"start and end must be from 0 to 1, got {start} and {end}")
    part = step / steps
    share = part if base == 1 else (base**part - 1) / (base - 1)
    return float(start + share * (end - start))


def false_facts(
    rng: np.random.Generator, ground: Ground, facts: tuple[Fact, ...]
) -> tuple[Fact, ...]:
    """Return facts of the same things and kinds, none of which is true."""
    wrong = []
    for fact in facts:
        while (other := random_object(rng, ground, fact.relation)) in (fact.object, fact.subject):
            pass
        wrong.append(replace(fact, object=other))
    return tuple(wrong)


def with_adverts(rng: np.random.Generator, text: str, noise: float) -> str:
    """Return a text with an advert after each sentence with probability `noise`."""
    said = []
    for sentence in sentences(text):
        said.append(sentence)
        if rng.random() < noise:
            said.append(_ADVERTS[int(rng.integers(len(_ADVERTS)))])
    return " ".join(said)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, one of several lines as many."""
    return [part for line in text.splitlines() for part in _SENTENCE.split(line.strip()) if part]
