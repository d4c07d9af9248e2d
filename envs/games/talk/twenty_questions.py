"""Twenty questions: one seat poses yes-no questions about a thing that the other one holds.

The things and their properties are a table of this file, so that an answer is right or wrong. Left
out: things outside of the table, and answers that are wrong (a keeper's wrong answer is no move).
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log2
from typing import ClassVar

import numpy as np

from zerogym.envs.games.core.game import CHANCE, equally_likely
from zerogym.envs.games.core.parameters import check_choice, check_number
from zerogym.envs.games.talk.core.env import TalkEnv
from zerogym.envs.games.talk.core.rules import OVER, Phase, TalkGame, TalkState
from zerogym.envs.games.talk.core.surveys import Survey
from zerogym.envs.games.talk.question_tables import TABLES, Table

GUESSER, KEEPER = 0, 1
QUESTIONS = 8  # of a table
MOST = 16  # things of a table
PRIZE = 10.0  # of a right guess, for both; each question costs 1
YES, NO, UNCLEAR = range(3)  # after questions and guesses


@dataclass(frozen=True)
class TwentyQuestions(TalkGame):
    """The rules; `TwentyQuestionsEnv` has them in words.

    Acts: the questions, a guess for each thing, then yes, no and unclear.

    Attributes:
        things: The first so many of the table, 2 to 16.
        questions: The most that may be posed, 1 to 20.
        about: `things` or `cities`, a table of `question_tables.py`.
    """

    things: int = 16
    questions: int = 8
    about: str = "things"
    name: ClassVar[str] = "twenty_questions"
    perfect_information: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse other numbers."""
        super().__post_init__()
        check_number("things", self.things, 2, MOST)
        check_number("questions", self.questions, 1, 20)
        check_choice("about", self.about, list(TABLES))

    @property
    def table(self) -> Table:
        """The questions, and the answers for each thing."""
        return TABLES[self.about]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The things."""
        return tuple(self.table.answers)[: self.things]

    @property
    def num_actions(self) -> int:
        """Questions, guesses and answers."""
        return QUESTIONS + self.things + 3

    @property
    def max_turns(self) -> int:
        """Questions and answers, and a guess."""
        return 2 * self.questions + 1

    @property
    def deal_sizes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The thing."""
        return (self.things,)

    @property
    def small(self) -> bool:
        """Few things and questions."""
        courses = self.things**2
        for made in range(min(self.questions, QUESTIONS)):
            courses *= QUESTIONS - made
        return courses < 10_000

    @property
    def payoff_range(self) -> tuple[float, float]:
        """All questions and a wrong guess, or a right guess after one question."""
        return -float(self.questions), PRIZE - 1

    def role(self, seat: int) -> str:
        """`guesser` or `keeper`."""
        return ("guesser", "keeper")[seat]

    def phase(self, state: TalkState) -> Phase:
        """A thing is drawn; then new questions, each answered, and after the first one guess."""
        if not state.deals:
            return Phase(CHANCE)
        made, first = len(state.turns), QUESTIONS + self.things
        if made % 2:
            question = state.turns[-1].act
            if question is None:
                return Phase(KEEPER, (first + YES, first + NO, first + UNCLEAR), words="none")
            if question >= QUESTIONS:
                return OVER
            answer = YES if self.answer(state.deals[0], question) else NO
            return Phase(KEEPER, (first + answer,), words="none")
        guesses = range(QUESTIONS, first)
        if made == 2 * self.questions:
            return Phase(GUESSER, tuple(guesses), words="beside")
        posed = {turn.act for turn in state.turns}
        new = (number for number in range(QUESTIONS) if number not in posed)
        return Phase(GUESSER, (*new, *(guesses if made else ())), words="alone")

    def chance(self, state: TalkState) -> tuple[tuple[int, Fraction], ...]:
        """The thing, all equally likely."""
        return equally_likely(tuple(range(self.things)))

    def knows(self, deal: int, seat: int, state: TalkState) -> bool:
        """The keeper alone."""
        return seat == KEEPER

    def survey(self, state: TalkState, seat: int) -> Survey | None:
        """Return the question about the thing, to the guesser."""
        if seat == KEEPER or not state.deals:
            return None
        return Survey("Which thing is it?", self.names, state.deals[0])

    def answer(self, thing: int, question: int) -> bool:
        """Return the true answer to a question, by their numbers."""
        return self.table.answers[self.names[thing]][question] == "1"

    def left(self, state: TalkState) -> list[int]:
        """Return the things that fit the answers to the questions of the table."""
        found = list(range(self.things))
        for number in range(0, len(state.turns) - 1, 2):
            question, answer = state.turns[number].act, state.turns[number + 1].act
            if question is not None:
                yes = answer == QUESTIONS + self.things + YES
                found = [thing for thing in found if self.answer(thing, question) == yes]
        return found

    def redeal(self, state: TalkState, seat: int, rng: np.random.Generator) -> tuple[int, ...]:
        """Another thing that fits the answers, if the guesser is to move."""
        if seat != GUESSER:
            return state.deals
        fitting = self.left(state)
        return (fitting[int(rng.integers(len(fitting)))],)

    def returns(self, state: TalkState) -> tuple[float, ...]:
        """A cost of 1 for each question, and the prize of a right guess, the same for both."""
        if not state.turns:
            return 0.0, 0.0
        last, made = state.turns[-1], (len(state.turns) + 1) // 2
        guess = None if last.act is None else last.act - QUESTIONS
        if last.seat == KEEPER or guess is None or guess < 0:
            return -float(made), -float(made)
        total = PRIZE * (guess == state.deals[0]) - (made - 1)
        return total, total

    def rules(self, seat: int) -> str:
        """The rules in four lines."""
        return (
            f"Twenty questions: the keeper holds one of these: {', '.join(self.names)}.\n"
            f"The guesser poses 1 to {self.questions} yes-no questions, which the keeper "
            "answers truly, and guesses once.\nA right guess is worth "
            f"{PRIZE:g} points to both, each question costs both 1. You are the {self.role(seat)}."
        )

    def holding(self, state: TalkState, seat: int) -> str:
        """Return the keeper's thing; the guesser has none."""
        return f"You hold: {self.names[state.deals[0]]}." if seat == KEEPER else "You are guessing."

    def choices(self, state: TalkState) -> str:
        """The questions that are new, and the form of a guess; or the answers."""
        phase = self.now(state)
        if phase.mover == KEEPER:
            free = " or ".join(f"<answer>{name}</answer>" for name in ("yes", "no"))
            return f"{free}{', or <answer>unclear</answer>' if len(phase.acts) > 1 else ''}"
        new = [self.table.questions[act] for act in phase.acts if act < QUESTIONS]
        guess = "<answer>guess THING</answer>"
        if not new:
            return guess
        text = f"<answer>QUESTION</answer>, one of: {', '.join(new)}"
        return f"{text}; or {guess}" if state.turns else text

    def result(self, state: TalkState, seat: int) -> str:
        """Return the thing and the points."""
        return (
            f"It was: {self.names[state.deals[0]]}. You get {self.returns(state)[seat]:g} points."
        )

    def action_name(self, state: TalkState, action: int) -> str:
        """`is it alive`, `guess cat`, `yes`, `no` or `unclear`."""
        if action < QUESTIONS:
            return self.table.questions[action]
        guess = action - QUESTIONS
        return (
            f"guess {self.names[guess]}"
            if guess < self.things
            else (("yes", "no", "unclear")[guess - self.things])
        )


def information(game: TwentyQuestions, things: list[int], question: int) -> float:
    """Return the entropy of an answer in bits, with all things equally likely: 0 to 1.

    Example:
        >>> information(TwentyQuestions(), [0, 1, 2, 3], 0)  # eagle and oak are alive, of four
        1.0
    """
    share = sum(game.answer(thing, question) for thing in things) / len(things)
    return -sum(p * log2(p) for p in (share, 1 - share) if p > 0)


def scripted(game: TwentyQuestions, state: TalkState, seat: int) -> int:
    """Pose the question whose answer has the most bits, and guess when one thing is left.

    The keeper answers truly; to a question in free words if it has just one word of the table's
    questions, else `unclear`. With it the guesser finds one of 16 things by 4.125 questions on
    average and one of 16 cities by 4, where no strategy can do with fewer than log2(16) = 4.
    """
    acts = game.legal(state)
    if seat == KEEPER:
        if len(acts) == 1:
            return acts[0]
        words = set(re.findall(r"[a-z]+", state.turns[-1].words.lower()))
        named = [number for number, word in enumerate(game.table.keywords) if word in words]
        if len(named) != 1:
            return acts[UNCLEAR]
        return acts[YES if game.answer(state.deals[0], named[0]) else NO]
    things = game.left(state)
    new = [act for act in acts if act < QUESTIONS]
    if len(things) == 1 or not new:
        return QUESTIONS + things[0]
    return max(new, key=lambda act: information(game, things, act))


class TwentyQuestionsEnv(TalkEnv):
    """One seat of twenty questions, with a given partner.

    Description:
        The keeper holds one of the listed things; the guesser poses yes-no questions and guesses
        once. Both get the same points, so it is a game of two partners. The keeper answers truly:
        a wrong answer to a question of the table is no move. The best questions halve what is left:
        nobody finds one of n things by fewer than log2 n questions on average.

    Reward:
        -1 for each question, at once, and 10 at the end for a right guess, for both seats.

    Arguments:
        things: How many things the keeper may hold, 2 to 16; default 16.
        questions: The most that may be posed, 1 to 20, and at least one is; default 8.
        about: `things` (default), or `cities`, of which the questions are of geography.
        messages: `templates` (default), or `free`: questions in words of the guesser's own, which
            the keeper answers by yes, no or unclear; in the text view.

    Example:
        >>> env = TwentyQuestionsEnv(seat=0, opponent="scripted", messages="free", things=4)
        >>> print(env.reset(seed=0)[0])
        Twenty questions: the keeper holds one of these: eagle, ship, candy, oak.
        The guesser poses 1 to 8 yes-no questions, which the keeper answers truly, and guesses once.
        A right guess is worth 10 points to both, each question costs both 1. You are the guesser.
        You are guessing.
        Nothing is said yet.
        Reply <answer>words</answer>, or <answer>QUESTION</answer>, one of: is it alive, is it an animal, can it fly, is it found in water, can one eat it, is it of metal, can one ride in it or on it, does it fit in a hand.
        >>> text = env.step("Half of them live. <answer>Would you call it alive?</answer>")[0]
        >>> print(text.partition("Reply")[0].rstrip())
        You are guessing.
        [you] Would you call it alive?
        [player 2: no]
        >>> env.step("<answer>can one eat it</answer>")[1]
        -1.0
        >>> env.step("<answer>guess candy</answer>")[1]
        10.0

    Source:
        "LMRL Gym: Benchmarks for Multi-Turn Reinforcement Learning with Language Models" (2023,
        arXiv 2311.18232) has this game and that of cities, on which "ArCHer" (2024, arXiv 2402.19446) trains. The
        bound: Shannon, "A Mathematical Theory of Communication" (1948).
    """  # noqa: E501 (the example shows a text)

    rules_class = TwentyQuestions
