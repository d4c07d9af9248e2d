"""Asynchronous rollouts: while the learner takes a step, a thread plays the next batches.

"AReaL: A Large-Scale Asynchronous Reinforcement Learning System for Language Reasoning" (2025,
arXiv 2505.24298) bounds the staleness of replies, in optimiser steps, by its eta. There the
staleness depends on the clock. Here it is always the largest: the batch of step t is sampled with
the weights after max(0, t - eta) steps, so that a run repeats bit for bit, and resumes exactly.

The objective is the paper's decoupled one, which "Batch size-invariance for policy optimization"
(2021, arXiv 2110.00641) has first: what is clipped is the ratio of the policy to the weights as the
step began, and each token is weighted by the ratio of these to the weights that sampled it, which
is the `correction` of the learner; `token_mask` with an upper bound is the paper's code.

Left out: episodes that go on with new weights, several processes, engines with weights of their
own (vLLM), environments with state common to their copies (language models as opponents, which
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
Play = Callable[[int, Generator], Batch]

_OLDER = "weights."  # names of tensors in a checkpoint begin so, then comes the version


class AsyncRollouts:
    """Plays the batches of coming steps with older weights; a context manager.

    On its device it needs a second copy of the weights that are trained (of adapters only, where
    these are), in the machine's memory another `staleness + 1`. A checkpoint holds `staleness` of
    them, with which a resumed run samples the batches again that it had not yet trained on.

    Args:
        model: The model that the caller trains.
        tokenizer: Its tokenizer.
        staleness: Steps by which the weights are older, at least 1.
        steps: Steps of the whole run; nothing is played for later ones.
        play: Plays the batch of a step with an engine. It is called in the thread, one at a time.
        kept: The result of `state` when the run was saved; other tensors in it are ignored.

    Raises:
        ValueError: If there are several processes.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        staleness: int,
        steps: int,
        play: Play,
        kept: Mapping[str, torch.Tensor],
    ) -> None:
        if parallel.world_size() > 1:
            raise ValueError("staleness is for one process: start the run without torchrun")
        self._model, self._play_batch = model, play
        self._staleness, self._steps = staleness, steps
        own = {id(parameter) for parameter in trained(model).values()}
        frozen = {id(p): p for p in model.parameters() if id(p) not in own}  # never change: shared
        self._engine = _Engine(copy.deepcopy(model, frozen), copy.deepcopy(tokenizer))
        self._weights: dict[int, dict[str, torch.Tensor]] = {}  # by version
        for key, value in kept.items():
            if key.startswith(_OLDER):
                version, _, name = key.removeprefix(_OLDER).partition(".")
                self._weights.setdefault(int(version), {})[name] = value
        self._coming: dict[int, Future[Batch]] = {}  # by step

    def take(self, step: int) -> Batch:
        """Return the batch of a step, and start to play the next ones.

        Raises:
            Exception: The error of `play` for this step.
        """
        oldest = self._version(step)
        self._weights = {v: held for v, held in self._weights.items() if v >= oldest}
        self._weights[step] = {
            name: one.detach().to("cpu", copy=True) for name, one in trained(self._model).items()
        }
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
        """Return the older weights of the batches from a step on, as named tensors."""
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
        return self._play_batch(step, self._engine)

    def __enter__(self) -> "AsyncRollouts":
        # Learner and rollouts compute at once: each has half of the threads.
        self._before = torch.get_num_threads()
        share = max(1, self._before // 2)
        torch.set_num_threads(share)
        self._thread = ThreadPoolExecutor(1, "async-rollouts", torch.set_num_threads, (share,))
        return self

    def __exit__(self, *error: object) -> None:
        self._engine.ended.set()
        self._thread.shutdown(cancel_futures=True)
        torch.set_num_threads(self._before)


class _Engine(TransformersGenerator):
    """An engine that stops once the run has ended, so that unused episodes end soon."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        super().__init__(model, tokenizer)
        self.ended = Event()

    def generate(self, prompts: Any, sampling: Sampling) -> list[Completion]:
        if self.ended.is_set():
            raise CancelledError("the run has ended")
        return super().generate(prompts, sampling)


def staleness_of(groups: Groups, step: int) -> float:
    """Return the mean over tokens of the steps by which their weights are older than a step's."""
    turns = [turn for group in groups for item in group for turn in item.turns]
    tokens = sum(len(turn.action_ids) for turn in turns)
    older = sum((step - turn.weight_version) * len(turn.action_ids) for turn in turns)
    return older / max(1, tokens)


def drop_stale(tensors: Weights) -> dict[str, torch.Tensor]:
    """Return the tensors of a checkpoint that are not from `AsyncRollouts.state`."""
    return {name: value for name, value in tensors.items() if not name.startswith(_OLDER)}
