"""Backgammon: moves made by hand, notation, payoffs and pictures."""

from fractions import Fraction

import pytest

from helpers.games.positions import after, names
from zerogym.envs.games.core.game import CHANCE, TERMINAL
from zerogym.envs.games.core.render import COLOURS, draw_board
from zerogym.envs.games.dice.backgammon import Backgammon, BackgammonState, scripted
from zerogym.envs.games.dice.backgammon_board import Side

GAME, LARGE = Backgammon(), Backgammon(hyper_backgammon=False)
AWAY: Side = (25, 25, 25)  # on the bar, in nobody's way


def rolled(own: Side, other: Side, *dice: int, again: bool = False) -> BackgammonState:
    """The first seat has rolled; the lower die first."""
    return BackgammonState((own, other), dice, 0, again, 9)  # type: ignore[arg-type]


def test_the_first_roll_is_no_double_and_says_who_begins() -> None:
    state = GAME.initial()
    assert GAME.to_move(state) == CHANCE and GAME.legal(state) == ()
    first = [(GAME.apply(state, roll), p) for roll, p in GAME.chance(state)]
    assert {p for _, p in first} == {Fraction(1, 30)}
    assert len({(each.player, each.dice) for each, _ in first}) == 30
    assert {each.player for each, _ in first} == {0, 1}
    assert all(low < high for (low, high) in (each.dice for each, _ in first))
    later = GAME.chance(BackgammonState(state.sides, (), 1, False, 1))
    assert {p for _, p in later} == {Fraction(1, 36)} and len(later) == 36
    doubles = [GAME.apply(BackgammonState(state.sides, (), 1, False, 1), n) for n, _ in later]
    assert sum(len(set(each.dice)) == 1 for each in doubles) == 6
    assert {each.player for each in doubles} == {1}


@pytest.mark.parametrize(
    ("own", "other", "dice", "expected"),
    [
        # By one checker or two; what reaches the same position is one move.
        ((24, 23, 22), AWAY, (1, 2), {
            "24/23 23/21", "24/23 22/20", "24/22 23/22", "23/22 22/20", "23/21 22/21", "22/20/19",
        }),
        ((13, 8, 0), AWAY, (2, 3), {"13/8", "13/11 8/5", "13/10 8/6", "8/3"}),
        # The way matters where it hits.
        ((13, 0, 0), (25, 25, 14), (2, 3), {"13/11*/8", "13/10/8"}),
        # From the bar first; a closed point is shut for it, too.
        ((25, 8, 0), (24, 5, 5), (5, 6), {"bar/19/14", "bar/19 8/3"}),
        ((25, 25, 8), (24, 5, 5), (5, 6), {"bar/19"}),
        ((25, 8, 8), (6, 5, 5), (5, 6), {"bar/19*/14", "bar/19* 8/3"}),
        ((25, 8, 8), (5, 5, 5), (5, 5), {"pass"}),
        # Both dice if that is possible: after 8/2 there would be no 5.
        ((12, 8, 0), (22, 22, 18, 18), (5, 6), {"12/6/1"}),
        # One die, but not both: the higher if it can be.
        ((20, 0, 0), (24, 14, 14), (4, 5), {"20/15"}),
        ((20, 0, 0), (14, 14, 10, 10), (4, 5), {"20/16"}),
        ((20, 0, 0), (24, 10, 10), (4, 5), {"20/16/11"}),
        # Off with a higher die from the farthest point only, and only when all are home.
        ((5, 2, 0), AWAY, (3, 6), {"5/off 2/off", "5/2/off"}),
        ((7, 2, 0), AWAY, (1, 6), {"7/6/off", "7/1 2/1"}),
        ((6, 6, 2), AWAY, (2, 3), {"6/4 6/3", "6/3/1", "6/3 2/off"}),
        ((1, 0, 0), AWAY, (3, 4), {"1/off"}),
        # Two of the four steps of a double.
        ((6, 4, 4), AWAY, (2, 2), {"6/4/2", "4/2(2)", "4/2/off"}),
        ((24, 24, 3), (25, 25, 3), (2, 2), {"24/22*(2)", "24/22*/20", "24/22* 3/1"}),
    ],
)  # fmt: skip
def test_moves_by_hand(own: Side, other: Side, dice: tuple[int, int], expected: set[str]) -> None:
    state = rolled(own, other, *dice)
    for move in expected:
        assert GAME.parse(state, move) is not None, move
    assert len(set(names(GAME, state))) == len({GAME.parse(state, move) for move in expected}), (
        names(GAME, state)
    )


def test_a_move_and_what_it_hits() -> None:
    state = after(GAME, ["13/11* 11/6*"], rolled((24, 13, 8), (25, 19, 14), 2, 5))
    assert state == BackgammonState(((24, 8, 6), (25, 25, 25)), (), 1, False, 10)
    assert GAME.to_move(state) == CHANCE
    state = GAME.apply(state, 35)
    assert state.dice == (6, 6) and GAME.to_move(state) == 1
    assert names(GAME, state) == ["bar/19*(2)"], "their 19 is the first seat's 6"
    state = after(GAME, ["bar/19 bar/19"], state)
    assert state == BackgammonState(((25, 24, 8), (25, 19, 19)), (6, 6), 1, True, 11)
    assert names(GAME, state) == ["bar/19/13"]
    assert after(GAME, ["bar/13"], state) == BackgammonState(
        ((25, 24, 8), (19, 19, 13)), (), 0, False, 11
    )


def test_half_a_double_that_is_cut_short_has_no_other_half() -> None:
    half = after(GAME, ["20/16/12"], rolled((20, 0, 0), (17, 17, 24), 4, 4))  # 8 is closed
    assert half.again and half.dice == (4, 4)
    assert names(GAME, half) == ["pass"]
    stuck = after(GAME, ["24/20"], rolled((24, 0, 0), (24, 9, 9), 4, 4))  # 16 is closed
    assert not stuck.again and stuck.dice == () and stuck.player == 1


@pytest.mark.parametrize(
    ("loser", "scoring", "stake"),
    [
        ((24, 24, 0), "full_scoring", 1),
        ((18, 3, 1), "winloss_scoring", 1), ((18, 3, 1), "enable_gammons", 2),
        ((18, 3, 1), "full_scoring", 2),
        ((19, 3, 1), "enable_gammons", 2), ((19, 3, 1), "full_scoring", 3),
        ((25, 3, 1), "full_scoring", 3),
    ],
)  # fmt: skip
def test_payoffs(loser: Side, scoring: str, stake: float) -> None:
    game = Backgammon(scoring_type=scoring)
    assert game.payoff_range[1] >= stake
    won = BackgammonState(((0, 0, 0), loser), (), 1, False, 30)
    lost = BackgammonState((loser, (0, 0, 0)), (), 0, False, 30)
    assert game.to_move(won) == game.to_move(lost) == TERMINAL
    assert game.payoff(won) == (stake, -stake)
    assert game.payoff(lost) == (-stake, stake)
    points = f" {stake} points" if stake > 1 else ""
    assert game.describe(won, 0).endswith(f"You win{points}.")
    assert game.describe(lost, 0).endswith(f"You lose{points}.")


def test_the_limit_of_turns() -> None:
    game = Backgammon(max_player_turns=9)
    state = rolled((24, 23, 22), (24, 23, 22), 1, 1)
    end = game.apply(state, game.legal(state)[0])
    assert game.to_move(end) == TERMINAL, "the tenth turn is the first too many"
    assert game.payoff(end) == (0, 0) and game.describe(end, 0).endswith("A draw.")
    assert GAME.to_move(GAME.apply(state, GAME.legal(state)[0])) == 0, "the other half"


# Tom Keith ("Hypergammon Fun", 2018) comes to a position that is hard to reach in these 14 turns.
LONG_WAY = """
0 56 24/18,23/18 | 1 66 24/12,22/10 | 0 66 22/10,18/12(2) | 1 24 12/6 | 0 66 12/6(2),10/4,6/off
1 22 23/21*/19*/15 | 0 15 bar/24,bar/20 | 1 55 15/5*,10/off | 0 55 bar/20*/15,24/19*/14
1 66 bar/13(2) | 0 46 15/9,14/10 | 1 34 13/10,13/9 | 0 12 10/8,9/8 | 1 12 10/8,9/8
"""
# A double is two moves here.
HALVES = {
    "24/12,22/10": ("24/18/12", "22/16/10"),
    "22/10,18/12(2)": ("22/10", "18/12(2)"),
    "12/6(2),10/4,6/off": ("12/6(2)", "6/off,10/4"),
    "23/21*/19*/15": ("23/21*/19*", "19/15"),
    "15/5*,10/off": ("15/10/5*", "10/5/off"),
    "bar/20*/15,24/19*/14": ("bar/20*/15", "24/19*/14"),
    "bar/13(2)": ("bar/19(2)", "19/13(2)"),
}


def test_a_long_way_of_the_literature_can_be_played() -> None:
    state = GAME.initial()
    for turn in LONG_WAY.replace("\n", "|").strip("| ").split("|"):
        seat, dice, moves = turn.split()
        target = tuple(map(int, dice))
        for roll, _ in GAME.chance(state):
            begun = GAME.apply(state, roll)
            if begun.dice == target and begun.player == int(seat):
                break
        state = after(GAME, HALVES.get(moves, (moves,)), begun)
    assert state.sides == ((8, 8, 0), (8, 8, 0))


@pytest.mark.parametrize(
    ("reply", "move"),
    [
        ("13/11*/8", "13/11*/8"), ("13/11/8", "13/11*/8"), ("I hit. \n13/11*, 11/8.", "13/11*/8"),
        ("<answer>11/8 13/11</answer>", "13/11*/8"), ("**13/10/8**", "13/10/8"),
        ("(6/3 13/11)", "13/11* 6/3"), ("13/11* 6/3", "13/11* 6/3"), ("13/10;6/4", "13/10 6/4"),
    ],
)  # fmt: skip
def test_ways_to_write_a_move(reply: str, move: str) -> None:
    state = rolled((13, 6, 0), (25, 25, 14), 2, 3)
    action = GAME.parse(state, reply)
    assert action is not None and GAME.action_name(state, action) == move


@pytest.mark.parametrize(
    "reply",
    [
        "", "pass", "13/8", "13/11", "13/11 13/11", "13/10* 6/4", "13/10 6/4 or 6/1", "13/7", "٦/٤",
        "13/11 6/3 6/1", "24/22 6/3", "bar/22 6/3", "13-11 6-3", "/", "13/11/", "\ud800",
        "13/11 " * 100_000, "13/11" * 10, "99/97 6/3", "13/11(2)",
    ],
)  # fmt: skip
def test_what_names_no_single_move_is_no_move(reply: str) -> None:
    """`13/8` may hit on the way or not."""
    assert GAME.parse(rolled((13, 6, 0), (25, 25, 14), 2, 3), reply) is None


def test_texts() -> None:
    state = rolled((25, 13, 13), (24, 19, 0), 3, 3)
    assert GAME.describe(state, 0) == (
        "You: bar 13(2). Opponent: 1 6 off. Turns left: 491.\n"
        "Your dice: 3 3, first half.\n"
        "Moves: bar/22/19, bar/22 13/10.\n"
        "Reply <answer>move</answer>."
    )
    assert GAME.describe(state, 1) == (
        "You: 24 19 off. Opponent: bar 12(2). Turns left: 491.\n"
        "The opponent's dice: 3 3, first half."
    )
    assert "2 moves" not in LARGE.describe(LARGE.apply(LARGE.initial(), 0), 0)
    assert "3 if" in Backgammon(scoring_type="full_scoring").rules(1)
    assert "when no turns are left, it is a draw. You are player 2." in Backgammon().rules(1)


def test_many_moves_are_not_listed_but_understood() -> None:
    crowd = (24, 24, 22, 20, 17, 15, 13, 12, 11, 10, 9, 8, 7, 6, 5)
    state = rolled(crowd, (25,) * 15, 1, 2)
    text = LARGE.describe(state, 0)
    assert f"{len(LARGE.legal(state))} moves, written as " in text and len(text) < 300
    assert len(set(names(LARGE, state))) == len(LARGE.legal(state)) > 90
    for action in LARGE.legal(state):
        assert LARGE.parse(state, LARGE.action_name(state, action)) == action


def test_the_scripted_opponent_leaves_no_blot_for_nothing() -> None:
    state = rolled((10, 8, 0), (25, 25, 0), 2, 4)
    assert GAME.action_name(state, scripted(GAME, state, 0)) == "10/6 8/6"


def test_pictures() -> None:
    state = BackgammonState(((25, 13, 0), (20, 20, 0)))
    assert GAME.board(state).rows == (
        "X.....X...... O",
        "...... ......  ",
        "...... ......  ",
        "               ",
        "...... ......  ",
        "...... .O....  ",
        "...... .O.... X",
    )
    image = draw_board(GAME.board(state))
    assert image.shape == (12 * 2 + 40 * 7, 12 * 2 + 40 * 15, 3)
    assert tuple(image[32, 32]) == COLOURS["X"]
    assert tuple(image[32, 12 + 40 * 13 + 20]) == (255, 255, 255), "nothing between 24 and off"
