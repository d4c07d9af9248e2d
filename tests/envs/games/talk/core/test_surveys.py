"""Beliefs after messages: Bayes' rule by hand and by counting, scores that telescope."""

from math import log
from typing import Any

import numpy as np
import pytest

from helpers.games.positions import after
from zerogym.envs.games.core.tabular_policy import TabularPolicy, information_sets
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.talk.core.messages import Move
from zerogym.envs.games.talk.core.surveys import Survey, exact_belief
from zerogym.envs.games.talk.trust_and_split import HANDS, TrustAndSplit
from zerogym.envs.games.talk.twenty_questions import TwentyQuestions
from zerogym.envs.games.talk.ultimatum import Ultimatum

GAME = TrustAndSplit()
ROCK, PAPER, SCISSORS = range(3)


def mostly_honest(share: float) -> TabularPolicy:
    """A player that names its hand with this probability, and else each other one alike."""
    table = {}
    for key, (state, *_) in information_sets(GAME).items():
        acts = GAME.legal(state)
        if acts[0] >= len(GAME.claims):
            hand = state.deals[-2 + GAME.to_move(state)]
            names = [share if hand == h else (1 - share) / 2 for h in range(3)]
            table[key] = (*names, 0.0)
    return TabularPolicy(GAME, table)


def spoken_by_the_first(hand: int) -> Any:
    """The first seat has scissors, the second paper; the first has named a hand."""
    state = GAME.apply(GAME.apply(GAME.initial(), SCISSORS), PAPER)
    return after(GAME, [f"my hand is {HANDS[hand]}"], state)


@pytest.mark.parametrize("share", [0.2, 0.6, 1.0])
def test_a_listener_weighs_honest_and_false_names(share: float) -> None:
    profile = [mostly_honest(share)] * 2
    lie = (1 - share) / 2
    for named, expected in (
        (SCISSORS, (lie, 0.0, share)),  # the listener holds paper: it is rock or scissors
        (ROCK, (share, 0.0, lie)),
        (PAPER, (lie, 0.0, lie)),  # a lie for certain, so both others stay alike
    ):
        state = spoken_by_the_first(named)
        if sum(expected) == 0:
            with pytest.raises(ValueError, match="never lead"):
                exact_belief(GAME, state, 1, profile)
            continue
        found = exact_belief(GAME, state, 1, profile)
        assert found == pytest.approx([p / sum(expected) for p in expected])
    mute = [uniform_policy(GAME)] * 2
    assert exact_belief(GAME, spoken_by_the_first(ROCK), 1, mute) == pytest.approx((0.5, 0, 0.5))


def test_the_guesser_believes_in_what_is_left_and_scores_telescope() -> None:
    game = TwentyQuestions()
    rule, rng = scripted_policy(game), np.random.default_rng(0)
    state = game.apply(game.initial(), 5)
    scores = []
    while game.to_move(state) == 0 and game.survey(state, 0):
        belief = exact_belief(game, state, 0, [rule, rule])
        left = game.left(state)
        assert belief == pytest.approx([(n in left) / len(left) for n in range(16)])
        survey = game.survey(state, 0)
        assert survey is not None and game.survey(state, 1) is None
        scores.append(survey.score(belief))
        for _ in range(2):
            state = game.apply(state, rule.choose(state, rng))
            if state.turns[-1].act is not None and 8 <= state.turns[-1].act < 24:
                break
        else:
            continue
        break
    assert scores[0] == pytest.approx(-log(16)) and scores[-1] == pytest.approx(0)
    assert np.diff(scores).min() >= 0, "true answers never lower the belief in the thing"
    assert np.diff(scores).sum() == pytest.approx(scores[-1] - scores[0])


def test_a_belief_is_read_or_refused() -> None:
    survey = Survey("Which?", HANDS, ROCK)
    assert survey.read("50%, 25%, 25%") == (0.5, 0.25, 0.25)
    for wrong in (
        "",
        "1 2",
        "1 2 3 4",
        "a b c",
        "-1 1 1",
        "nan 1 1",
        "0 0 0",
        "1e9 1 1",
        "9" * 10**7,
    ):
        assert survey.read(wrong) is None
    assert survey.score((0.5, 0.25, 0.25)) == pytest.approx(log(0.5))
    assert survey.score((0.0, 0.5, 0.5)) == pytest.approx(log(1e-6))
    for bad in ((1.0,), (0.5, 0.5, 0.5), (2.0, -1.0, 0.0), (float("nan"), 0.5, 0.5)):
        with pytest.raises(ValueError, match="3 probabilities"):
            survey.score(bad)
    assert survey.request.endswith("in the order rock, paper, scissors.")


def test_words_and_games_without_secrets_have_no_exact_belief() -> None:
    plain = Ultimatum()
    with pytest.raises(ValueError, match="no exact belief"):
        exact_belief(plain, plain.initial(), 0, [uniform_policy(plain)] * 2)
    state = GAME.apply(GAME.apply(GAME.initial(), 0), 1)
    said = GAME.apply(state, Move(None, "trust me"))
    with pytest.raises(ValueError, match="no exact belief"):
        exact_belief(GAME, said, 1, [uniform_policy(GAME)] * 2)
