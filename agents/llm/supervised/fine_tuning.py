"""Fine-tuning of a model on conversations or on an environment's oracle: what the package exports.

`sft.py` has the loss and the loop. Only the train side of an environment is recorded.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from zerogym.agents.llm.models.loading import load_model, save_model
from zerogym.agents.llm.supervised.oracle_traces import Source, Trace, record_all
from zerogym.agents.llm.supervised.sft import SFTConfig, encode_all, fine_tune
from zerogym.agents.torch_threads import few_threads
from zerogym.envs.lookup import full_id

Message = Mapping[str, str]
Example = Trace | Sequence[Message] | tuple[str, str]
ROLES = ("user", "assistant")

DEFAULT = SFTConfig(steps=100, batch_tokens=2048, learning_rate=1e-4, warmup=10)


def sft(
    model: str | os.PathLike[str] | tuple[Any, Any],
    examples: str | Sequence[Example],
    out: str | os.PathLike[str],
    *,
    config: SFTConfig = DEFAULT,
    episodes: int = 500,
    on_step: Callable[[int, dict[str, float]], None] | None = None,
    **env_kwargs: Any,
) -> Path:
    """Fine-tune a model on conversations and write it to a folder.

    Args:
        model: What `load_model` takes, or the model and tokenizer that it returns, which are
            trained in place.
        examples: Conversations: messages `[{"role": "user", "content": ...}, {"role": "assistant",
            ...}, ...]` in turns, or pairs (prompt, reply); or the name of a text environment, whose
            oracle is recorded on the train side.
        out: The folder, which `load_model` reads; it must not exist.
        config: Steps, rate and seed.
        episodes: Episodes of the oracle, if `examples` is an environment.
        on_step: Callback after each step with its number from 1 and `sft/loss`, `sft/lr`.
        env_kwargs: Arguments of the environment.

    Returns:
        The folder.

    Raises:
        FileExistsError: If `out` exists.
        ValueError: If there are no examples, or one is no conversation; the message names it.
        ModelNotFound, UnknownName: If there is no such model or task.

    Example:
        >>> import tempfile
        >>> from zerogym.agents.llm import SFTConfig, sft
        >>> folder = tempfile.mkdtemp() + "/model"
        >>> path = sft("tiny", [("Calculate 1 + 1.", "<answer>2</answer>")], folder,
        ...            config=SFTConfig(steps=1))
        >>> (path / "model.safetensors").exists()
        True
    """
    target = Path(out)
    if target.exists():
        raise FileExistsError(f"{target} exists: choose another out")
    if isinstance(examples, str):
        traces = record_all([Source(full_id(examples), episodes, env_kwargs)], config.seed)
    elif env_kwargs:
        raise TypeError(f"arguments of an environment without one: {', '.join(env_kwargs)}")
    else:
        traces = [_trace(example, number) for number, example in enumerate(examples)]
    if not traces:
        raise ValueError("there are no examples to learn from")
    own, tokenizer = model if isinstance(model, tuple) else load_model(model, dtype="float32")
    with few_threads(own):
        fine_tune(own, encode_all(traces, tokenizer), config, on_step)
    return save_model(own, tokenizer, target)


def _trace(example: Example, number: int) -> Trace:
    """Return a conversation in turns.

    Raises:
        ValueError: If it is none.
    """
    texts: list[Any] = []
    if isinstance(example, Trace):
        return example
    if isinstance(example, tuple) and len(example) == 2:
        texts = list(example)
    elif isinstance(example, Sequence) and all(isinstance(item, Mapping) for item in example):
        messages: list[Any] = list(example)
        if [m.get("role") for m in messages] == [*ROLES] * (len(messages) // 2):
            texts = [message.get("content") for message in messages]
    if texts and all(isinstance(text, str) for text in texts):
        return Trace("", tuple(zip(texts[::2], texts[1::2], strict=True)))
    raise ValueError(
        f"example {number} is no conversation: give (prompt, reply), or messages of the roles user "
        "and assistant in turns"
    )
