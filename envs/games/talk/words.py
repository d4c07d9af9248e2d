"""Words and what is true of them, for the games of clues.

An attribute is a clue with an exact meaning: it fits the words of this table that have it. Written
for these games; every word has five attributes or more, and no two words have the same.
"""

from functools import lru_cache

WORDS = {
    "cat": "animal legs home soft small", "dog": "animal legs home loud farm",
    "horse": "animal legs farm large fast", "cow": "animal legs farm large slow",
    "sheep": "animal legs farm soft white", "duck": "animal wings farm water loud",
    "eagle": "animal wings sky large fast", "bee": "animal wings small yellow loud",
    "bear": "animal legs forest large loud", "wolf": "animal legs forest fast loud",
    "fish": "animal water cold small food", "frog": "animal water green small legs",
    "snake": "animal forest green slow long", "penguin": "animal wings cold white water",
    "apple": "food plant sweet red round", "banana": "food plant sweet yellow long",
    "lemon": "food plant yellow round small", "tomato": "food plant red round soft",
    "bread": "food hot home soft farm", "cheese": "food yellow farm soft cold",
    "soup": "food hot water home red", "cake": "food sweet round soft home",
    "tea": "food hot water green plant", "rose": "plant red sharp small home",
    "tree": "plant green large wooden forest", "grass": "plant green soft farm long",
    "knife": "tool sharp metal home small", "hammer": "tool metal wooden home loud",
    "axe": "tool sharp metal wooden forest", "saw": "tool sharp metal wooden loud",
    "car": "vehicle wheels metal fast home", "train": "vehicle wheels metal long loud",
    "bicycle": "vehicle wheels metal small slow", "ship": "vehicle water metal large slow",
    "boat": "vehicle water wooden small slow", "plane": "vehicle wings sky metal fast",
    "balloon": "vehicle sky round slow soft", "drum": "music round loud wooden large",
    "guitar": "music wooden home soft long", "bell": "music metal loud round small",
    "sun": "sky round hot yellow large", "moon": "sky round white cold large",
    "cloud": "sky white soft water slow", "snow": "cold white soft water forest",
    "hat": "clothing soft round home small", "coat": "clothing soft long home hot",
    "glove": "clothing soft small cold home", "boot": "clothing legs long farm home",
}  # fmt: skip
NAMES = tuple(WORDS)
ATTRIBUTES = tuple(sorted({each for line in WORDS.values() for each in line.split()}))


@lru_cache(maxsize=256)
def attributes_of(word: int) -> frozenset[int]:
    """Return the attributes of a word, both by their numbers."""
    return frozenset(ATTRIBUTES.index(each) for each in WORDS[NAMES[word]].split())


@lru_cache(maxsize=256)
def rarest_first(word: int) -> tuple[int, ...]:
    """Return the attributes of a word, those of the fewest words first."""
    counts = [
        sum(place in attributes_of(each) for each in range(len(NAMES)))
        for place in range(len(ATTRIBUTES))
    ]
    return tuple(sorted(attributes_of(word), key=lambda place: (counts[place], place)))
