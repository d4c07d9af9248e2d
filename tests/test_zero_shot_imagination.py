"""Sentences as frames, frames as states of the data, states as z (RLZero)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.zero_shot.captions import Captions, in_words
from zerogym.agents.zero_shot.config import preset
from zerogym.agents.zero_shot.dataset import Dataset, collect
from zerogym.agents.zero_shot.evaluation import evaluate_tabular
from zerogym.agents.zero_shot.imagination import (
    MAX_FRAMES,
    NoImagination,
    NoMatch,
    imagine,
    imitate,
    project,
)
from zerogym.agents.zero_shot.imaginers import Sketches, Storyteller, Style, Templates
from zerogym.agents.zero_shot.inference import of_regression
from zerogym.agents.zero_shot.matchers import Silhouettes, distinct
from zerogym.agents.zero_shot.model import FBModel, Shape
from zerogym.agents.zero_shot.train import train
from zerogym.envs.control.tasks import Task

ENV = "zerogym/UMap-v0"
TO_A_CELL = Templates({r"row (\d+), column (\d+)": [r"You are at row \1, column \2."]})
STYLES = (
    Style(),
    Style(paper=(10, 10, 10), ink=(250, 120, 0), cross=True, pixels=50, size=0.07),
    Style(grain=40, lines=12, pixels=151, size=0.03),
)


@pytest.fixture(scope="module")
def world() -> Any:
    return gym.make(ENV).unwrapped


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> FBModel:
    """Trained for a moment: about 0.6 of the way from random to optimal."""
    folder = tmp_path_factory.mktemp("u_map")
    return FBModel.load(train(preset(ENV, updates=400, checkpoint_every=400), folder).path)


@pytest.fixture(scope="module")
def captions(world: Any) -> Captions:
    return Captions(_cells(world), lambda observation: world._where(int(observation.argmax())))


@pytest.fixture(scope="module")
def pictures(world: Any) -> Silhouettes:
    env = gym.make(ENV, render_mode="rgb_array")

    def draw(observation: NDArray[Any]) -> Any:
        cell = _places(world, observation[None])[0]
        env.reset(seed=0, options={"start": cell})
        return env.render()

    return Silhouettes(_cells(world), draw)


def _cells(world: Any) -> NDArray[np.float32]:
    return np.eye(world.num_states, dtype=np.float32)


def _places(world: Any, observations: NDArray[Any]) -> NDArray[np.float64]:
    """Row and column, (B, 2)."""
    return np.stack([world.measures[name](observations) for name in ("row", "column")], axis=1)


def _goals(world: Any) -> list[Task]:
    return [task for task in world.tasks.values() if task.goal is not None]


def _scores(
    model: FBModel, tasks: list[Task], z_of: Callable[[Task], NDArray[np.float32]]
) -> dict[str, float]:
    """Exact scores when each task is told by `z_of`; 0 is random, 1 optimal."""

    class Told:
        act = staticmethod(model.act)
        infer = staticmethod(z_of)

    return evaluate_tabular(Told(), gym.make(ENV), tasks)  # type: ignore[arg-type]


def _mean(scores: dict[str, float]) -> float:
    return float(np.mean(list(scores.values())))


def _expert(task: Task, episodes: int) -> NDArray[np.float32]:
    """What the oracle sees."""
    env: Any = gym.make(ENV, task=task)
    seen = []
    for episode in range(episodes):
        env.reset(seed=episode)
        over = False
        while not over:
            observation, _, _, over, _ = env.step(env.unwrapped.oracle_action())
            seen.append(observation)
    return np.array(seen)


def _path(world: Any, observations: NDArray[Any]) -> NDArray[np.float64]:
    """Where cells are in a drawing of the whole map."""
    rows, columns = _places(world, observations).T
    return np.stack([(columns + 0.5) / 10, 1 - (rows + 0.5) / 9], axis=1)


# Words.


def test_every_instruction_finds_its_cell_and_scores_as_the_goal_itself(
    world: Any, model: FBModel, captions: Captions
) -> None:
    tasks = _goals(world)[::2]
    told = {task.name: imagine(model, task.text, TO_A_CELL, captions) for task in tasks}
    for task in tasks:
        np.testing.assert_array_equal(told[task.name].observations, [task.goal])
    score = _mean(_scores(model, tasks, lambda task: told[task.name].z))
    assert score == pytest.approx(_mean(_scores(model, tasks, model.infer)), abs=0.01)
    assert score > 0.4
    # The frames of another sentence are as good as random.
    others = dict(zip(told, [*list(told.values())[10:], *list(told.values())[:10]], strict=True))
    assert _mean(_scores(model, tasks, lambda task: others[task.name].z)) < 0.15


def test_a_frame_that_says_less_is_all_states_it_fits(world: Any, captions: Captions) -> None:
    weights = captions.match(["somewhere in row 3", "ROW 3!"])
    places = _places(world, captions.observations)
    np.testing.assert_allclose(weights[0], (places[:, 0] == 3) / (places[:, 0] == 3).sum())
    np.testing.assert_allclose(weights[0], weights[1])


def test_rare_words_count_more() -> None:
    said = ["door open", "door open", "door open", "lamp shut", "lamp open"]
    captions = Captions(np.arange(5)[:, None], lambda state: said[int(state[0])])
    assert captions.match(["door. shut."]).argmax() == 3


@pytest.mark.parametrize(
    "frame", ["", "qwertz", "You are at", "Open:", "\x00" * 100, "row", 3, b""]
)
def test_words_that_say_nothing_are_refused(captions: Captions, frame: Any) -> None:
    with pytest.raises(NoMatch, match=r"no word of|frames in words"):
        captions.match(["row 3", frame])


def test_any_world_with_features_can_be_described() -> None:
    maze: Any = gym.make("zerogym/PointMaze-v0").unwrapped
    line = np.linspace(0.05, 2.95, 13, dtype=np.float32)
    states = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    describe = in_words(maze.measures, states)
    assert describe(np.array([0.05, 2.9], dtype=np.float32)).startswith("x lowest, y highest, ")
    found = Captions(states, describe).match(["x lowest, y highest"])[0] > 0
    assert found.any()
    kept = distinct(states)[found]
    assert (kept[:, 0] < 0.7).all() and (kept[:, 1] > 2.3).all()


def test_captions_that_are_all_the_same_are_refused() -> None:
    with pytest.raises(ValueError, match="the same words: 'here'"):
        Captions(np.eye(2), lambda observation: "here")
    with pytest.raises(ValueError, match="two different states"):
        Captions(np.ones((3, 2)), str)
    with pytest.raises(ValueError, match="finite"):
        Captions(np.array([[np.nan], [0.0]]), str)


# Pictures.


@pytest.mark.parametrize("style", STYLES, ids=("diamond", "cross on black", "grainy"))
def test_a_drawing_in_another_style_is_matched_to_its_places(
    world: Any, pictures: Silhouettes, style: Style
) -> None:
    cells = _cells(world)[::2]
    frames = Sketches(lambda sentence: _path(world, cells), style)("all over the map")
    assert frames[0].shape == (style.pixels, style.pixels, 3)
    np.testing.assert_array_equal(project(frames, pictures), cells)


def test_a_drawn_point_is_found_in_the_maze() -> None:
    env = gym.make("zerogym/PointMaze-v0", render_mode="rgb_array")
    states = collect(gym.make("zerogym/PointMaze-v0"), 3000, seed=0, hold=8).observations[::20]

    def draw(observation: NDArray[Any]) -> Any:
        env.reset(seed=0, options={"start": observation})
        return env.render()

    matcher = Silhouettes(states, draw)
    across = np.linspace(0.1, 0.9, 20)
    path = np.stack([across, 0.5 + 0.4 * np.sin(9 * across)], axis=1)
    found = project(Sketches(lambda sentence: path)("a wave"), matcher)
    true = 3 * path  # the side of the square is 3
    nearest = np.linalg.norm(states[None] - true[:, None], axis=-1).min(1).mean()
    random = np.linalg.norm(np.random.default_rng(0).permutation(states)[:20] - true, axis=1).mean()
    distance = np.linalg.norm(found - true, axis=1).mean()
    assert distance < 1.2 * nearest
    assert distance < 0.2 * random


def test_a_drawn_way_is_gone(world: Any, model: FBModel, pictures: Silhouettes) -> None:
    tasks = _goals(world)[::6]

    def drawn(task: Task, of: Task) -> NDArray[np.float32]:
        states = _expert(of, episodes=1)
        moving = int((states != states[-1]).any(1).sum())
        path = _path(world, states[: 2 * max(moving, 2) - 1])  # it stays, but not for half of it
        if len(np.unique(path, axis=0)) < 3:
            path = np.concatenate([_path(world, _cells(world)[:3]), path])
        return imagine(model, task.text, Sketches(lambda sentence: path), pictures).z

    right = _mean(_scores(model, tasks, lambda task: drawn(task, task)))
    wrong = _mean(_scores(model, tasks, lambda task: drawn(task, tasks[tasks.index(task) - 4])))
    assert right > wrong + 0.2, (right, wrong)


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
    pictures: Silhouettes, frames: list[Any], fault: str
) -> None:
    with pytest.raises(NoMatch, match=fault):
        pictures.match(frames)


# Imitation.


def test_z_is_the_mean_of_what_was_found_in_any_order(
    world: Any, model: FBModel, captions: Captions
) -> None:
    frames = [f"row {row}, column 1" for row in (1, 1, 2, 5)]
    z = imitate(model, captions.match(frames), captions)
    np.testing.assert_allclose(
        z, model.infer_demonstration(project(frames, captions)), rtol=1e-3, atol=1e-4
    )
    shuffled = imitate(model, captions.match(frames[::-1]), captions)
    np.testing.assert_allclose(z, shuffled, rtol=1e-3, atol=1e-4)
    # Unlike a track, whose next steps count.
    track = model.infer_track(project(frames, captions), 1)
    assert not np.allclose(track[0], model.infer_track(project(frames[::-1], captions), 1)[0])


def test_successor_features_fit_the_reward_of_being_there() -> None:
    torch.manual_seed(0)
    states = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    data = Dataset(states, np.zeros(50, dtype=np.int64), states)
    model = FBModel(Shape(4, 2, True, 3, 8, 2, kind="laplacian"), data)
    captions = Captions(
        states, lambda state: f"number {list(distinct(states)[:, 0]).index(state[0])}"
    )
    z = imitate(model, captions.match(["number 7", "number 7", "number 9"]), captions)
    reward = np.zeros(50, dtype=np.float32)
    reward[[7, 9]] = 2, 1
    features = model.backward_net(torch.as_tensor(captions.observations))
    np.testing.assert_allclose(
        z, of_regression(features, torch.as_tensor(reward)).detach(), rtol=1e-3, atol=1e-4
    )


def test_states_of_an_expert_say_as_much_as_the_reward(world: Any, model: FBModel) -> None:
    tasks = _goals(world)[::4]
    shown = _scores(model, tasks, lambda t: model.infer_demonstration(_expert(t, episodes=5)))
    paid = _scores(model, tasks, lambda t: model.infer_reward(t.reward))
    assert _mean(shown) >= 0.9 * _mean(paid) > 0.3


@pytest.mark.slow
def test_states_of_an_expert_say_as_much_as_the_reward_when_trained(
    world: Any, tmp_path: Path
) -> None:
    model = FBModel.load(train(preset(ENV, updates=1_500), tmp_path).path)
    tasks = list(world.tasks.values())[::4]
    shown = _scores(model, tasks, lambda t: model.infer_demonstration(_expert(t, episodes=20)))
    paid = _scores(model, tasks, lambda t: model.infer_reward(t.reward))
    assert _mean(shown) >= _mean(paid) > 0.6


# Imaginers.


class Replies:
    """A language model that says one thing after the other, and keeps what it was asked."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.asked = list(replies), list[str]()

    def __call__(self, message: str) -> str:
        self.asked.append(message)
        return self.replies.pop(0)


def test_a_language_model_tells_a_story(model: FBModel, captions: Captions, world: Any) -> None:
    ask = Replies(
        "Down there?\n<frames>a</frames> no\n<frames>\n row 7, column 8\n\nrow 6\n</frames>"
    )
    storyteller = Storyteller(ask, captions.captions, frames=2, check=captions.match)
    found = imagine(model, "Hide in the last corner!", storyteller, captions)
    assert found.frames == ["row 7, column 8", "row 6"]
    np.testing.assert_array_equal(_places(world, found.observations)[0], (7, 8))
    for known in ("Hide in the last corner!", "Describe 2 moments", captions.captions[0]):
        assert known in ask.asked[0]


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("row 7", "there are no lines"),
        ("<frames>\n \n</frames>", "there are no lines"),
        ("<frames>\nnirvana\n</frames>", "no word of 'nirvana'"),
        (f"<frames>\n{'row 7' + chr(10)}{('a' + chr(10)) * MAX_FRAMES}</frames>", "too many"),
        ("\x00" * 100_000, "there are no lines"),
    ],
)
def test_a_fault_is_sent_back_and_can_be_repaired(
    captions: Captions, reply: str, fault: str
) -> None:
    ask = Replies(reply, "<frames>row 1</frames>")
    storyteller = Storyteller(ask, captions.captions, check=captions.match)
    assert storyteller("Up!") == ["row 1"]
    assert fault in ask.asked[1]
    assert len(ask.asked[1]) < 10_000
    ask = Replies(reply, reply)
    with pytest.raises(NoImagination, match="in 2 replies"):
        Storyteller(ask, captions.captions, tries=2, check=captions.match)("Up!")


@pytest.mark.parametrize("sentence", ["", " \n", "x" * 10_000_000])
def test_no_sentence(model: FBModel, captions: Captions, sentence: str) -> None:
    with pytest.raises(ValueError, match="characters"):
        imagine(model, sentence, TO_A_CELL, captions)


def test_what_cannot_be_imagined_says_so(model: FBModel, captions: Captions) -> None:
    with pytest.raises(NoImagination, match=r"no template fits 'Be kind\.'"):
        imagine(model, "Be kind.", TO_A_CELL, captions)
    for frames in ([], ["row 1"] * (MAX_FRAMES + 1)):
        with pytest.raises(NoImagination, match=f"got {len(frames)}"):
            imagine(model, "Go.", Templates({"Go": frames}), captions)
    for path in ([[0.5, 1.5]], [[np.nan, 0]], [0.5, 0.5]):
        with pytest.raises(NoImagination, match="a path is"):
            Sketches(lambda sentence, path=path: path)("Go.")
    with pytest.raises(NoMatch, match="frames in words"):
        imagine(model, "Go.", Sketches(lambda sentence: [[0.5, 0.5]]), captions)


def test_the_same_drawing_every_time() -> None:
    sketches = Sketches(lambda sentence: [[0.2, 0.3], [0.4, 0.5]], seed=7)
    for first, second in zip(sketches("a"), sketches("a"), strict=True):
        np.testing.assert_array_equal(first, second)
