"""Proto successor measures in worlds of few states: the visits of all policies as an affine set.

"Proto Successor Measure: Representing the Behavior Space of an RL Agent" (2024, arXiv 2411.19418).
The discounted visits d(s, a) of every policy satisfy the Bellman flow, which is linear, so they are
an affine set d = Phi w + b of at most S (A - 1) dimensions. Phi and b are spanned by the visits of
random deterministic policies. A task is the linear program max r'(Phi w + b) with Phi w + b >= 0,
and its policy is pi(a | s) = d(s, a) / sum_a d(s, a).

The model is counted from the data, the start distribution is that of its observations, and pairs of
state and action without data are never taken: our choices, by which the program is the dual of
value iteration on the counts. Left out: worlds of more than `MOST_STATES` states. With networks,
and with visits from each state and action, it is agent psm_neural.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from zerogym.agents.datasets.dataset import Dataset
from zerogym.agents.zero_shot.agents import PSMSettings, Start
from zerogym.agents.zero_shot.methods.model_files import SavedModel, read_model, write_model
from zerogym.agents.zero_shot.protocol import check_prompt, goal_and_reward
from zerogym.envs.control.core.tasks import Task
from zerogym.errors import require

FORMAT = "zerogym proto successor measure 1"
MOST_STATES = 600  # distinct observations; a policy costs a solve of this size
NEW = 1e-7  # part of a policy's visits outside of the span by which it adds a dimension

Floats = NDArray[np.float64]


class Plan(NamedTuple):
    """The prompt of a task.

    Attributes:
        weights: w (K,), of the basis.
        policy: (S, A) probabilities.
        value: The discounted return from the start distribution, by the model of the data.
    """

    weights: Floats
    policy: Floats
    value: float


class PSM:
    """The visits of random policies in the model of the data.

    Args:
        settings: Settings.
        samples: All transitions of the training, which define states and model.
        actions: A.
        seed: Of the random policies.

    Raises:
        ValueError: If there are too many states.
    """

    recurrent = False

    def __init__(self, settings: PSMSettings, samples: Dataset, actions: int, seed: int) -> None:
        if not 0 <= settings.gamma < 1:
            raise ValueError(f"agent psm: gamma must be in [0, 1), got {settings.gamma}")
        self.settings, self.samples, self.actions, self.seed = settings, samples, actions, seed
        both = np.concatenate([samples.observations, samples.next_observations])
        self.states, rows = np.unique(both, axis=0, return_inverse=True)  # (S, k)
        if len(self.states) > MOST_STATES:
            raise ValueError(
                f"agent psm needs a world of at most {MOST_STATES} states; the data have "
                f"{len(self.states)} distinct observations"
            )
        self._rows = rows.reshape(2, -1)  # (2, N) numbers of the states before and after
        self.bias: Floats | None = None  # (S A,) visits of the first policy
        self.basis = np.zeros((0, len(self.states) * actions))  # (K, S A), orthonormal
        self.updates = 0
        self._count()

    @classmethod
    def start(cls, settings: PSMSettings, start: Start) -> Self:
        """Return a new agent.

        Raises:
            ValueError: If actions are continuous.
        """
        if not start.discrete:
            raise ValueError("agent psm needs discrete actions")
        return cls(settings, start.dataset, start.actions, start.seed)

    def _count(self) -> None:
        """Count the model: chances (S, A, S), pairs in the data (S, A), start distribution (S,)."""
        states = len(self.states)
        before, after = self._rows
        pairs = before, self.samples.actions
        counts = np.zeros((states, self.actions, states))
        ends = self.samples.terminated
        goes_on = np.ones(len(before)) if ends is None else 1.0 - ends
        np.add.at(counts, (*pairs, after), goes_on)
        often = np.zeros((states, self.actions))
        np.add.at(often, pairs, 1.0)
        self.known = often > 0
        self.chances = counts / np.maximum(often, 1)[:, :, None]
        self.begins = often.sum(axis=1) / often.sum()

    # The interface of zero-shot agents.

    def learn(self, dataset: Dataset, updates: int) -> Mapping[str, Any]:
        """Add the visits of `updates` random deterministic policies to the span.

        Raises:
            ValueError: If the data are not those of the start: they define the states.
        """
        if len(dataset) != len(self.samples) or not all(
            np.array_equal(column, self.samples.columns()[name])
            for name, column in dataset.columns().items()
        ):
            raise ValueError("agent psm learns from the data that it was started with")
        for _ in range(updates):
            # A generator for each policy: an interrupted run continues with the same ones.
            rng = np.random.default_rng([self.seed, self.updates])
            ranked = np.where(self.known, rng.random(self.known.shape), -1.0)
            self._add(self.visits(np.eye(self.actions)[ranked.argmax(axis=1)]))
            self.updates += 1
        return {"psm/dimensions": float(len(self.basis))} if updates else {}

    def visits(self, policy: Floats) -> Floats:
        """Return (1 - gamma) sum_t gamma^t Pr(s_t = s, a_t = a) of a policy (S, A); (S A,).

        Episodes end, without a further reward, in states from which the data show no action.
        """
        gamma, acts = self.settings.gamma, policy * self.known  # (S, A)
        follows = np.einsum("sa,sat->st", acts, self.chances)  # (S, S)
        identity = np.eye(len(follows))
        states = np.linalg.solve(identity - gamma * follows.T, (1 - gamma) * self.begins)  # (S,)
        return np.asarray((states[:, None] * acts).ravel())

    def _add(self, visits: Floats) -> None:
        if self.bias is None:
            self.bias = visits
            return
        rest = visits - self.bias
        length = np.linalg.norm(rest)
        for _ in range(2):  # once more for the rounding errors of the first
            rest = rest - self.basis.T @ (self.basis @ rest)
        if length > 0 and np.linalg.norm(rest) > NEW * length:
            self.basis = np.concatenate([self.basis, [rest / np.linalg.norm(rest)]])

    def infer(self, task: Any, samples: Dataset | None = None) -> Plan:
        """Infer the best policy within the span; see `ZeroShotModel.infer`.

        Args:
            task: A task, reward function or goal: 1 for each step that enters it.
            samples: Must be None: rewards are those of the training data.
        """
        if samples is not None:
            raise ValueError("agent psm evaluates rewards on its training data only")
        if self.bias is None:
            raise ValueError("agent psm has not learnt any policy yet")
        optimize = require("scipy.optimize", "games", "the linear program of agent psm")
        rewards, weights = self._rewards(task), np.zeros(len(self.basis))  # (S A,), (K,)
        if len(weights):  # one policy has no other to mix with
            gain, limits = -self.basis @ rewards, (-self.basis.T, self.bias)
            found = optimize.linprog(gain, *limits, bounds=(None, None), method="highs")
            if not found.success:
                raise ValueError(f"the linear program of the task has no solution: {found.message}")
            weights = np.asarray(found.x)
        visits = np.maximum(weights @ self.basis + self.bias, 0).reshape(self.known.shape)
        total = visits.sum(axis=1, keepdims=True)
        uniform = np.full(self.known.shape, 1 / self.actions)
        policy = np.where(total > 0, visits / np.where(total > 0, total, 1), uniform)
        value = float(rewards @ visits.ravel()) / (1 - self.settings.gamma)
        return Plan(weights, policy, value)

    def _rewards(self, task: Any) -> Floats:
        """Return the mean reward of each pair of state and action in the data, (S A,)."""
        goal, reward = goal_and_reward(task)
        if reward is None:
            point = np.asarray(goal, dtype=np.float32)
            if point.shape != self.states.shape[1:]:
                raise ValueError(f"a goal has the shape {self.states.shape[1:]}, not {point.shape}")
            labels = (self.samples.next_observations == point).all(axis=1).astype(np.float64)
            if not labels.any():
                raise ValueError("the data never reach the goal")
        else:
            named = Task(getattr(reward, "__name__", "reward"), "", reward)
            labels = np.asarray(self.samples.rewards(named), dtype=np.float64)
        summed, often = np.zeros(self.known.shape), np.zeros(self.known.shape)
        np.add.at(summed, (self._rows[0], self.samples.actions), labels)
        np.add.at(often, (self._rows[0], self.samples.actions), 1.0)
        return np.asarray((summed / np.maximum(often, 1)).ravel())

    def predict(
        self, observations: ArrayLike, prompt: Any, state: Any = None, episode_start: Any = None
    ) -> tuple[NDArray[Any], Any]:
        """Return the most likely action (B,) in the known state nearest to each observation."""
        check_prompt(prompt, Plan)
        rows = np.asarray(observations, dtype=np.float32)
        if rows.ndim != 2 or rows.shape[1:] != self.states.shape[1:]:
            raise ValueError(f"observations must be (B, {self.states.shape[1]}), got {rows.shape}")
        away = np.linalg.norm(rows[:, None] - self.states, axis=-1)  # (B, S)
        return prompt.policy.argmax(axis=1)[away.argmin(axis=1)], state

    def check_env(self, env: gym.Env[Any, Any]) -> None:
        """Refuse an environment of other observations or actions."""
        found = env.observation_space.shape, getattr(env.action_space, "n", None)
        if found != (self.states.shape[1:], self.actions):
            raise ValueError(
                f"the model is for observations of shape {self.states.shape[1:]} and "
                f"{self.actions} discrete actions; {env} has {found[0]} and {env.action_space}"
            )

    def save(self, path: Path | str) -> None:
        """Write a model directory; the settings last."""
        bias = np.zeros(0) if self.bias is None else self.bias
        tensors = {"basis": torch.as_tensor(self.basis), "bias": torch.as_tensor(bias)}
        write_model(
            path, FORMAT, self.settings, self.samples, tensors, actions=self.actions,
            seed=self.seed, updates=self.updates,
        )  # fmt: skip

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read what `save` wrote.

        Raises:
            NotAModel: If the directory is none, or damaged.
        """
        return read_model(path, FORMAT, cls._of)

    @classmethod
    def _of(cls, saved: SavedModel) -> Self:
        facts, tensors = saved.facts, saved.tensors
        model = cls(saved.settings, saved.samples, facts["actions"], facts["seed"])
        model.basis, model.updates = tensors["basis"].numpy(), int(facts["updates"])
        model.bias = tensors["bias"].numpy() if model.updates else None
        return model
