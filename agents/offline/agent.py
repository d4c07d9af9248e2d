"""The offline agent: one skeleton of networks and updates, whose losses are those of a method."""

from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from zerogym.agents.offline.agent_files import (
    Learning,
    Resumable,
    SavedAgent,
    read_agent,
    write_agent,
)
from zerogym.agents.offline.config import OfflineConfig
from zerogym.agents.offline.draws import DRAWS
from zerogym.agents.offline.method import Update
from zerogym.agents.offline.networks import LEARNT, Shape
from zerogym.agents.offline.sizes import check_data, check_env
from zerogym.agents.offline.transitions import Transitions

FORMAT = "zerogym offline agent 1"
_BATCHES, _ACTIONS = 1, 2  # streams of random numbers


class OfflineAgent(Resumable):
    """A policy of one task, learned from stored transitions; a `zerogym.agents.core.Policy`.

    Args:
        config: The settings.
        data: The transitions that it is to learn from, which have its sizes.
        actions: The number of discrete actions; None: as many as the data name.

    Raises:
        ValueError: If the method does not take such actions, if the data have actions outside of
            their range, or if a method that needs rewards gets constant ones.

    Example:
        >>> import gymnasium as gym
        >>> from zerogym.agents.datasets.dataset import collect
        >>> from zerogym.agents.offline import OfflineAgent, OfflineConfig, relabelled
        >>> env = gym.make("zerogym/UMap-v0")
        >>> data = relabelled(collect(env, 200), next(iter(env.unwrapped.tasks.values())))
        >>> agent = OfflineAgent(OfflineConfig(method="bc", updates=20, hidden=16), data)
        >>> sorted(agent.learn(data))
        ['loss/actor']
        >>> agent.predict(env.reset(seed=0)[0][None], deterministic=True)[0].shape
        (1,)
    """

    def __init__(
        self, config: OfflineConfig, data: Transitions, actions: int | None = None
    ) -> None:
        if actions is None:
            actions = int(data.actions.max()) + 1 if data.discrete else data.actions.shape[1]
        shape = Shape(
            data.observations.shape[1], int(actions), data.discrete, config.hidden, config.layers
        )
        self._make(config, shape)
        self._check(data)
        if self.method.standardised:
            self.networks.mean.copy_(data.observations.mean(0))
            self.networks.scale.copy_(data.observations.std(0, unbiased=False) + 1e-3)

    def _make(self, config: OfflineConfig, shape: Shape) -> None:
        self.config, self.shape, self.method = config, shape, config.part
        method = self.method
        if not (method.discrete if shape.discrete else method.continuous):
            kind = "discrete" if shape.discrete else "continuous"
            raise ValueError(f"{method.title()} does not take {kind} actions")
        with torch.random.fork_rng([]):
            torch.manual_seed(config.seed)
            self.networks = method.networks(shape)
        self._optimisers = {
            name: torch.optim.Adam(parameters, lr=config.lr, fused=True)
            for name in LEARNT
            if (parameters := list(getattr(self.networks, name).parameters()))
        }
        self._batches = torch.Generator().manual_seed(config.seed * 4 + _BATCHES)
        self._rng = np.random.default_rng((config.seed, _ACTIONS))
        self.updates = 0

    def _check(self, data: Transitions) -> None:
        check_data(self.shape, data)
        if not self.method.reward_free and bool((data.rewards == data.rewards[0]).all()):
            raise ValueError(
                f"the reward is {float(data.rewards[0]):g} on all transitions: it defines no task"
            )

    def learn(self, data: Transitions, updates: int | None = None) -> dict[str, float]:
        """Take updates, those of the settings by default; return the losses of the last ones.

        Raises:
            ValueError: If the data do not fit, or do not name trajectories that the draw needs.
        """
        self._check(data)
        bounds = self._bounds(data)
        found: dict[str, float] = {}
        for _ in range(self.config.updates if updates is None else updates):
            self.updates += 1
            batch = self._draw(data, bounds)
            update = Update(batch, self.config.gamma, self.updates, self._batches)
            for name, loss in self.method.losses(self.networks, update):
                parameters = list(getattr(self.networks, name).parameters())
                gradients = torch.autograd.grad(loss, parameters, allow_unused=True)
                for parameter, gradient in zip(parameters, gradients, strict=True):
                    parameter.grad = gradient
                self._optimisers[name].step()
                found[f"loss/{name}"] = float(loss.detach())
            if self.updates % self.method.every == 0:
                self.networks.follow(self.config.tau)
        return found

    def _bounds(self, data: Transitions) -> torch.Tensor | None:
        chances = DRAWS.make(self.config.draw).chances(data)
        return None if chances is None else chances.cumsum(0)

    def _draw(self, data: Transitions, bounds: torch.Tensor | None) -> Transitions:
        count = len(data.rewards)
        if bounds is not None:
            drawn = torch.rand(self.config.batch_size, dtype=bounds.dtype, generator=self._batches)
            # The last bound is 1 but for rounding, which must not reach beyond the last row.
            index = torch.searchsorted(bounds, drawn * bounds[-1], right=True)
            return data.rows(index.clamp(max=count - 1))
        if count <= self.config.batch_size:
            return data
        return data.rows(torch.randint(count, (self.config.batch_size,), generator=self._batches))

    @torch.no_grad()
    def probabilities(self, observations: ArrayLike) -> NDArray[np.float32]:
        """Return the probabilities of discrete actions (B, A) for observations (B, k).

        Raises:
            ValueError: If actions are continuous.
        """
        if not self.shape.discrete:
            raise ValueError("continuous actions have no probabilities")
        read = self._read(observations)
        if len(self.networks.actor):
            found: NDArray[np.float32] = self.networks.logits(read).softmax(1).numpy()
            return found
        best = self.networks.all_q(read).mean(0).argmax(1)  # (B,)
        return np.eye(self.shape.actions, dtype=np.float32)[best.numpy()]

    @torch.no_grad()
    def predict(
        self,
        observations: ArrayLike,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
    ) -> tuple[NDArray[Any], Any]:
        """Return actions (B,) or (B, m) for observations (B, k); the state is passed through.

        Args:
            observations: Those of the environment.
            state: Anything: the policy has no memory.
            episode_start: Not used.
            deterministic: Whether to take the likeliest or mean action of a method that has a
                distribution, instead of a sample; the others have no randomness.
        """
        read = self._read(observations)
        if self.shape.discrete:
            chances = self.probabilities(observations)
            if deterministic or not len(self.networks.actor):
                return chances.argmax(1), state
            bounds = chances.cumsum(1, dtype=np.float64)
            drawn = self._rng.random(len(bounds)) * bounds[:, -1]
            return (bounds <= drawn[:, None]).sum(1), state
        actions = self.networks.means(read).numpy()
        if self.method.noisy and not deterministic:
            noise = self._rng.normal(size=actions.shape)
            if self.networks.squashed:
                drawn = torch.as_tensor(noise, dtype=torch.float32)
                return self.networks.sampled(read, drawn)[0].numpy(), state
            noise *= self.networks.stds.numpy()
            actions = (actions + noise).clip(-1, 1).astype(np.float32)
        return actions, state

    def _read(self, observations: ArrayLike) -> torch.Tensor:
        read = torch.as_tensor(np.asarray(observations), dtype=torch.float32)
        if read.ndim != 2 or read.shape[1] != self.shape.observation:
            raise ValueError(
                f"observations must have shape (B, {self.shape.observation}), got "
                f"{tuple(read.shape)}"
            )
        return read

    def check_env(self, env: gym.Env[Any, Any]) -> None:
        """Refuse an environment of other observations or actions; the ValueError names both."""
        check_env(self.shape, env)

    def save(self, path: Path | str) -> None:
        """Write a folder for `load`, without the optimisers."""
        write_agent(path, FORMAT, self.config.record(), self.networks)

    @classmethod
    def load(cls, path: Path | str) -> "OfflineAgent":
        """Read what `save` wrote; nothing is unpickled or imported.

        Raises:
            NotAModel: If the folder is not one of ours, or damaged.
            ImportRefused: If its method or draw is of a module that is not imported.
        """

        def make(saved: SavedAgent) -> "OfflineAgent":
            agent = cls.__new__(cls)
            agent._make(OfflineConfig(**saved.config), Shape(**saved.shape))
            agent.networks.load_state_dict(saved.weights)
            return agent

        return read_agent(path, FORMAT, "an offline agent", make)

    @property
    def _learning(self) -> Learning:
        return Learning(self.networks, self._optimisers, self._batches)
