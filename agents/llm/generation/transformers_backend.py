"""Generation with any causal language model of `transformers`, by a decode loop of our own.

Unlike `model.generate`, the loop returns the log-probability of each sampled token, has a seed for
each row, and no row is computed after its end: rows leave the batch when they are done and others
take their places. Equal prompts that begin together are read once; inside `keeping` a conversation
is, too: each turn reads what is new since the last.

Left out: speculative decoding, beam search, encoder-decoder models, models without a key-value
cache.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from zerogym.agents.llm.generation.decoding.kept_prefixes import KeptPrefixes
from zerogym.agents.llm.generation.decoding.kv_cache import Forward, GrowingKVCache, KVCache
from zerogym.agents.llm.generation.decoding.running_sequences import RunningSequence, StopCriteria
from zerogym.agents.llm.generation.decoding.sampling import (
    row_uniforms,
    sample_tokens,
    token_entropies,
)
from zerogym.agents.llm.generation.decoding.slot_cache import SlotKVCache, fits_slots
from zerogym.agents.llm.generation.decoding.slot_layer import SlotLayer
from zerogym.agents.llm.generation.decoding.static_shapes import StaticStep
from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.models.onednn_linear import SELDOM, fast_products

_FALLBACK_CONTEXT = 2048  # tokens, for models whose configuration names no limit
_JOIN = 4  # rows join when one in so many places is free: reading costs about as much as a step


class TransformersGenerator:
    """The engine for any machine.

    A row's random numbers depend on `sampling.seed` and its place in `prompts` only, or on its own
    seed of `sampling.seeds`, so neither `batch_size` nor other rows change its tokens (up to
    rounding of the model's own arithmetic; with `batch_size=1` there is none).

    Args:
        model: A causal language model; it is shared, not copied.
        tokenizer: Its tokenizer.
        device: Device to move the model to; None leaves it.
        dtype: Type to cast it to; None leaves it.
        context_length: Most tokens of prompt and reply; None: as the model's configuration.
        batch_size: Most rows decoded at once. Further ones wait, and join as others finish, where
            the model's cache can be kept in slots; else they wait for all to finish.
        static: The model's decode step, compiled or captured.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        device: str | torch.device | None = None,
        dtype: torch.dtype | None = None,
        context_length: int | None = None,
        batch_size: int = 64,
        static: StaticStep | None = None,
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size must be >= 1, got {batch_size}")
        self.model = model if device is None and dtype is None else model.to(device, dtype)
        self.tokenizer = tokenizer
        limit = getattr(model.config, "max_position_embeddings", None)
        self.context_length = context_length or limit or _FALLBACK_CONTEXT
        self.batch_size = batch_size
        self.weight_version = 0
        self.stop = StopCriteria(model, tokenizer)
        self._forward = Forward(self.model, tokenizer.pad_token_id or 0)
        self._static = static
        self._slots: bool | None = None  # not yet tested
        self._blocks: list[int] = []  # of `keeping`: most conversations
        self._kept: dict[tuple[str, ...], KeptPrefixes] = {}  # by the active adapters
        self._spare: list[SlotLayer] = []  # of the last call's cache

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        """Return one completion for each prompt.

        Raises:
            ValueError: If a prompt has no token, or there is not one of `sampling.seeds` for each.
        """
        for number, prompt in enumerate(prompts):
            if len(prompt) == 0:
                raise ValueError(f"prompt {number} has no token to start from")
        numbers = row_uniforms(len(prompts), sampling).tolist()
        rows = [
            RunningSequence(list(prompt), own, self.context_length - len(prompt))
            for prompt, own in zip(prompts, numbers, strict=True)
        ]
        was_training = self.model.training
        self.model.eval()
        try:
            with torch.no_grad(), fast_products(self.model, SELDOM):
                self._decode([row for row in rows if row.room > 0], sampling)
        finally:
            self.model.train(was_training)
        return [self.stop.completion(row, sampling) for row in rows]

    @contextmanager
    def keeping(self, conversations: int) -> Iterator[None]:
        """Keep keys and values from one call to the next inside the block.

        A prompt is read from the end of the kept text with which it has the longest start in
        common: replies are the same up to rounding. `update_weights` drops all texts; inside the
        block no other weights change. They take as much memory as the cache of a call with as many
        rows, which is free after the block. Models whose cache does not fit slots keep nothing.

        Args:
            conversations: Most texts that are kept, those of each adapter apart; the largest number
                of blocks inside each other counts.
        """
        self._blocks.append(conversations)
        try:
            yield
        finally:
            self._blocks.pop()
            if not self._blocks:
                self._kept.clear()
                self._spare.clear()

    def score(
        self, prompts: Sequence[Sequence[int]], continuations: Sequence[Sequence[int]]
    ) -> list[tuple[float, ...]]:
        """Return the log-probability in nats of each token of each continuation of its prompt.

        Under `softmax(logits)`, up to rounding what `generate` records at temperature 1.

        Raises:
            ValueError: If a prompt has no token, there is not one continuation for each, or both
                together are longer than the context.
        """
        if len(prompts) != len(continuations):
            raise ValueError(f"{len(continuations)} continuations for {len(prompts)} prompts")
        for number, (prompt, given) in enumerate(zip(prompts, continuations, strict=True)):
            if len(prompt) == 0:
                raise ValueError(f"prompt {number} has no token to start from")
            if len(prompt) + len(given) > self.context_length:
                raise ValueError(
                    f"prompt {number} and its continuation have {len(prompt) + len(given)} tokens, "
                    f"the context {self.context_length}"
                )
        # Last tokens are not read, so that those of one prompt take one row; rows of like length
        # are read together: less padding.
        users: dict[tuple[int, ...], list[int]] = {}
        for number, (prompt, given) in enumerate(zip(prompts, continuations, strict=True)):
            users.setdefault((*prompt, *given[:-1]), []).append(number)
        order = sorted(users, key=len)
        scores: list[tuple[float, ...]] = [()] * len(prompts)
        was_training = self.model.training
        self.model.eval()
        try:
            with torch.no_grad(), fast_products(self.model, SELDOM):
                for start in range(0, len(order), self.batch_size):
                    chunk = order[start : start + self.batch_size]
                    for text, logits in zip(chunk, self._read(chunk), strict=True):
                        for number in users[text]:
                            ids = torch.tensor(continuations[number], dtype=torch.long)  # (L,)
                            own = logits[len(text) - len(ids) : len(text)]  # (L, V)
                            logprobs = own.float().log_softmax(-1).cpu()  # (L, V)
                            found = logprobs.gather(-1, ids[:, None])[:, 0]  # (L,)
                            scores[number] = tuple(found.tolist())
        finally:
            self.model.train(was_training)
        return scores

    def _read(self, rows: Sequence[Sequence[int]]) -> torch.Tensor:
        """Return the logits at each token of rows that are read in one batch (B, T, V)."""
        width, device = max(map(len, rows)), self.model.device
        ids = torch.tensor([[*row, *[0] * (width - len(row))] for row in rows], device=device)
        mask = torch.tensor(
            [[1] * len(row) + [0] * (width - len(row)) for row in rows], device=device
        )  # (B, T)
        logits: torch.Tensor = self.model(
            input_ids=ids, attention_mask=mask, use_cache=False
        ).logits
        return logits

    def update_weights(self, weights: Any | Mapping[str, torch.Tensor], version: int) -> None:
        """Load the weights of a module or of its state dict.

        Raises:
            ValueError: If a weight is unknown, or one is missing that no given one is tied to.
        """
        if weights is not self.model:
            given = weights if isinstance(weights, Mapping) else weights.state_dict()
            own = self.model.state_dict()
            covered = {own[name].data_ptr() for name in given if name in own}
            wrong = [name for name in given if name not in own]
            wrong += [name for name, value in own.items() if value.data_ptr() not in covered]
            if wrong:
                raise ValueError(f"the weights do not fit the model: {sorted(wrong)[:5]}")
            self.model.load_state_dict(given, strict=False)
        self.weight_version = version
        self._kept.clear()

    def _cache(self, rows: Sequence[RunningSequence]) -> tuple[KVCache, KeptPrefixes | None]:
        """Return a cache for a call, and what is kept from the calls before."""
        slots = min(self.batch_size, len(rows))
        if self._slots is None:
            self._slots = fits_slots(self._forward)
        if not self._slots:
            return GrowingKVCache(self._forward), None
        if not self._blocks:
            return SlotKVCache(self._forward, slots, self._static), None
        adapted = getattr(self.model, "peft_config", None)
        key = tuple(self.model.active_adapters()) if adapted else ()
        kept = self._kept.setdefault(key, KeptPrefixes(0))
        kept.most = max(self._blocks)
        for other in self._kept.values():
            other.save()  # the call uses the last one's memory again
        cache = SlotKVCache(self._forward, slots, self._static, self._spare)
        kept.begin(cache, rows)
        return cache, kept

    def _decode(self, rows: list[RunningSequence], sampling: Sampling) -> None:
        """Sample tokens until every row is finished."""
        cache, kept = self._cache(rows)
        waiting, running = deque(rows), list[RunningSequence]()
        logits = torch.empty(0)  # of the next token of each row that is running (B, V)
        while waiting or running:
            free = min(self.batch_size - len(running), len(waiting))
            if not running or (cache.joins and free and free * _JOIN >= self.batch_size):
                fresh = [waiting.popleft() for _ in range(free)]
                if kept is None:
                    first = cache.read([row.prompt for row in fresh])
                else:
                    first, fresh = kept.read(fresh)
                logits = torch.cat([logits, first]) if running else first
                running += fresh
            numbers = [row.numbers[len(row.ids)] for row in running]
            tokens, logprobs = sample_tokens(logits, numbers, sampling)  # (B,), (B,)
            for row, token, logprob in zip(
                running, tokens.tolist(), logprobs.tolist(), strict=True
            ):
                self.stop.add(row, token, logprob, sampling)
            if sampling.entropies:
                found = token_entropies(logits, sampling)  # (B,)
                for row, entropy in zip(running, found.tolist(), strict=True):
                    row.entropies.append(entropy)
            order = cache.keep([i for i, row in enumerate(running) if row.finish is None])
            if kept is not None and self._static is not None:
                kept.save()  # rows that are added to fill up a shape write into free slots
            if len(order) < len(running):
                running = [running[i] for i in order]
                tokens = tokens[torch.tensor(order, dtype=torch.long, device=tokens.device)]
            if running:
                logits = cache.step(tokens)
