"""Positions of Hanabi as a seat sees them: in words, and as a vector."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.cooperative.hanabi_cards import (
    COLOURS,
    LETTERS,
    Done,
    HanabiState,
    Open,
    full_deck,
)

if TYPE_CHECKING:
    from zerogym.envs.games.cooperative.hanabi import Hanabi


def card_name(card: int, ranks: int) -> str:
    """Return a card as its colour and rank, such as `R1`."""
    return f"{LETTERS[card // ranks]}{card % ranks + 1}"


def open_name(known: Open) -> str:
    """Return the colours and ranks that hints leave open, such as `RB 12`."""
    colours = "".join(letter for place, letter in enumerate(LETTERS) if known[0] >> place & 1)
    ranks = "".join(str(rank + 1) for rank in range(known[1].bit_length()) if known[1] >> rank & 1)
    return f"{colours} {ranks}"


def rules_in_words(game: "Hanabi", seat: int) -> str:
    """Return the rules in a few lines."""
    colours = ", ".join(f"{LETTERS[n]} {COLOURS[n]}" for n in range(game.colors))
    top = game.ranks
    copies = ["three 1s", *(["two of each rank between"] if top > 2 else [])]
    cards = " and ".join([", ".join(copies), *([f"one {top}"] if top > 1 else [])])
    lost = "0 points" if game.zero_if_lost else "the points so far"
    return (
        f"Hanabi for {game.players} players, who build one firework a colour ({colours}) together, "
        f"from rank 1 up to {top}. You see the hands of the others, not your own.\n"
        "In turn: play a card (the next rank of its colour; else it is discarded and a life is "
        "lost), discard a card (a hint comes back), or spend a hint: name a colour or a rank, and "
        "all such cards in one other hand, at least one, are marked. Cards that are gone are "
        "replaced from the deck, as the last of the hand.\n"
        f"A colour has {cards}; a completed firework brings back a hint. When the deck is empty, "
        f"everyone moves once more. All get a point a card built; without lives the game ends with "
        f"{lost}. You are player {seat + 1}."
    )


def situation_in_words(game: "Hanabi", state: HanabiState, seat: int) -> str:
    """Return the position as a seat sees it."""
    ranks = game.ranks
    built = " ".join(f"{LETTERS[c]}{height}" for c, height in enumerate(state.fireworks))
    gone = [
        card_name(card, ranks) for card, count in enumerate(state.discards) for _ in range(count)
    ]
    left, deck = f" Moves left: {state.left}.", sum(state.deck)
    lines = [
        f"You are player {seat + 1}. Fireworks: {built}. Points: {sum(state.fireworks)}. Hints: "
        f"{state.tokens} of {game.max_information_tokens}. Lives: {state.lives} of "
        f"{game.max_life_tokens}. Deck: {deck}.{'' if deck else left}",
        f"Discarded: {' '.join(gone) or 'none'}.",
        "Your hand, as hints leave it open: "
        + ", ".join(f"{n} {open_name(known)}" for n, known in enumerate(state.known[seat], 1))
        + ".",
    ]
    for other in range(1, game.players):
        owner = (seat + other) % game.players
        cards = ", ".join(
            f"{n} {card_name(card, ranks)} ({open_name(known)})"
            for n, (card, known) in enumerate(
                zip(state.hands[owner], state.known[owner], strict=True), 1
            )
        )
        lines.append(f"Player {owner + 1}: {cards}.")
    if state.recent:
        moves = (_move(game, done, seat) for done in state.recent)
        lines.append(f"Last moves: {'; '.join(moves)}.")
    return "\n".join(lines)


def _move(game: "Hanabi", done: Done, seat: int) -> str:
    """Return a move that was made, with what came of it."""
    mover, action, card, marks = done
    name = game.move_name(mover, action)
    if card >= 0:
        came = card_name(card, game.ranks)
        if action >= game.hand:
            came += ", it fits" if marks else ", a life lost"
    else:
        came = f"cards {' '.join(str(n + 1) for n in range(marks.bit_length()) if marks >> n & 1)}"
    return f"{'you' if mover == seat else f'player {mover + 1}'}: {name} ({came})"


def vector(game: "Hanabi", state: HanabiState, seat: int) -> NDArray[np.float32]:
    """Return the position as float32 (observation_size,): cards, moves and open kinds one-hot."""
    kinds, hand = game.colors * game.ranks, game.hand
    eye, copies = np.eye(game.players), full_deck(game.colors, game.ranks)
    cards = np.zeros((game.players, hand, kinds + game.colors + game.ranks))
    for owner in range(game.players):
        for place, (card, (colours, ranks)) in enumerate(
            zip(state.hands[owner], state.known[owner], strict=True)
        ):
            row = cards[owner, place]
            row[card] = owner != seat
            row[kinds : kinds + game.colors] = [colours >> c & 1 for c in range(game.colors)]
            row[kinds + game.colors :] = [ranks >> r & 1 for r in range(game.ranks)]
    moves = np.zeros((game.players, game.num_actions + kinds + hand + 1))
    for row, (_, action, card, marks) in zip(moves, reversed(state.recent), strict=False):
        row[action] = 1
        if card >= 0:
            row[game.num_actions + card], row[-1] = 1, marks
        else:
            row[game.num_actions + kinds : -1] = [marks >> n & 1 for n in range(hand)]
    numbers = (
        state.tokens / game.max_information_tokens,
        state.lives / game.max_life_tokens,
        sum(state.deck) / sum(copies),
        state.left / game.players,
    )
    built = [height / game.ranks for height in state.fireworks]
    gone = [count / most for count, most in zip(state.discards, copies, strict=True)]
    parts = (eye[seat], eye[state.turn], numbers, built, gone, cards.ravel(), moves.ravel())
    return np.concatenate(parts).astype(np.float32)
