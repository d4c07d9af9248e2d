"""Codenames-mini: one word and a number as a clue to several words, and one word that loses.

Left out: a second team, which makes it a race, and the one guess more than the number.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from zerogym.envs.games.core.game import CHANCE, equally_likely
from zerogym.envs.games.core.parameters import check_number
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.games.talk.core.messages import Move
from zerogym.envs.games.talk.core.rules import OVER, Phase, TalkGame, TalkState
from zerogym.envs.games.talk.words import ATTRIBUTES, NAMES, WORDS, attributes_of

SPYMASTER, OPERATIVE = 0, 1
OWN, NEUTRAL, ASSASSIN = range(3)
KINDS = ("own", "neutral", "assassin")
LOSS = 3.0  # of touching the assassin
_CLUE = re.compile(r"([a-z]{2,20}) ([1-9])")


class Course(NamedTuple):
    """The course of a game so far.

    Attributes:
        clues: That were given.
        open: Guesses that the last one still allows.
        fresh: No guess was made since the last clue.
        guessed: Words by their numbers.
        found: Own words among them.
        lost: The assassin was touched.
    """

    clues: int = 0
    open: int = 0
    fresh: bool = True
    guessed: frozenset[int] = frozenset()
    found: int = 0
    lost: bool = False


@dataclass(frozen=True)
class CodenamesMini(TalkGame):
    """The rules; `CodenamesMiniEnv` has them in words.

    Acts: clues, each attribute with the numbers 1 to `own`; then a guess for each word of
    `words.py`; then `stop`.

    Attributes:
        words: On the table, 6 to 16.
        own: Words to be found, 2 to 6, fewer than `words`.
        clues: The most that may be given, 1 to 4.
    """

    words: int = 9
    own: int = 4
    clues: int = 2
    name: ClassVar[str] = "codenames_mini"
    perfect_information: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse other numbers."""
        super().__post_init__()
        check_number("words", self.words, 6, 16)
        check_number("own", self.own, 2, min(6, self.words - 1))
        check_number("clues", self.clues, 1, 4)

    @property
    def first_guess(self) -> int:
        """The act that guesses the first word."""
        return len(ATTRIBUTES) * self.own

    @property
    def num_actions(self) -> int:
        """Clues, guesses, and to stop."""
        return self.first_guess + len(NAMES) + 1

    @property
    def max_turns(self) -> int:
        """Each clue, and guesses of wrong and right words, or to stop."""
        return 2 * self.clues + self.own

    @property
    def deal_sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The words on the table, and the kind of each."""
        return (*[len(NAMES)] * self.words, *[len(KINDS)] * self.words)

    @property
    def payoff_range(self) -> tuple[float, float]:
        """The assassin at once, or all own words."""
        return -LOSS, float(self.own)

    def role(self, seat: int) -> str:
        """`spymaster` or `operative`."""
        return ("spymaster", "operative")[seat]

    def course(self, state: TalkState) -> Course:
        """Return what has happened so far."""
        now = Course()
        for turn in state.turns:
            if turn.seat == SPYMASTER:
                spoken = _CLUE.fullmatch(turn.words.lower())
                number = int(spoken[2]) if spoken else (turn.act or 0) % self.own + 1
                now = now._replace(clues=now.clues + 1, open=number, fresh=True)
                continue
            word = (turn.act or 0) - self.first_guess
            if word == len(NAMES):
                now = now._replace(open=0)
                continue
            kind = state.deals[self.words + state.deals.index(word)]
            now = now._replace(
                open=now.open - 1 if kind == OWN else 0,
                fresh=False,
                guessed=now.guessed | {word},
                found=now.found + (kind == OWN),
                lost=kind == ASSASSIN,
            )
        return now

    def phase(self, state: TalkState) -> Phase:
        """Words and their kinds are drawn; then clues, and guesses until one is wrong."""
        if len(state.deals) < 2 * self.words:
            return Phase(CHANCE)
        now = self.course(state)
        if now.lost or now.found == self.own or (now.clues == self.clues and not now.open):
            return OVER
        if not now.open:
            numbers = range(self.own - now.found)
            acts = [place * self.own + n for place in range(len(ATTRIBUTES)) for n in numbers]
            return Phase(SPYMASTER, tuple(acts), words="instead")
        guesses = sorted({*state.deals[: self.words]} - now.guessed)
        acts = [self.first_guess + word for word in guesses]
        return Phase(OPERATIVE, (*acts, *([] if now.fresh else [self.num_actions - 1])))

    def chance(self, state: TalkState) -> tuple[tuple[int, Fraction], ...]:
        """A word that is not on the table yet; then the kinds, in turn, each as often as it is."""
        if len(state.deals) < self.words:
            return equally_likely(tuple(w for w in range(len(NAMES)) if w not in state.deals))
        dealt = state.deals[self.words :]
        counts = (self.own, self.words - self.own - 1, 1)
        left = [count - dealt.count(kind) for kind, count in enumerate(counts)]
        return tuple((kind, Fraction(n, sum(left))) for kind, n in enumerate(left) if n)

    def knows(self, deal: int, seat: int, state: TalkState) -> bool:
        """All know the table and the kinds of guessed words, the spymaster all kinds."""
        if seat == SPYMASTER or deal < self.words:
            return True
        word = state.deals[deal - self.words]
        return any(turn.act == self.first_guess + word for turn in state.turns)

    def redeal(self, state: TalkState, seat: int, rng: np.random.Generator) -> tuple[int, ...]:
        """The kinds of words that were not guessed in another order, if the operative moves."""
        numbers = range(self.words, len(state.deals))
        hidden = [number for number in numbers if not self.knows(number, seat, state)]
        deals = list(state.deals)
        kinds = rng.permutation(sorted(state.deals[number] for number in hidden))
        for number, kind in zip(hidden, kinds, strict=True):
            deals[number] = int(kind)
        return tuple(deals)

    def returns(self, state: TalkState) -> tuple[float, ...]:
        """1 for each own word, and the loss, the same for both."""
        if not state.turns:
            return 0.0, 0.0
        now = self.course(state)
        total = now.found - LOSS * now.lost
        return total, total

    def parse(self, state: TalkState, text: str) -> int | Move | None:  # type: ignore[override]
        """Return the move of a reply; None, too, for a clue that is not one new word and a number.

        The word must not be one on the table, nor part of one, nor have one as its part.
        """
        move = super().parse(state, text)
        if not isinstance(move, Move) or self.now(state).mover == OPERATIVE:
            return move
        spoken, now = _CLUE.fullmatch(move.words.lower()), self.course(state)
        if spoken is None or int(spoken[2]) > self.own - now.found:
            return None
        table = [NAMES[word] for word in state.deals[: self.words]]
        return None if any(n in spoken[1] or spoken[1] in n for n in table) else move

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        clues = "1 clue" if self.clues == 1 else f"{self.clues} clues"
        return (
            f"Codenames: of {self.words} words on the table {self.own} are own, one is the "
            "assassin, the others are neutral; only the spymaster knows which.\n"
            f"It gives at most {clues}, one word and a number; after each the operative guesses at "
            "most so many words, until one is not an own word. The assassin ends the game.\n"
            f"Both get 1 point an own word, and lose {LOSS:g} by the assassin. "
            f"You are the {self.role(seat)}."
        )

    def holding(self, state: TalkState, seat: int) -> str:
        """Return the table, each word with its kind where the seat knows it."""
        words = []
        for place, word in enumerate(state.deals[: self.words]):
            number = self.words + place
            known = number < len(state.deals) and self.knows(number, seat, state)
            guessed = any(turn.act == self.first_guess + word for turn in state.turns)
            kind = (
                f" ({KINDS[state.deals[number]]}{', guessed' if guessed else ''})" if known else ""
            )
            words.append(NAMES[word] + kind)
        return f"On the table: {', '.join(words)}."

    def request(self, state: TalkState) -> str:
        """The form of a clue, or the words that may be guessed."""
        if self.now(state).mover == OPERATIVE or self.messages == "numbers":
            return super().request(state)
        most = self.own - self.course(state).found
        others = "another word, or " if self.is_free else ""
        return (
            f"Reply <answer>WORD N</answer>, such as <answer>animal 1</answer>, with a number from "
            f"1 to {most} and {others}one of these: {', '.join(ATTRIBUTES)}."
        )

    def result(self, state: TalkState, seat: int) -> str:
        """Return the own words and the points."""
        own = [
            NAMES[word]
            for word, kind in zip(state.deals[: self.words], state.deals[self.words :], strict=True)
            if kind == OWN
        ]
        points = self.returns(state)[seat]
        return f"The own words were: {', '.join(own)}. You get {points:g} points."

    def action_name(self, state: TalkState, action: int) -> str:
        """`animal 2`, `guess cat` or `stop`."""
        if action < self.first_guess:
            place, number = divmod(action, self.own)
            return f"{ATTRIBUTES[place]} {number + 1}"
        word = action - self.first_guess
        return f"guess {NAMES[word]}" if word < len(NAMES) else "stop"


def worth(game: CodenamesMini, state: TalkState, place: int) -> tuple[bool, float, int]:
    """Return how good an attribute is as a clue: safe, share of own words that fit, how many."""
    now = game.course(state)
    fit = [
        kind
        for word, kind in zip(state.deals[: game.words], state.deals[game.words :], strict=True)
        if word not in now.guessed and place in attributes_of(word)
    ]
    own = fit.count(OWN)
    return ASSASSIN not in fit and own > 0, own / len(fit) if fit else 0.0, own


def scripted(game: CodenamesMini, state: TalkState, seat: int) -> int | list[float]:
    """Give the clue that fits most own words and no other; guess among the words that fit.

    Where every attribute fits others, too, it is the one with the greatest share of own words,
    never with the assassin if that can be avoided, and the number is 1. The operative stops when no
    word fits. Of free clues it knows the attributes; others say nothing to it. In 1000 games a pair
    of it has 3.02 points of 4, a random pair 0.18.
    """
    legal = game.legal(state)
    if seat == SPYMASTER:
        best = max(range(len(ATTRIBUTES)), key=lambda place: (*worth(game, state, place), -place))
        safe, share, own = worth(game, state, best)
        return best * game.own + (own - 1 if safe and share == 1 else 0)
    last = [turn for turn in state.turns if turn.seat == SPYMASTER][-1]
    spoken = _CLUE.fullmatch(last.words.lower())
    said = spoken[1] if spoken else ATTRIBUTES[(last.act or 0) // game.own]
    guesses = [act for act in legal if act < game.num_actions - 1]
    fit = [act for act in guesses if said in WORDS[NAMES[act - game.first_guess]].split()]
    chosen = fit or [act for act in legal if act not in guesses] or guesses
    return [float(act in chosen) / len(chosen) for act in legal]


class CodenamesMiniEnv(TalkEnv):
    """One seat of a small game of code names, with a given partner.

    Description:
        Nine words are on the table: four own, four neutral, and the assassin. The spymaster alone
        knows which; its clue is a word and a number. The operative guesses at most so many words,
        one by one, until one is not an own word, or it stops after at least one. With templates a
        clue is an attribute of the table of `words.py`. A free clue is one word and a number; the
        word must not be one on the table, part of one, or have one as its part, else it is no move.

    Reward:
        1 for each own word, at once, and -3 for the assassin, for both seats.

    Arguments:
        words: On the table, 6 to 16; default 9.
        own: Words to be found, 2 to 6, fewer than `words`; default 4.
        clues: The most that may be given, 1 to 4; default 2.
        messages: `templates` (default); `numbers`, the same as a numbered list; or `free`: clues in
            a word of the spymaster's own, and words beside guesses, in the text view.

    Example:
        >>> env = CodenamesMiniEnv(seat=0, opponent="scripted", messages="free", words=6, own=3)
        >>> text = env.reset(seed=1)[0]
        >>> print(text.partition("You are the spymaster.")[2].partition("Reply")[0].strip())
        On the table: tree (neutral), coat (own), eagle (neutral), hat (own), apple (assassin), soup (own).
        Nothing is said yet.
        >>> env.step("<answer>hatter 2</answer>")[4]["void_turn"]
        True
        >>> env.step("<answer>clothing 2</answer>")[1]
        2.0

    Source:
        After the game by Vlaada Chvátil (2015). Language models in it: "Codenames as a Benchmark
        for Large Language Models" (2024, arXiv 2412.11373).
    """  # noqa: E501 (the example shows a text)

    rules_class = CodenamesMini
