"""Our games against OpenSpiel's, move by move, with default and with other parameters."""

from dataclasses import fields
from itertools import product
from typing import Any

import pytest

from helpers.games.positions import OURS, in_turns, load_spiel, replay
from helpers.games.talk import TALK
from zerogym.envs.games.cooperative.hanabi import Hanabi
from zerogym.envs.games.core.game import Game, load_game
from zerogym.envs.games.dice.backgammon import Backgammon
from zerogym.envs.games.economic.matrix import MatrixGame
from zerogym.envs.games.opponents.registry import uniform_policy
from zerogym.envs.games.solvers.best_response import nash_conv

PLAYOUTS = 200
ELSEWHERE = {"kuhn_match": "its hands are kuhn_poker; OpenSpiel has no matches of them"}
ELSEWHERE["overcooked_mini"] = "OpenSpiel has no kitchens; a second implementation is in its test"
ELSEWHERE |= dict.fromkeys(
    TALK, "OpenSpiel has no messages; a second implementation is in its test"
)
# OpenSpiel's parameters have our names, but for those of `theirs`.
PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "kuhn_poker": [{"players": 3}],
    "tic_tac_toe": [],
    "nim": [{"misere": True}, {"heaps": (5,)}, {"heaps": (2, 2, 2, 1), "misere": True}],
    "connect_four": [],
    "breakthrough": [
        {"rows": rows, "columns": columns}
        for rows, columns in ((6, 6), (7, 5), (5, 5), (4, 3), (3, 2), (8, 2))
    ],
    "othello": [],
    "leduc_poker": [],
    "liars_dice": [{"dice_sides": sides} for sides in (2, 3, 4, 5, 7)],
    "goofspiel": [
        {"num_cards": cards, "points_order": order}
        for cards in (2, 3, 4, 6)
        for order in ("descending", "ascending", "random")
    ],
    "blotto": [
        {"coins": coins, "fields": number} for coins, number in ((1, 2), (5, 4), (30, 2), (8, 5))
    ],
    "pig": [
        {"winscore": 100, "horizon": 1000},
        {"winscore": 20, "horizon": 15},
        {"winscore": 8, "horizon": 60, "diceoutcomes": 4},
        {"winscore": 5, "horizon": 60, "diceoutcomes": 2, "piglet": True},
    ],
    "prisoners_dilemma": [{"rounds": 1}, {"payoffs": (((2, 2), (-1, 3)), ((3, -1), (0, 0)))}],
    "stag_hunt": [{"rounds": 1}],
    "rock_paper_scissors": [{"rounds": 1}],
    "matching_pennies": [{"rounds": 1}],
    "public_goods": [{"rounds": 1}],
    "dots_and_boxes": [
        {"num_rows": rows, "num_cols": columns, "utility_margin": margin}
        for rows, columns, margin in ((1, 3, False), (3, 2, True), (4, 5, False))
    ],
    "hex": [{"board_size": size} for size in (2, 3, 7, 11)],
    "first_sealed_auction": [
        {"players": players, "max_value": value} for players, value in ((2, 1), (3, 4), (10, 30))
    ],
    "battleship": [
        {"board_width": width, "board_height": height, "ship_sizes": sizes, "num_shots": shots}
        for width, height, sizes, shots in (
            (3, 2, (2, 3), 6), (2, 5, (1, 4, 1), 3), (6, 6, (5, 2), 36),
        )
    ],
    "hanabi": [
        {"players": players, "colors": colors, "ranks": ranks, "hand_size": hand,
         "max_information_tokens": hints, "max_life_tokens": lives}
        for players, colors, ranks, hand, hints, lives in (
            (3, 5, 5, 0, 8, 3), (5, 5, 5, 0, 8, 10), (4, 2, 5, 0, 3, 10), (2, 1, 5, 5, 1, 1),
            (2, 2, 2, 1, 2, 10), (3, 2, 3, 2, 4, 10),
        )
    ],
}  # fmt: skip
LONG = [PARAMETERS["pig"][0], PARAMETERS["hex"][-1], PARAMETERS["battleship"][-1]]
LONG += PARAMETERS["hanabi"][:2]


def theirs(game: Game[Any]) -> Any:
    """OpenSpiel's game with the same parameters."""
    if isinstance(game, MatrixGame):
        return repeated(game)
    parameters = {field.name: getattr(game, field.name) for field in fields(game)}  # type: ignore[arg-type]
    if game.name == "nim":
        sizes = ";".join(map(str, parameters["heaps"]))
        parameters = {"pile_sizes": sizes, "is_misere": parameters["misere"]}
    elif game.name == "goofspiel":
        parameters["imp_info"] = False
    elif game.name == "battleship":
        sizes = parameters["ship_sizes"]
        parameters["ship_sizes"] = f"[{';'.join(map(str, sizes))}]"
        parameters["ship_values"] = f"[{';'.join('1' for _ in sizes)}]"
        parameters["allow_repeated_shots"] = False
    elif isinstance(game, Hanabi):
        parameters["hand_size"] = game.hand
        assert parameters.pop("zero_if_lost")
    return load_spiel(game.name, **parameters)


def repeated(game: MatrixGame) -> Any:
    """A matrix of OpenSpiel, played so many times."""
    pyspiel = pytest.importorskip("pyspiel")
    choices = list(product(range(game.num_actions), repeat=game.num_seats))
    payoffs = [[game.cells[choice][seat] for choice in choices] for seat in range(game.num_seats)]
    once = pyspiel.create_tensor_game(payoffs, [game.num_actions] * game.num_seats)
    return in_turns(pyspiel.create_repeated_game(once, {"num_repetitions": game.rounds}))


@pytest.mark.parametrize("name", PARAMETERS)
def test_openspiel_plays_the_same_game(name: str) -> None:
    game = load_game(name)
    if name != "nim":  # where OpenSpiel has numbers that are never legal
        assert game.num_actions == theirs(game).num_distinct_actions()
    replay(game, theirs(game), PLAYOUTS)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        pytest.param(name, each, marks=[pytest.mark.proof] if each in LONG else [])
        for name, sets in PARAMETERS.items()
        for each in sets
    ],
)
def test_openspiel_plays_the_same_game_with_parameters(
    name: str, parameters: dict[str, Any]
) -> None:
    game = load_game(name, **parameters)
    assert game != load_game(name) or name == "goofspiel"
    replay(game, theirs(game), PLAYOUTS)


def one_a_position(other: Any) -> list[int]:
    """The lowest of their actions of backgammon that reach the same position."""
    lowest: dict[str, int] = {}
    for action in other.legal_actions():  # increasing
        lowest.setdefault(str(other.child(action)), action)
    return sorted(lowest.values())


def borne_off(other: Any) -> list[float]:
    """The side with three checkers off wins; OpenSpiel 2.0 has payoffs for fifteen only."""
    won = float("X: 3" in str(other)) - float("O: 3" in str(other))
    return [won, -won]


@pytest.mark.parametrize(
    ("turns", "playouts"), [(500, 15), pytest.param(500, 2000, marks=pytest.mark.proof), (5, 100)]
)
def test_openspiel_plays_the_same_small_backgammon(turns: int, playouts: int) -> None:
    game = Backgammon(max_player_turns=turns)
    replay(game, theirs(game), playouts, one_a_position, borne_off)


@pytest.mark.parametrize("scoring", ["winloss_scoring", "enable_gammons", "full_scoring"])
def test_openspiel_plays_the_same_large_backgammon(scoring: str) -> None:
    game = Backgammon(hyper_backgammon=False, scoring_type=scoring)
    replay(game, theirs(game), 3, one_a_position)  # a play-out takes a tenth of a second


@pytest.mark.parametrize(
    ("name", "parameters", "count"),
    [
        ("leduc_poker", {}, 936),
        ("liars_dice", {"dice_sides": 3}, 192),
        (
            "battleship",
            {"board_width": 2, "board_height": 2, "ship_sizes": (2,), "num_shots": 2},
            470,
        ),
    ],
)
def test_openspiel_has_the_same_information_sets(
    name: str, parameters: dict[str, Any], count: int
) -> None:
    game = load_game(name, **parameters)
    pairs, stack = set(), [(game.initial(), theirs(game).new_initial_state())]
    while stack:
        state, other = stack.pop()
        mover = game.to_move(state)
        if mover >= 0:
            key = (mover, game.info_key(state, mover))
            text, vector = game.describe(state, mover), game.observe(state, mover).tobytes()
            pairs.add((key, text, vector, (mover, other.information_state_string(mover))))
        stack += [(game.apply(state, a), other.child(a)) for a in other.legal_actions()]
    for part in range(4):
        assert len({pair[part] for pair in pairs}) == len(pairs) == count


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("blotto", {}),
        ("first_sealed_auction", {"max_value": 4}),
        ("goofspiel", {"num_cards": 3}),
        ("goofspiel", {"num_cards": 3, "points_order": "ascending"}),
        ("kuhn_poker", {}),
    ],
)
def test_openspiel_finds_uniform_play_as_exploitable(name: str, parameters: dict[str, Any]) -> None:
    game = load_game(name, **parameters)
    other = theirs(game)
    from open_spiel.python.algorithms.exploitability import nash_conv as their_nash_conv
    from open_spiel.python.policy import UniformRandomPolicy

    expected = their_nash_conv(other, UniformRandomPolicy(other))
    assert nash_conv(game, uniform_policy(game)) == pytest.approx(expected)


def test_every_game_is_compared() -> None:
    assert {game.name for game in OURS} == {*PARAMETERS, *ELSEWHERE, "backgammon"}
