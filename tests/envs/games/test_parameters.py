"""Parameters of all games: errors name what is refused, and texts of the largest games fit."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from helpers.games.positions import OURS
from zerogym.envs.games.core.game import deal, load_game
from zerogym.envs.games.core.seat_views import MAX_OBSERVATION, first_message, retry_message
from zerogym.errors import UnknownName

FIELDS = [
    (game.name, field.name)
    for game in OURS
    for field in dataclasses.fields(load_game(game.name))  # type: ignore[type-var]
    if field.name != "name"
]
NUMBERS = [(game, field) for game, field in FIELDS if type(getattr(load_game(game), field)) is int]
NO_PARAMETER: tuple[Any, ...] = (
    "x", "3", b"1", 2.5, float("nan"), float("inf"), -1, 10**9, 10**30, (-1,), (2.5,), ("a",),
    (10**9,), [1, [2]], {"a": 1}, object(),
)  # fmt: skip
LARGEST: tuple[tuple[str, dict[str, Any]], ...] = (
    ("kuhn_poker", {"players": 3}),
    ("kuhn_match", {"rounds": 12}),
    ("nim", {"heaps": (99,) * 26}),
    ("liars_dice", {"dice_sides": 20}),
    ("goofspiel", {"num_cards": 13, "points_order": "random"}),
    ("blotto", {"coins": 8, "fields": 7}),
    ("pig", {"winscore": 1000, "horizon": 1_000_000, "diceoutcomes": 100}),
    ("prisoners_dilemma", {"rounds": 54}),
    ("dots_and_boxes", {"num_rows": 9, "num_cols": 9}),
    ("hex", {"board_size": 11}),
    ("first_sealed_auction", {"players": 10, "max_value": 1000}),
    ("battleship", {"board_width": 6, "board_height": 6, "num_shots": 36}),
    ("talking_dilemma", {"rounds": 10, "points": (99, 0, 100, 98)}),
    ("trust_and_split", {"rounds": 6, "talks": 2, "claims": tuple(range(11))}),
    ("deal_or_no_deal", {"counts": (4, 4, 4, 4), "total": 20, "turns": 10}),
    ("simple_negotiation", {"kinds": 5, "stock": 20, "most": 5, "turns": 12}),
    ("twenty_questions", {"things": 16, "questions": 20}),
    ("red_team", {"words": 8}),
    ("spy", {"players": 6, "rounds": 3, "places": 4, "colours": 4, "shapes": 4, "changes": 4}),
    ("twenty_questions", {"about": "cities", "questions": 20}),
    ("taboo", {"words": 16, "taboo": 0}),
    ("codenames_mini", {"words": 16, "own": 6, "clues": 4}),
    ("backgammon", {"hyper_backgammon": False, "scoring_type": "full_scoring"}),
    ("hanabi", {"players": 5, "hand_size": 5, "max_life_tokens": 10}),
    ("overcooked_mini", {"layout": "ring", "horizon": 400, "onions": 3, "cook_time": 20}),
)

# Just outside the limits, the first parameter is named.
BEYOND: tuple[tuple[str, tuple[dict[str, Any], ...]], ...] = (
    ("kuhn_match", ({"rounds": 0}, {"rounds": 13})),
    ("nim", tuple({"heaps": heaps} for heaps in ((), (0,), (1, -2), (100,), (1,) * 27, (True,)))),
    ("liars_dice", ({"dice_sides": 1}, {"dice_sides": 21})),
    ("goofspiel", ({"num_cards": 1}, {"num_cards": 14})),
    ("blotto", ({"coins": 0}, {"fields": 1}, {"fields": 9}, {"coins": 100, "fields": 4})),
    ("pig", ({"winscore": 0}, {"horizon": 0}, {"diceoutcomes": 1})),
    ("dots_and_boxes", ({"num_rows": 0}, {"num_cols": 10})),
    ("hex", ({"board_size": 1}, {"board_size": 12})),
    ("breakthrough", ({"rows": 2}, {"rows": 9}, {"columns": 1}, {"columns": 9})),
    ("first_sealed_auction", ({"players": 1}, {"players": 11}, {"max_value": 0})),
    ("battleship", ({"board_width": 7}, {"board_height": 0}, {"num_shots": 0}, {"num_shots": 17})),
    ("battleship", tuple({"ship_sizes": sizes} for sizes in ((), (0,), (5,), (2, 2, 2, 2)))),
    ("ultimatum", ({"coins": 0}, {"coins": 31}, {"messages": "poems"})),
    ("talking_dilemma", ({"rounds": 0}, {"rounds": 11}, {"points": (3, 0, 5)})),
    ("talking_dilemma", ({"points": (5, 0, 3, 1)}, {"points": (3, 2, 5, 1)}, {"talks": 2})),
    ("red_team", ({"words": 1}, {"words": 9}, {"benign": 1})),
    ("trust_and_split", ({"rounds": 7}, {"talks": 3}, {"claims": (0,)}, {"claims": (5, 0)})),
    ("deal_or_no_deal", ({"counts": (5,)}, {"counts": (1,)}, {"total": 21}, {"turns": 1})),
    ("simple_negotiation", ({"kinds": 1}, {"stock": 21}, {"most": 0}, {"turns": 13})),
    ("simple_negotiation", ({"scoring": "points"},)),
    ("spy", ({"players": 2}, {"rounds": 4}, {"places": 5}, {"changes": 4}, {"reward": "both"})),
    ("spy", ({"colours": 1, "shapes": 1}, {"shared": 2.0}, {"single": -0.1}, {"single": True})),
    ("social_deduction", ({"players": 3}, {"players": 7}, {"rooms": 1}, {"rooms": 7})),
    ("social_deduction", ({"tasks": 0}, {"rounds": 13}, {"talks": 4}, {"cooldown": -1})),
    ("twenty_questions", ({"things": 17}, {"questions": 0}, {"questions": 21}, {"about": "x"})),
    ("taboo", ({"words": 1}, {"words": 17}, {"clues": 4}, {"taboo": 3})),
    ("codenames_mini", ({"words": 5}, {"own": 7}, {"own": 6, "words": 6}, {"clues": 0})),
    ("overcooked_mini", ({"layout": "garden"}, {"horizon": 0}, {"onions": 4}, {"cook_time": 21})),
    (
        "hanabi",
        ({"players": 6}, {"colors": 0}, {"ranks": 6}, {"hand_size": 6}, {"max_life_tokens": 0}),
    ),
    ("hanabi", ({"colors": 1, "ranks": 1}, {"hand_size": 5, "colors": 1, "players": 3})),
    ("backgammon", ({"scoring_type": "money"}, {"max_player_turns": 0}, {"hyper_backgammon": 1})),
)


@pytest.mark.parametrize(("name", "sets"), BEYOND)
def test_limits_of_parameters(name: str, sets: tuple[dict[str, Any], ...]) -> None:
    for parameters in sets:
        with pytest.raises((ValueError, UnknownName), match=next(iter(parameters))):
            load_game(name, **parameters)


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_what_is_no_parameter_is_refused_by_name(name: str, field: str) -> None:
    for value in NO_PARAMETER:
        with pytest.raises((ValueError, UnknownName), match=field):
            load_game(name, **{field: value})


@pytest.mark.parametrize(("name", "field"), NUMBERS)
def test_numbers_of_numpy_are_numbers_and_booleans_are_none(name: str, field: str) -> None:
    value = getattr(load_game(name), field)
    game = load_game(name, **{field: np.int64(value)})
    assert game == load_game(name)
    assert type(getattr(game, field)) is int
    for wrong in (True, float(value), None):
        with pytest.raises(ValueError, match=field):
            load_game(name, **{field: wrong})


def test_a_matrix_of_numpy_is_a_matrix() -> None:
    payoffs = np.array([[[3, 3], [0, 5]], [[5, 0], [1, 1]]])
    game = load_game("prisoners_dilemma", payoffs=payoffs)
    assert game == load_game("prisoners_dilemma", payoffs=payoffs.tolist())
    assert hash(game) == hash(load_game("prisoners_dilemma", payoffs=payoffs.tolist()))


@pytest.mark.parametrize(("name", "parameters"), LARGEST)
def test_texts_of_the_largest_games_fit_the_space_of_observations(
    name: str, parameters: dict[str, Any]
) -> None:
    game, rng = load_game(name, **parameters), np.random.default_rng(0)
    state = deal(game, game.initial(), rng)
    for _ in range(300):
        mover = game.to_move(state)
        for seat in range(game.num_seats):
            for text in (first_message(game, state, seat), retry_message(game, state, seat)):
                assert len(text.encode()) <= MAX_OBSERVATION
        if mover < 0:
            break
        state = deal(game, game.apply(state, int(rng.choice(game.legal(state)))), rng)


def test_texts_of_the_smallest_games_are_grammatical() -> None:
    assert "have 1 coin each" in load_game("blotto", coins=1).rules(0)
    assert "has 1 round with" in load_game("kuhn_match", rounds=1).rules(0)
    assert "Pig: 1 point wins." in load_game("pig", winscore=1).rules(0)
    board = load_game("hex", board_size=2)
    assert "b1 touches a1, a2 and b2." in board.rules(0)
    names = {board.action_name(board.initial(), cell) for cell in range(4)}
    assert names == {"a1", "b1", "a2", "b2"}, "and no other cell is named"
    sea = load_game("battleship", ship_sizes=(1,), num_shots=1)
    assert "Both hide a ship of 1, across or down" in sea.rules(0)
    assert "have 1 shot each at" in sea.rules(0)
    requests = sea.describe(sea.initial(), 0)
    assert requests.endswith("Place your ship of 1: reply <answer>cell across</answer>.")
    assert sea.parse(sea.initial(), "b2 down") is None
