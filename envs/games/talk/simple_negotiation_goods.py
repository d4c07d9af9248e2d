"""The goods of SimpleNegotiation: kinds, values, offers, and what both seats have after trades.

`simple_negotiation.py` has the rules.
"""

from dataclasses import dataclass, field

from zerogym.envs.games.talk.core.rules import Phase

KINDS = ("wheat", "wood", "sheep", "brick", "ore")
BASE = (5, 10, 15, 25, 40)  # value of one, which differs by a fifth from seat to seat
Offer = tuple[int, int, int, int]  # kind and number given, kind and number received
Holdings = tuple[tuple[int, ...], tuple[int, ...]]  # units of each kind, of each seat


@dataclass(frozen=True, eq=False, slots=True)
class Account:
    """Holdings of both seats until the next trade, and what follows from them, found once.

    Attributes:
        held: Units.
        phases: By the mover, and whether there is an offer.
        texts: By seat, its holdings and those of the other in words.
    """

    held: Holdings
    phases: dict[tuple[int, bool], Phase]
    texts: dict[int, str] = field(default_factory=dict)


def values_of(deal: int, kinds: int) -> tuple[int, ...]:
    """Return the value of one unit of each kind: a fifth less than in the table, as there, or more.

    Args:
        deal: An outcome of chance, in base 3 the three cases for each kind.
        kinds: Their number.
    """
    return tuple(BASE[kind] * (4 + deal // 3**kind % 3) // 5 for kind in range(kinds))


def worth(values: tuple[int, ...]) -> list[str]:
    """Return the kinds with the value of one unit in words."""
    return [f"{kind} (worth {one} each)" for kind, one in zip(KINDS, values, strict=False)]


def gain(offer: Offer, values: tuple[int, ...]) -> int:
    """Return what an offer is worth to the seat that makes it, with its values."""
    given, units, received, more = offer
    return more * values[received] - units * values[given]


def traded(held: Holdings, seat: int, offer: Offer) -> Holdings:
    """Return what both seats have after an offer of one of them is accepted."""
    given, units, received, more = offer
    after = [list(own) for own in held]
    after[seat][given] -= units
    after[1 - seat][given] += units
    after[seat][received] += more
    after[1 - seat][received] -= more
    return tuple(after[0]), tuple(after[1])
