"""Forward-backward agents and successor features behind the interface of all zero-shot agents.

"Learning One Representation to Optimize All Rewards" (2021, arXiv 2103.07945), and "Does Zero-Shot
Reinforcement Learning Exist?" (2022, arXiv 2209.14935) for the features of agent `sf`. The
networks are those of `models/model.py`, the learner is that of `algorithms/`; this file joins them.
Left out: settings beside features, d and the discount, which `zerogym train fb` has, with logs,
GPUs and several seeds.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import gymnasium as gym
from numpy.typing import ArrayLike, NDArray

from zerogym.agents.atomic_files import (
    NotAModel,
    read_json,
    read_tensors,
    write_tensors,
    write_text,
)
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import SFSettings, Start
from zerogym.agents.zero_shot.algorithms.base import FBAgent
from zerogym.agents.zero_shot.algorithms.creation import create_agent
from zerogym.agents.zero_shot.config import PRESETS, FBConfig
from zerogym.agents.zero_shot.data.tensor_dataset import has_few_states
from zerogym.agents.zero_shot.models.model import FBModel

TRAINING_FILE, LEARNER_FILE = "training.json", "learner.safetensors"


class FB:
    """A forward-backward model with its learner.

    Args:
        agent: The learner, which owns the model.
    """

    def __init__(self, agent: FBAgent) -> None:
        self.agent = agent
        self._copy: tuple[int, FBModel] | None = None  # updates, and the model of that time

    @property
    def model(self) -> FBModel:
        """The model, which infers and acts on the CPU: a copy if it learns on a GPU."""
        if self.agent.device.type == "cpu":
            return self.agent.model
        if self._copy is None or self._copy[0] != self.updates:
            self._copy = self.updates, deepcopy(self.agent.model).cpu()
        return self._copy[1]

    @classmethod
    def start(cls, settings: Any, start: Start) -> Self:
        """Return a new agent with the preset of its world, where there is one.

        Sums over all states are exact where the preset says so and there are few.

        Args:
            settings: Of the table, `FBSettings` or `SFSettings`.
            start: Data, sizes and seed.
        """
        preset = PRESETS.get(start.env, FBConfig(env=start.env))
        config = replace(
            preset,
            features=settings.features if isinstance(settings, SFSettings) else "fb",
            dim=settings.dim or preset.dim,
            gamma=settings.gamma,
            exact=preset.exact and has_few_states(start.dataset),
            updates=start.updates,
            seed=start.seed,
        )
        return cls(create_agent(config, start.dataset, start.actions, start.discrete))

    @property
    def recurrent(self) -> bool:
        """True if F has a memory of the episode."""
        return self.model.recurrent

    @property
    def updates(self) -> int:
        """The number of updates so far."""
        return self.agent.updates

    # The interface of zero-shot agents.

    def learn(self, dataset: Dataset, updates: int) -> Mapping[str, Any]:
        """Take gradient steps of F, B and the actor; see `ZeroShotAgent.learn`."""
        return self.agent.learn(dataset, updates)

    def infer(self, task: Any, samples: Dataset | None = None) -> NDArray[Any]:
        """Infer z (d,); see `ZeroShotModel.infer`."""
        return self.model.infer(task, samples)

    def predict(
        self, observations: ArrayLike, prompt: Any, state: Any = None, episode_start: Any = None
    ) -> tuple[NDArray[Any], Any]:
        """Return actions for z, and the next state."""
        return self.model.predict(observations, prompt, state, episode_start)

    def check_env(self, env: gym.Env[Any, Any]) -> None:
        """Refuse an environment of other observations or actions."""
        self.model.check_env(env)

    def save(self, path: Path | str) -> None:
        """Write a model directory, which `FBModel.load` reads, too, with the learner's state."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / TRAINING_FILE, self.agent.config.to_json())
        write_tensors(folder / LEARNER_FILE, self.agent.tensors())
        self.model.save(folder)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read what `save` wrote; training continues exactly.

        Raises:
            NotAModel: If the directory is none, or damaged.
        """
        folder = Path(path)
        model = FBModel.load(folder)
        try:
            config = FBConfig(**read_json(folder / TRAINING_FILE))
            shape = model.shape
            agent = create_agent(config, model.samples, shape.actions, shape.discrete, model)
            agent.load_tensors(read_tensors(folder / LEARNER_FILE))
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise NotAModel(f"{folder} is no model of agents fb and sf: {error}") from None
        return cls(agent)
