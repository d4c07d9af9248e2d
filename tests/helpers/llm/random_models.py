"""Small random models of several families, and a tokenizer for their 64 tokens."""

from collections.abc import Mapping
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

VOCABULARY = 64
SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
LLAMA = SMALL | {"intermediate_size": 48, "num_key_value_heads": 2, "head_dim": 8}  # grouped heads


class Letters:
    """A tokenizer of which token n is the letter with the code 48 + n."""

    pad_token_id, eos_token_id = 0, 3

    def decode(self, ids: list[int], **options: Any) -> str:
        return "".join(chr(48 + token) for token in ids)


def random_model(family: str, sizes: Mapping[str, Any]) -> Any:
    """Random weights, sharper than at their start, so that places and masks matter."""
    ends = {"bos_token_id": None, "eos_token_id": [3, 5, 8, 13, 21], "pad_token_id": 0}
    config = transformers.AutoConfig.for_model(family, vocab_size=VOCABULARY, **sizes, **ends)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = transformers.AutoModelForCausalLM.from_config(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(4 if parameter.dim() > 1 else 1)
    return model
