"""Conversion of a GGUF file to a Hugging Face directory with safetensors.

transformers unpacks a GGUF file but refuses to save what it unpacked, because the model still
carries the mark of its quantisation; so the model is rebuilt from a clean configuration and the
state dict. Left out: writing GGUF, and keeping the weights quantised.
"""

from pathlib import Path
from typing import Any

from packaging.version import parse

from zerogym.errors import MissingExtra, ModelNotFound, require

PROBES = ("What is 2 + 3?", "Żółw, 東京 and 1 234 are\n\ttext.")
LOGIT_TOLERANCE = 1e-3  # both sides hold the same numbers; only the order of sums may differ
CONVERTS = "5.16.1"  # 5.0 and 5.10 fail at the tokenizer
_MARKS = ("quantization_config", "_name_or_path", "torch_dtype", "dtype")


def load_gguf(gguf: Path) -> tuple[Any, Any]:
    """Return model and tokenizer of a GGUF file, with float32 weights rounded to bfloat16.

    Raises:
        MissingExtra: If torch, transformers or gguf is not installed, or transformers is too old.
    """
    torch = require("torch", "llm", "converting a GGUF file")
    transformers = require("transformers", "llm", "converting a GGUF file")
    require("gguf", "llm", "converting a GGUF file")
    if parse(transformers.__version__) < parse(CONVERTS):
        raise MissingExtra(
            f"converting a GGUF file needs transformers {CONVERTS} or later, "
            f"not {transformers.__version__}"
        )
    place = {"gguf_file": gguf.name, "local_files_only": True}
    tokenizer = transformers.AutoTokenizer.from_pretrained(gguf.parent, **place)
    model = transformers.AutoModelForCausalLM.from_pretrained(
        gguf.parent, dtype=torch.float32, **place
    )
    for parameter in model.parameters():
        parameter.data = parameter.data.bfloat16().float()
    return model.eval(), tokenizer


def save_safetensors(model: Any, tokenizer: Any, directory: Path) -> Path:
    """Write a model of `load_gguf` as bfloat16 safetensors, with its tokenizer."""
    torch = require("torch", "llm", "converting a GGUF file")
    config = {key: value for key, value in model.config.to_dict().items() if key not in _MARKS}
    clean = type(model)(type(model.config).from_dict(config))
    clean.load_state_dict(model.state_dict())
    clean.tie_weights()
    clean.generation_config = model.generation_config
    clean.to(torch.bfloat16).save_pretrained(directory)
    tokenizer.save_pretrained(directory)
    return directory


def verify_conversion(model: Any, tokenizer: Any, directory: Path) -> None:
    """Load the converted model, and compare logits, greedy text and tokens with the original.

    Args:
        model: The original, as `load_gguf` returned it.
        tokenizer: The original's tokenizer.
        directory: The directory that `save_safetensors` wrote.

    Raises:
        ModelNotFound: If anything differs.
    """
    torch = require("torch", "llm", "converting a GGUF file")
    transformers = require("transformers", "llm", "converting a GGUF file")
    converted = transformers.AutoModelForCausalLM.from_pretrained(
        directory, dtype=torch.float32, use_safetensors=True, local_files_only=True
    ).eval()
    new_tokenizer = transformers.AutoTokenizer.from_pretrained(directory, local_files_only=True)
    for probe in PROBES:
        ids = tokenizer(probe)["input_ids"]
        if new_tokenizer(probe)["input_ids"] != ids or new_tokenizer.decode(ids) != probe:
            raise ModelNotFound(f"the converted tokenizer changes {probe!r}")
        prompt = torch.tensor([ids])  # (1, L)
        with torch.no_grad():
            gap = (model(prompt).logits - converted(prompt).logits).abs().max().item()
        if not gap <= LOGIT_TOLERANCE:
            raise ModelNotFound(f"the converted model's logits are off by {gap:.3g}")
        if _continue(model, prompt) != _continue(converted, prompt):
            raise ModelNotFound(f"the converted model continues {probe!r} differently")


def _continue(model: Any, prompt: Any) -> list[int]:
    mask = prompt.new_ones(prompt.shape)  # (1, L)
    reply = model.generate(prompt, attention_mask=mask, do_sample=False, max_new_tokens=12)
    return [int(token) for token in reply[0]]
