"""InterCode's reward of Bash: changed files, their contents, and the last output.

Source: "InterCode: Standardizing and Benchmarking Interactive Coding with Execution Feedback"
(2023, arXiv 2306.14898), checked against its public code:
`0.01 + 0.33 * (1 - erf(wrong changes)) + 0.33 * (right contents) + 0.33 * (similarity of outputs)`.
Differences: no rounding of the parts; contents are compared of changed files, too, not of new ones
only; single letters and digits are words of the output (the source's vectoriser drops them, so that
"3 files" and "4 files" are the same); outputs with the same words in another order are at most 0.99
alike. The parts are as published where nothing was done: a folder that nobody touched has no wrong
contents. `score` subtracts that reward.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

WEIGHT = 0.33
BASE = 0.01
NEARLY = 0.99  # the most that outputs are alike which are not the same
MAX_TEXT = 20_000  # characters of an output that are compared
_WORD = re.compile(r"\w+")

Files = Mapping[str, bytes]


@dataclass(frozen=True)
class Parts:
    """The three parts of the reward, each from 0 to 1.

    Attributes:
        changes: `1 - erf(n)`, where n changes are missing or superfluous.
        contents: The share of right contents among files that both have added or changed; 1 if
            there are none.
        output: The similarity of the last output to the right one.
    """

    changes: float
    contents: float
    output: float

    @property
    def reward(self) -> float:
        """The weighted sum, exactly 1 where all is right."""
        if self == Parts(1.0, 1.0, 1.0):
            return 1.0
        return BASE + WEIGHT * (self.changes + self.contents + self.output)


def changes(before: Files, after: Files) -> set[tuple[str, str]]:
    """Return the changes as pairs of a path and `A` (added), `M` (modified) or `D` (deleted)."""
    added = {(path, "A") for path in after.keys() - before.keys()}
    deleted = {(path, "D") for path in before.keys() - after.keys()}
    both = before.keys() & after.keys()
    return added | deleted | {(path, "M") for path in both if before[path] != after[path]}


def parts(before: Files, gold: Files, gold_output: str, after: Files, output: str) -> Parts:
    """Compare files and output at the end of an episode with those of the right commands.

    Args:
        before: The files at the beginning.
        gold, gold_output: Files and output after the right commands.
        after, output: Files at the end, and the output of the last command.
    """
    right, made = changes(before, gold), changes(before, after)
    common = [path for path, status in right & made if status != "D"]
    same = sum(gold[path] == after[path] for path in common)
    return Parts(
        changes=1.0 - math.erf(len(right ^ made)),
        contents=same / len(common) if common else 1.0,
        output=similarity(output, gold_output),
    )


def score(before: Files, gold: Files, gold_output: str, after: Files, output: str) -> float:
    """Return the reward above that of doing nothing, as a share of what is possible; at least 0."""
    idle = parts(before, gold, gold_output, before, "").reward
    reached = parts(before, gold, gold_output, after, output).reward
    return 1.0 if reached == 1.0 else max(0.0, (reached - idle) / (1.0 - idle))


def similarity(first: str, second: str) -> float:
    """Return the cosine of two texts by TF-IDF over the two of them, 1 only for the same lines.

    Frequencies are counts, times `ln(3 / (1 + d)) + 1` for a word that is in d of the two texts.

    Example:
        >>> similarity("7 red files", "7 red files\\n"), similarity("7", "8")
        (1.0, 0.0)
    """
    first, second = (text.rstrip()[: MAX_TEXT + 1] for text in (first, second))
    if first == second:
        return 1.0
    counts = [Counter(_WORD.findall(text.lower())) for text in (first, second)]
    weights = [
        {
            word: n * (math.log(3 / (1 + sum(word in c for c in counts))) + 1)
            for word, n in c.items()
        }
        for c in counts
    ]
    norms = [math.sqrt(sum(weight**2 for weight in w.values())) for w in weights]
    if not all(norms):
        return 0.0
    dot = sum(weight * weights[1].get(word, 0.0) for word, weight in weights[0].items())
    return min(NEARLY, dot / (norms[0] * norms[1]))
