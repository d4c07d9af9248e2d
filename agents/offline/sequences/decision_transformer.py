"""Decision transformers: a policy for any return, and with costs for any budget, from trajectories.

Sources: "Decision Transformer: Reinforcement Learning via Sequence Modeling" (2021, arXiv
2106.01345); "Constrained Decision Transformer for Offline Safe Reinforcement Learning" (2023, arXiv
2302.07351).
"""

import dataclasses
from pathlib import Path
from typing import Any

import gymnasium as gym
import torch
from torch.nn import functional

from zerogym.agents.offline.agent_files import (
    Learning,
    Resumable,
    SavedAgent,
    read_agent,
    write_agent,
)
from zerogym.agents.offline.sequences.config import SequenceConfig
from zerogym.agents.offline.sequences.model import SequenceModel, SequenceShape
from zerogym.agents.offline.sequences.reached import choose, reached_in, read_reached
from zerogym.agents.offline.sequences.targets import Signal, TargetPolicy
from zerogym.agents.offline.sequences.windows import steps_of
from zerogym.agents.offline.sizes import check_data, check_env
from zerogym.agents.offline.transitions import Transitions

FORMAT = "zerogym decision transformer 1"
_CLIP, _DECAY = 0.25, 1e-4  # of gradients and weights, as in the authors' code


class DecisionTransformer(Resumable):
    """Imitation of trajectories given the return, and the cost, that they still bring.

    Discrete actions have the cross-entropy, whose minimum is the conditional frequency of actions
    given the context; continuous ones the squared error. Observations are standardised and
    conditions divided by the largest of the data (our choice; the paper has a number for each
    task). With `constrained` the sequence is (return to go, cost to go, observation, action, ...).
    A pair of return and budget that no trajectory has is left to the network: the augmentation of
    data that the second paper adds for such pairs is left out, as are its stochastic actor with an
    entropy, dropout, and the rise of the rate at the beginning.

    Attributes:
        reached: (cost, return) of the best trajectories of the data, by cost; empty if the folder
            that it was loaded from does not say.

    Args:
        config: The settings.
        data: Transitions with `ends`, and `costs` if constrained, which have its sizes.
        actions: The number of discrete actions; None: as many as the data name.

    Raises:
        ValueError: If the data lack what it needs, or have actions outside of their range.

    Example:
        >>> import gymnasium as gym
        >>> from zerogym.agents.datasets.dataset import collect
        >>> from zerogym.agents.offline import DecisionTransformer, SequenceConfig, relabelled
        >>> env = gym.make("zerogym/UMap-v0")
        >>> task = next(iter(env.unwrapped.tasks.values()))
        >>> data = relabelled(collect(env, 200), task)
        >>> agent = DecisionTransformer(SequenceConfig(context=4, width=16, layers=1), data)
        >>> sorted(agent.learn(data, updates=5))
        ['loss/actor']
        >>> policy = agent.policy(target=1.0, rewards=task)
        >>> policy.predict(env.reset(seed=0)[0][None], deterministic=True)[0].shape
        (1,)
    """

    def __init__(
        self, config: SequenceConfig, data: Transitions, actions: int | None = None
    ) -> None:
        steps = steps_of(data, config.constrained)
        if actions is None:
            actions = int(data.actions.max()) + 1 if data.discrete else data.actions.shape[1]
        observation, latest = data.observations.shape[1], int(steps.times.max()) + 1
        conditions = 1 + config.constrained
        self._make(
            config,
            SequenceShape(
                observation, int(actions), data.discrete, conditions, latest,
                config.width, config.heads, config.layers,
            ),
        )  # fmt: skip
        check_data(self.shape, data)
        self.model.mean.copy_(data.observations.mean(0))
        self.model.scale.copy_(data.observations.std(0, unbiased=False) + 1e-3)
        self.reached = reached_in(steps)
        largest = steps.conditions.abs().amax(0)
        self.model.condition_scale.copy_(torch.where(largest > 0, largest, 1.0))

    def _make(self, config: SequenceConfig, shape: SequenceShape) -> None:
        self.config, self.shape = config, shape
        with torch.random.fork_rng([]):
            torch.manual_seed(config.seed)
            self.model = SequenceModel(shape)
        self._optimiser = torch.optim.AdamW(
            self.model.parameters(), lr=config.lr, weight_decay=_DECAY, fused=True
        )
        self._batches = torch.Generator().manual_seed(config.seed)
        self.updates = 0

    def learn(self, data: Transitions, updates: int | None = None) -> dict[str, float]:
        """Take updates, those of the settings by default; return the loss of the last one.

        Raises:
            ValueError: If the data do not fit.
        """
        check_data(self.shape, data)
        steps = steps_of(data, self.config.constrained)
        count, size = len(data.rewards), self.config.batch_size
        found: dict[str, float] = {}
        for _ in range(self.config.updates if updates is None else updates):
            self.updates += 1
            starts = (
                torch.arange(count)
                if count <= size
                else torch.randint(count, (size,), generator=self._batches)
            )
            *inputs, present = steps.windows(starts, self.config.context)
            out, chosen = self.model(*inputs)[present], inputs[2][present]
            loss = (
                functional.cross_entropy(out, chosen)
                if self.shape.discrete
                else functional.mse_loss(out, chosen)
            )
            self._optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), _CLIP)
            self._optimiser.step()
            found["loss/actor"] = float(loss.detach())
        return found

    def policy(
        self,
        target: float,
        rewards: Signal,
        budget: float | None = None,
        costs: Signal | None = None,
    ) -> TargetPolicy:
        """Return the policy that is to reach a return, within a budget of cost.

        Args:
            target: The return of an episode, which rewards are taken off as they come.
            rewards: The task, or a function `reward(obs, action, next_obs) -> (N,)`.
            budget: The cost of an episode; needed if and only if the agent is constrained.
            costs: A function of the same kind.

        Raises:
            ValueError: If budget and costs do not fit the agent, or a number is not finite.
        """
        if (budget is None or costs is None) == self.config.constrained or (
            (budget is None) != (costs is None)
        ):
            fits = "a budget and costs" if self.config.constrained else "neither budget nor costs"
            raise ValueError(f"this agent takes {fits}, got {budget!r} and {costs!r:.60}")
        signals = (rewards,) if costs is None else (rewards, costs)
        conditions = (target,) if budget is None else (target, budget)
        return TargetPolicy(self.model, self.config.context, conditions, signals, self.config.seed)

    def conditions(
        self, target: float | None = None, budget: float | None = None
    ) -> tuple[float, float | None]:
        """Return target and budget for `policy`; None is replaced by what the data reached.

        The budget is then the least cost of a trajectory of the data, and the target the best
        return of one within the budget (our choice).

        Raises:
            ValueError: If a number is not finite, the agent takes no budget, or no trajectory of
                the data is within it.
        """
        return choose(self.reached, self.config.constrained, target, budget)

    def check_env(self, env: gym.Env[Any, Any]) -> None:
        """Refuse an environment of other observations or actions; the ValueError names both."""
        check_env(self.shape, env)

    def save(self, path: Path | str) -> None:
        """Write a folder for `load`, without the optimiser."""
        write_agent(path, FORMAT, dataclasses.asdict(self.config), self.model, reached=self.reached)

    @classmethod
    def load(cls, path: Path | str) -> "DecisionTransformer":
        """Read what `save` wrote; nothing is unpickled or imported.

        Raises:
            NotAModel: If the folder is not one of ours, or damaged.
        """

        def make(saved: SavedAgent) -> "DecisionTransformer":
            agent = cls.__new__(cls)
            agent._make(SequenceConfig(**saved.config), SequenceShape(**saved.shape))
            agent.model.load_state_dict(saved.weights)
            agent.reached = read_reached(saved.record.get("reached", ()))
            return agent

        return read_agent(path, FORMAT, "a decision transformer", make)

    @property
    def _learning(self) -> Learning:
        return Learning(self.model, {"actor": self._optimiser}, self._batches)
