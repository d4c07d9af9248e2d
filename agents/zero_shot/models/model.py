"""A forward-backward model: networks, inference of z from a task, and files.

Inference after "Does Zero-Shot Reinforcement Learning Exist?" (2022, arXiv 2209.14935): for a
reward z = sqrt(d) * normalise(mean_i r_i B(s'_i)) over samples of the training data, for a goal
z = B(goal); with successor features the least squares fit of the reward, and E[phi phi']^-1
phi(goal). The formulas of all prompts are in `inference.py`.
"""

import dataclasses
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from zerogym.agents.atomic_files import (
    NotAModel,
    read_json,
    read_tensors,
    write_tensors,
    write_text,
)
from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.torch_threads import threads_for
from zerogym.agents.zero_shot.data.histories import HistoryState, coded, recall
from zerogym.agents.zero_shot.models import inference
from zerogym.agents.zero_shot.models.architecture import Shape, make_networks
from zerogym.agents.zero_shot.models.compatibility import check_data, check_env
from zerogym.agents.zero_shot.models.networks import RadialFeatures, Standardised, spread_points
from zerogym.agents.zero_shot.protocol import goal_and_reward
from zerogym.envs.control.core.tasks import Task

FORMAT = "zerogym forward-backward model 1"
NOISES = 16  # of which an actor that takes noise acts on the best
NEAREST = 8  # samples that represent a goal given as an observation of the unwrapped environment
CONFIG_FILE, WEIGHTS_FILE, SAMPLES_FILE = "config.json", "model.safetensors", "samples.npz"


class FBModel(nn.Module):
    """The networks of a forward-backward agent, with acting and inference.

    One of successor features is an `FBModel`, too: `forward_net` is then psi, `backward_net` is
    phi, and `shape.kind` names the features.

    Acting and inference use one of torch's threads where the work is little (`torch_threads.py`).

    Args:
        shape: Sizes of the networks.
        samples: Transitions of the training data, on which rewards are evaluated.

    Raises:
        ValueError: If the samples are of another environment than the shape.
    """

    def __init__(self, shape: Shape, samples: Dataset) -> None:
        super().__init__()
        self.forward_net: nn.Module
        self.shape, self.samples = shape, samples
        self.inputs = shape.anchors or shape.observation
        self.observation_shape = shape.observation_shape
        check_data(shape, samples, "samples")
        self.encoder: nn.Module = nn.Identity()
        if shape.anchors:
            points = torch.as_tensor(np.unique(samples.observations, axis=0))
            if len(points) < max(shape.anchors, 2):
                raise ValueError(
                    f"{shape.anchors} anchors need as many distinct observations, got {len(points)}"
                )
            self.encoder = RadialFeatures(spread_points(points, shape.anchors))
        elif shape.standardised:
            self.encoder = Standardised(torch.as_tensor(samples.observations))
        self.forward_net, self.backward_net, self.actor = make_networks(shape, self.inputs)
        self.parameter_count = sum(parameter.numel() for parameter in self.parameters())

    # Acting.

    @property
    def recurrent(self) -> bool:
        """True if F has a memory of the episode."""
        return self.shape.encoding.history > 1

    def check_env(self, env: gym.Env[Any, Any]) -> None:
        """Refuse an environment of other observations or actions; the ValueError names both."""
        check_env(self.shape, env)

    def predict(
        self, observations: ArrayLike, prompt: Any, state: Any = None, episode_start: Any = None
    ) -> tuple[NDArray[Any], Any]:
        """Return actions for z (d,), or one z for each of B episodes (B, d), and the next state.

        The state is passed through, unless the model is recurrent: then it holds the histories.
        """
        if self.shape.encoding.kind != "history":
            return self.act(observations, prompt), state
        histories = self.recall(observations, state, episode_start)
        actions = self.act(histories, prompt)
        return actions, self.history_state(histories, actions)

    @torch.no_grad()
    def act(self, observations: ArrayLike, z: ArrayLike) -> NDArray[Any]:
        """Return the policy's actions for a task.

        Args:
            observations: (B, k); or histories (B, L, k + A), of which (B, k) is the start.
            z: (d,) for all, or (B, d).

        Returns:
            (B,) int64 for discrete actions, (B, m) float32 in [-1, 1] for continuous ones.
        """
        rows, task, dim = _numbers(observations, "observations"), _numbers(z, "z"), self.shape.dim
        with threads_for(self.parameter_count, math.prod(rows.shape[:-1])):
            features = self.features(rows)  # (B, features), or (B, L, features + A)
            if task.shape not in ((dim,), (len(features), dim)):
                raise ValueError(f"z must be ({dim},) or (B, {dim}), got {task.shape}")
            tasks = torch.as_tensor(task).expand(len(features), -1)  # (B, d)
            if self.actor is not None:
                return self.action(features, tasks).numpy()
            return self.values(features, tasks).argmax(-1).numpy()

    def features(self, observations: ArrayLike) -> Tensor:
        """Encode observations (B, k), or histories (B, L, k + A) of them, for F."""
        size, rows = self.shape.observation, _numbers(observations, "observations")
        history = (self.shape.encoding.history, size + self.shape.actions)
        if self.shape.encoding.kind != "history" or rows.shape[1:] != history:
            return self.encoder(self._batch(rows, "observations"))
        flat = self._batch(rows[..., :size].reshape(-1, size), "observations")
        features = self.encoder(flat).unflatten(0, rows.shape[:2])  # (B, L, features)
        return torch.cat([features, torch.as_tensor(rows[..., size:])], -1)

    def action(self, features: Tensor, z: Tensor) -> Tensor:
        """Return the actor's action, (n, m); with noise inputs the best in F'z of a few."""
        assert self.actor is not None
        if not self.shape.noisy:
            return self.actor(features, z)
        n, m = len(features), self.shape.actions
        noises = torch.randn(NOISES, 1, m, generator=torch.Generator().manual_seed(0))
        inputs = torch.cat([features.expand(NOISES, n, -1), noises.expand(-1, n, m)], -1)
        tasks = z.expand(NOISES, n, -1).flatten(0, 1)
        actions = self.actor(inputs.flatten(0, 1), tasks)  # (NOISES n, m)
        forward = self.forward_net(inputs[..., :-m].flatten(0, 1), actions, tasks).mean(0)
        best = (forward * tasks).sum(-1).unflatten(0, (NOISES, n)).argmax(0)  # (n,)
        return actions.unflatten(0, (NOISES, n))[best, torch.arange(n)]

    def values(self, features: Tensor, z: Tensor) -> Tensor:
        """Return Q(s, a), the mean over heads of F(s, a, z)'z, for discrete actions; (n, A)."""
        forward = self.forward_net(features, z).mean(0)  # (n, A, d)
        return torch.einsum("nad,nd->na", forward, z)

    @torch.no_grad()
    def forward_chosen(self, features: Tensor, z: Tensor) -> Tensor:
        """Return the mean over heads of F(s, a, z) at the policy's own actions, (n, d)."""
        if self.actor is not None:
            return self.forward_net(features, self.action(features, z), z).mean(0)
        chosen = self.values(features, z).argmax(-1)  # (n,)
        rows = torch.arange(len(chosen), device=chosen.device)
        return self.forward_net(features, z).mean(0)[rows, chosen]

    # Inference.

    def infer(self, task: Any, samples: Dataset | None = None) -> NDArray[np.float32]:
        """Infer the z of a task, (d,).

        Args:
            task: A `Task` (by its goal if it has one, else by its reward), a function
                `reward(obs, action, next_obs) -> (B,)`, or a goal observation (k,).
            samples: Transitions to evaluate a reward on; None for those saved with the model.

        Raises:
            TypeError: If `task` is something else; a name is looked up in `env.unwrapped.tasks`.
            ValueError: If the reward or goal is misshapen, not finite, or zero everywhere.
        """
        goal, reward = goal_and_reward(task)
        return self.infer_goal(goal) if reward is None else self.infer_reward(reward, samples)

    def infer_reward(
        self, reward: Callable[..., Any], samples: Dataset | None = None
    ) -> NDArray[np.float32]:
        """Infer z of a reward function, evaluated on stored transitions; see `infer`."""
        data = self.samples if samples is None else samples
        task = Task(getattr(reward, "__name__", "reward"), "", reward)
        return self.infer_labelled(data.next_observations, data.rewards(task))

    @torch.no_grad()
    def infer_labelled(
        self, next_observations: ArrayLike, rewards: ArrayLike
    ) -> NDArray[np.float32]:
        """Infer z of labelled samples: sqrt(d) * normalise(mean_i r_i B(s'_i)).

        The samples should have the distribution of the training data, or z is biased towards the
        states they favour.

        Args:
            next_observations: (B, k), of the transitions with these rewards.
            rewards: (B,).
        """
        points = self._batch(next_observations, "next_observations")  # (B, k)
        labels = _numbers(rewards, "rewards")
        if labels.shape != (len(points),):
            raise ValueError(f"rewards must have shape ({len(points)},), got {labels.shape}")
        if not labels.any():
            raise ValueError("the reward is zero on every sample, so it defines no task")
        infer = inference.of_rewards if self.shape.kind == "fb" else inference.of_regression
        return infer(self._places(points), torch.as_tensor(labels)).numpy()

    def infer_goal(self, goal: ArrayLike) -> NDArray[np.float32]:
        """Infer z of an observation to reach (k,).

        Where wrappers change the shape of observations, the goal may be an observation of the
        unwrapped environment: the wrapped ones of the `NEAREST` samples then replace it.
        """
        point, samples = _numbers(goal, "a goal"), self.samples
        if point.shape != self.observation_shape and point.shape == samples.entered.shape[1:]:
            away = np.linalg.norm(samples.entered - point, axis=-1)
            nearest = np.argsort(away, kind="stable")[:NEAREST]
            return self.infer_demonstration(samples.next_observations[nearest])
        if point.shape != self.observation_shape:
            raise ValueError(
                f"a goal is an observation of shape {self.observation_shape}, got {point.shape}"
            )
        return self.infer_demonstration(point[None])

    @torch.no_grad()
    def infer_demonstration(self, observations: ArrayLike) -> NDArray[np.float32]:
        """Infer z of visiting the states of a demonstration, or of a set of goals, equally often.

        Args:
            observations: (T, k), T >= 1, in any order.
        """
        points = self._batch(observations, "observations")
        if len(points) == 0:
            raise ValueError("a demonstration needs one observation or more")
        places = self._directions(points)  # (T, d)
        if len(places) == 1 and self.shape.kind == "fb":
            return places[0].numpy()  # has its length
        return inference.of_mean(places).numpy()

    @torch.no_grad()
    def infer_track(self, observations: ArrayLike, window: int = 8) -> NDArray[np.float32]:
        """Infer z of each step along a track, to follow it state by state.

        Args:
            observations: (T, k), T >= 2, in their order.
            window: Number of the next states that a step heads for.

        Returns:
            (T - 1, d): row t is for the step from state t.
        """
        points = self._batch(observations, "observations")
        if len(points) < 2 or not isinstance(window, (int, np.integer)) or window < 1:
            raise ValueError(
                "a track needs two observations or more, and a whole number of 1 or more as its "
                f"window, got {len(points)} and {window!r:.40}"
            )
        return inference.of_track(self._directions(points), int(window)).numpy()

    def _places(self, points: Tensor) -> Tensor:
        with threads_for(self.parameter_count, len(points)):
            return self.backward_net(self.encoder(points))

    def _directions(self, points: Tensor) -> Tensor:
        """Return the vectors that a goal's z averages: B, or E[phi phi']^-1 phi; (n, d)."""
        if self.shape.kind == "fb":
            return self._places(points)
        sampled = self._places(torch.as_tensor(self.samples.next_observations))
        return self._places(points) @ inference.inverse_covariance(sampled)

    # Files.

    def save(self, path: Path | str) -> None:
        """Write a model directory; the settings last, so that an incomplete one is no model."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        self.samples.save(folder / SAMPLES_FILE)
        write_tensors(folder / WEIGHTS_FILE, self.state_dict())
        settings = {"format": FORMAT, "shape": dataclasses.asdict(self.shape)}
        write_text(folder / CONFIG_FILE, json.dumps(settings, indent=2))

    @classmethod
    def load(cls, path: Path | str) -> "FBModel":
        """Read what `save` wrote.

        Raises:
            NotAModel: If the directory is not one of ours, or damaged.
        """
        folder = Path(path)
        settings = read_json(folder / CONFIG_FILE)
        try:
            if settings["format"] != FORMAT:
                raise ValueError(f"its format is {settings['format']!r}, not {FORMAT!r}")
            model = cls(Shape.of(settings["shape"]), Dataset.load(folder / SAMPLES_FILE))
        except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
            raise NotAModel(f"{folder} is not a forward-backward model: {error}") from None
        weights = read_tensors(folder / WEIGHTS_FILE)
        try:
            model.load_state_dict(weights)
        except RuntimeError as error:
            raise NotAModel(f"{folder / WEIGHTS_FILE} does not fit its settings: {error}") from None
        if not all(bool(torch.isfinite(value).all()) for value in weights.values()):
            raise NotAModel(f"{folder / WEIGHTS_FILE} has numbers that are not finite")
        return model

    def recall(
        self,
        observations: ArrayLike,
        before: HistoryState | None = None,
        episode_start: ArrayLike | None = None,
    ) -> NDArray[np.float32]:
        """Return the histories (B, L, k + A) that a recurrent model acts on.

        Args:
            observations: (B, k).
            before: The state so far; None at the start.
            episode_start: (B,) whether an episode begins; None: none but at the start.
        """
        rows = self._batch(observations, "observations").numpy()
        length = self.shape.encoding.history
        return recall(rows, before, episode_start, length, self.shape.actions)

    def history_state(self, histories: NDArray[np.float32], actions: NDArray[Any]) -> HistoryState:
        """Return the state after acting: histories (B, L, k + A) and the actions done then."""
        return HistoryState(histories, coded(actions, self.shape.actions, self.shape.discrete))

    def _batch(self, observations: ArrayLike, what: str) -> Tensor:
        array = _numbers(observations, what)
        if array.ndim == 0 or array.shape[1:] != self.observation_shape:
            expected = ", ".join(map(str, self.observation_shape))
            raise ValueError(f"{what} must be (B, {expected}), got {array.shape}")
        return torch.as_tensor(array)


def _numbers(given: ArrayLike, what: str) -> NDArray[np.float32]:
    try:
        array = np.asarray(given, dtype=np.float32)
    except (ValueError, TypeError):
        raise ValueError(f"{what} must be numbers, got {given!r:.60}") from None
    if not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite numbers; at least one is not")
    return array
