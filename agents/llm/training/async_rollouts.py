"""Batches of older weights: while the learner takes a step, a thread plays what comes next.

"AReaL: A Large-Scale Asynchronous Reinforcement Learning System for Language Reasoning" (2025,
arXiv 2505.24298) bounds by how many optimiser steps replies may be older than the weights that
learn from them, its eta. There the clock says how old they are. Here they are always as old as they
may be: the batch of step t is drawn with the weights after max(0, t - eta) steps, so that a run
repeats bit for bit, and goes on exactly where it was stopped.

The objective is the paper's decoupled one, which "Batch size-invariance for policy optimization"
(2021, arXiv 2110.00641) has first: what is clipped is the ratio of the policy to the weights as the
step began, and each token weighs the ratio of these to the weights that drew it. That is what
`correction` does in the learner; `token_mask` with a bound above is the paper's code.

Left out: episodes that go on with new weights, several processes, engines with weights of their
own (vLLM), worlds with state common to their copies (language models as opponents, which
evaluation would share with the thread), a stream for the thread on a GPU, where it was not yet run.
"""

import copy
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any

import torch

from zerogym.agents.llm.distributed import parallel
from zerogym.agents.llm.generation.protocol import Completion, Generator, Sampling
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator
from zerogym.agents.llm.models.lora import trained
from zerogym.agents.llm.training.batch import Batch, Groups

Weights = Mapping[str, torch.Tensor]
Draw = Callable[[int, Generator], Batch]

_OLDER = "weights."  # names of tensors in a checkpoint begin so, then comes the version


class AsyncRollouts:
    """Plays the batches of coming steps with older weights. Use it as a context.

    On its device it needs a second copy of the weights that are trained (of adapters only, where
    these are), in the machine's memory another `staleness + 1`. A checkpoint holds `staleness` of
    them, with which a run that goes on draws again what it had not yet learned from.

    Args:
        model: What is trained, by the caller.
        tokenizer: Its tokenizer.
        staleness: How many steps older the weights are, at least 1.
        steps: Of the whole run; nothing is played for later ones.
        draw: Plays the batch of a step with an engine. It is called in the thread, one at a time.
        kept: What `state` returned when the run was saved; other tensors in it are left alone.

    Raises:
        ValueError: If there are several processes.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        staleness: int,
        steps: int,
        draw: Draw,
        kept: Mapping[str, torch.Tensor],
    ) -> None:
        if parallel.world_size() > 1:
            raise ValueError("staleness is for one process: start the run without torchrun")
        self._model, self._draw = model, draw
        self._staleness, self._steps = staleness, steps
        self._engine = _Engine(_twin(model), copy.deepcopy(tokenizer))
        self._weights: dict[int, dict[str, torch.Tensor]] = {}  # by version
        for key, value in kept.items():
            if key.startswith(_OLDER):
                version, _, name = key.removeprefix(_OLDER).partition(".")
                self._weights.setdefault(int(version), {})[name] = value
        self._coming: dict[int, Future[Batch]] = {}  # by step

    def take(self, step: int) -> Batch:
        """The batch of a step, with the model as it is before; the next ones are played meanwhile.

        Raises:
            Exception: What `draw` raised for this step.
        """
        oldest = self._version(step)
        self._weights = {v: held for v, held in self._weights.items() if v >= oldest}
        self._weights[step] = _copied(self._model)
        last = min(step + self._staleness, self._steps - 1)
        for coming in range(step, last + 1):
            if coming not in self._coming:
                version = self._version(coming)
                self._coming[coming] = self._thread.submit(
                    self._play, coming, version, self._weights[version]
                )
        batch = self._coming.pop(step).result()
        return replace(
            batch, metrics=batch.metrics | {"rollout/lag": staleness_of(batch.rolled_out, step)}
        )

    def state(self, step: int) -> dict[str, torch.Tensor]:
        """The weights that batches from a step on are still to be drawn with, as named tensors."""
        return {
            f"{_OLDER}{version}.{name}": value
            for version, weights in self._weights.items()
            if self._version(step) <= version < step
            for name, value in weights.items()
        }

    def _version(self, step: int) -> int:
        return max(0, step - self._staleness)

    def _play(self, step: int, version: int, weights: Weights) -> Batch:
        for name, parameter in self._engine.model.named_parameters():
            if name in weights:
                parameter.data.copy_(weights[name])
        self._engine.update_weights(self._engine.model, version)
        return self._draw(step, self._engine)

    def __enter__(self) -> "AsyncRollouts":
        # Both compute at once: each has half of the threads.
        self._before = torch.get_num_threads()
        share = max(1, self._before // 2)
        torch.set_num_threads(share)
        self._thread = ThreadPoolExecutor(1, "ahead", torch.set_num_threads, (share,))
        return self

    def __exit__(self, *error: object) -> None:
        self._engine.ended.set()
        self._thread.shutdown(cancel_futures=True)
        torch.set_num_threads(self._before)


class _Engine(TransformersGenerator):
    """Writes nothing more once the run has ended: nobody waits for episodes that nobody uses."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        super().__init__(model, tokenizer)
        self.ended = Event()

    def generate(self, prompts: Any, sampling: Sampling) -> list[Completion]:
        if self.ended.is_set():
            raise CancelledError("the run has ended")
        return super().generate(prompts, sampling)


def staleness_of(groups: Groups, step: int) -> float:
    """By how many steps the weights that drew a token are older than those of a step; the mean."""
    turns = [turn for group in groups for item in group for turn in item.turns]
    tokens = sum(len(turn.action_ids) for turn in turns)
    older = sum((step - turn.weight_version) * len(turn.action_ids) for turn in turns)
    return older / max(1, tokens)


def _twin(model: Any) -> Any:
    """A model with its own copy of what is trained; the rest, which never changes, is shared."""
    own = {id(parameter) for parameter in trained(model).values()}
    frozen = {id(p): p for p in model.parameters() if id(p) not in own}
    return copy.deepcopy(model, frozen)


def _copied(model: Any) -> dict[str, torch.Tensor]:
    """What is trained, in the machine's memory."""
    return {name: one.detach().to("cpu", copy=True) for name, one in trained(model).items()}


def drop_stale(tensors: Weights) -> dict[str, torch.Tensor]:
    """Tensors of a checkpoint that are not from `AsyncRollouts.state`."""
    return {name: value for name, value in tensors.items() if not name.startswith(_OLDER)}
