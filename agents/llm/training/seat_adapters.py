"""An adapter for each seat of a game: the seats share the weights below, and nothing else.

Each seat's tokens are drawn with its own adapter, and train it alone, in an optimiser of its own:
as many learners as there are seats, beside each other on one model, each with what its seat did.
Whether roles do better with policies of their own or with a common one depends on the task:
"Stronger-MAS: Multi-Agent Reinforcement Learning for Collaborative LLMs" (2025, arXiv 2510.11062).
The reference is the model without any adapter.

An adapter is saved in a folder of its seat's name: `opponent="llm:RUN/model/player_1"` plays with
it, whatever its seat. Left out: a run as an opponent that takes the adapter of the seat in which it
sits (`llm:RUN`, `past:RUN`); vLLM, whose requests could name adapters; models in parts.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import torch

from zerogym.agents.llm.generation.protocol import Completion, Generator, Sampling
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.llm.learner.learner import Learner
from zerogym.agents.llm.learner.ppo import make_learner
from zerogym.agents.llm.models.lora import use
from zerogym.agents.llm.rollout.runner import Players
from zerogym.agents.llm.training.batch import player_of
from zerogym.agents.trajectory import Trajectory


class SeatEngine:
    """A model as one seat has it; attributes as in `Generator`.

    Args:
        engine: Generates with a model that has an adapter for each seat.
        seat: Whose adapter is used.
    """

    def __init__(self, engine: Any, seat: str) -> None:
        self._engine, self._seat = engine, seat
        self.tokenizer: Any = engine.tokenizer
        self.context_length: int = engine.context_length
        self.weight_version: int = engine.weight_version

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        """One completion for each prompt."""
        use(self._engine.model, self._seat)
        completions: list[Completion] = self._engine.generate(prompts, sampling)
        return completions

    def update_weights(self, weights: Any | Mapping[str, Any], version: int) -> None:
        """Take over the weights of all seats."""
        self._engine.update_weights(weights, version)
        self.weight_version = version


class SeatLearner:
    """A learner for each seat; it is used as a `Learner`. Its metrics end in the seat's name.

    Args:
        model: Has an adapter for each seat.
        config: The settings of the run.
    """

    def __init__(self, model: Any, config: GRPOConfig) -> None:
        self.model = model
        self._learners: dict[str, Learner] = {}
        for seat in model.peft_config:
            use(model, seat)  # what has a gradient now is what the seat's optimiser gets
            self._learners[seat] = make_learner(model, config)

    @property
    def parameters(self) -> list[torch.nn.Parameter]:
        """What is trained, of all seats."""
        return [one for learner in self._learners.values() for one in learner.parameters]

    def update(self, groups: Sequence[Sequence[Trajectory]]) -> dict[str, float]:
        """Let each seat learn from its own groups, as if there were no others.

        Raises:
            TrainingDiverged, OutOfMemory, EngineFailed: As in `Learner.update`; the weights of all
                seats are those before.
        """
        metrics: dict[str, float] = {}
        with ExitStack() as undone:
            for learner in self._learners.values():
                undone.enter_context(learner.optimizer.transaction())
            for seat, learner in self._learners.items():
                use(self.model, seat)
                own = [group for group in groups if group[0].seat == seat]
                told = learner.update(own) if own else {"actor/rows": 0.0}
                metrics |= {f"{name}_{seat}": value for name, value in told.items()}
        return metrics

    def state(self) -> dict[str, torch.Tensor]:
        """What the learners have beside the adapters, as tensors `<seat>.<name>`."""
        return {
            f"{seat}.{name}": value
            for seat, learner in self._learners.items()
            for name, value in learner.state().items()
        }

    def set_state(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Take over what `state` returned."""
        for seat, learner in self._learners.items():
            start = f"{seat}."
            learner.set_state(
                {k.removeprefix(start): v for k, v in tensors.items() if k.startswith(start)}
            )


def learner_of_run(model: Any, config: GRPOConfig, reference: Any = None) -> Learner | SeatLearner:
    """What learns in a run; arguments as of `Learner`."""
    if config.lora_per_seat:
        return SeatLearner(model, config)
    return make_learner(model, config, reference)


def players_of(config: GRPOConfig, engine: Generator, seed: int) -> Players:
    """The policy that an engine has the weights of: one for all seats, or each seat's own.

    Args:
        config: The settings of the run.
        engine: Has the model, with `lora_per_seat` in memory as `engine.model`.
        seed: Of the sampling; seats of their own draw from streams of their own.
    """
    if not config.lora_per_seat:
        return player_of(config, engine, seed)
    shared: Any = engine
    return {
        seat: player_of(config, SeatEngine(shared, seat), _own_seed(seed, number))
        for number, seat in enumerate(shared.model.peft_config)
    }


def _own_seed(seed: int, number: int) -> int:
    """A seed in [0, 2^63) for a seat, by SeedSequence."""
    sequence = np.random.SeedSequence(seed, spawn_key=(number,))
    return int(sequence.generate_state(1, np.uint64)[0] >> 1)
