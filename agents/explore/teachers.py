"""Who is expert where nobody knows the best action: agents trained for the task by SB3.

As in "D4RL: Datasets for Deep Data-Driven Reinforcement Learning" (2020, arXiv 2004.07219) the
`medium` grade comes from an agent that was trained for less time: a part `HALF_TRAINED` of the
steps, our choice (theirs stopped at a third of the expert's return). Trained agents are kept in the
data's folder, their weights alone, so that a stopped run goes on with the same ones.
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
from zerogym.agents.explore.players import SLIPS, RandomPlayer, even, named_tasks
from zerogym.agents.explore.run import Progress

FOLDER = "teachers"  # in the folder of the data
HALF_TRAINED = 0.2  # of the expert's training
# Short rollouts, so that a training of few steps is not a single rollout: our choice.
SETTINGS: Mapping[str, Mapping[str, Any]] = {"ppo": {"n_steps": 256}}
Predict = Callable[[NDArray[Any]], Any]
# Share of random actions of the grades from a half-trained agent: it slips by itself.
_OWN_SLIPS: Mapping[str, tuple[float, float]] = {**SLIPS, "medium": (0.0, 0.0)}


class ExpertPlayer(RandomPlayer):
    """An agent trained for each task that is drawn, when it is first drawn.

    Args:
        env: The world.
        grade: `expert` and `play` (a fifth of the actions random) are fully trained; `medium` and
            `medium_replay` (random to half random) partly.
        config: Settings; `teacher` and `teacher_steps` say how they are trained.
        folder: Of the data.
        report: Called while an agent is trained.

    Raises:
        NoOracle: If the world has no tasks.
        UnknownName: If a task is none of the world's.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        grade: str,
        config: CollectConfig,
        folder: Path,
        report: Callable[[Progress], object],
    ) -> None:
        super().__init__(env, 1)
        self.config, self.folder, self.slips = config, folder / FOLDER, _OWN_SLIPS[grade]
        self.report, self.done = report, 0
        self.names, self.drawn_from = named_tasks(env, grade, config)
        share = HALF_TRAINED if grade.startswith("medium") else 1.0
        self.training = max(1, round(config.teacher_steps * share))
        self._known: dict[str, Predict] = {}
        self._act: Predict | None = None

    def begin(self, env: gym.Env[Any, Any], rng: np.random.Generator) -> Mapping[str, Any]:
        """A task for the episode; whoever is trained for it acts."""
        name = self.drawn_from[rng.integers(len(self.drawn_from))]
        self.task = self.names.index(name)
        if name not in self._known:
            self._known[name] = self._taught(name)
        self._act = self._known[name]
        return {"task": name}

    def act(self, seen: NDArray[Any], age: int, done: int, rng: np.random.Generator) -> Any:
        """The agent's action, or a slip."""
        self.done = done
        first, last = self.slips
        if rng.random() < first + (last - first) * done / self.config.steps:
            return even(self.space, rng)
        assert self._act is not None
        return self._act(seen)

    def _taught(self, task: str) -> Predict:
        name = self.config.teacher
        more = SETTINGS.get(name, {})
        settings = SB3Config(name, self.training, seed=self.config.seed, settings=more)
        path = self.folder / f"{task}-{name}-{self.training}.safetensors"
        if not path.exists():
            model = train_sb3(settings, lambda: self._make(task), self._tell)
            self.folder.mkdir(parents=True, exist_ok=True)
            write_tensors(path, model.policy.state_dict())
        model = make_sb3(settings, lambda: self._make(task))
        model.get_env().close()
        try:
            model.policy.load_state_dict(read_tensors(path))
        except RuntimeError as error:
            raise NotAModel(f"{path} does not fit {self.config.env}: {error}") from None
        return lambda seen: model.predict(seen, deterministic=True)[0]

    def _make(self, task: str) -> gym.Env[Any, Any]:
        return gym.make(self.config.env, **self.config.worlds[0], task=task)

    def _tell(self, steps: int, value: float) -> None:
        told = {"teacher/steps": float(steps), "teacher/return": value}
        self.report(Progress(self.done, self.config.steps, told))
