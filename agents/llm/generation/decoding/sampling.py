"""Sampling of the next token of each row from its logits, by uniform numbers of the row."""

from collections.abc import Sequence

import torch

from zerogym.agents.llm.generation.protocol import Sampling


def row_uniforms(rows: int, sampling: Sampling) -> torch.Tensor:
    """Return uniform numbers (B, N), one for each row and token.

    Raises:
        ValueError: If there is not one of `sampling.seeds` for each row.
    """
    if sampling.seeds and len(sampling.seeds) != rows:
        raise ValueError(f"{len(sampling.seeds)} seeds for {rows} prompts")
    seeds = sampling.seeds or (sampling.seed,)
    shape = (rows // len(seeds), sampling.max_new_tokens)
    sources = [torch.Generator().manual_seed(seed) for seed in seeds]
    return torch.cat([torch.rand(shape, generator=one, dtype=torch.float64) for one in sources])


def sample_tokens(
    logits: torch.Tensor, numbers: Sequence[float], sampling: Sampling
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the next token of each row (B,) and its log-probability (B,) before any truncation.

    Args:
        logits: (B, V), float32.
        numbers: One in [0, 1) for each row.
        sampling: Temperature, top-p and top-k.
    """
    if sampling.temperature == 0:
        logprobs = logits.log_softmax(-1)  # (B, V)
        tokens = logits.argmax(-1)  # (B,)
    else:
        if sampling.temperature != 1:  # a division by 1 is a copy
            logits = logits / sampling.temperature
        logprobs = logits.log_softmax(-1)  # (B, V)
        shares = truncate(logprobs.exp().double(), sampling.top_p, sampling.top_k)  # (B, V)
        sums = shares.cumsum(-1)  # (B, V)
        points = torch.tensor(numbers, dtype=torch.float64, device=logits.device)[:, None]  # (B, 1)
        tokens = torch.searchsorted(sums, points * sums[:, -1:], right=True)[:, 0]  # (B,)
        tokens = tokens.clamp(max=logits.shape[-1] - 1)
    return tokens, logprobs.gather(-1, tokens[:, None])[:, 0]


def token_entropies(logits: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """Return the entropy in nats of each row's distribution (B,) before any truncation.

    Args:
        logits: (B, V), float32.
        sampling: Temperature; at 0 the entropy is that of `softmax(logits)`.
    """
    logprobs = (logits / (sampling.temperature or 1.0)).log_softmax(-1)  # (B, V)
    terms = logprobs.exp() * logprobs  # (B, V)
    return -terms.nan_to_num(nan=0.0).sum(-1)  # 0 log 0 is 0


def truncate(shares: torch.Tensor, top_p: float, top_k: int) -> torch.Tensor:
    """Return probabilities (B, V) with those outside top-k, then outside top-p, set to 0.

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
