"""Generation by vLLM in this process: many replies at once, on the GPU that also trains.

"Efficient Memory Management for Large Language Model Serving with PagedAttention" (2023,
arXiv 2309.06180). Weights are copied in place, from memory to memory; while the trainer computes,
the engine can sleep, which frees the GPU's memory.

Checked with the CPU build of vLLM; on a GPU not yet run. Left out: adapters of their own for single
requests, several GPUs, the log-probability of replies that top-p or top-k has cut (NaN).
"""

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zerogym.agents.llm.generation.protocol import (
    Completion,
    Finish,
    Sampling,
    cut_after_stop,
    row_seeds,
    without_entropies,
)
from zerogym.agents.llm.models.lora import detached_weights
from zerogym.errors import EngineFailed, require

# Before the first import: one process, no usage statistics; 1 GiB of cache on a CPU.
_ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
}


class VLLMGenerator:
    """An engine for high throughput; attributes as in `Generator`.

    Each row has a seed of its own, so it does not depend on other rows, up to rounding: a batch of
    another size, or a prompt whose start was kept from before, adds up in another order.

    Args:
        directory: The model, in Hugging Face format.
        dtype: `auto` (float32 on a CPU, else as stored), `float32`, `bfloat16`, `float16`.
        memory: Share of the GPU's memory for weights and cache, in (0, 1].

    Raises:
        MissingExtra: If vLLM is not installed.
        EngineFailed: If it does not start.
    """

    def __init__(self, directory: str | Path, dtype: str = "auto", memory: float = 0.3) -> None:
        for name, value in _ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        self._vllm: Any = require("vllm", "vllm", "the backend 'vllm'")
        platforms: Any = require("vllm.platforms", "vllm", "the backend 'vllm'")
        self._on_gpu = not platforms.current_platform.is_cpu()
        self._asleep = False
        try:
            self._engine = self._vllm.LLM(
                model=str(directory),
                dtype="float32" if dtype == "auto" and not self._on_gpu else dtype,
                gpu_memory_utilization=memory,
                enable_sleep_mode=self._on_gpu,
                enable_prefix_caching=True,
                enforce_eager=not self._on_gpu,
                generation_config="vllm",  # not the model's own defaults
                logprobs_mode="processed_logprobs",  # after the temperature
                trust_remote_code=False,
            )
        except (RuntimeError, ValueError, OSError) as error:
            reason = (str(error).strip().splitlines() or [""])[-1][:200]
            raise EngineFailed(f"vLLM does not start with {str(directory)!r}: {reason}") from error
        self.tokenizer: Any = self._engine.get_tokenizer()
        self.context_length: int = self._engine.model_config.max_model_len
        self.weight_version = 0
        self._end_ids = _end_ids(Path(directory), self.tokenizer)

    def generate(self, prompts: Sequence[Sequence[int]], sampling: Sampling) -> list[Completion]:
        """Return one completion for each prompt.

        Raises:
            ValueError: If a prompt has no token, there is not one of `sampling.seeds` for each, or
                entropies are requested.
            EngineFailed: If the engine stops working.
        """
        without_entropies(sampling, "vLLM")
        if not all(map(len, prompts)):
            raise ValueError("a prompt has no token to start from")
        rooms = [self.context_length - len(prompt) for prompt in prompts]
        sent = [row for row, room in enumerate(rooms) if room > 0]
        seeds = row_seeds(len(prompts), sampling)
        settings = [self._settings(sampling, seeds[row], rooms[row]) for row in sent]
        inputs = [{"prompt_token_ids": list(prompts[row])} for row in sent]
        self._wake()
        try:
            outputs = self._engine.generate(inputs, settings, use_tqdm=False) if sent else []
        except RuntimeError as error:
            raise EngineFailed(f"vLLM has stopped: {type(error).__name__} {error}") from error
        completions = [Completion("", (), (), "context")] * len(prompts)
        for row, output in zip(sent, outputs, strict=True):
            completions[row] = self._completion(output.outputs[0], sampling, rooms[row])
        return completions

    def update_weights(self, weights: Any | Mapping[str, Any], version: int) -> None:
        """Load the weights of a module or of its state dict; an adapter is added to them.

        Raises:
            ValueError: If a weight is unknown or of another shape.
        """
        self._wake()
        # The one way that works on every platform: linear weights may have been repacked.
        try:
            self._engine.collective_rpc(
                "reload_weights", kwargs={"weights_iterator": detached_weights(weights)}
            )
        except (KeyError, ValueError, AssertionError, RuntimeError) as error:
            raise ValueError(f"the weights do not fit the model: {error}") from error
        self._engine.reset_prefix_cache()
        self.weight_version = version

    def sleep(self) -> None:
        """Free the GPU's memory until the next call; on a CPU nothing happens."""
        if self._on_gpu and not self._asleep:
            self._engine.sleep(level=1)  # weights go to the CPU's memory, the cache is dropped
            self._asleep = True

    def _wake(self) -> None:
        if self._asleep:
            self._engine.wake_up()
            self._asleep = False

    def _settings(self, sampling: Sampling, seed: int, room: int) -> Any:
        return self._vllm.SamplingParams(
            max_tokens=min(sampling.max_new_tokens, room),
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            top_k=sampling.top_k,
            seed=seed,
            stop=list(sampling.stop),
            stop_token_ids=sorted(self._end_ids),
            include_stop_str_in_output=True,
            logprobs=0,  # of the sampled token alone
        )

    def _completion(self, output: Any, sampling: Sampling, room: int) -> Completion:
        ids = tuple(output.token_ids)
        known = sampling.temperature == 0 or (sampling.top_p == 1 and sampling.top_k == 0)
        logprobs = tuple(
            each[token].logprob if known else math.nan
            for each, token in zip(output.logprobs, ids, strict=True)
        )
        finish: Finish = "stop"
        if output.finish_reason != "stop":
            finish = "context" if len(ids) >= room else "length"
        shown = ids[:-1] if ids and ids[-1] in self._end_ids else ids
        text = self.tokenizer.decode(
            shown, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        return Completion(cut_after_stop(text, sampling.stop), ids, logprobs, finish)


def _end_ids(directory: Path, tokenizer: Any) -> frozenset[int]:
    """Return the tokens that end a reply, of the tokenizer and the generation settings."""
    from transformers import GenerationConfig

    named: Any = None
    if (directory / "generation_config.json").is_file():
        named = GenerationConfig.from_pretrained(directory, local_files_only=True).eos_token_id
    listed = named if isinstance(named, (list, tuple)) else [named]
    return frozenset(end for end in (*listed, tokenizer.eos_token_id) if end is not None)
