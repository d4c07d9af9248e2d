"""Hanabi: build fireworks together, from hands that all but their holders see.

Moves, deals and points are those of OpenSpiel's `hanabi`, the Hanabi Learning Environment. Left
out: the sixth, coloured suit, and a score of 0 for a player alone.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from zerogym.envs.games.cooperative.hanabi_cards import (
    COLOURS,
    Done,
    HanabiState,
    Open,
    counted,
    full_deck,
    hinted,
    odds,
    put,
    redrawn,
)
from zerogym.envs.games.cooperative.hanabi_player import scripted
from zerogym.envs.games.cooperative.hanabi_views import rules_in_words, situation_in_words, vector
from zerogym.envs.games.cooperative.partners import PartnersEnv
from zerogym.envs.games.core.game import CHANCE, TERMINAL, Game
from zerogym.envs.games.core.parameters import check_flag, check_number

__all__ = ["Hanabi", "HanabiEnv", "HanabiState", "scripted"]


@dataclass(frozen=True)
class Hanabi(Game[HanabiState]):
    """The rules; `HanabiEnv` has them in words.

    Actions, with H cards in a hand: discard the nth card, play the nth card (H each), then hints of
    a colour to the next seat, the one after it, ..., then hints of a rank in the same order.

    An information set is all that a seat sees and all that hints leave open, with the last move of
    each seat; earlier moves are no part of it, so seats forget the order in which hints came.

    Attributes:
        players: 2 to 5.
        colors: 1 to 5.
        ranks: 1 to 5.
        hand_size: Cards of a hand, 1 to 5; 0: 5 for two or three players, else 4.
        max_information_tokens: Hints at the beginning, and the most that there may be, 1 to 20.
        max_life_tokens: Mistakes that end the game, 1 to 10.
        zero_if_lost: The end without lives is worth nothing; else the points so far.
    """

    players: int = 2
    colors: int = 5
    ranks: int = 5
    hand_size: int = 0
    max_information_tokens: int = 8
    max_life_tokens: int = 3
    zero_if_lost: bool = True
    name: ClassVar[str] = "hanabi"
    perfect_information: ClassVar[bool] = False
    zero_sum: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse other numbers, and hands for which there are too few cards."""
        check_number("players", self.players, 2, 5)
        check_number("colors", self.colors, 1, 5)
        check_number("ranks", self.ranks, 1, 5)
        check_number("hand_size", self.hand_size, 0, 5)
        check_number("max_information_tokens", self.max_information_tokens, 1, 20)
        check_number("max_life_tokens", self.max_life_tokens, 1, 10)
        check_flag("zero_if_lost", self.zero_if_lost)
        cards = sum(full_deck(self.colors, self.ranks))
        if cards < self.players * self.hand:
            raise ValueError(
                f"colors and ranks make {cards} cards, too few for players={self.players} with "
                f"hand_size={self.hand}"
            )

    @cached_property
    def hand(self) -> int:
        """The number of cards of a full hand."""
        return self.hand_size or (5 if self.players < 4 else 4)

    @property
    def num_seats(self) -> int:
        """The players."""
        return self.players

    @property
    def num_actions(self) -> int:
        """Discards, plays, and hints to each other seat."""
        return 2 * self.hand + (self.players - 1) * (self.colors + self.ranks)

    @property
    def payoff_range(self) -> tuple[float, float]:
        """Nothing, or all fireworks."""
        return 0.0, float(self.colors * self.ranks)

    @property
    def observation_size(self) -> int:
        """Two seats, five numbers, fireworks, discards, hands with hints, and last moves."""
        kinds, players, hand = self.colors * self.ranks, self.players, self.hand
        cards = players * hand * (kinds + self.colors + self.ranks)
        moves = players * (self.num_actions + kinds + hand + 1)
        return 2 * players + 4 + self.colors + kinds + cards + moves

    def initial(self) -> HanabiState:
        """Nothing is dealt."""
        deck, nothing = full_deck(self.colors, self.ranks), ((),) * self.players
        hints, lives, gone = self.max_information_tokens, self.max_life_tokens, (0,) * len(deck)
        built = (0,) * self.colors
        return HanabiState(deck, nothing, nothing, built, gone, hints, lives, 0, self.players)

    def _receiver(self, state: HanabiState) -> int | None:
        """The first seat that lacks a card while there are some; None if nobody does."""
        if any(state.deck):
            for seat, hand in enumerate(state.hands):
                if len(hand) < self.hand:
                    return seat
        return None

    def to_move(self, state: HanabiState) -> int:
        """Chance fills the hands, the first seat's first; then the seats move in turn."""
        finished = sum(state.fireworks) == self.colors * self.ranks
        if state.lives == 0 or state.left == 0 or finished:
            return TERMINAL
        return state.turn if self._receiver(state) is None else CHANCE

    def legal(self, state: HanabiState) -> tuple[int, ...]:
        """Discards unless all hints are there, plays, and hints that mark a card, while any."""
        if self.to_move(state) < 0:
            return ()
        held, first = len(state.hands[state.turn]), 2 * self.hand
        found = [*range(self.hand, self.hand + held)]
        if state.tokens < self.max_information_tokens:
            found = [*range(held), *found]
        if state.tokens:
            colours, ranks = [], []
            for offset in range(1, self.players):
                hand = state.hands[(state.turn + offset) % self.players]
                base = first + (offset - 1) * self.colors
                colours += [base + c for c in sorted({card // self.ranks for card in hand})]
                base = first + (self.players - 1) * self.colors + (offset - 1) * self.ranks
                ranks += [base + r for r in sorted({card % self.ranks for card in hand})]
            found += colours + ranks
        return tuple(found)

    def chance(self, state: HanabiState) -> tuple[tuple[int, Fraction], ...]:
        """The next card, each of the deck equally likely."""
        if self.to_move(state) != CHANCE:
            return ()
        return odds(state.deck)

    def hint(self, mover: int, action: int) -> tuple[int, bool, int] | None:
        """Return the seat that a hint is for, whether it names a rank, and which; else None."""
        number, colours = action - 2 * self.hand, (self.players - 1) * self.colors
        if number < 0:
            return None
        by_rank = number >= colours
        offset, which = divmod(number - colours * by_rank, self.ranks if by_rank else self.colors)
        return (mover + 1 + offset) % self.players, by_rank, which

    def apply(self, state: HanabiState, action: int) -> HanabiState:
        """Deal a card, or discard, play or hint."""
        seat = self._receiver(state)
        if seat is not None:
            new: Open = ((1 << self.colors) - 1, (1 << self.ranks) - 1)
            return state._replace(
                deck=counted(state.deck, action, -1),
                hands=put(state.hands, seat, (*state.hands[seat], action)),
                known=put(state.known, seat, (*state.known[seat], new)),
            )
        mover, hint = state.turn, self.hint(state.turn, action)
        state = state._replace(
            turn=(mover + 1) % self.players, left=state.left - (not any(state.deck))
        )
        if hint is not None:
            target, by_rank, which = hint
            cards = state.hands[target]
            marks = sum(
                1 << n
                for n, card in enumerate(cards)
                if (card % self.ranks if by_rank else card // self.ranks) == which
            )
            known = tuple(
                hinted(each, card, self.ranks, which, by_rank)
                for each, card in zip(state.known[target], cards, strict=True)
            )
            state = state._replace(known=put(state.known, target, known), tokens=state.tokens - 1)
            return self._noted(state, (mover, action, -1, marks))
        place = action % self.hand
        hand, open_cards = state.hands[mover], state.known[mover]
        card = hand[place]
        state = state._replace(
            hands=put(state.hands, mover, hand[:place] + hand[place + 1 :]),
            known=put(state.known, mover, open_cards[:place] + open_cards[place + 1 :]),
        )
        colour, rank = divmod(card, self.ranks)
        fits, tokens = action >= self.hand and state.fireworks[colour] == rank, state.tokens
        if fits:
            built = counted(state.fireworks, colour, 1)
            tokens += rank == self.ranks - 1
            state = state._replace(fireworks=built)
        else:
            tokens += action < self.hand
            lives = state.lives - (action >= self.hand)
            state = state._replace(discards=counted(state.discards, card, 1), lives=lives)
        state = state._replace(tokens=min(tokens, self.max_information_tokens))
        return self._noted(state, (mover, action, card, int(fits)))

    def _noted(self, state: HanabiState, done: Done) -> HanabiState:
        return state._replace(recent=(*state.recent, done)[-self.players :])

    def payoff(self, state: HanabiState) -> tuple[float, ...]:
        """The points, the same for all."""
        return self.returns(state)

    def returns(self, state: HanabiState) -> tuple[float, ...]:
        """A point for each card that was built; nothing without lives, if that is the rule."""
        lost = self.zero_if_lost and state.lives == 0
        return (0.0 if lost else float(sum(state.fireworks)),) * self.players

    def unseen(self, state: HanabiState, seat: int) -> list[int]:
        """Return the cards of each kind that a seat does not see: the deck and its own hand."""
        found = list(state.deck)
        for card in state.hands[seat]:
            found[card] += 1
        return found

    def resample(self, state: HanabiState, seat: int, rng: np.random.Generator) -> HanabiState:
        """Another own hand that fits the hints, and the deck that is left."""
        unseen = self.unseen(state, seat)
        hand = redrawn(state.known[seat], unseen, self.ranks, rng)
        for card in hand:
            unseen[card] -= 1
        return state._replace(deck=tuple(unseen), hands=put(state.hands, seat, hand))

    def observe(self, state: HanabiState, seat: int) -> NDArray[np.float32]:
        """Return all that a seat sees; cards and moves one-hot, hints as what they leave open."""
        return vector(self, state, seat)

    def info_key(self, state: HanabiState, seat: int) -> str:
        """Return all but the own hand and what the deck holds."""
        hands = put(state.hands, seat, (len(state.hands[seat]),))
        return f"{seat}|{sum(state.deck)}|{hands}|{tuple(state[2:])}"

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        return rules_in_words(self, seat)

    def situation(self, state: HanabiState, seat: int) -> str:
        """The table, the hands of the others, and what hints leave open."""
        return situation_in_words(self, state, seat)

    def request(self, state: HanabiState) -> str:
        """The forms of the moves that are legal."""
        forms = ["<answer>play N</answer>"]
        if state.tokens < self.max_information_tokens:
            forms.append("<answer>discard N</answer>")
        if state.tokens:
            forms += [f"<answer>hint player P {x}</answer>" for x in ("COLOUR", "rank R")]
        return f"Reply {' or '.join(forms)}."

    def result(self, state: HanabiState, seat: int) -> str:
        """The way the game has ended, and the points."""
        points = f"Points: {self.returns(state)[seat]:g}."
        if state.lives == 0:
            return f"All lives are lost. {points}"
        whole = sum(state.fireworks) == self.colors * self.ranks
        return f"{'All fireworks are complete' if whole else 'The last move is made'}. {points}"

    def move_name(self, mover: int, action: int) -> str:
        """Return the name of an action of a seat."""
        hint = self.hint(mover, action)
        if hint is None:
            return f"{'play' if action >= self.hand else 'discard'} {action % self.hand + 1}"
        target, by_rank, which = hint
        return f"hint player {target + 1} {f'rank {which + 1}' if by_rank else COLOURS[which]}"

    def action_name(self, state: HanabiState, action: int) -> str:
        """`play 1`, `discard 2`, `hint player 2 red` or `hint player 2 rank 3`."""
        return self.move_name(state.turn, action)


class HanabiEnv(PartnersEnv):
    """One seat of Hanabi, with given partners.

    Description:
        The players build a firework of each of five colours together, cards from rank 1 up to 5.
        Each sees the hands of the others but not its own. In turn they play a card, discard one, or
        spend a hint that marks all cards of one colour or one rank in another hand. A card that
        does not fit costs a life; a discard, and a completed firework, bring a hint back.

    Observation:
        `view="text"`: the rules (once), then fireworks, hints, lives, discards, the own hand as
        hints leave it open (`RB 12`: red or blue, 1 or 2), the other hands with what their holders
        know, and the last move of each seat. `view="numeric"`: the same as a float32 vector (490,).

    Action:
        `view="text"`: the whole reply; `play 1`, `discard 2`, `hint player 2 red` or `hint player 2
        rank 3` is read from `<answer>...</answer>`, else from the last line. Cards are numbered
        from the oldest. `view="numeric"`: 0 to 4 discards, 5 to 9 plays, 10 to 14 hints a colour,
        15 to 19 a rank.

    Reward:
        1 for each card that is built, for all seats; the end without lives takes all points back.
        `info["score"]` is the points over 25.

    Episode end:
        When no life is left; when all fireworks are complete; or when each seat has moved once
        more after the last card was drawn. A reply that names no legal move may be repeated up to
        `max_retries` times, then the game ends with 0 points for all, as at once by an illegal
        number.

    Arguments:
        players: 2 to 5; default 2.
        colors: 1 to 5; default 5.
        ranks: 1 to 5; default 5. There are three 1s of a colour, one of the highest rank, and two
            of each other.
        hand_size: 1 to 5; default 0, which is 5 for two or three players and 4 for more.
        max_information_tokens: Hints at the beginning, and the most, 1 to 20; default 8.
        max_life_tokens: 1 to 10; default 3.
        zero_if_lost: With True (default) the end without lives is worth nothing, as in OpenSpiel;
            with False the points so far, as in other printed rules.

    Example:
        >>> env = HanabiEnv(seat=0, opponent="scripted", colors=2, ranks=3, hand_size=2)
        >>> first, info = env.reset(seed=0)
        >>> text, reward, *_ = env.step("<answer>play 2</answer>")
        >>> print(text.rpartition("Reply")[0].rstrip())
        You are player 1. Fireworks: R1 Y0. Points: 1. Hints: 7 of 8. Lives: 3 of 3. Deck: 7.
        Discarded: none.
        Your hand, as hints leave it open: 1 RY 1, 2 RY 23.
        Player 2: 1 R1 (RY 123), 2 R1 (RY 123).
        Last moves: you: play 2 (R1, it fits); player 2: hint player 1 rank 1 (cards 1).

    Source:
        "The Hanabi Challenge: A New Frontier for AI Research" (2019, arXiv 1902.00506); the game is
        by Antoine Bauza (2010).
    """

    rules_class = Hanabi
