"""Twenty questions: best play by plain recursion, the bound of Shannon, truthful keepers."""

from functools import cache
from math import log2
from typing import Any

import numpy as np
import pytest

from helpers.games.positions import random_move
from zerogym.envs.games.core.game import TERMINAL, deal
from zerogym.envs.games.core.tabular_policy import expected_payoffs
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.best_response import best_response
from zerogym.envs.games.talk.core.messages import Move
from zerogym.envs.games.talk.question_tables import TABLES
from zerogym.envs.games.talk.twenty_questions import TwentyQuestions, TwentyQuestionsEnv

THINGS = TABLES["things"].answers


@cache
def best(rows: tuple[str, ...], questions: int) -> float:
    """The most points that a guesser can expect, summed over the things that are left."""
    value = 10.0  # guess one of them
    for place in range(8) if questions else ():
        parts = [tuple(row for row in rows if row[place] == bit) for bit in "01"]
        if all(parts):
            value = max(value, sum(best(part, questions - 1) for part in parts) - len(rows))
    return value


def reference(thing: str, talk: list[str]) -> float:
    """Points of a talk that is over, in words."""
    guess = talk[-1].removeprefix("guess ")
    return 10.0 * (guess == thing) - talk.count("yes") - talk.count("no")


@pytest.mark.parametrize(
    ("about", "things"),
    [("things", 2), ("things", 5), ("things", 16), ("cities", 5), ("cities", 16)],
)
def test_the_entropy_player_is_the_best_and_no_better_than_the_bound(
    about: str, things: int
) -> None:
    game, table = TwentyQuestions(things=things, about=about), TABLES[about]
    rule = scripted_policy(game)
    mean = expected_payoffs(game, [rule, rule])
    optimum = best(tuple(list(table.answers.values())[:things]), 8) / things
    assert mean == pytest.approx([optimum, optimum])
    assert 10 - optimum >= log2(things) - 1e-9
    assert len(set(table.answers.values())) == len(table.answers) == 16
    assert {len(row) for row in table.answers.values()} == {len(table.questions)} == {8}


def test_the_best_answer_of_the_solvers_is_that_of_the_recursion() -> None:
    for things, questions in ((4, 2), (8, 2), (4, 1)):
        game = TwentyQuestions(things=things, questions=questions)
        found = best_response(game, 0, scripted_policy(game))[1]
        expected = best(tuple(list(THINGS.values())[:things]), questions) / things
        assert found == pytest.approx(expected)


def test_talks_end_as_those_of_the_reference() -> None:
    game, rng = TwentyQuestions(things=6), np.random.default_rng(0)
    right = 0
    for _ in range(100):
        state, talk, before = deal(game, game.initial(), rng), [], (0.0, 0.0)
        thing = list(THINGS)[state.deals[0]]
        while game.to_move(state) != TERMINAL:
            act = random_move(game, state, rng)
            new = [a for a in game.legal(state) if a < 8]
            act = new[0] if new and rng.random() < 0.7 else act
            talk.append(game.action_name(state, act))
            state = game.apply(state, act)
            cost = game.returns(state)[0] - before[0]
            assert talk[-1].startswith("guess") or cost == (-1 if len(talk) % 2 else 0)
            before = game.returns(state)
        assert game.payoff(state) == (reference(thing, talk),) * 2
        right += game.payoff(state)[0] > 0 and len(talk) > 1
    assert right > 3


def test_a_keeper_answers_truly_and_free_questions_as_it_understands() -> None:
    free: Any = TwentyQuestions(messages="free")
    rule, rng = scripted_policy(free), np.random.default_rng(0)
    state = free.apply(free.initial(), list(THINGS).index("cat"))
    posed = free.apply(state, free.parse(state, "<answer>can it fly</answer>"))
    assert free.parse(posed, "<answer>yes</answer>") is None, "a cat does not fly"
    for words, answer in (
        ("Could I EAT it?", "no"), ("An animal, is it not?", "yes"),
        ("Does the animal fly?", "unclear"), ("Is it nice?", "unclear"),
    ):  # fmt: skip
        posed = free.apply(state, Move(None, words))
        act = rule.choose(posed, rng)
        assert free.action_name(posed, act) == answer
        after = free.apply(posed, act)
        assert free.left(after) == list(range(16)), "the rules cannot read free words"
        assert free.returns(after) == (-1.0, -1.0)
    assert free.parse(posed, "<answer>It is the cat [yes]</answer>") is None, "no hints"


def test_cities_have_questions_of_their_own() -> None:
    env = TwentyQuestionsEnv(seat=0, opponent="scripted", about="cities", messages="free")
    text, _ = env.reset(seed=0)
    assert "one of these: london, rio, tokyo" in text and "is it by the sea" in text
    text, *_ = env.step("<answer>In which... is it in Asia, perhaps?</answer>")
    city = env.game.names[env.get_state()["episode"].state.deals[0]]
    assert (
        f"[player 2: {'yes' if city in ('tokyo', 'manila', 'beijing', 'chennai') else 'no'}]"
        in text
    )
    assert env.step("<answer>can it fly</answer>")[0].startswith("You are guessing.")
    assert env.step(f"<answer>guess {city}</answer>")[1] == 10


def test_both_seats_have_roles_and_the_same_points() -> None:
    for seat, role in enumerate(("guesser", "keeper")):
        env = TwentyQuestionsEnv(seat=seat, opponent="scripted", questions=6)
        text, info = env.reset(seed=0)
        assert info["role"] == role and ("You hold" in text) == (role == "keeper")
        total, over = 0.0, False
        rule = scripted_policy(env.game)
        while not over:
            state = env.get_state()["episode"].state
            act = env.game.action_name(state, rule.choose(state, np.random.default_rng(0)))
            _, reward, over, _, info = env.step(f"<answer>{act}</answer>")
            total += reward
        assert info["role"] == role and info["welfare"] == 2 * total
        assert total in (5.0, 6.0, 7.0) and info["score"] == (total + 6) / 15
