"""Generation with any causal language model of `transformers`, by a decode loop of our own.

The loop keeps what `model.generate` hides and a trainer needs: the log-probability of each drawn
token, a seed of its own, the end of each row, and rows that leave the batch when they are done.
Prompts are padded on the left, equal prompts are read once.

Left out: keeping the cache from one turn to the next (each turn reads its whole conversation
again), continuous batching, speculative decoding, beam search, encoder-decoder models, models
without a key-value cache.
"""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from zerogym.agents.llm.generation import Completion, Finish, Sampling

_FALLBACK_CONTEXT = 2048  # tokens, for models whose configuration names no limit


class TransformersGenerator:
    """The engine for any machine.

    A row's random numbers depend on `sampling.seed` and its place in `prompts` only, or on its own
    seed of `sampling.seeds`, so neither `batch_size` nor other rows change what is drawn (up to
    rounding of the model's own arithmetic; with `batch_size=1` there is none).

    Args:
        model: A causal language model; it is shared, not copied.
        tokenizer: Its tokenizer.
        device: Where to move the model; None leaves it.
        dtype: What to cast it to; None leaves it.
        context_length: Most tokens of prompt and reply; None asks the model's configuration.
        batch_size: Most rows decoded at once.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        device: str | torch.device | None = None,
        dtype: torch.dtype | None = None,
        context_length: int | None = None,
        batch_size: int = 64,
    ) -> None:
        if batch_size < 1:
            raise ValueError(f"batch_size must be >= 1, got {batch_size}")
        self.model = model if device is None and dtype is None else model.to(device, dtype)
        self.tokenizer = tokenizer
        limit = getattr(model.config, "max_position_embeddings", None)
        self.context_length = context_length or limit or _FALLBACK_CONTEXT
        self.batch_size = batch_size
        self.weight_version = 0
        self._end_ids = _end_ids(model, tokenizer)
        self._accepts = set(inspect.signature(model.forward).parameters)

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        """One completion for each prompt.

        Raises:
            ValueError: If a prompt has no token, or there is not one of `sampling.seeds` for each.
        """
        for number, prompt in enumerate(prompts):
            if len(prompt) == 0:
                raise ValueError(f"prompt {number} has no token to start from")
        rows = [
            _Row(list(prompt), draw, self.context_length - len(prompt))
            for prompt, draw in zip(prompts, _numbers(len(prompts), sampling), strict=True)
        ]
        was_training = self.model.training
        self.model.eval()
        try:
            with torch.no_grad():
                for start in range(0, len(rows), self.batch_size):
                    self._decode(rows[start : start + self.batch_size], sampling)
        finally:
            self.model.train(was_training)
        return [self._completion(row, sampling) for row in rows]

    def update_weights(self, weights: Any | Mapping[str, torch.Tensor], version: int) -> None:
        """Take over the weights of a module or of its state dict.

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

    def _decode(self, rows: list["_Row"], sampling: Sampling) -> None:
        """Draw tokens until every row is finished."""
        rows = [row for row in rows if row.room > 0]
        if not rows:
            return
        logits, cache, mask = self._read_prompts(rows)  # (B, V), cache of B rows, (B, T)
        positions = mask.sum(1, keepdim=True)  # (B, 1)
        for step in range(sampling.max_new_tokens):
            tokens, logprobs = _draw(logits, [row.draws[step] for row in rows], sampling)
            for row, token, logprob in zip(rows, tokens.tolist(), logprobs.tolist(), strict=True):
                row.add(token, logprob)
                row.finish = self._finish(row, sampling)
            keep = [index for index, row in enumerate(rows) if row.finish is None]
            if not keep:
                return
            if len(keep) < len(rows):
                index = torch.tensor(keep, device=tokens.device)
                rows = [rows[place] for place in keep]
                cache.batch_select_indices(index)
                tokens, mask, positions = tokens[index], mask[index], positions[index]
            mask = torch.cat([mask, mask.new_ones(len(rows), 1)], 1)  # (B, T + 1)
            logits, cache = self._forward(tokens[:, None], mask, positions, cache)
            positions = positions + 1

    def _read_prompts(self, rows: list["_Row"]) -> tuple[torch.Tensor, Any, torch.Tensor]:
        """Prefill each different prompt once; logits, cache and mask have a row for each row."""
        place: dict[tuple[int, ...], int] = {}
        for row in rows:
            place.setdefault(tuple(row.prompt), len(place))
        ids, mask = self._pad_left(list(place))  # (U, T), (U, T)
        positions = (mask.cumsum(1) - 1).clamp(min=0)  # (U, T)
        logits, cache = self._forward(ids, mask, positions, None)  # (U, V)
        if len(place) < len(rows):
            index = torch.tensor([place[tuple(row.prompt)] for row in rows], device=ids.device)
            cache.batch_select_indices(index)
            logits, mask = logits[index], mask[index]  # (B, V), (B, T)
        return logits, cache, mask

    def _pad_left(self, prompts: list[tuple[int, ...]]) -> tuple[torch.Tensor, torch.Tensor]:
        width = max(len(prompt) for prompt in prompts)
        pad = self.tokenizer.pad_token_id or 0  # masked, so that any id will do
        ids = [[pad] * (width - len(prompt)) + list(prompt) for prompt in prompts]
        mask = [[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts]
        device = self.model.device
        return torch.tensor(ids, device=device), torch.tensor(mask, device=device)

    def _forward(
        self, ids: torch.Tensor, mask: torch.Tensor, positions: torch.Tensor, cache: Any
    ) -> tuple[torch.Tensor, Any]:
        """Logits (B, V) of the next token, and the cache."""
        extra = {"position_ids": positions, "logits_to_keep": 1}
        output = self.model(
            input_ids=ids,
            attention_mask=mask,
            past_key_values=cache,
            use_cache=True,
            **{name: value for name, value in extra.items() if name in self._accepts},
        )
        return output.logits[:, -1].float(), output.past_key_values

    def _finish(self, row: "_Row", sampling: Sampling) -> Finish | None:
        """Why this row ends with its last token, if it does."""
        if row.ids[-1] in self._end_ids or (sampling.stop and self._completes_stop(row, sampling)):
            return "stop"
        if len(row.ids) >= row.room:
            return "context"
        return "length" if len(row.ids) >= sampling.max_new_tokens else None

    def _completes_stop(self, row: "_Row", sampling: Sampling) -> bool:
        # Each token writes at least a byte, so that these last ones hold any stop text.
        window = max(len(text.encode("utf-8", "replace")) for text in sampling.stop) + 4
        tail = self.tokenizer.decode(row.ids[-window:], clean_up_tokenization_spaces=False)
        return any(text in tail for text in sampling.stop)

    def _completion(self, row: "_Row", sampling: Sampling) -> Completion:
        shown = row.ids[:-1] if row.ids and row.ids[-1] in self._end_ids else row.ids
        text = self.tokenizer.decode(
            shown, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        ends = [text.find(stop) + len(stop) for stop in sampling.stop if stop in text]
        finish = row.finish or "context"  # a row without any room was never decoded
        return Completion(
            text[: min(ends, default=len(text))], tuple(row.ids), tuple(row.logprobs), finish
        )


@dataclass
class _Row:
    """A prompt on its way to a completion."""

    prompt: list[int]
    draws: torch.Tensor  # (N,) uniform numbers, one a token
    room: int  # tokens left in the context
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    finish: Finish | None = None

    def add(self, token: int, logprob: float) -> None:
        self.ids.append(token)
        self.logprobs.append(logprob)


def _numbers(rows: int, sampling: Sampling) -> torch.Tensor:
    """Uniform numbers (B, N), one for each row and token."""
    if sampling.seeds and len(sampling.seeds) != rows:
        raise ValueError(f"{len(sampling.seeds)} seeds for {rows} prompts")
    seeds = sampling.seeds or (sampling.seed,)
    shape = (rows // len(seeds), sampling.max_new_tokens)
    sources = [torch.Generator().manual_seed(seed) for seed in seeds]
    return torch.cat([torch.rand(shape, generator=one, dtype=torch.float64) for one in sources])


def _draw(
    logits: torch.Tensor, draws: list[torch.Tensor], sampling: Sampling
) -> tuple[torch.Tensor, torch.Tensor]:
    """The next token of each row (B,) and its log-probability (B,) before any truncation."""
    if sampling.temperature == 0:
        logprobs = logits.log_softmax(-1)  # (B, V)
        tokens = logits.argmax(-1)  # (B,)
    else:
        logprobs = (logits / sampling.temperature).log_softmax(-1)  # (B, V)
        shares = truncate(logprobs.exp().double(), sampling.top_p, sampling.top_k)  # (B, V)
        sums = shares.cumsum(-1)  # (B, V)
        point = torch.stack(draws)[:, None].to(logits.device) * sums[:, -1:]  # (B, 1)
        tokens = torch.searchsorted(sums, point, right=True)[:, 0]  # (B,)
        tokens = tokens.clamp(max=logits.shape[-1] - 1)
    return tokens, logprobs.gather(-1, tokens[:, None])[:, 0]


def truncate(shares: torch.Tensor, top_p: float, top_k: int) -> torch.Tensor:
    """Probabilities (B, V) with those outside top-k, then outside top-p, set to 0.

    Top-p keeps the smallest set of most likely tokens whose probability, within what top-k left,
    reaches `top_p` ("The Curious Case of Neural Text Degeneration", 2019, arXiv 1904.09751). The
    result is not normalised.
    """
    if top_k == 0 and top_p == 1:
        return shares
    ordered, index = shares.sort(dim=-1, descending=True, stable=True)  # (B, V), (B, V)
    if top_k:
        ordered[:, top_k:] = 0
    before = ordered.cumsum(-1) - ordered  # (B, V) probability of the tokens ahead
    ordered[before >= top_p * ordered.sum(-1, keepdim=True)] = 0
    return torch.zeros_like(shares).scatter(-1, index, ordered)


def _end_ids(model: Any, tokenizer: Any) -> frozenset[int]:
    """Tokens that end a reply, as the tokenizer and the model's generation settings name them."""
    configured = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
    listed = configured if isinstance(configured, (list, tuple)) else [configured]
    return frozenset(end for end in (*listed, tokenizer.eos_token_id) if end is not None)
