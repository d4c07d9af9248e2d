"""The rounds of a search in z, by what is tried in them: nothing is played here."""

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.adaptation import latent_search
from zerogym.agents.zero_shot.adaptation.latent_search import SearchConfig, adapt, score_gradient
from zerogym.agents.zero_shot.models.architecture import Shape
from zerogym.agents.zero_shot.models.model import FBModel

RETURNS = ([0.0, 1.0, 9.0, 2.0, 3.0], [1.0, 2.0, 0.0, 4.0, 3.0], [0.0, 0.0, 0.0, 0.0, 0.0])
FIRST = np.array([2.0, 0.0, 0.0, 0.0], dtype=np.float32)


@pytest.fixture
def model() -> FBModel:
    torch.manual_seed(0)
    eye = np.eye(5, dtype=np.float32)
    return FBModel(Shape(5, 2, True, 4, 8, 2), Dataset(eye, np.zeros(5, dtype=np.int64), eye))


class Watched(latent_search._Search):
    """Rounds cost 50 steps and have `RETURNS`; in the final comparison the last z is better."""

    tried: list[np.ndarray]
    starts: list[list[int]]

    def _returns(self, tasks: Any, seeds: Sequence[int]) -> Any:
        self.tried.append(tasks.copy())
        self.starts.append(list(seeds))
        self.steps += 50 if len(tasks) > 2 else 20
        return np.array(RETURNS[len(self.tried) - 1] if len(tasks) > 2 else [0.0, 1.0])


def _search(model: FBModel, monkeypatch: pytest.MonkeyPatch, seed: int = 3) -> Any:
    made: list[Any] = []
    Watched.tried, Watched.starts = [], []

    def watched(*given: Any) -> Any:
        made.append(Watched(*given))
        return made[-1]

    monkeypatch.setattr(latent_search, "_Search", watched)
    config = SearchConfig(budget=180, tried=4, starts=2, rate=0.5, spread=0.7, seed=seed)
    found = adapt(model, FIRST, lambda: gym.make("zerogym/UMap-v0", task=None), config)
    return found, Watched.tried, Watched.starts


def _to_sphere(z: np.ndarray) -> np.ndarray:
    return 2 * z / np.linalg.norm(z, axis=-1, keepdims=True)


def test_a_round_starts_from_the_best_z_so_far_and_steps_uphill(
    model: FBModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways: list[Any] = []
    draw = latent_search._Search._directions

    def remembered(search: Any) -> Any:
        ways.append(draw(search))
        return ways[-1]

    monkeypatch.setattr(latent_search._Search, "_directions", remembered)
    found, tried, starts = _search(model, monkeypatch)
    assert [len(each) for each in tried] == [5, 5, 5, 2]
    assert starts == [[3, 4], [3, 4], [3, 4], [5, 6]]  # the judgement begins elsewhere
    current, best = FIRST, FIRST
    for number in range(3):
        expected = np.vstack([current[None], current + 0.7 * ways[number]])
        np.testing.assert_allclose(tried[number], _to_sphere(expected), rtol=1e-5)
        if number == 0:
            best = tried[0][2]  # 9 is the most that any z has
        step = score_gradient(ways[number], np.array(RETURNS[number][1:]))
        current = _to_sphere(best + 0.5 * step)
    np.testing.assert_array_equal(tried[3], np.stack([FIRST, best]))
    np.testing.assert_array_equal(found.z, best)
    assert (found.steps, found.history) == (170, (0.0, 1.0, 0.0))


def test_half_of_the_ways_are_places_of_the_data(
    model: FBModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, tried, _ = _search(model, monkeypatch)
    places = np.stack([model.infer_goal(place) for place in model.samples.observations])
    towards = _to_sphere(FIRST + 0.7 * places)  # (5, d)
    hit = [np.isclose(towards, z, atol=1e-5).all(axis=1).any() for z in tried[0][1:]]
    assert hit == [True, True, False, False]


def test_the_seed_decides_on_what_is_tried(model: FBModel, monkeypatch: pytest.MonkeyPatch) -> None:
    first, same, other = (_search(model, monkeypatch, seed)[1][0] for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, same)
    assert np.abs(first[3:] - other[3:]).min() > 1e-3
