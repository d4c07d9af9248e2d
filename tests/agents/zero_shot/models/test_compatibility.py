"""Data and worlds that are not those of a model are refused before anything is computed."""

from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401 (registers the ids)
from zerogym.agents.atomic_files import NotAModel
from zerogym.agents.datasets.dataset import Dataset, collect
from zerogym.agents.zero_shot.algorithms.base import FBAgent
from zerogym.agents.zero_shot.algorithms.fb_continuous import ContinuousFB
from zerogym.agents.zero_shot.algorithms.fb_discrete import DiscreteFB
from zerogym.agents.zero_shot.config import FBConfig
from zerogym.agents.zero_shot.evaluation.returns import evaluate_rollouts
from zerogym.agents.zero_shot.models.architecture import Shape
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.envs.control.core.tasks import Task


def test_data_of_another_world_are_refused_at_once(tmp_path: Path) -> None:
    """For an agent that is to learn, and for a model that is read."""
    config = FBConfig(batch_size=4, dim=3, hidden=4, updates=1)
    states, rng = np.eye(4, dtype=np.float32), np.random.default_rng(0)
    walks = Dataset(states, np.array([0, 1, 2, 1]), np.roll(states, 1, 0))
    moves = Dataset(states, rng.uniform(-1, 1, (4, 2)).astype(np.float32), np.roll(states, 1, 0))
    discrete = DiscreteFB.create(config, walks, 3)
    continuous = ContinuousFB.create(config, moves, 2)
    agents: dict[str, FBAgent] = {"3 discrete actions": discrete, "shape \\(2,\\)": continuous}
    wide = Dataset(np.eye(5, dtype=np.float32), np.zeros(5, np.int64), np.eye(5, dtype=np.float32))
    columns = walks.columns()
    fifth = Dataset(**(columns | {"actions": np.array([0, 1, 5, 1])}))
    longer = Dataset(**(columns | {"actions": np.zeros((4, 3), np.float32)}))
    for (words, agent), wrong in (
        *((one, moves if one[1].discrete else walks) for one in agents.items()),
        (("from 0 to 5, but the model is for 3 discrete actions", discrete), fifth),
        (("shape \\(3,\\) and type float32", continuous), longer),
    ):
        with pytest.raises(ValueError, match=f"data have actions.*{words}"):
            agent.learn(wrong, 1)
        agent.model.save(tmp_path)
        wrong.save(tmp_path / "samples.npz")
        with pytest.raises(NotAModel, match="samples have actions"):
            FBModel.load(tmp_path)
    for agent in agents.values():
        with pytest.raises(ValueError, match=r"data have observations of shape \(5,\), not \(4,\)"):
            agent.learn(wide, 1)


def test_a_model_is_not_scored_in_another_world() -> None:
    data = collect(gym.make("zerogym/UMap-v0", task=None), 60)
    model = FBModel(Shape(45, 5, True, 8, 16, 2), data)
    env = gym.make("zerogym/FourRooms-v0", task=None)
    task = Task("all", "", lambda o, a, n: np.ones(len(n)))
    with pytest.raises(ValueError, match=r"model is for .*\(45,\).*FourRooms-v0 has .*\(40,\)"):
        evaluate_rollouts(model, lambda task: env, [task])
