"""Low-rank adapters: a run trains small matrices beside the weights and leaves these alone.

"LoRA: Low-Rank Adaptation of Large Language Models" (2021, arXiv 2106.09685), as `peft` has it,
without dropout. The optimiser holds the adapter alone, and the model without its adapter is the
reference, so that a divergence from it costs no second model. Generation sees the adapter as it is
trained; a finished run adds it to the weights. A game's model may have several, one for each seat
(`seat_adapters`). Left out: quantised weights, rank-stabilised and weight-decomposed adapters.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load_file, save_file

from zerogym.agents.llm.models.loading import ADAPTER, ADAPTER_WEIGHTS, load_model
from zerogym.errors import ModelNotFound, require

if TYPE_CHECKING:
    from zerogym.agents.llm.grpo_config import GRPOConfig

SOLE = "default"  # peft's name of an adapter that is alone
_PREFIX = "base_model.model."  # of names in peft's files; files without it are read, too


def attach(model: Any, config: "GRPOConfig", names: Sequence[str] = (SOLE,)) -> None:
    """Put a fresh adapter on a model; it changes nothing yet, and it alone is trained.

    It is in float32 beside weights of any precision, so that small updates are not lost.

    Args:
        model: Has none yet.
        config: The settings of the run.
        names: Of several adapters, which all start alike; the first is in use (`use`).

    Raises:
        MissingExtra: If peft is not installed.
        ValueError: If no layer has one of the names `config.lora_targets`, or one that has shares
            its weights with another, which would change with it when they are merged.
    """
    if getattr(model.config, "tie_word_embeddings", False):
        tied = (model.get_input_embeddings(), model.get_output_embeddings())
        own = {name.rpartition(".")[2] for name, layer in model.named_modules() if layer in tied}
        if shared := own & set(config.lora_targets):
            raise ValueError(
                f"lora_targets must leave out {', '.join(sorted(shared))}: this model reads and "
                "writes tokens by the same weights"
            )
    for name in names:
        settings = _peft().LoraConfig(
            r=config.lora_rank, lora_alpha=config.lora_alpha, task_type="CAUSAL_LM",
            target_modules=list(config.lora_targets) or "all-linear",
        )  # fmt: skip
        _add(model, settings, config.seed, name)
        settings.base_model_name_or_path = config.model
    for parameter in trained(model).values():
        parameter.data = parameter.data.float()
    use(model, names[0])


def has_adapter(model: Any) -> bool:
    """Whether `attach` was called on the model."""
    return bool(getattr(model, "peft_config", None))


def use(model: Any, name: str) -> None:
    """Of several adapters let this one alone count, in what the model says and in gradients."""
    if model.active_adapters() != [name]:
        model.set_adapter(name)


def trained(model: Any) -> dict[str, torch.nn.Parameter]:
    """What is trained of a model, by name: adapters that are not in use, too."""
    # peft switches gradients off for those that are not in use
    named = model.named_parameters()
    return {name: one for name, one in named if one.requires_grad or ".lora_" in name}


@contextmanager
def without_adapter(model: Any) -> Iterator[None]:
    """Inside the block the model is what it was before `attach`."""
    model.disable_adapters()
    try:
        yield
    finally:
        model.enable_adapters()


def merge(model: Any) -> Any:
    """Add the adapter, where there is one, to the weights, in place; the same model without it.

    A model with several stays as it is.
    """
    if not has_adapter(model) or len(model.peft_config) > 1:
        return model
    layers = require("peft.tuners.tuners_utils", "llm", "an adapter").BaseTunerLayer
    for name, layer in list(model.named_modules()):
        if isinstance(layer, layers):
            layer.merge()
            parent, _, own = name.rpartition(".")
            setattr(model.get_submodule(parent), own, layer.get_base_layer())
    del model.peft_config
    model._hf_peft_config_loaded = False
    return model.requires_grad_(True)


def merged_weights(model: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """What `merge` would make of the weights, by their names without an adapter, one at a time."""
    layers = dict(model.named_modules())
    for name, value in model.state_dict().items():
        owner, wrapped, rest = name.partition(".base_layer.")
        if wrapped and rest == "weight":
            (adapter,) = layers[owner].active_adapters
            value = (value + layers[owner].get_delta_weight(adapter).detach()).to(value.dtype)
        if wrapped or ".lora_" not in name:
            yield (f"{owner}.{rest}" if wrapped else name), value


def detached_weights(weights: Any | Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Weights by name, an adapter's layers added up one at a time."""
    if has_adapter(weights):
        return merged_weights(weights)
    given = weights if isinstance(weights, Mapping) else weights.state_dict()
    return ((name, value.detach()) for name, value in given.items())


def save_adapters(model: Any, directory: Path) -> None:
    """Write the adapter alone, as peft does; `load_model` and peft read it.

    Of several, each is in a folder of its name.
    """
    for name, folder in adapter_folders(model, directory):
        weights = _peft().get_peft_model_state_dict(
            model, adapter_name=name, save_embedding_layers=False
        )
        folder.mkdir(parents=True)
        model.peft_config[name].save_pretrained(folder)
        named = {f"{_PREFIX}{key}": value.contiguous() for key, value in weights.items()}
        save_file(named, folder / ADAPTER_WEIGHTS)


def load_merged(directory: Path, device: str, dtype: Any) -> tuple[Any, Any]:
    """The base that an adapter's directory names, with the adapter added to its weights.

    Raises:
        ModelNotFound: If there is no such base, or the adapter does not fit it.
        MissingExtra: If peft is not installed.
    """
    peft = _peft()
    settings = peft.PeftConfig.from_pretrained(str(directory))
    base = settings.base_model_name_or_path
    if not isinstance(settings, peft.LoraConfig) or not base:
        raise ModelNotFound(f"{str(directory / ADAPTER)!r} is no LoRA adapter with a base model")
    model, tokenizer = load_model(base, device, dtype)
    try:
        _add(model, settings, 0, SOLE)
        fill_adapter(model, directory, SOLE)
    except (RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0][:200]
        raise ModelNotFound(
            f"{str(directory)!r} does not fit its base {base!r}: {reason}"
        ) from error
    return merge(model).eval(), tokenizer


def _peft() -> Any:
    return require("peft", "llm", "a LoRA adapter")


def adapter_folders(model: Any, directory: Path) -> list[tuple[str, Path]]:
    """Each adapter of a model, and where it is saved when the model is saved in a directory."""
    names = list(model.peft_config)
    return [(name, directory if names == [SOLE] else directory / name) for name in names]


def _add(model: Any, settings: Any, seed: int, name: str) -> None:
    with torch.random.fork_rng(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Already found a `peft_config`")  # several are meant
        torch.manual_seed(seed)
        model.add_adapter(settings, name)


def fill_adapter(model: Any, directory: Path, name: str) -> None:
    """Give an adapter of a model the weights of a directory."""
    weights = load_file(directory / ADAPTER_WEIGHTS)
    report = _peft().set_peft_model_state_dict(model, weights, name)
    missing = [key for key in report.missing_keys if name in key.split(".")]
    if missing or report.unexpected_keys:
        raise ValueError(f"it has not the same layers: {[*missing, *report.unexpected_keys][0]}")
