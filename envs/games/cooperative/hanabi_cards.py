"""State of Hanabi: kinds of cards, what hints leave open of them, and redrawn hands.

A kind is `colour * ranks + rank`, both from 0. What is known of a card is a pair of bit masks: the
colours and the ranks that all hints so far leave open.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np

Open = tuple[int, int]  # bit masks of colours and of ranks
Done = tuple[int, int, int, int]  # seat, action, card or -1, and marked cards or 1 if it fitted
T = TypeVar("T")

COLOURS = ("red", "yellow", "green", "white", "blue")
LETTERS = "RYGWB"


class HanabiState(NamedTuple):
    """Everything on the table, in the hands and in the deck.

    Attributes:
        deck: Cards left of each kind.
        hands: Kinds of the cards of each seat, the oldest first.
        known: What hints leave open of each of these cards.
        fireworks: Height of each colour.
        discards: Cards of each kind that are gone.
        tokens: Hints that may be given.
        lives: Mistakes that are left, and one more.
        turn: The seat to move next.
        left: Moves that are left once the deck is empty.
        recent: The last moves, one a seat at most.
    """

    deck: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    known: tuple[tuple[Open, ...], ...]
    fireworks: tuple[int, ...]
    discards: tuple[int, ...]
    tokens: int
    lives: int
    turn: int
    left: int
    recent: tuple[Done, ...] = ()


@lru_cache(maxsize=64)
def full_deck(colors: int, ranks: int) -> tuple[int, ...]:
    """Return the number of cards of each kind: three 1s, one of the highest rank, else two.

    Example:
        >>> full_deck(1, 5)
        (3, 2, 2, 2, 1)
    """
    copies = [3, *[2] * max(0, ranks - 2), *[1] * (ranks > 1)]
    return tuple(copies) * colors


@lru_cache(maxsize=1024)
def odds(deck: tuple[int, ...]) -> tuple[tuple[int, Fraction], ...]:
    """Return the kinds of a deck with the probabilities that the next card is one of them."""
    total = sum(deck)
    return tuple((kind, Fraction(count, total)) for kind, count in enumerate(deck) if count)


@lru_cache(maxsize=4096)
def kinds_of(known: Open, ranks: int) -> tuple[int, ...]:
    """Return the kinds that hints leave open, increasing."""
    colours, open_ranks = known
    return tuple(
        colour * ranks + rank
        for colour in range(colours.bit_length())
        if colours >> colour & 1
        for rank in range(ranks)
        if open_ranks >> rank & 1
    )


def put(row: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    """Return the row with another value in a place."""
    return (*row[:place], value, *row[place + 1 :])


def counted(row: tuple[int, ...], place: int, change: int) -> tuple[int, ...]:
    """Return the row with a number changed."""
    return (*row[:place], row[place] + change, *row[place + 1 :])


def hinted(known: Open, card: int, ranks: int, hint: int, by_rank: bool) -> Open:
    """Return what is known of a card after a hint of a colour or a rank to its holder."""
    colours, open_ranks = known
    bit = 1 << hint
    if by_rank:
        return colours, open_ranks & bit if card % ranks == hint else open_ranks & ~bit
    return colours & bit if card // ranks == hint else colours & ~bit, open_ranks


def redrawn(
    known: Sequence[Open], unseen: Sequence[int], ranks: int, rng: np.random.Generator
) -> tuple[int, ...]:
    """Return a hand that fits the hints, as likely as dealing from the unseen cards makes it.

    Each card is drawn for itself, and the hand is kept with the probability by which drawing
    without replacement is rarer: with n cards of a kind and k of them in the hand,
    n (n - 1) ... (n - k + 1) / n^k. Of five cards at least one hand in 26 is kept.

    Args:
        known: For each card of the hand.
        unseen: Cards of each kind that its holder does not see, its own included.
        ranks: Number of ranks.
        rng: Of all draws.
    """
    choices = []
    for each in known:
        kinds = [kind for kind in kinds_of(each, ranks) if unseen[kind]]
        weights = np.cumsum([unseen[kind] for kind in kinds])
        choices.append((kinds, weights))
    while True:
        drawn = [
            kinds[int(np.searchsorted(weights, rng.random() * weights[-1], side="right"))]
            for kinds, weights in choices
        ]
        kept = 1.0
        for kind in set(drawn):
            for taken in range(drawn.count(kind)):
                kept *= (unseen[kind] - taken) / unseen[kind]
        if rng.random() < kept:
            return tuple(drawn)
