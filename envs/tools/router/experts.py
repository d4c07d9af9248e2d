"""Simulated experts: the topics that each knows, its price, and its replies.

There are `POOLS` pools, each with experts of its own names, skills and prices. The split of a
problem is that of its pool, so that all experts of the test split are new.
"""

import re
import zlib
from dataclasses import dataclass
from functools import cache

import numpy as np

from zerogym.envs.reasoning.draws import draw_ints
from zerogym.envs.tools.notebook.puzzle import sample_names
from zerogym.envs.tools.router.facts import BY_NAME, RELATIONS, TOPICS, Facts

POOLS = 400
LARGEST = 9  # experts of a pool
_SEED = 2506_09033  # of the names, topics and prices of all pools
_RELATION = re.compile("|".join(relation.name for relation in RELATIONS))
_NAME = re.compile(r"\b[A-Z][a-z]{5}\b")
_PADDING = (
    "as far as my records of this matter go back and unless somebody has changed them since then "
    "which I would have noted here in the margin with the date and the hand of the clerk"
)


@dataclass(frozen=True)
class Expert:
    """An expert: right about all facts of its topics, wrong about all others.

    Attributes:
        name: How it is called.
        topics: All that it knows.
        price: Of one word of a reply.
        words: Words of each of its answers.
    """

    name: str
    topics: tuple[str, ...]
    price: int
    words: int

    @property
    def cost(self) -> int:
        """The cost of an answer."""
        return self.price * self.words

    def value(self, facts: Facts, relation: str, thing: str) -> str:
        """Return what the expert says is the relation's value: right, or another of its kind."""
        right = facts.values[relation][thing]
        if BY_NAME[relation].topic in self.topics:
            return right
        others = [name for name in facts.names[BY_NAME[relation].end] if name != right]
        # Repeated questions get the same answer.
        return others[zlib.crc32(f"{self.name} {relation} {thing}".encode()) % len(others)]

    def reply(self, facts: Facts, question: str) -> str | None:
        """Return an answer in words, or None if the question is not one about a single fact."""
        relations = set(_RELATION.findall(question.lower()))
        things = set(_NAME.findall(question)) & {n for names in facts.names.values() for n in names}
        if len(relations) != 1 or len(things) != 1:
            return None
        relation, thing = relations.pop(), things.pop()
        if thing not in facts.values[relation]:
            return None
        answer = self.value(facts, relation, thing)
        words = f"The {relation} of {thing} is {answer}".split()
        return " ".join([*words, *_PADDING.split()[: self.words - len(words)]]) + "."


@cache
def pool(number: int) -> tuple[Expert, ...]:
    """Return the experts of a pool, the same in every process.

    The first knows all topics and is dear; together, the next seven know each topic once or more.
    """
    rng = np.random.default_rng([_SEED, number])
    names = _names()[LARGEST * number : LARGEST * (number + 1)]
    words = [7 + length for length in draw_ints(rng, 0, 18, LARGEST)]
    experts = [Expert(names[0], TOPICS, 40 + int(rng.integers(20)), words[0])]
    order = [TOPICS[int(index)] for index in rng.permutation(len(TOPICS))]
    for index in range(1, LARGEST):
        known = {order[index % len(order)]}
        known |= {topic for topic in TOPICS if rng.random() < 0.25}
        price = 3 + 4 * len(known) + int(rng.integers(12))
        topics = tuple(topic for topic in TOPICS if topic in known)
        experts.append(Expert(names[index], topics, price, words[index]))
    return tuple(experts)


@cache
def _names() -> list[str]:
    """Draw a name for every expert of every pool, all different."""
    return [
        word.capitalize()
        for word in sample_names(np.random.default_rng(_SEED), POOLS * LARGEST, syllables=4)
    ]


def described(expert: Expert) -> str:
    """Describe an expert in one line, as the prompt shows it."""
    topics = "all topics" if expert.topics == TOPICS else ", ".join(expert.topics)
    return f"- {expert.name}: knows {topics}; {expert.price} a word, {expert.words} words an answer"
