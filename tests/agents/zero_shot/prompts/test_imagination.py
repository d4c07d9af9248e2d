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
from helpers.zero_shot.u_map import ENV, all_cells, path_over
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.config import preset
from zerogym.agents.zero_shot.evaluation.returns import evaluate_tabular
from zerogym.agents.zero_shot.models.architecture import Shape
from zerogym.agents.zero_shot.models.inference import of_regression
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.prompts.captions import CaptionMatcher
from zerogym.agents.zero_shot.prompts.imagination import (
    MAX_FRAMES,
    NoImagination,
    NoMatch,
    imagine,
    imitate,
    project,
)
from zerogym.agents.zero_shot.prompts.imaginers import PathSketchImaginer, Templates
from zerogym.agents.zero_shot.prompts.matchers import ImageMatcher, distinct
from zerogym.agents.zero_shot.training.train import train
from zerogym.envs.control.core.tasks import Task

TO_A_CELL = Templates({r"row (\d+), column (\d+)": [r"You are at row \1, column \2."]})


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> FBModel:
    """Trained for a moment: about 0.6 of the way from random to optimal."""
    folder = tmp_path_factory.mktemp("u_map")
    return FBModel.load(train(preset(ENV, updates=400, checkpoint_every=400), folder).path)


def _goals(world: Any) -> list[Task]:
    return [task for task in world.tasks.values() if task.goal is not None]


def _scores(
    model: FBModel, tasks: list[Task], z_of: Callable[[Task], NDArray[np.float32]]
) -> dict[str, float]:
    """Exact scores when each task is imagined by `z_of`; 0 is random, 1 optimal."""

    class Fixed:
        recurrent = False
        predict = staticmethod(model.predict)
        infer = staticmethod(z_of)

    return evaluate_tabular(Fixed(), gym.make(ENV), tasks)  # type: ignore[arg-type]


def _mean(scores: dict[str, float]) -> float:
    return float(np.mean(list(scores.values())))


def _expert(task: Task, episodes: int) -> NDArray[np.float32]:
    """Return the observations of the oracle."""
    env: Any = gym.make(ENV, task=task)
    states = []
    for episode in range(episodes):
        env.reset(seed=episode)
        over = False
        while not over:
            observation, _, _, over, _ = env.step(env.unwrapped.oracle_action())
            states.append(observation)
    return np.array(states)


@pytest.mark.proof
def test_every_instruction_finds_its_cell_and_scores_as_the_goal_itself(
    world: Any, model: FBModel, captions: CaptionMatcher
) -> None:
    tasks = _goals(world)[::2]
    imagined = {task.name: imagine(model, task.text, TO_A_CELL, captions) for task in tasks}
    for task in tasks:
        np.testing.assert_array_equal(imagined[task.name].observations, [task.goal])
    score = _mean(_scores(model, tasks, lambda task: imagined[task.name].z))
    assert score == pytest.approx(_mean(_scores(model, tasks, model.infer)), abs=0.01)
    assert score > 0.4
    # The frames of another sentence are as good as random.
    others = dict(
        zip(imagined, [*list(imagined.values())[10:], *list(imagined.values())[:10]], strict=True)
    )
    assert _mean(_scores(model, tasks, lambda task: others[task.name].z)) < 0.15


def test_a_drawn_way_is_gone(world: Any, model: FBModel, pictures: ImageMatcher) -> None:
    tasks = _goals(world)[::6]

    def drawn(task: Task, of: Task) -> NDArray[np.float32]:
        states = _expert(of, episodes=1)
        moving = int((states != states[-1]).any(1).sum())
        # It stays in the end, but not for half of the way.
        path = path_over(world, states[: 2 * max(moving, 2) - 1])
        if len(np.unique(path, axis=0)) < 3:
            path = np.concatenate([path_over(world, all_cells(world)[:3]), path])
        return imagine(model, task.text, PathSketchImaginer(lambda sentence: path), pictures).z

    right = _mean(_scores(model, tasks, lambda task: drawn(task, task)))
    wrong = _mean(_scores(model, tasks, lambda task: drawn(task, tasks[tasks.index(task) - 4])))
    assert right > wrong + 0.2, (right, wrong)


# Imitation.


def test_z_is_the_mean_of_what_was_found_in_any_order(
    world: Any, model: FBModel, captions: CaptionMatcher
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
    captions = CaptionMatcher(
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
    rewarded = _scores(model, tasks, lambda t: model.infer_reward(t.reward))
    assert _mean(shown) >= 0.9 * _mean(rewarded) > 0.3


@pytest.mark.proof
def test_states_of_an_expert_say_as_much_as_the_reward_when_trained(
    world: Any, tmp_path: Path
) -> None:
    model = FBModel.load(train(preset(ENV, updates=1_500), tmp_path).path)
    tasks = list(world.tasks.values())[::4]
    shown = _scores(model, tasks, lambda t: model.infer_demonstration(_expert(t, episodes=20)))
    rewarded = _scores(model, tasks, lambda t: model.infer_reward(t.reward))
    assert _mean(shown) >= _mean(rewarded) > 0.6


def test_what_cannot_be_imagined_says_so(model: FBModel, captions: CaptionMatcher) -> None:
    with pytest.raises(ValueError, match="a sentence has 1 to"):
        imagine(model, " ", TO_A_CELL, captions)
    with pytest.raises(NoImagination, match=r"no template fits 'Be kind\.'"):
        imagine(model, "Be kind.", TO_A_CELL, captions)
    for frames in ([], ["row 1"] * (MAX_FRAMES + 1)):
        with pytest.raises(NoImagination, match=f"got {len(frames)}"):
            imagine(model, "Go.", Templates({"Go": frames}), captions)
    for path in ([[0.5, 1.5]], [[np.nan, 0]], [0.5, 0.5], np.full((1_000_000, 2), 0.5)):
        with pytest.raises(NoImagination, match=r"a path (is|has at most)"):
            PathSketchImaginer(lambda sentence, path=path: path)("Go.")
    with pytest.raises(NoMatch, match="frames in words"):
        imagine(model, "Go.", PathSketchImaginer(lambda sentence: [[0.5, 0.5]]), captions)
