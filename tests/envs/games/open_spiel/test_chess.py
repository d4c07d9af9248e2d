"""Chess: positions and moves in words, and draws; the rules themselves are OpenSpiel's."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from helpers.games.positions import after, courses, load_spiel, replay

pytest.importorskip("pyspiel")

from zerogym.envs.games.core.game import TERMINAL
from zerogym.envs.games.open_spiel.chess import FIFTY_MOVES, Chess, scripted
from zerogym.envs.games.open_spiel.chess_notation import coordinates

CHESS = Chess()
BLACK, WHITE = 0, 1


def test_numbers_of_move_sequences_are_those_of_the_literature() -> None:
    assert [courses(CHESS, CHESS.initial(), depth) for depth in (1, 2, 3)] == [20, 400, 8902]


def test_playouts_are_openspiel_s() -> None:
    replay(CHESS, load_spiel("chess"), 10)


def test_the_shortest_mate() -> None:
    state = after(CHESS, ["f3", "e5", "g4", "Qh4#"])
    assert CHESS.to_move(state) == TERMINAL and CHESS.legal(state) == ()
    assert CHESS.payoff(state) == (1.0, -1.0)
    assert CHESS.describe(state, BLACK).endswith("You win.")
    assert CHESS.describe(state, WHITE).endswith("You lose.")


def test_the_third_time_is_a_draw() -> None:
    twice = after(CHESS, ["Nf3", "Nf6", "Ng1", "Ng8"])
    assert "this position has come up 2 times" in CHESS.describe(twice, WHITE)
    assert CHESS.info_key(twice, WHITE) != CHESS.info_key(CHESS.initial(), WHITE)
    thrice = after(CHESS, ("Nf3 Nf6 Ng1 Ng8 " * 2).split())
    assert CHESS.to_move(thrice) == TERMINAL and CHESS.payoff(thrice) == (0.0, 0.0)
    assert CHESS.describe(thrice, WHITE).endswith("It is a draw.")


@pytest.mark.parametrize(
    ("moves", "reply", "name"),
    [
        ("", "<answer>Nf3</answer>", "Nf3"),
        ("", "My move is\n<answer>nf3!</answer>", "Nf3"),
        ("", "g1f3", "Nf3"),
        ("", "E2E4", "e4"),
        ("e4 d5", "<answer>exd5</answer>", "exd5"),
        ("e4 d5", "Bb5", "Bb5+"),
        ("e4 e5 Nf3 Nc6 Bc4 Bc5", "0-0", "O-O"),
        ("e4 e5 Nf3 Nc6 Bc4 Bc5", "e1g1", "O-O"),
        ("d4 d5 Nc3 Nc6 Bf4 Bf5 Qd3 Qd6", "0-0-0", "O-O-O"),
        ("e4 a6 e5 d5", "e5d6", "exd6"),  # en passant
        ("a4 b5 axb5 c6 bxc6 a6 c7 a5", "cxb8=Q", "cxb8=Q"),
        ("a4 b5 axb5 c6 bxc6 a6 c7 a5", "c7b8n", "cxb8=N"),
        ("", "1. e4", "e4"),
        ("e4", "1... Nf6", "Nf6"),
        ("", "e2-e4", "e4"),
        ("", "g1 f3", "Nf3"),
        ("", "Ng1-f3", "Nf3"),
        ("", "Pe4", "e4"),
        ("e4 e5 Nf3 Nc6 Bc4 Bc5", "Kg1", "O-O"),
        ("e4 d5", "ed5", "exd5"),
        ("e4 d5", "e4xd5", "exd5"),
        ("a4 b5 axb5 c6 bxc6 a6 c7 a5", "cxb8(Q)", "cxb8=Q"),
        ("a4 b5 axb5 c6 bxc6 a6 c7 a5", "c7xb8=n", "cxb8=N"),
        ("Nf3 a6 Nc3 a5 Nd4 a4 Nf3 h6 Nb5 h5", "N5d4", "Nbd4"),
        ("Nf3 a6 Nc3 a5 Nd4 a4 Nf3 h6 Nb5 h5", "Nfxd4", "Nfd4"),
    ],
)
def test_replies_in_either_notation_are_understood(moves: str, reply: str, name: str) -> None:
    state = after(CHESS, moves.split())
    action = CHESS.parse(state, reply)
    assert action is not None and state.names[action] == name


@pytest.mark.parametrize(
    "reply",
    [
        *(
            "",
            "e5",
            "Nf6",
            "e2e5",
            "e4 or d4",
            "I play e4",
            "z9",
            "e2",
            "O-O",
            "\ud800",
            "e4" * 10**6,
        ),
        *("1.", "1", "...", "Ne4", "Bf3", "d2e4", "Ng1e4", "e4=Q", "Kg1", "K", "xe4 d4", "²e4"),
    ],
)
def test_what_names_no_legal_move_is_no_move(reply: str) -> None:
    assert CHESS.parse(CHESS.initial(), reply) is None


@pytest.mark.parametrize(
    ("moves", "reply"),
    [
        ("Nf3 a6 Nc3 a5 Nd4 a4 Nf3 h6 Nb5 h5", "Nd4"),  # of two knights
        ("a4 b5 axb5 c6 bxc6 a6 c7 a5", "cxb8"),  # to which piece?
        ("a4 b5 axb5 c6 bxc6 a6 c7 a5", "c7b8"),
        ("e4 e5 Nf3 Nc6 Bc4 Bc5", "O-O-O"),
        ("e4 d5", "dxe4"),  # the other side's
    ],
)
def test_what_fits_several_moves_or_none_is_no_move(moves: str, reply: str) -> None:
    assert CHESS.parse(after(CHESS, moves.split()), reply) is None


def test_every_legal_move_is_read_in_both_notations() -> None:
    rng = np.random.default_rng(0)
    for _ in range(2):
        state = CHESS.initial()
        while CHESS.to_move(state) != TERMINAL:
            if len(state.history) % 20 == 0:
                for action in CHESS.legal(state):
                    squares = coordinates(state, action)
                    for reply in (CHESS.action_name(state, action), squares, squares.upper()):
                        assert CHESS.parse(state, f"<answer>{reply}</answer>") == action
            state = CHESS.apply(state, int(rng.choice(CHESS.legal(state))))


def test_case_decides_only_between_two_legal_moves() -> None:
    state = after(CHESS, ["b4", "c5"])
    for reply, name in (("BXC5", "bxc5"), ("B5", "b5"), ("BB2", "Bb2"), ("bb2", "Bb2")):
        action = CHESS.parse(state, reply)
        assert action is not None and state.names[action] == name


def test_where_only_the_case_differs_moves_are_named_by_squares() -> None:
    state = after(CHESS, ["b4", "c5", "Bb2", "h6", "Bd4", "h5"])
    names = set(state.names.values())
    assert {"bxc5", "Bxc5"} <= names
    shown = {CHESS.action_name(state, action) for action in CHESS.legal(state)}
    assert {"b4c5", "d4c5"} <= shown and not {"bxc5", "Bxc5"} & shown
    pawn, bishop = CHESS.parse(state, "b4c5"), CHESS.parse(state, "d4c5")
    assert pawn != bishop
    assert CHESS.parse(state, "bxc5") == pawn and CHESS.parse(state, "Bxc5") == bishop
    assert CHESS.parse(state, "BXC5") is None


def test_text_and_array_hold_the_position() -> None:
    state = after(CHESS, ["e4", "a6", "e5", "d5", "Ke2"])
    text = CHESS.describe(state, BLACK)
    assert text.splitlines()[:2] == ["8 r n b q k b n r", "7 . p p . p p p p"]
    assert "Black to move; castling rights: Black O-O, Black O-O-O; 1 of 100" in text
    vector = CHESS.observe(state, BLACK)
    assert vector[:768].sum() == 32
    assert vector[768:772].tolist() == [0, 0, 1, 1]
    assert vector[780:].tolist() == pytest.approx([1, 0, 1 / FIFTY_MOVES, 1 / 3])
    passant = after(CHESS, ["e4", "a6", "e5", "d5"])
    assert "en passant on d6" in CHESS.describe(passant, WHITE)
    assert CHESS.observe(passant, WHITE)[772:780].tolist() == [0, 0, 0, 1, 0, 0, 0, 0]


def test_an_illegal_reply_is_repeated_then_lost() -> None:
    env: Any = gym.make("zerogym/Chess-v0", seat=WHITE, max_retries=1)
    observation, _ = env.reset(seed=0)
    assert "You play White and move first" in observation
    observation, _, over, _, info = env.step("<answer>e5</answer>")
    assert info["void_turn"] and not over and "Your moves: a3, a4" in observation
    assert env.step("<answer>e4</answer>")[0].splitlines()[4] == "4 . . . . P . . ."
    assert env.step("what?")[2] is False
    assert env.step("what?")[1:3] == (-1.0, True)


@pytest.mark.parametrize(
    ("moves", "best"),
    [
        ("f3 e5 g4", {"Qh4#"}),
        ("e4 d5", {"exd5"}),
        ("e4 d5 Qh5 Nf6 a3", {"Nxh5"}),  # a queen rather than a pawn
        ("e4 d5 a3 dxe4 a4 e3 a5", {"exd2+", "exf2+", "Qxd2+"}),
        ("Nf3 Nf6 Ng1", set()),  # nothing to take: any move
    ],
)
def test_the_rule_of_thumb_mates_or_takes_the_most(moves: str, best: set[str]) -> None:
    state = after(CHESS, moves.split())
    row = scripted(CHESS, state, CHESS.to_move(state))
    assert sum(row) == pytest.approx(1)
    chosen = {state.names[a] for a, p in zip(CHESS.legal(state), row, strict=True) if p > 0}
    assert chosen == (best or set(state.names.values()))


def test_a_draw_is_avoided_ahead_and_taken_behind() -> None:
    """The last move would bring the first position for the third time."""
    level = after(CHESS, ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1"])
    assert min(scripted(CHESS, level, BLACK)) > 0
    for ahead, moves in ((WHITE, "e4 d5 exd5 "), (BLACK, "e4 d5 a3 dxe4 ")):
        to_move = "Nf6 Nf3 Ng8 Ng1 " if ahead == WHITE else "Nf3 Nf6 Ng1 Ng8 "
        state = after(CHESS, (moves + to_move + to_move).split()[:-1])
        row = dict(
            zip(CHESS.legal(state), scripted(CHESS, state, CHESS.to_move(state)), strict=True)
        )
        drawing = next(
            a
            for a in row
            if CHESS.payoff(CHESS.apply(state, a)) == (0.0, 0.0)
            and CHESS.to_move(CHESS.apply(state, a)) == TERMINAL
        )
        assert (row[drawing] > 0) == (CHESS.to_move(state) != ahead)


def test_seats_are_openspiel_s() -> None:
    observation, info = gym.make("zerogym/Chess-v0", seat=BLACK).reset(seed=0)
    assert "You play Black and move second" in observation
    assert "Black to move" in observation
    numeric: Any = gym.make("zerogym/Chess-v0", seat=WHITE, view="numeric").unwrapped
    _, info = numeric.reset(seed=0)
    assert info["action_mask"].sum() == 20
    assert np.array_equal(numeric.action_masks().nonzero()[0], CHESS.legal(CHESS.initial()))
