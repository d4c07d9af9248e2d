"""An adapter for each seat of a game: the seats share the weights below, and nothing else.

Each seat's tokens are sampled with its own adapter, and train it alone, in an optimiser of its own:
one learner for each seat, all on one model, each with the trajectories of its seat.
Whether roles do better with policies of their own or with a common one depends on the task:
"Stronger-MAS: Multi-Agent Reinforcement Learning for Collaborative LLMs" (2025, arXiv 2510.11062).
The reference is the model without any adapter.

An adapter is saved in a folder of its seat's name: `opponent="llm:RUN/model/player_1"` plays with
it, whatever its seat. Left out: a run as an opponent that takes the adapter of the seat that it
plays (`llm:RUN`, `past:RUN`); vLLM, whose requests could name adapters; sharded models.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any

import torch

from zerogym.agents.llm.generation.protocol import Completion, Generator, Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.learner import Learner
from zerogym.agents.llm.learner.ppo import make_learner
from zerogym.agents.llm.models.lora import use
from zerogym.agents.llm.rollout.episode import seed_of
from zerogym.agents.llm.rollout.runner import Players
from zerogym.agents.llm.training.batch import player_of
from zerogym.agents.trajectory import Trajectory


class SeatEngine:
    """An engine with the adapter of one seat; attributes as in `Generator`.

    Args:
        engine: The engine of a model that has an adapter for each seat.
        seat: The seat whose adapter is used.
    """

    def __init__(self, engine: Any, seat: str) -> None:
        self._engine, self._seat = engine, seat
        self.tokenizer: Any = engine.tokenizer
        self.context_length: int = engine.context_length
        self.weight_version: int = engine.weight_version

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        """Return one completion for each prompt."""
        use(self._engine.model, self._seat)
        completions: list[Completion] = self._engine.generate(prompts, sampling)
        return completions

    def score(
        self, prompts: Sequence[Sequence[int]], continuations: Sequence[Sequence[int]]
    ) -> list[tuple[float, ...]]:
        """Return the log-probability of each token of each continuation of its prompt."""
        use(self._engine.model, self._seat)
        scores: list[tuple[float, ...]] = self._engine.score(prompts, continuations)
        return scores

    def keeping(self, conversations: int) -> AbstractContextManager[None]:
        """Keep so many conversations of each seat at most inside a block."""
        block: AbstractContextManager[None] = self._engine.keeping(conversations)
        return block

    def update_weights(self, weights: Any | Mapping[str, Any], version: int) -> None:
        """Load the weights of all seats."""
        self._engine.update_weights(weights, version)
        self.weight_version = version


class SeatLearner:
    """A learner for each seat, with the methods of a `Learner`; metrics end in the seat's name.

    Args:
        model: A model with an adapter for each seat.
        config: The settings of the run.
    """

    def __init__(self, model: Any, config: GRPOConfig) -> None:
        self.model = model
        self.strengths: list[float] | None = None
        self._learners: dict[str, Learner] = {}
        for seat in model.peft_config:
            use(model, seat)  # so that only its parameters have gradients
            self._learners[seat] = make_learner(model, config)

    @property
    def parameters(self) -> list[torch.nn.Parameter]:
        """The trained parameters of all seats."""
        return [one for learner in self._learners.values() for one in learner.parameters]

    def update(self, groups: Sequence[Sequence[Trajectory]]) -> dict[str, float]:
        """Update each seat with its own groups; those of other seats are beside them.

        Raises:
            TrainingDiverged, OutOfMemory, EngineFailed: As in `Learner.update`; the weights of all
                seats are those before.
        """
        metrics: dict[str, float] = {}
        strengths: dict[int, float] = {}  # by place of the group
        before = self.part_state()
        with ExitStack() as transactions:
            transactions.push(lambda kind, *_: self.set_part_state(before) if kind else None)
            for learner in self._learners.values():
                transactions.enter_context(learner.optimizer.transaction())
            for seat, learner in self._learners.items():
                use(self.model, seat)
                places = [n for n, group in enumerate(groups) if group[0].seat == seat]
                own = [groups[place] for place in places]
                others = [group for group in groups if group[0].seat != seat]
                found = learner.update(own, others) if own else {"actor/rows": 0.0}
                if own and learner.strengths is not None:
                    strengths |= dict(zip(places, learner.strengths, strict=True))
                metrics |= {f"{name}_{seat}": value for name, value in found.items()}
        complete = len(strengths) == len(groups)
        self.strengths = [strengths[n] for n in range(len(groups))] if complete else None
        return metrics

    def state(self) -> dict[str, torch.Tensor]:
        """Return the learners' state without the adapters, as tensors `<seat>.<name>`."""
        return {
            f"{seat}.{name}": value
            for seat, learner in self._learners.items()
            for name, value in learner.state().items()
        }

    def set_state(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Load what `state` returned."""
        for seat, learner in self._learners.items():
            start = f"{seat}."
            learner.set_state(
                {k.removeprefix(start): v for k, v in tensors.items() if k.startswith(start)}
            )

    def change_settings(self, config: GRPOConfig) -> None:
        """Go on with other settings, in all seats."""
        for learner in self._learners.values():
            learner.change_settings(config)

    def part_state(self) -> dict[str, Any]:
        """Return what the advantage of each seat keeps, by seat."""
        return {seat: learner.part_state() for seat, learner in self._learners.items()}

    def set_part_state(self, values: Mapping[str, Any]) -> None:
        """Load what `part_state` returned."""
        for seat, learner in self._learners.items():
            learner.set_part_state(values.get(seat, {}))


def learner_of_run(model: Any, config: GRPOConfig, reference: Any = None) -> Learner | SeatLearner:
    """Make the learner of a run; arguments as of `Learner`."""
    if config.lora_per_seat:
        return SeatLearner(model, config)
    return make_learner(model, config, reference)


def players_of(config: GRPOConfig, engine: Generator, seed: int) -> Players:
    """Return the policy of an engine's weights: one for all seats, or one for each.

    Args:
        config: The settings of the run.
        engine: The engine; with `lora_per_seat` its model is `engine.model`.
        seed: Seed of the sampling, from which each seat's own is derived.
    """
    if not config.lora_per_seat:
        return player_of(config, engine, seed)
    shared: Any = engine
    return {
        seat: player_of(config, SeatEngine(shared, seat), seed_of(seed, number))
        for number, seat in enumerate(shared.model.peft_config)
    }
