"""Behaviour-regularised forward-backward agents behind the interface of all zero-shot agents.

"Towards Robust Zero-Shot Reinforcement Learning" (2025, arXiv 2510.15382). The learner is that of
`algorithms/breeze.py`, the networks' sizes and rates are those of agent fb in the same world; this
file joins them. Left out: pixels and histories.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from zerogym.agents.atomic_files import read_json, write_text
from zerogym.agents.zero_shot.agents import Start
from zerogym.agents.zero_shot.algorithms.breeze import (
    BreezeAgent,
    ContinuousBreeze,
    DiscreteBreeze,
)
from zerogym.agents.zero_shot.config import PRESETS, FBConfig
from zerogym.agents.zero_shot.data.tensor_dataset import has_few_states
from zerogym.agents.zero_shot.methods.fb import FB, TRAINING_FILE
from zerogym.agents.zero_shot.methods.model_files import SavedModel, read_model, write_model

FORMAT = "zerogym breeze 1"


class Breeze(FB):
    """A behaviour-regularised model with its learner.

    Args:
        agent: The learner, which owns the model.
    """

    agent: BreezeAgent

    @classmethod
    def start(cls, settings: Any, start: Start) -> Self:
        """Return a new agent with the preset of its world, where there is one.

        Args:
            settings: Of the table.
            start: Data, sizes and seed.
        """
        if start.dataset.observations.ndim != 2:
            raise ValueError("agent breeze needs vectors as observations")
        preset = PRESETS.get(start.env, FBConfig(env=start.env))
        config = replace(
            preset,
            dim=settings.dim or preset.dim,
            gamma=settings.gamma,
            net="attention" if settings.attention else preset.net,
            temperature=preset.temperature if start.discrete else 0.0,
            exact=preset.exact and start.discrete and has_few_states(start.dataset),
            updates=start.updates,
            seed=start.seed,
        )
        samples = start.dataset.take(config.samples, config.seed)
        return cls(_kind(start.discrete).of(config, settings, samples, start.actions))

    def save(self, path: Path | str) -> None:
        """Write a model directory with the state of the learner; the settings last."""
        folder, shape = Path(path), self.model.shape
        folder.mkdir(parents=True, exist_ok=True)
        write_text(folder / TRAINING_FILE, self.agent.config.to_json())
        kept = (self.agent.settings, self.model.samples, self.agent.tensors())
        write_model(folder, FORMAT, *kept, actions=shape.actions, discrete=shape.discrete)

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read what `save` wrote; training continues exactly.

        Raises:
            NotAModel: If the directory is none, or damaged.
        """
        return read_model(path, FORMAT, lambda saved: cls._of(saved, Path(path)))

    @classmethod
    def _of(cls, saved: SavedModel, folder: Path) -> Self:
        config = FBConfig(**read_json(folder / TRAINING_FILE))
        kind, actions = _kind(saved.facts["discrete"]), saved.facts["actions"]
        agent = kind.of(config, saved.settings, saved.samples, actions)
        agent.load_tensors(saved.tensors)
        return cls(agent)


def _kind(discrete: bool) -> type[BreezeAgent]:
    return DiscreteBreeze if discrete else ContinuousBreeze
