"""Pictures of boards: every mark where it belongs, in the single-seat and in the open view."""

import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pettingzoo
import pytest
from numpy.typing import NDArray

from helpers.games.positions import positions
from zerogym.envs.games.cards.kuhn_poker import KuhnPokerEnv
from zerogym.envs.games.core.game import load_game
from zerogym.envs.games.core.render import CELL, COLOURS, FREE, MARGIN, draw_board
from zerogym.envs.games.core.text_render import text_picture
from zerogym.envs.registry import TASKS

with warnings.catch_warnings():  # importing the checks imports PettingZoo's own deprecated modules
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test

BOARDS = ("tic_tac_toe", "connect_four", "breakthrough", "othello", "hex")
TASK_OF = {task.name.lower(): task.id for task in TASKS}
RING = 11  # pixels from the middle of a ring to its line


def read(image: NDArray[np.uint8], y: int, x: int) -> str:
    """The mark of a cell, from the colours in its middle and beside it."""
    if tuple(image[y, x]) == COLOURS["X"]:
        return "X"
    assert tuple(image[y, x]) == FREE
    beside = tuple(image[y, x + RING])
    return {COLOURS["O"]: "O", FREE: "."}[beside]


@pytest.mark.parametrize("name", [name for name in BOARDS if name != "hex"])
def test_pictures_show_what_the_words_say(name: str) -> None:
    game = load_game(name)
    for state in positions(game)[::100]:
        image, rows = draw_board(game.board(state)), game.board(state).rows
        assert image.shape == (*(2 * MARGIN + CELL * n for n in (len(rows), len(rows[0]))), 3)
        middle = MARGIN + CELL // 2
        observed = [
            "".join(read(image, middle + CELL * y, middle + CELL * x) for x in range(len(row)))
            for y, row in enumerate(rows)
        ]
        words = [line.split() for line in game.describe(state, 0).splitlines()]
        cells = [["." if c.isdigit() and name == "tic_tac_toe" else c for c in w] for w in words]
        texts = ["".join(c for c in line if c in {"X", "O", "."}) for line in cells]
        assert observed == [line for line in texts if len(line) == len(rows[0])][: len(rows)]


def test_rows_of_hex_lean_and_its_sides_are_coloured() -> None:
    game: Any = load_game("hex", board_size=3)
    state = game.initial()
    for cell in (4, 2, 6):  # X b2, O c1, X a3
        state = game.apply(state, cell)
    image = draw_board(game.board(state))
    left, top = 12 + 8 + 20, 12 + 8 + 20  # margin, coloured edge, half a cell
    places = {
        (row, column): (top + round(row * 34.641), left + 40 * column + 20 * row)
        for row in range(3)
        for column in range(3)
    }
    observed = {place: read(image, y, x) for place, (y, x) in places.items()}
    marks = {(1, 1): "X", (0, 2): "O", (2, 0): "X"}
    assert observed == {place: marks.get(place, ".") for place in places}
    for row, column, step, mark in (
        (0, 1, (-25, 0), "X"), (2, 1, (25, 0), "X"), (1, 0, (0, -25), "O"), (1, 2, (0, 25), "O"),
    ):  # fmt: skip
        y, x = places[row, column]
        assert tuple(image[y + step[0], x + step[1]]) == COLOURS[mark]


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Action space for each agent probably should be")
@pytest.mark.parametrize("name", [*BOARDS, "backgammon"])
def test_both_views_draw_and_pass_the_checks(name: str) -> None:
    id = TASK_OF[name.replace("_", "")]
    env = gym.make(id, seat=0, view="numeric", render_mode="rgb_array")
    env.reset(seed=0)
    single: Any = env.unwrapped
    first = single.render()
    assert np.array_equal(first, draw_board(single.game.board(single.get_state()["episode"].state)))
    env.step(single.random_action(np.random.default_rng(0)))
    second = single.render()
    assert second.dtype == np.uint8 and not np.array_equal(first, second)
    opened = pettingzoo.make("aec", f"zerogym/{name}-v0", render_mode="rgb_array")
    api_test(opened, num_cycles=10)
    opened.reset(seed=0)
    assert np.array_equal(opened.render(), first) or name == "backgammon"


def test_games_without_a_board_show_the_text_view() -> None:
    env = gym.make("zerogym/KuhnPoker-v0", seat=0, render_mode="rgb_array")
    observed = {}
    for seed in range(30):
        card = env.reset(seed=seed)[0].partition("Your card: ")[2][0]
        image: Any = env.render()
        assert image.shape == (280, 496, 3) and image.dtype == np.uint8
        # Other cards make another picture; what the other seat holds makes none.
        assert np.array_equal(observed.setdefault(card, image), image)
    assert len({image.tobytes() for image in observed.values()}) == len(observed) == 3


@pytest.mark.parametrize("name", ["leduc_poker", "chess"])
def test_every_seat_has_its_picture(name: str) -> None:
    env = pettingzoo.make("aec", f"zerogym/{name}-v0", render_mode="rgb_array")
    env.reset(seed=0)
    first: Any = env.render()
    mover = env.agent_selection
    env.step(int(np.flatnonzero(env.observe(mover)["action_mask"])[0]))
    assert env.agent_selection != mover and not np.array_equal(env.render(), first)


def test_a_round_of_all_seats_is_one_picture() -> None:
    env = pettingzoo.make("parallel", "zerogym/public_goods-v0", render_mode="rgb_array")
    env.reset(seed=0)
    words = pettingzoo.make("parallel", "zerogym/public_goods-v0", render_mode="ansi")
    words.reset(seed=0)
    assert np.array_equal(env.render(), text_picture(words.render()))


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a" * 81, "a" * 80 + "\na"),
        ("\n".join(f"line {n}" for n in range(30)), "\n".join(f"line {n}" for n in range(6, 30))),
        ("\u4e2d\ud800", "??"),
        ("a\n\nb\tc", "a\n\nb   c"),
    ],
)
def test_a_text_is_broken_cut_and_spelt_so_that_it_fits(text: str, same: str) -> None:
    assert np.array_equal(text_picture(text), text_picture(same))
    assert not np.array_equal(text_picture(text), text_picture(""))


def test_a_mode_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ValueError, match="render_mode must be None or one of"):
        KuhnPokerEnv(render_mode="human")
    with pytest.raises(ValueError, match=r"one of \['ansi', 'rgb_array'\]"):
        pettingzoo.make("aec", "zerogym/kuhn_poker-v0", render_mode="human")
