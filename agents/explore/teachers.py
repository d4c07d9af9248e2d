"""Experts for environments without an oracle: agents trained for each task with SB3.

As in "D4RL: Datasets for Deep Data-Driven Reinforcement Learning" (2020, arXiv 2004.07219) the
`medium` grade comes from an agent with less training: a share `HALF_TRAINED` of the steps, our
choice (theirs stopped at a third of the expert's return). The weights of trained agents are stored
in the data's folder, so that a resumed run uses the same ones.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from zerogym.agents.atomic_files import NotAModel, read_tensors, write_tensors
from zerogym.agents.baselines.sb3 import SB3Config, make_sb3, train_sb3
from zerogym.agents.explore.config import CollectConfig
from zerogym.agents.explore.players import SLIPS, TaskPlayer
from zerogym.agents.explore.run import Progress

FOLDER = "teachers"  # in the folder of the data
HALF_TRAINED = 0.2  # share of the expert's training
# Short rollouts, so that a training of few steps is not a single rollout: our choice.
SETTINGS: Mapping[str, Mapping[str, Any]] = {"ppo": {"n_steps": 256}}
Predict = Callable[[NDArray[Any]], Any]
# Share of random actions; a half-trained agent makes errors of its own.
_SLIPS: Mapping[str, tuple[float, float]] = {**SLIPS, "medium": (0.0, 0.0)}


class ExpertPlayer(TaskPlayer):
    """An agent trained for each task when it is first drawn.

    Args:
        env: The environment.
        grade: `expert` and `play` (a fifth of the actions random) are fully trained; `medium` and
            `medium_replay` (random to half random) partly.
        config: Settings; `teacher` and `teacher_steps` are those of the training.
        folder: Folder of the data.
        report: Called while an agent is trained.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        grade: str,
        config: CollectConfig,
        folder: Path,
        report: Callable[[Progress], object],
    ) -> None:
        super().__init__(env, grade, config, _SLIPS[grade])
        self.folder, self.report, self.done = folder / FOLDER, report, 0
        share = HALF_TRAINED if grade.startswith("medium") else 1.0
        self.training = max(1, round(config.teacher_steps * share))
        self._experts: dict[str, Predict] = {}

    def begin(self, env: gym.Env[Any, Any], rng: np.random.Generator) -> Mapping[str, Any]:
        """Draw the task of the episode, and train its expert if there is none."""
        options = super().begin(env, rng)
        if options["task"] not in self._experts:
            self._experts[options["task"]] = self._train(options["task"])
        return options

    def act(self, obs: NDArray[Any], age: int, done: int, rng: np.random.Generator) -> Any:
        """Return the expert's action, or a random one."""
        self.done = done
        return super().act(obs, age, done, rng)

    def best_action(self, obs: NDArray[Any]) -> Any:
        """Return the expert's action."""
        return self._experts[self.names[self.task]](obs)

    def _train(self, task: str) -> Predict:
        """Train an expert, or load it; return its policy."""
        name = self.config.teacher

        def make() -> gym.Env[Any, Any]:
            return gym.make(self.config.env, **self.config.worlds[0], task=task)

        def report(steps: int, value: float) -> None:
            metrics = {"teacher/steps": float(steps), "teacher/return": value}
            self.report(Progress(self.done, self.config.steps, metrics))

        more = SETTINGS.get(name, {})
        settings = SB3Config(name, self.training, seed=self.config.seed, settings=more)
        path = self.folder / f"{task}-{name}-{self.training}.safetensors"
        if not path.exists():
            model = train_sb3(settings, make, report)
            self.folder.mkdir(parents=True, exist_ok=True)
            write_tensors(path, model.policy.state_dict())
        model = make_sb3(settings, make)
        model.get_env().close()
        try:
            model.policy.load_state_dict(read_tensors(path))
        except RuntimeError as error:
            raise NotAModel(f"{path} does not fit {self.config.env}: {error}") from None
        return lambda obs: model.predict(obs, deterministic=True)[0]
