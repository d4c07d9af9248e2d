"""A scripted customer: states one point of what is needed when a message names it.

The customer of "tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains"
(2024, arXiv 2406.12045) is a language model with a hidden instruction; here it is a table of points
and words, so that an episode is exact and takes no time.

Left out: customers who change their mind, who lie, or who understand paraphrases without any of the
words.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_WORD = re.compile(r"[a-z]+")
PUZZLED = "Sorry, I do not see what you need from me."
ORDER, CODE, FEATURE = "order", "code", "feature"  # the points


@dataclass(frozen=True)
class Customer:
    """A customer of a service desk: a text for each point, and the words that name a point.

    Attributes:
        statements: The text for each point.
        words: The words of a message by which the customer recognises a point.
    """

    statements: Mapping[str, str]
    words: Mapping[str, str]

    def reply(self, message: str, stated: set[str]) -> str:
        """Answer one point of a message: the first that is new, else the first.

        Args:
            message: Of the desk.
            stated: Points on which the customer has answered; the new one is added.
        """
        points = [self.words[word] for word in _WORD.findall(message.lower()) if word in self.words]
        if not points:
            return PUZZLED
        point = next((point for point in points if point not in stated), points[0])
        stated.add(point)
        return self.statements[point]
