"""Tables of twenty questions: things or cities, and the answers to yes-no questions about them.

Facts are those that do not change from year to year; places of which an answer is disputed are left
out.
"""

from typing import NamedTuple


class Table(NamedTuple):
    """Questions with one keyword each, and the answers for each name, in their order."""

    questions: tuple[str, ...]
    keywords: tuple[str, ...]
    answers: dict[str, str]


THINGS = Table(
    (
        "is it alive", "is it an animal", "can it fly", "is it found in water", "can one eat it",
        "is it of metal", "can one ride in it or on it", "does it fit in a hand",
    ),
    ("alive", "animal", "fly", "water", "eat", "metal", "ride", "hand"),
    {
        "eagle": "11100000", "ship": "00010110", "candy": "00001001", "oak": "10000000",
        "hammer": "00000101", "salmon": "11011000", "kite": "00100000", "airplane": "00100110",
        "cat": "11000000", "bread": "00001000", "rose": "10000001", "anvil": "00000100",
        "bicycle": "00000110", "bee": "11100001", "pencil": "00000001", "house": "00000000",
    },
)  # fmt: skip
CITIES = Table(
    (
        "is it in europe", "is it in asia", "is it a capital", "is it by the sea",
        "is it north of the equator", "has it held the summer olympic games",
        "is it on an island", "do they drive on the left there",
    ),
    ("europe", "asia", "capital", "sea", "north", "olympic", "island", "left"),
    {
        "london": "10101111", "rio": "00010100", "tokyo": "01111111", "cairo": "00101000",
        "paris": "10101100", "auckland": "00010011", "manila": "01111010", "lima": "00110000",
        "madrid": "10101000", "sydney": "00010101", "beijing": "01101100", "nairobi": "00100001",
        "dublin": "10111011", "montreal": "00001110", "chennai": "01011001",
        "barcelona": "10011100",
    },
)  # fmt: skip
TABLES = {"things": THINGS, "cities": CITIES}
