"""Decision transformers: a policy for any return, and with costs for any budget, from trajectories.

Sources: "Decision Transformer: Reinforcement Learning via Sequence Modeling" (2021, arXiv
2106.01345); "Constrained Decision Transformer for Offline Safe Reinforcement Learning" (2023, arXiv
2302.07351).
"""

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.nn import functional

from zerogym.agents.atomic_files import (
    NotAModel,
    read_json,
    read_tensors,
    write_tensors,
    write_text,
)
from zerogym.agents.field_comments import describe_fields
from zerogym.agents.offline.sequences.model import SequenceModel, SequenceShape
from zerogym.agents.offline.sequences.targets import Signal, TargetPolicy
from zerogym.agents.offline.sequences.windows import steps_of
from zerogym.agents.offline.transitions import Transitions
from zerogym.agents.settings import check_above, check_at_least, check_types

FORMAT = "zerogym decision transformer 1"
CONFIG_FILE, WEIGHTS_FILE = "config.json", "model.safetensors"
_CLIP, _DECAY = 0.25, 1e-4  # of gradients and weights, as in the authors' code


@describe_fields
@dataclass(frozen=True)
class SequenceConfig:
    """Everything that decides a training run; the defaults are those of the paper's control tasks.

    Raises:
        TypeError: If a value is not of its field's type; the message names it.
        ValueError: If a number is outside its range.
    """

    constrained: bool = False  # condition on the cost to go, too
    context: int = 20  # steps that an action may depend on, its own among them
    updates: int = 10_000  # gradient steps
    batch_size: int = 64  # windows an update; one from each step of the data if there are no more
    width: int = 128  # numbers of a token
    heads: int = 1  # of attention
    layers: int = 3  # blocks
    lr: float = 1e-4  # rate of AdamW
    seed: int = 0  # of weights and batches

    def __post_init__(self) -> None:
        check_types(self)
        check_at_least(self, context=1, updates=0, batch_size=1, width=1, heads=1, layers=1, seed=0)
        check_above(self, lr=0.0)
        if self.width % self.heads:
            raise ValueError(f"width must be a multiple of heads, got {self.width}, {self.heads}")


class DecisionTransformer:
    """Imitation of trajectories given the return, and the cost, that they still bring.

    Discrete actions have the cross-entropy, whose minimum is the conditional frequency of actions
    given the context; continuous ones the squared error. Observations are standardised and
    conditions divided by the largest of the data (our choice; the paper has a number for each
    task). With `constrained` the sequence is (return to go, cost to go, observation, action, ...).
    A pair of return and budget that no trajectory has is left to the network: the augmentation of
    data that the second paper adds for such pairs is left out, as are its stochastic actor with an
    entropy, dropout, and the rise of the rate at the beginning.

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
        self._check(data)
        self.model.mean.copy_(data.observations.mean(0))
        self.model.scale.copy_(data.observations.std(0, unbiased=False) + 1e-3)
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

    def _check(self, data: Transitions) -> None:
        shape, found = self.shape, data.actions
        if data.observations.shape[1] != shape.observation or data.discrete != shape.discrete:
            raise ValueError(
                f"the agent observes {shape.observation} numbers and has "
                f"{'discrete' if shape.discrete else 'continuous'} actions; the data have "
                f"{data.observations.shape[1]} and {'discrete' if data.discrete else 'continuous'}"
            )
        if not shape.discrete and found.shape[1] != shape.actions:
            raise ValueError(f"actions have {found.shape[1]} numbers, not {shape.actions}")
        low, high = (0, shape.actions - 1) if shape.discrete else (-1, 1)
        if not low <= float(found.min()) <= float(found.max()) <= high:
            raise ValueError(
                f"actions must be from {low} to {high}, the data have some from "
                f"{float(found.min()):g} to {float(found.max()):g}"
            )

    def learn(self, data: Transitions, updates: int | None = None) -> dict[str, float]:
        """Take updates, those of the settings by default; return the loss of the last one.

        Raises:
            ValueError: If the data do not fit.
        """
        self._check(data)
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

    def save(self, path: Path | str) -> None:
        """Write a folder; the settings last, so that an incomplete one is no agent.

        The optimiser is left out: what is loaded acts, and learns on as if it began.
        """
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        write_tensors(folder / WEIGHTS_FILE, self.model.state_dict())
        record = {
            "format": FORMAT,
            "config": dataclasses.asdict(self.config),
            "shape": dataclasses.asdict(self.shape),
        }
        write_text(folder / CONFIG_FILE, json.dumps(record, indent=2))

    @classmethod
    def load(cls, path: Path | str) -> "DecisionTransformer":
        """Read what `save` wrote; nothing is unpickled or imported.

        Raises:
            NotAModel: If the folder is not one of ours, or damaged.
        """
        folder = Path(path)
        record = read_json(folder / CONFIG_FILE)
        try:
            if record["format"] != FORMAT:
                raise ValueError(f"its format is {record['format']!r}, not {FORMAT!r}")
            agent = cls.__new__(cls)
            agent._make(SequenceConfig(**record["config"]), SequenceShape(**record["shape"]))
            agent.model.load_state_dict(read_tensors(folder / WEIGHTS_FILE))
        except NotAModel:
            raise
        except (ValueError, KeyError, TypeError, RuntimeError) as error:
            raise NotAModel(f"{folder} is not a decision transformer: {error}") from None
        return agent
