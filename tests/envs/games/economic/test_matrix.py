"""Matrix games: payoffs, histories, and solutions in closed form."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from zerogym.envs.games.core.game import TERMINAL, load_game
from zerogym.envs.games.core.seat_views import MAX_OBSERVATION, first_message
from zerogym.envs.games.core.tabular_policy import (
    TabularPolicy,
    expected_payoffs,
    information_sets,
    layers,
)
from zerogym.envs.games.economic.matrix import MatrixGame, MatrixGameEnv, scripted
from zerogym.envs.games.economic.payoffs import MATRICES
from zerogym.envs.games.opponents.registry import opponent_names, uniform_policy
from zerogym.envs.games.opponents.scripted import scripted_policy
from zerogym.envs.games.solvers.best_response import best_response, exploitability, nash_conv
from zerogym.envs.games.solvers.cfr import CFRPlus, cfr_equilibrium
from zerogym.errors import UnknownName

ONCE = {name: MatrixGame(name, rounds=1) for name in MATRICES}


def always(game: MatrixGame, action: int) -> TabularPolicy:
    row = tuple(float(a == action) for a in range(game.num_actions))
    return TabularPolicy(game, dict.fromkeys(information_sets(game), row))


def test_public_goods_double_what_is_given() -> None:
    for choice in product((0, 1), repeat=3):
        pot = sum(3 for action in choice if action == 0)
        expected = [2 * pot / 3 + 3 * action for action in choice]
        assert list(ONCE["public_goods"].payoff(choice)) == pytest.approx(expected)


def test_in_a_dilemma_to_defect_is_best_whatever_the_others_do_and_worst_for_all() -> None:
    for name in ("prisoners_dilemma", "public_goods"):
        cells = ONCE[name].cells
        for joint, payoffs in cells.items():
            for seat, action in enumerate(joint):
                if action == 0:
                    other = (*joint[:seat], 1, *joint[seat + 1 :])
                    assert cells[other][seat] > payoffs[seat]
        seats = ONCE[name].num_seats
        assert cells[(0,) * seats] > cells[(1,) * seats]


def test_states_are_sequences_of_actions() -> None:
    game = MatrixGame("rock_paper_scissors", rounds=2)
    assert [len(layer) for layer in layers(game)] == [1, 3, 9, 27, 81]
    assert len(information_sets(game)) == 2 * (1 + 9)
    assert game.enumerable
    assert not MatrixGame("prisoners_dilemma", rounds=7).enumerable


def test_payoffs_are_summed_over_rounds() -> None:
    game = MatrixGame("prisoners_dilemma", rounds=3)
    state = (0, 0, 1, 0, 1, 1)
    assert game.to_move(state) == TERMINAL
    assert game.payoff(state) == (3 + 5 + 1, 3 + 0 + 1)
    assert game.payoff_range == (0, 15)


def test_zero_sum_equilibria_are_uniform() -> None:
    for name in ("rock_paper_scissors", "matching_pennies"):
        strategy = cfr_equilibrium(ONCE[name])
        for row in strategy.table.values():
            assert row == pytest.approx([1 / len(row)] * len(row), abs=1e-3)
        assert exploitability(ONCE[name], uniform_policy(ONCE[name])) == 0


def test_nash_conv_of_the_dilemma_is_that_of_hand() -> None:
    game = ONCE["prisoners_dilemma"]
    assert nash_conv(game, always(game, 1)) == 0
    assert nash_conv(game, always(game, 0)) == 2 * (5 - 3)
    assert nash_conv(game, uniform_policy(game)) == pytest.approx(2 * (3 - 2.25))


def test_solvers_say_what_they_need() -> None:
    with pytest.raises(ValueError, match="zero sums"):
        CFRPlus(ONCE["prisoners_dilemma"])
    with pytest.raises(ValueError, match="too many states"):
        information_sets(MatrixGame("prisoners_dilemma", rounds=9))
    assert "cfr" not in opponent_names(load_game("prisoners_dilemma"))
    assert "cfr" in opponent_names(load_game("matching_pennies"))


def test_tit_for_tat_copies() -> None:
    game = MatrixGame("prisoners_dilemma", rounds=3)
    assert scripted(game, (), 0) == [1.0, 0.0]
    assert scripted(game, (0, 1), 0) == [0.0, 1.0]
    assert scripted(game, (0, 1, 0), 1) == [1.0, 0.0], "the move of this round is not seen"
    three = MatrixGame("public_goods", rounds=3)
    assert scripted(three, (1, 1, 0), 0) == [1.0, 0.0], "of equally many the first"
    assert scripted(three, (1, 1, 0), 2) == [0.0, 1.0]


def test_fictitious_play_answers_past_actions() -> None:
    game = MatrixGame("rock_paper_scissors", rounds=4)
    assert scripted(game, (), 0) == pytest.approx((1 / 3,) * 3)
    assert scripted(game, (0, 2), 0) == [1.0, 0.0, 0.0], "rock beats scissors"
    assert scripted(game, (0, 2), 1) == [0.0, 1.0, 0.0], "paper beats rock"
    pennies = MatrixGame("matching_pennies", rounds=2)
    assert scripted(pennies, (0, 1), 0) == [0.0, 1.0], "the first seat wants equal sides"
    assert scripted(pennies, (0, 1), 1) == [0.0, 1.0]


def test_two_tit_for_tats_cooperate_and_the_best_answer_betrays_them_last() -> None:
    game = MatrixGame("prisoners_dilemma", rounds=5)
    rule = scripted_policy(game)
    assert expected_payoffs(game, [rule, rule]).tolist() == [15, 15]
    assert best_response(game, 0, rule)[1] == 4 * 3 + 5


def test_any_matrix_can_be_given_as_json() -> None:
    env = MatrixGameEnv(
        name="chicken", actions=["dare", "swerve"], rounds=1, seat=1,
        payoffs=[[[0, 0], [7, 2]], [[2, 7], [6, 6]]],
    )  # fmt: skip
    text, _ = env.reset(seed=0)
    assert text.splitlines()[:2] == [
        "Chicken, once: all players choose at the same time.", "Your points (theirs):",
    ]  # fmt: skip
    assert text.splitlines()[2] == "dare: 0 (0) against dare; 7 (2) against swerve."
    assert env.game.payoff((0, 1)) == (7, 2)
    assert not env.game.zero_sum
    assert env.step("swerve")[1] in (2, 6)


def test_points_so_far_are_described() -> None:
    game = load_game("prisoners_dilemma", rounds=3)
    assert "Points" not in game.describe((0,), 1)
    assert game.describe((0, 1, 1, 1, 0), 1) == (
        "You are player 2. Rounds so far, you first: defect cooperate; defect defect.\n"
        "Points: you 6, opponent 1.\n"
        "Round 3 of 3. Reply <answer>cooperate</answer> or <answer>defect</answer>."
    )
    assert game.describe((0, 1, 1, 1, 0, 0), 0).endswith("\nPoints: you 4, opponent 9.")
    three = load_game("public_goods", rounds=1)
    assert three.describe((1, 0, 0), 1).endswith("\nPoints: you 4, others 4, 7.")


def test_the_rules_say_that_points_add_up() -> None:
    rules = load_game("prisoners_dilemma").rules(0)
    assert rules.startswith("Prisoners dilemma, 5 rounds, whose points add up: all players")


@pytest.mark.parametrize(
    "wrong",
    [
        {"rounds": 0},
        {"rounds": 1000},
        {"actions": ("a", "b", "c")},
        {"actions": ("a", "A")},
        {"actions": ("a", "")},
        {"actions": ("a", "b.")},  # a reply of `b.` is read as `b`
        {"actions": ("a", "(b)")},
        {"actions": ("a", " b")},
        {"actions": ("a", "b\nc")},
        {"actions": ("a", "b" * 65)},
        {"actions": ("a", 1)},
        {"actions": 2},
        {"actions": ("a", "b"), "payoffs": ((1, 2), (3, 4))},
        {"actions": tuple("abcdef"), "payoffs": (((0, 0),) * 6,) * 6},
    ],
)
def test_what_is_no_game_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"rounds|actions"):
        MatrixGame(**wrong)
    with pytest.raises(UnknownName, match="stag_hunt"):
        MatrixGame("stag_hut")


@pytest.mark.parametrize(
    "payoffs",
    [
        3, "x", None, {"a": 1}, ((1, 2), (3, 4)), (((0, 0), (1, 1)), ((1, 1),)),
        ((("x", 0), (0, 5)), ((5, 0), (1, 1))), (((3, 3), (3, 3)), ((3, 3), (3, 3))),
        (((float("nan"), 3), (0, 5)), ((5, 0), (1, 1))), (((None, 3), (0, 5)), ((5, 0), (1, 1))),
        (((float("inf"), 3), (0, 5)), ((5, 0), (1, 1))),
    ],
)  # fmt: skip
def test_payoffs_without_a_worst_and_a_best_are_refused(payoffs: Any) -> None:
    with pytest.raises(ValueError, match="payoffs of new must be"):
        MatrixGame("new", actions=("a", "b"), payoffs=payoffs or ((0,),))


def test_games_that_take_too_many_words_are_refused() -> None:
    names = tuple(letter * 60 for letter in "abcde")
    cell = ((-1234567.5, 7654321.5),) * 5
    with pytest.raises(ValueError, match="shorter names"):
        MatrixGame("new", rounds=9, actions=names, payoffs=(cell,) * 5)
    short = MatrixGame("new", rounds=9, actions=tuple("abcde"), payoffs=(cell,) * 5)
    played = (0,) * short.rounds * 2
    assert len(first_message(short, played, 1)) <= MAX_OBSERVATION


def test_a_seat_that_waits_knows_its_own_choice() -> None:
    game = MatrixGame("prisoners_dilemma", rounds=2)
    assert game.describe((1,), 0).endswith("You chose defect.")
    assert game.info_key((1,), 0) == "0:1" != game.info_key((0,), 0)
    assert not np.array_equal(game.observe((1,), 0), game.observe((0,), 0))
    assert game.info_key((1,), 1) == game.info_key((0,), 1) == "1:"


def test_the_first_seat_of_the_vector_is_ones_own() -> None:
    game = MatrixGame("public_goods", rounds=2)
    vector = game.observe((0, 1, 1, 1), 1)
    assert vector[:3].tolist() == [0, 1, 0]
    assert vector[3:9].tolist() == [0, 1, 0, 1, 1, 0], "own, next, first"
    assert not vector[9:].any()
    assert np.array_equal(game.observe((0, 1, 1, 0), 1), vector), "of this round nothing is seen"
