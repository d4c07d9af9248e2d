"""Taboo: points of a scripted pair by a second implementation, forbidden words."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

from helpers.games.positions import after, names, random_move
from zerogym.envs.games.core.game import TERMINAL, deal
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.talk.core.messages import Move
from zerogym.envs.games.talk.taboo import Taboo, TabooEnv, believed, says
from zerogym.envs.games.talk.words import ATTRIBUTES, NAMES, WORDS

SETS = {word: set(line.split()) for word, line in WORDS.items()}
COUNTS = Counter(each for line in SETS.values() for each in line)


def allowed(word: str, taboo: int) -> list[str]:
    """The attributes of a word that may be said, in the order of the alphabet."""
    return sorted(sorted(SETS[word], key=lambda each: (COUNTS[each], each))[taboo:])


class Reference:
    """A giver that leaves the fewest words, and a guesser that knows it, in words."""

    def __init__(self, table: list[str], taboo: int, clues: int) -> None:
        self.table, self.clues = table, clues
        self.allowed = {word: allowed(word, taboo) for word in table}

    def left(self, given: list[str], wrong: list[str]) -> list[str]:
        return [
            word
            for word in self.table
            if word not in wrong and all(clue in self.allowed[word] for clue in given)
        ]

    def clue(self, word: str, given: list[str], wrong: list[str]) -> str:
        new = [each for each in self.allowed[word] if each not in given]
        return min(new, key=lambda each: len(self.left([*given, each], wrong)))

    def value(self, word: str, given: list[str], wrong: list[str]) -> float:
        """Expected points of what is still to come."""
        if len(given) == self.clues:
            return 0.0
        now = [*given, self.clue(word, given, wrong)]
        likely = [
            other
            for other in self.left(now, wrong)
            if all(self.clue(other, now[:n], wrong[:n]) == now[n] for n in range(len(now)))
        ]
        later = [
            10.0 if guess == word else self.value(word, now, [*wrong, guess]) for guess in likely
        ]
        return sum(later) / len(likely) - 1


def expected(game: Taboo, state: Any) -> float:
    """The points that the scripted pair expects from a state on, by its probabilities."""
    if game.to_move(state) == TERMINAL:
        return game.payoff(state)[0]
    row = scripted_policy(game).probabilities(state)
    moves = zip(game.legal(state), row, strict=True)
    return sum(p * expected(game, game.apply(state, act)) for act, p in moves if p)


@pytest.mark.parametrize(
    ("words", "clues", "taboo"), [(8, 3, 2), (16, 3, 2), (12, 2, 0), (16, 1, 1)]
)
def test_the_scripted_pair_has_the_points_of_the_reference(
    words: int, clues: int, taboo: int
) -> None:
    game, rng, values = Taboo(words=words, clues=clues, taboo=taboo), np.random.default_rng(0), []
    for _ in range(12):
        state = deal(game, game.initial(), rng)
        table = [NAMES[word] for word in state.deals[:-1]]
        other = Reference(table, taboo, clues)
        values.append(expected(game, state))
        assert values[-1] == pytest.approx(other.value(table[state.deals[-1]], [], []))
    assert min(values) < 9 and np.mean(values) > 5


def test_clues_also_say_what_the_giver_did_not_choose_to_say() -> None:
    """A guesser by Bayes' rule does better than one that takes clues for what they mean."""
    game, rng, sharper, points = Taboo(words=16), np.random.default_rng(0), 0, [0.0, 0.0]
    rule = scripted_policy(game)
    for _ in range(40):
        start = deal(game, game.initial(), rng)
        state = game.apply(start, rule.choose(start, rng))
        left, likely = game.left(state), believed(game, state)
        survey = game.survey(state, 1)
        assert survey is not None and survey.answer in likely and set(likely) <= set(left)
        assert survey.options[survey.answer] == NAMES[start.deals[start.deals[-1]]]
        sharper += len(likely) < len(left)
        points = [points[0] + 1 / len(left), points[1] + 1 / len(likely)]
    assert sharper > 5 and points[1] > points[0] + 2


def test_the_word_is_in_no_observation_of_the_guesser() -> None:
    game, rng, changed = Taboo(), np.random.default_rng(0), 0
    for _ in range(20):
        state = deal(game, game.initial(), rng)
        while game.to_move(state) != TERMINAL:
            other = game.resample(state, 1, rng)
            changed += other != state
            assert game.describe(other, 1) == game.describe(state, 1) or game.to_move(state) == 0
            assert game.situation(other, 1) == game.situation(state, 1)
            assert (game.observe(other, 1) == game.observe(state, 1)).all()
            own, *others = game.forbidden(state)
            assert f"Your word: {own}." in game.situation(state, 0)
            assert set(others) == SETS[own] - set(allowed(own, 2))
            state = game.apply(state, random_move(game, state, rng))
    assert changed > 20


def test_a_clue_with_a_forbidden_word_is_no_move() -> None:
    game = Taboo(messages="free", words=2, taboo=1)
    state = deal(game, game.initial(), np.random.default_rng(2))
    word, rare = game.forbidden(state)
    for clue in (
        f"It is a {word}.", f"{word.upper()}S", " ".join(word), "-".join(rare), f"very {rare}ish",
        f"[{rare}]", rare, f"nice [{rare}]",
    ):  # fmt: skip
        assert game.parse(state, f"<answer>{clue}</answer>") is None, clue
    fair = names(game, state)[0]
    assert game.parse(state, f"<answer>{fair}</answer>") == game.legal(state)[0]
    assert game.parse(state, f"<answer>{word} [{fair}]</answer>") is None
    move = game.parse(state, f"{word}! <answer>so {fair} a thing</answer>")
    assert move == Move(None, f"so {fair} a thing"), "outside of the tag it reaches nobody"
    assert not says("a vacation with a hat", ["cat", "at"]) and says("a h a t", ["hat"])


def test_free_clues_are_understood_by_the_attributes_that_they_name() -> None:
    env: Any = TabooEnv(seat=0, opponent="scripted", messages="free", words=6)
    right = 0
    for seed in range(12):
        env.reset(seed=seed)
        state = env.get_state()["episode"].state
        clue = " and ".join(names(env.game, state))
        _, reward, over, _, info = env.step(f"<answer>It is {clue}, I would say.</answer>")
        right += over and reward == 9
        assert info["role"] == "giver" and reward in (9, -1)
    assert right >= 10


def test_every_word_has_its_own_attributes() -> None:
    assert len({frozenset(each) for each in SETS.values()}) == len(NAMES) == 48
    assert min(map(len, SETS.values())) == 5 and not set(NAMES) & set(ATTRIBUTES)
    game = Taboo(words=2)
    state = game.initial()
    for deal_number in (NAMES.index("cat"), NAMES.index("sun"), 0):
        state = game.apply(state, deal_number)
    state = after(game, ["home", "guess sun", "animal", "guess cat"], state)
    assert game.payoff(state) == (8, 8) and math.isclose(game.payoff_range[1], 9)
