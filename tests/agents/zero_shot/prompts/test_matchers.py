"""Matching frames to states, in words and in pictures of any style."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from numpy.typing import NDArray

import zerogym  # noqa: F401 (registers the ids)
from helpers.zero_shot.u_map import all_cells, path_over, places_of
from zerogym.agents.datasets.dataset import collect
from zerogym.agents.zero_shot.prompts.captions import CaptionMatcher, in_words
from zerogym.agents.zero_shot.prompts.imagination import NoMatch, project
from zerogym.agents.zero_shot.prompts.imaginers import PathSketchImaginer, Style
from zerogym.agents.zero_shot.prompts.matchers import ImageMatcher, distinct

STYLES = (
    Style(),
    Style(paper=(10, 10, 10), ink=(250, 120, 0), cross=True, pixels=50, size=0.07),
    Style(grain=40, lines=12, pixels=151, size=0.03),
)


# Words.


def test_a_frame_that_says_less_is_all_states_it_fits(world: Any, captions: CaptionMatcher) -> None:
    weights = captions.match(["somewhere in row 3", "ROW 3!"])
    places = places_of(world, captions.observations)
    np.testing.assert_allclose(weights[0], (places[:, 0] == 3) / (places[:, 0] == 3).sum())
    np.testing.assert_allclose(weights[0], weights[1])


def test_rare_words_count_more() -> None:
    said = ["door open", "door open", "door open", "lamp shut", "lamp open"]
    captions = CaptionMatcher(np.arange(5)[:, None], lambda state: said[int(state[0])])
    assert captions.match(["door. shut."]).argmax() == 3


@pytest.mark.parametrize(
    "frame", ["", "qwertz", "You are at", "Open:", "\x00" * 100, "row", 3, b""]
)
def test_words_that_say_nothing_are_refused(captions: CaptionMatcher, frame: Any) -> None:
    with pytest.raises(NoMatch, match=r"no word of|frames in words"):
        captions.match(["row 3", frame])


def test_any_world_with_features_can_be_described() -> None:
    maze: Any = gym.make("zerogym/PointMaze-v0", task=None).unwrapped
    line = np.linspace(0.05, 2.95, 13, dtype=np.float32)
    states = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    describe = in_words(maze.measures, states)
    assert describe(np.array([0.05, 2.9], dtype=np.float32)).startswith("x lowest, y highest, ")
    found = CaptionMatcher(states, describe).match(["x lowest, y highest"])[0] > 0
    assert found.any()
    kept = distinct(states)[found]
    assert (kept[:, 0] < 0.7).all() and (kept[:, 1] > 2.3).all()


def test_captions_that_are_all_the_same_are_refused() -> None:
    with pytest.raises(ValueError, match="the same words: 'here'"):
        CaptionMatcher(np.eye(2), lambda observation: "here")
    with pytest.raises(ValueError, match="descriptions are text, got 3"):
        CaptionMatcher(np.eye(2), lambda observation: 3)  # type: ignore[arg-type,return-value]
    with pytest.raises(ValueError, match="two different states"):
        CaptionMatcher(np.ones((3, 2)), str)
    with pytest.raises(ValueError, match="finite"):
        CaptionMatcher(np.array([[np.nan], [0.0]]), str)


# Pictures.


@pytest.mark.parametrize("style", STYLES, ids=("diamond", "cross on black", "grainy"))
def test_a_drawing_in_another_style_is_matched_to_its_places(
    world: Any, pictures: ImageMatcher, style: Style
) -> None:
    cells = all_cells(world)[::2]
    frames = PathSketchImaginer(lambda sentence: path_over(world, cells), style)("all over the map")
    assert frames[0].shape == (style.pixels, style.pixels, 3)
    np.testing.assert_array_equal(project(frames, pictures), cells)


def test_a_drawn_point_is_found_in_the_maze() -> None:
    env = gym.make("zerogym/PointMaze-v0", task=None, render_mode="rgb_array")
    states = collect(
        gym.make("zerogym/PointMaze-v0", task=None), 3000, seed=0, hold=8
    ).observations[::20]

    def draw(observation: NDArray[Any]) -> Any:
        env.reset(seed=0, options={"start": observation})
        return env.render()

    matcher = ImageMatcher(states, draw)
    across = np.linspace(0.1, 0.9, 20)
    path = np.stack([across, 0.5 + 0.4 * np.sin(9 * across)], axis=1)
    found = project(PathSketchImaginer(lambda sentence: path)("a wave"), matcher)
    true = 3 * path  # the side of the square is 3
    nearest = np.linalg.norm(states[None] - true[:, None], axis=-1).min(1).mean()
    random = np.linalg.norm(np.random.default_rng(0).permutation(states)[:20] - true, axis=1).mean()
    distance = np.linalg.norm(found - true, axis=1).mean()
    assert distance < 1.2 * nearest
    assert distance < 0.2 * random


@pytest.mark.parametrize(
    ("frames", "fault"),
    [
        ([], "pictures are arrays"),
        ([np.zeros((8, 8))] * 9, "3 different pictures"),
        (["a house"], "pictures are arrays"),
        ([np.zeros((8, 8)), np.zeros((9, 8)), np.ones((8, 8))], "of one shape"),
        ([np.zeros(8)] * 3, "pictures are arrays"),
        ([np.full((8, 8), np.nan), np.zeros((8, 8)), np.ones((8, 8))], "finite"),
        ([np.zeros((0, 8))] * 3, "finite numbers, and some"),
        ([np.array([["a"]])] * 3, "finite numbers, and some; got <U1"),
        ([np.eye(8)[[i] * 8] * (i != 1) for i in (0, 1, 2)], "move in picture 1 of 3"),
    ],
)
def test_pictures_that_show_nothing_are_refused(
    pictures: ImageMatcher, frames: list[Any], fault: str
) -> None:
    with pytest.raises(NoMatch, match=fault):
        pictures.match(frames)
