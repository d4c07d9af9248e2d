"""A better z for one reward, learned online from every step: ReLA, for continuous actions.

"Fast Adaptation with Behavioral Foundation Models" (2025, arXiv 2504.07896): with z_r the first z,
the policy of z has the value Q(s, a) = c F(s, a, z)'z_r + R(s, a). F, the actor and c are frozen; a
small critic R, initially 0, learns the remaining error by temporal differences, and z climbs Q of
its own actions. As in "Efficient Online Reinforcement Learning Fine-Tuning Need Not
Retain Offline Data" (2024, arXiv 2412.07762) the first policy alone fills the buffer at first, and
no data of the training are used. Our choice: R settles on these steps before z may move; one R of
one hidden layer, where the mean of F's heads is taken; noise in the warm-up only; far fewer
updates a step than the papers; c is that of `reward_scale.py`; z stays on the sphere; the result
is kept only if its return is higher than that of the first z from held-out starts.

Left out: discrete actions, where no gradient reaches z: through a softmax of F'z in the place of
the actor, z got worse as often as better in UMap-v0. `latent_search.py` searches there.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.settings import check_types
from zerogym.agents.torch_threads import threads_for
from zerogym.agents.zero_shot.adaptation.latent_search import Adapted
from zerogym.agents.zero_shot.models.model import FBModel
from zerogym.agents.zero_shot.models.networks import to_sphere
from zerogym.agents.zero_shot.models.policy import FixedTask
from zerogym.agents.zero_shot.models.reward_scale import reward_scale
from zerogym.agents.zero_shot.settings.checks import check_least
from zerogym.envs.control.core.tasks import Task

Row = tuple[Any, Any, float, Any, bool]  # observation, action, reward, the next, whether it ended


@describe_fields
@dataclass(frozen=True)
class ReLAConfig:
    """Settings of the learning.

    Raises:
        TypeError: If a value is of a wrong type; the message names it.
        ValueError: If a number is outside its range; the message names it.
    """

    budget: int = 4_000  # environment steps, the judgement in the end included
    warm_up: int = 400  # steps of the first z, before anything is learned
    settle: int = 200  # updates of R alone, after the warm-up
    every: int = 2  # steps between updates of R and z, from then on
    batch_size: int = 64  # transitions an update
    hidden: int = 64  # width of R's hidden layer
    gamma: float = 0.95  # discount a step; that of the training
    tau: float = 0.05  # part of the way that the target R moves each update
    lr_critic: float = 1e-3  # Adam's rate for R
    lr_z: float = 5e-3  # Adam's rate for z, whose numbers are about 1
    noise: float = 0.3  # standard deviation of what is added to actions in the warm-up
    starts: int = 4  # episodes of each z in the judgement
    seed: int = 0  # of the starts, R's first weights, the noise and the batches

    def __post_init__(self) -> None:
        check_types(self)
        check_least(self, warm_up=1, every=1, batch_size=1, hidden=1, starts=1)
        check_least(self, settle=0, lr_critic=0, lr_z=0, noise=0, seed=0)
        for name in ("gamma", "tau"):
            if not 0 <= getattr(self, name) <= 1 or self.gamma == 1:
                raise ValueError(
                    f"ReLAConfig.{name} must be in [0, 1], gamma below 1, got {getattr(self, name)}"
                )
        if self.budget <= self.warm_up:
            raise ValueError(
                f"ReLAConfig.budget must be above the {self.warm_up} steps of the warm-up, "
                f"got {self.budget}"
            )


def adapt_residual(
    model: FBModel,
    z: ArrayLike,
    make: Callable[[], gym.Env[Any, Any]],
    task: Task,
    config: ReLAConfig | None = None,
) -> Adapted:
    """Learn a z with a higher return than the given one, in the environment itself.

    Args:
        model: A trained model of continuous actions; it is not changed.
        z: Where to begin (d,), inferred from the task.
        make: The environment with its task.
        task: The task of the environment.
        config: Settings; None for those above.

    Returns:
        The result; its `history` is the return of every episode, with noise in the warm-up.

    Raises:
        ValueError: If the model has discrete actions, pixels, tokens or a memory, `z` does not fit
            it or the task, or the budget is too small for its episodes.
    """
    chosen, env = config or ReLAConfig(), make()
    try:
        with threads_for(model.parameter_count, chosen.batch_size):
            return ReLA(model, z, env, task, chosen).run()
    finally:
        env.close()


class ReLA:
    """The learner of z and R; see `adapt_residual` for the arguments."""

    def __init__(
        self,
        model: FBModel,
        z: ArrayLike,
        env: gym.Env[Any, Any],
        task: Task,
        config: ReLAConfig,
    ) -> None:
        if model.actor is None:
            raise ValueError("a residual needs an actor, discrete actions have none: search z")
        if model.shape.encoding.kind not in ("none", "state"):
            raise ValueError(
                f"a residual reads plain observations, not {model.shape.encoding.kind}: search z"
            )
        self.model, self.env, self.config = model, env, config
        self.first = FixedTask(model, z).z
        self.aim = reward_scale(model, self.first, task) * torch.as_tensor(self.first)  # c z_r
        self.z = torch.as_tensor(self.first).clone().requires_grad_(True)  # (d,)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(config.seed)
            self.critic = nn.Sequential(  # R: (n, features + m) -> (n, 1), 0 at first
                nn.Linear(model.inputs + model.shape.actions, config.hidden),
                nn.ReLU(),
                nn.Linear(config.hidden, 1),
            )
        for leaf in self.critic[-1].parameters():
            nn.init.zeros_(leaf)
        self.target = copy.deepcopy(self.critic)
        self.adam = torch.optim.Adam(self.critic.parameters(), config.lr_critic)
        self.adam_z = torch.optim.Adam([self.z], config.lr_z)
        self.generator = torch.Generator().manual_seed(config.seed)
        self.rows: list[Row] = []
        self.steps = 0

    def run(self) -> Adapted:
        """Learn until the budget is used up, then compare both z."""
        config, history, longest = self.config, list[float](), 0
        while self.steps + longest * (1 + 2 * config.starts) <= config.budget:
            before = self.steps
            history.append(self.play(config.seed + len(history)))
            longest = max(longest, self.steps - before)
        if self.steps <= config.warm_up:
            raise ValueError(
                f"a budget of {config.budget} steps leaves none to learn in, after a warm-up of "
                f"{config.warm_up} and before {2 * config.starts} episodes of judgement"
            )
        fresh = range(config.seed + len(history), config.seed + len(history) + config.starts)
        learned = self.z.detach().numpy()
        start, found = self._mean_return(self.first, fresh), self._mean_return(learned, fresh)
        if found <= start:
            learned, found = self.first, start
        return Adapted(learned, start, found, self.steps, tuple(history))

    def play(self, seed: int) -> float:
        """Play one episode with updates at its steps; return the sum of its rewards."""
        total = 0.0
        for row in self._episode(seed, self.choose):
            self.rows.append(row)
            total += row[2]
            if self.steps == self.config.warm_up:
                for _ in range(self.config.settle):
                    self.update_critic()
            elif self.steps > self.config.warm_up and self.steps % self.config.every == 0:
                self.update_z(self.update_critic())
        return total

    def choose(self, observation: Any) -> NDArray[np.float32]:
        """Return the action of z, with noise in the warm-up; (m,)."""
        action: NDArray[np.float32] = self.model.act(observation[None], self.z.detach().numpy())[0]
        if self.steps >= self.config.warm_up:
            return action
        noise = torch.randn(action.shape, generator=self.generator).numpy()
        return np.clip(action + self.config.noise * noise, -1, 1)

    def update_critic(self) -> Tensor:
        """Take one gradient step of R; return the features of its batch, (n, features)."""
        size = (self.config.batch_size,)
        chosen = torch.randint(len(self.rows), size, generator=self.generator).tolist()
        columns = zip(*(self.rows[row] for row in chosen), strict=True)
        before, action, reward, after, terminated = (
            torch.as_tensor(np.array(column, dtype=np.float32)) for column in columns
        )
        with torch.no_grad():
            here, there = self.model.encoder(before), self.model.encoder(after)
            following = self.values(there, self.actions(there), self.target)
            target = reward + self.config.gamma * (1 - terminated) * following  # (n,)
            error = target - self.frozen(here, action)  # (n,)
        loss = (_of(self.critic, here, action) - error).square().mean()
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        with torch.no_grad():
            pairs = zip(self.target.parameters(), self.critic.parameters(), strict=True)
            for slow, quick in pairs:
                slow.lerp_(quick, self.config.tau)
        return here

    def update_z(self, features: Tensor) -> None:
        """Take one gradient step of z, back to the sphere."""
        self.z.grad = -self.value_gradient(features)
        self.adam_z.step()
        with torch.no_grad():
            self.z.copy_(to_sphere(self.z))

    def value_gradient(self, features: Tensor) -> Tensor:
        """Return the gradient by z of the mean Q(s, actor(s, z)) in states (n, features); (d,).

        Q is that of the policy of z and stays fixed: only the actions depend on z.
        """
        value = self.values(features, self.actions(features), self.critic).mean()
        (gradient,) = torch.autograd.grad(value, self.z)
        return gradient

    def actions(self, features: Tensor) -> Tensor:
        """Return the actor's actions for z, (n, m)."""
        return self.model.action(features, self.z.expand(len(features), -1))

    def values(self, features: Tensor, action: Tensor, critic: nn.Module) -> Tensor:
        """Return Q = c F(s, a, z)'z_r + R(s, a), in the unit of the rewards; (n,)."""
        return self.frozen(features, action) + _of(critic, features, action)

    def frozen(self, features: Tensor, action: Tensor) -> Tensor:
        """Return c F(s, a, z)'z_r, (n,)."""
        tasks = self.z.detach().expand(len(features), -1)
        forward: Tensor = self.model.forward_net(features, action, tasks).mean(0)  # (n, d)
        return forward @ self.aim

    def _mean_return(self, z: NDArray[np.float32], seeds: Sequence[int]) -> float:
        """Return the mean return of z from these starts."""

        def choose(observation: Any) -> Any:
            return self.model.act(observation[None], z)[0]

        return sum(row[2] for seed in seeds for row in self._episode(seed, choose)) / len(seeds)

    def _episode(self, seed: int, choose: Callable[[Any], Any]) -> Iterator[Row]:
        before, done = self.env.reset(seed=seed)[0], False
        while not done:
            action = choose(before)
            after, reward, terminated, truncated, _ = self.env.step(action)
            self.steps += 1
            yield before, action, float(reward), after, bool(terminated)
            before, done = after, terminated or truncated


def _of(critic: nn.Module, features: Tensor, action: Tensor) -> Tensor:
    """Return R(s, a), (n,)."""
    return critic(torch.cat([features, action], -1))[:, 0]
