"""Taboo: clues to a word on the table, without the words that would say too much.

Clues of templates are attributes of the table `words.py`, so that what they mean is exact. Left
out: two teams, a timer, and clues of which only a person could say that they are foul.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from zerogym.envs.games.core.game import CHANCE, equally_likely
from zerogym.envs.games.core.parameters import check_number
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.games.talk.core.messages import Move
from zerogym.envs.games.talk.core.rules import OVER, Phase, TalkGame, TalkState
from zerogym.envs.games.talk.core.surveys import Survey
from zerogym.envs.games.talk.words import ATTRIBUTES, NAMES, attributes_of, rarest_first

GIVER, GUESSER = 0, 1
PRIZE = 10.0  # of a right guess, for both; each clue costs 1


@dataclass(frozen=True)
class Taboo(TalkGame):
    """The rules; `TabooEnv` has them in words.

    Acts: the attributes as clues, then a guess for each word of `words.py`.

    Attributes:
        words: On the table, 2 to 16.
        clues: The most that may be given, 1 to 3.
        taboo: Attributes of the word that are no clues, those of the fewest words, 0 to 2.
    """

    words: int = 12
    clues: int = 3
    taboo: int = 2
    name: ClassVar[str] = "taboo"
    num_actions: ClassVar[int] = len(ATTRIBUTES) + len(NAMES)
    perfect_information: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse other numbers."""
        super().__post_init__()
        check_number("words", self.words, 2, 16)
        check_number("clues", self.clues, 1, 3)
        check_number("taboo", self.taboo, 0, 2)

    @property
    def max_turns(self) -> int:
        """Clues and guesses."""
        return 2 * self.clues

    @property
    def deal_sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The words on the table, and which of them it is."""
        return (*[len(NAMES)] * self.words, self.words)

    @property
    def payoff_range(self) -> tuple[float, float]:
        """All clues and no right guess, or a right one after one clue."""
        return -float(self.clues), PRIZE - 1

    def role(self, seat: int) -> str:
        """`giver` or `guesser`."""
        return ("giver", "guesser")[seat]

    def clues_for(self, word: int) -> frozenset[int]:
        """Return the attributes that may be clues to a word, by their numbers."""
        return attributes_of(word) - set(rarest_first(word)[: self.taboo])

    def phase(self, state: TalkState) -> Phase:
        """Words and one of them are drawn; then clues and guesses in turn."""
        if len(state.deals) <= self.words:
            return Phase(CHANCE)
        made, table, target = state.turns, state.deals[:-1], state.deals[state.deals[-1]]
        acts = {turn.act for turn in made}
        if len(made) % 2:
            guesses = sorted(len(ATTRIBUTES) + word for word in table)
            return Phase(GUESSER, tuple(act for act in guesses if act not in acts))
        if len(made) == self.max_turns or len(ATTRIBUTES) + target in acts:
            return OVER
        new = sorted(self.clues_for(target) - acts)
        return Phase(GIVER, tuple(new), words="alone")

    def chance(self, state: TalkState) -> tuple[tuple[int, Fraction], ...]:
        """A word that is not on the table yet; at last, which of them it is."""
        if len(state.deals) == self.words:
            return equally_likely(tuple(range(self.words)))
        return equally_likely(tuple(w for w in range(len(NAMES)) if w not in state.deals))

    def knows(self, deal: int, seat: int, state: TalkState) -> bool:
        """All know the table, the giver alone the word."""
        return deal < self.words or seat == GIVER

    def survey(self, state: TalkState, seat: int) -> Survey | None:
        """Return the question about the word, to the guesser."""
        if seat == GIVER or len(state.deals) <= self.words:
            return None
        options = tuple(NAMES[word] for word in state.deals[:-1])
        return Survey("Which word is it?", options, state.deals[-1])

    def left(self, state: TalkState) -> list[int]:
        """Return the places on the table whose words fit all clues and were not guessed."""
        given = {turn.act for turn in state.turns[::2]} - {None}
        guessed = {turn.act for turn in state.turns[1::2]}
        return [
            place
            for place, word in enumerate(state.deals[: self.words])
            if given <= self.clues_for(word) and len(ATTRIBUTES) + word not in guessed
        ]

    def redeal(self, state: TalkState, seat: int, rng: np.random.Generator) -> tuple[int, ...]:
        """Another word that fits, if the guesser is to move."""
        if seat == GIVER:
            return state.deals
        fitting = self.left(state)
        return (*state.deals[:-1], fitting[int(rng.integers(len(fitting)))])

    def returns(self, state: TalkState) -> tuple[float, ...]:
        """A cost of 1 for each clue, and the prize of a right guess, the same for both."""
        total = -float((len(state.turns) + 1) // 2)
        if state.turns and state.turns[-1].act == len(ATTRIBUTES) + state.deals[state.deals[-1]]:
            total += PRIZE
        return total, total

    def forbidden(self, state: TalkState) -> tuple[str, ...]:
        """Return the words that may not be said: the word itself, and its rarest attributes."""
        word = state.deals[state.deals[-1]]
        return NAMES[word], *(ATTRIBUTES[each] for each in rarest_first(word)[: self.taboo])

    def parse(self, state: TalkState, text: str) -> int | Move | None:  # type: ignore[override]
        """Return the move of a reply; None, too, for a clue that says a forbidden word."""
        move = super().parse(state, text)
        is_clue = isinstance(move, Move) and self.now(state).mover == GIVER
        return None if is_clue and says(move.words, self.forbidden(state)) else move  # type: ignore[union-attr]

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        clues = "1 clue" if self.clues == 1 else f"{self.clues} clues"
        rare = ("", ", and its rarest attribute", ", and its 2 rarest attributes")[self.taboo]
        return (
            "Taboo: the giver knows which word of the table it is and gives clues: what is true of "
            f"it. After each of at most {clues} the guesser guesses.\n"
            f"Not allowed: the word itself{rare}.\n"
            f"A right guess is worth {PRIZE:g} points to both, each clue costs both 1. "
            f"You are the {self.role(seat)}."
        )

    def holding(self, state: TalkState, seat: int) -> str:
        """Return the table, and to the giver the word and what may not be said."""
        table = ", ".join(NAMES[word] for word in state.deals[: self.words])
        said = f"On the table: {table}."
        if seat == GUESSER:
            return said
        word, *others = self.forbidden(state)
        return f"{said}\nYour word: {word}. Not allowed: {', '.join([word, *others])}."

    def result(self, state: TalkState, seat: int) -> str:
        """Return the word and the points."""
        word = NAMES[state.deals[state.deals[-1]]]
        return f"The word was: {word}. You get {self.returns(state)[seat]:g} points."

    def action_name(self, state: TalkState, action: int) -> str:
        """`animal`, or `guess cat`."""
        if action < len(ATTRIBUTES):
            return ATTRIBUTES[action]
        return f"guess {NAMES[action - len(ATTRIBUTES)]}"


def says(words: str, forbidden: Sequence[str]) -> bool:
    """Return True if a message has a word that begins with a forbidden one, or spells one.

    Example:
        >>> [says(text, ["cat"]) for text in ("It chases cats.", "C-A-T", "a vacation")]
        [True, True, False]
    """
    found = re.findall(r"[a-z]+", words.lower())
    spelled = "".join(each if len(each) == 1 else " " for each in found)
    return any(
        each in spelled or any(word.startswith(each) for word in found) for each in forbidden
    )


def named(words: str) -> list[int]:
    """Return the attributes that a message names, by their numbers."""
    said = set(re.findall(r"[a-z]+", words.lower()))
    return [place for place, name in enumerate(ATTRIBUTES) if name in said]


def clue(game: Taboo, state: TalkState) -> int:
    """Return the clue after which the fewest words are left; the first of equal ones."""
    turns = [turn._replace(act=None) if turn.words else turn for turn in state.turns]
    plain, counts = TalkState(state.deals, tuple(turns)), {}
    for act in game.legal(state):
        counts[act] = sum(act in game.clues_for(state.deals[place]) for place in game.left(plain))
    return min(counts, key=lambda act: (counts[act], act))


def believed(game: Taboo, state: TalkState) -> list[int]:
    """Return the places on the table to whose words the scripted giver gives just these clues.

    They are equally likely, so this is Bayes' rule for that giver, whose clues also say what it
    did not choose to say.
    """
    found = []
    for place in game.left(state):
        deals = (*state.deals[:-1], place)
        clues = range(0, len(state.turns), 2)
        if all(state.turns[n].act == clue(game, TalkState(deals, state.turns[:n])) for n in clues):
            found.append(place)
    return found


def scripted(game: Taboo, state: TalkState, seat: int) -> int | list[float]:
    """Give the clue that leaves the fewest words; guess by Bayes' rule for such a giver.

    After clues of other givers it guesses among the words that fit, and after free words among
    those that have the attributes named in them. In 1000 games a pair of it has 8.84 points of 9,
    the guesser has 8.34 after clues at random, and guesses at random have -0.21.
    """
    if seat == GIVER:
        return clue(game, state)
    places = game.left(state)
    if any(turn.words for turn in state.turns[::2]):
        said = {each for turn in state.turns[::2] for each in named(turn.words)}
        places = [p for p in places if said <= attributes_of(state.deals[p])] or places
    else:
        places = believed(game, state) or places
    acts = {len(ATTRIBUTES) + state.deals[place] for place in places}
    return [float(act in acts) / len(acts) for act in game.legal(state)]


class TabooEnv(TalkEnv):
    """One seat of taboo, with a given partner.

    Description:
        Twelve words are on the table; the giver knows which one it is, and gives clues, after each
        of which the guesser guesses. The word and its two rarest attributes must not be said. Both
        get the same points. With templates a clue is an attribute of the word by the table of
        `words.py`. Free clues are words of the giver's own; one that has a word which begins with a
        forbidden one, or spells it letter by letter, is no move.

    Reward:
        -1 for each clue, at once, and 10 for a right guess, for both seats.

    Arguments:
        words: On the table, 2 to 16; default 12.
        clues: The most that may be given, 1 to 3; default 3.
        taboo: Forbidden attributes, 0 to 2; default 2.
        messages: `templates` (default); `numbers`, the same as a numbered list; or `free`: clues in
            words of the giver's own, and words beside guesses, in the text view.

    Example:
        >>> env = TabooEnv(seat=0, opponent="scripted", messages="free", words=4)
        >>> print(env.reset(seed=1)[0])
        Taboo: the giver knows which word of the table it is and gives clues: what is true of it. After each of at most 3 clues the guesser guesses.
        Not allowed: the word itself, and its 2 rarest attributes.
        A right guess is worth 10 points to both, each clue costs both 1. You are the giver.
        On the table: tree, coat, eagle, hat.
        Your word: coat. Not allowed: coat, clothing, hot.
        Nothing is said yet.
        Reply <answer>words</answer>, or <answer>home</answer> or <answer>long</answer> or <answer>soft</answer>.
        >>> env.step("<answer>Better clothing for the cold.</answer>")[4]["void_turn"]
        True
        >>> env.step("<answer>Something long and soft.</answer>")[1]
        9.0

    Source:
        After the party game by Brian Hersch (1989). Language models in it: "Self-playing
        Adversarial Language Game Enhances LLM Reasoning" (2024, arXiv 2404.10642) has the
        adversarial form.
    """  # noqa: E501 (the example shows a text)

    rules_class = Taboo
