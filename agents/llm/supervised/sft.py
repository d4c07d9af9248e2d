"""Supervised warm start: the tiny model learns the form of our tasks from oracle traces.

Loss: cross-entropy on the replies, averaged over their tokens. Observations have none, unless
`prompt_weight` says otherwise: a model that knows no language yet learns to copy names sooner where
it reads them several times, in prompts, than from the few that it writes ("Instruction Tuning With
Loss Over Instructions", 2024, arXiv 2405.14394, gains where replies are short and prompts long).
The conversations are written by `zerogym.agents.llm.rollout.chat_template`, so that the ids are
exactly those of `LLMPolicy` when the model plays.

One thread, seeded, the schedule counted in steps: the same command on the same machine and
libraries writes the same weights. Left out: packing several conversations into a row (rows are
grouped by length instead), mixed precision, resuming (it takes minutes).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from zerogym.agents.field_comments import describe_fields
from zerogym.agents.llm.rollout.chat_template import Chat, make_chat
from zerogym.agents.llm.supervised.oracle_traces import Trace
from zerogym.agents.settings import check_types

IGNORE = -100  # label of a token that carries no loss
_BLOCK = 1024  # conversations that are sorted by length together


@describe_fields
@dataclass(frozen=True)
class SFTConfig:
    """Settings of the training.

    Raises:
        TypeError: If a value is of another type than its field.
        ValueError: If `prompt_weight` is below 0, or no finite number.
    """

    steps: int = 16_000  # optimiser steps
    batch_tokens: int = 512  # tokens of one step, padding included
    learning_rate: float = 1.5e-3  # peak, of AdamW
    final_share: float = 0.05  # of the peak, at the end of the cosine
    warmup: int = 200  # steps of linear warm-up
    weight_decay: float = 0.01  # of AdamW
    clip: float = 1.0  # largest norm of the gradient
    seed: int = 0  # of the order of the traces
    prompt_weight: float = 0.0  # of the mean loss of observations, beside 1 of replies

    def __post_init__(self) -> None:
        check_types(self)
        if not 0 <= self.prompt_weight < math.inf:
            raise ValueError(f"prompt_weight must be 0 or more, got {self.prompt_weight}")


@dataclass(frozen=True)
class Encoded:
    """A conversation as ids, and 1 on those with a loss."""

    ids: tuple[int, ...]
    mask: tuple[int, ...]


def encode_all(traces: Sequence[Trace], tokenizer: Any) -> list[Encoded]:
    """Return the ids of conversations as a policy with this tokenizer would have them.

    Each reply ends with the end-of-sequence token, as a sampled one does.
    """
    chat = make_chat("auto", tokenizer)
    return [_encode(trace, tokenizer, chat) for trace in traces]


def _encode(trace: Trace, tokenizer: Any, chat: Chat) -> Encoded:
    ids: list[int] = []
    mask: list[int] = []
    reply: list[int] = []
    for number, (observation, text) in enumerate(trace.turns):
        prompt = chat.following(reply, observation) if number else chat.opening(observation)
        reply = tokenizer(text, add_special_tokens=False)["input_ids"] + [tokenizer.eos_token_id]
        ids += prompt + reply
        mask += [0] * len(prompt) + [1] * len(reply)
    return Encoded(tuple(ids), tuple(mask))


def fine_tune(
    model: Any,
    data: Sequence[Encoded],
    config: SFTConfig,
    on_step: Callable[[int, dict[str, float]], None] | None = None,
) -> None:
    """Train a model in place.

    Args:
        model: A causal language model of transformers.
        data: The conversations; a pass over them starts again when it ends.
        config: Hyper-parameters.
        on_step: Callback after each step with its number from 1 and `sft/loss`, `sft/lr`.

    Raises:
        ValueError: If there are no conversations.
    """
    if not data:
        raise ValueError("there are no traces to learn from")
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr=config.learning_rate,
        betas=(0.9, 0.98),
        weight_decay=config.weight_decay,
    )
    model.train()
    batches = shuffled_batches(data, config.batch_tokens, np.random.default_rng(config.seed))
    for step in range(1, config.steps + 1):
        rate = config.learning_rate * schedule(step, config)
        for group in optimizer.param_groups:
            group["lr"] = rate
        rows = [data[index] for index in next(batches)]
        ids, labels = collate(rows, model.device)
        prompts = prompt_labels(rows, model.device) if config.prompt_weight else None
        loss, metrics = reply_loss(model, ids, labels, prompts, config.prompt_weight)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        optimizer.step()
        if on_step is not None:
            on_step(step, metrics | {"sft/lr": rate})
    model.eval()


def reply_loss(
    model: Any,
    ids: torch.Tensor,
    labels: torch.Tensor,
    prompts: torch.Tensor | None = None,
    prompt_weight: float = 0.0,
) -> tuple[torch.Tensor, dict[str, float]]:
    """Return the mean cross-entropy of the tokens with a label.

    Args:
        model: A causal language model with a body (`base_model`) and a head.
        ids: (B, T), padded on the right: causal attention then needs no mask.
        labels: (B, T), `IGNORE` on tokens without a loss.
        prompts: (B, T), labels of the observations; their mean loss is added with `prompt_weight`.
        prompt_weight: From 0. The metrics have the loss of replies alone.
    """
    hidden = model.base_model(input_ids=ids).last_hidden_state[:, :-1]  # (B, T - 1, H)

    def mean_loss(target: torch.Tensor) -> torch.Tensor:
        chosen = target != IGNORE  # (B, T - 1)
        logits = model.get_output_embeddings()(hidden[chosen])  # (N, V)
        return cross_entropy(logits, target[chosen])

    loss = mean_loss(labels[:, 1:])
    metrics = {"sft/loss": loss.item()}
    if prompts is not None:
        loss = loss + prompt_weight * mean_loss(prompts[:, 1:])
    return loss, metrics


def schedule(step: int, config: SFTConfig) -> float:
    """Return the share of the peak rate: linear warm-up, then a cosine down to `final_share`."""
    warm = min(1.0, step / max(config.warmup, 1))
    cosine = 0.5 * (1 + math.cos(math.pi * step / config.steps))
    return warm * (config.final_share + (1 - config.final_share) * cosine)


def collate(rows: Sequence[Encoded], device: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ids and labels, (B, T) each, padded on the right."""
    width = max(len(row.ids) for row in rows)
    ids = torch.zeros(len(rows), width, dtype=torch.long)  # (B, T)
    labels = torch.full((len(rows), width), IGNORE)  # (B, T)
    for place, row in enumerate(rows):
        values = torch.tensor(row.ids)  # (L,)
        ids[place, : len(values)] = values
        learned = torch.tensor(row.mask, dtype=torch.bool)  # (L,)
        labels[place, : len(values)][learned] = values[learned]
    return ids.to(device), labels.to(device)


def prompt_labels(rows: Sequence[Encoded], device: Any) -> torch.Tensor:
    """Return (B, T) the labels of the observations; `IGNORE` on replies and padding."""
    turned = [replace(row, mask=tuple(1 - value for value in row.mask)) for row in rows]
    return collate(turned, device)[1]


def shuffled_batches(
    data: Sequence[Encoded], batch_tokens: int, rng: np.random.Generator
) -> Iterator[list[int]]:
    """Yield batches of indices without end; rows of a batch have similar lengths."""
    while True:
        order = rng.permutation(len(data))
        for start in range(0, len(order), _BLOCK):
            block = sorted(order[start : start + _BLOCK].tolist(), key=lambda i: len(data[i].ids))
            batches: list[list[int]] = [[]]
            for index in block:
                if batches[-1] and (len(batches[-1]) + 1) * len(data[index].ids) > batch_tokens:
                    batches.append([])
                batches[-1].append(index)
            for number in rng.permutation(len(batches)):
                yield batches[number]
