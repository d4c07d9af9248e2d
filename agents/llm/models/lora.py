"""Low-rank adapters: a run trains small matrices beside the weights and leaves these alone.

"LoRA: Low-Rank Adaptation of Large Language Models" (2021, arXiv 2106.09685), as `peft` has it,
without dropout. The optimiser holds the adapter alone, and the model without its adapter is the
reference, so that a divergence from it costs no second model. Engines generate with the adapter as
it is trained; a finished run adds it to the weights. A game's model may have several, one for each
seat (`seat_adapters`). Left out: quantised weights, rank-stabilised and weight-decomposed adapters.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import save_file

from zerogym.agents.atomic_files import read_tensors
from zerogym.agents.llm.models.directories import ADAPTER_WEIGHTS
from zerogym.errors import require

if TYPE_CHECKING:
    from zerogym.agents.llm.grpo_config import GRPOConfig

SOLE = "default"  # peft's name of an adapter that is alone
_PREFIX = "base_model.model."  # of names in peft's files; files without it are read, too


def attach(model: Any, config: "GRPOConfig", names: Sequence[str] = (SOLE,)) -> None:
    """Add a fresh adapter to a model: it changes nothing yet, and it alone is trained.

    It is in float32 beside weights of any precision, so that small updates are not lost.

    Args:
        model: A model without adapters.
        config: The settings of the run.
        names: Names of the adapters, which all start alike; the first is active (`use`).

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
        add_adapter(model, settings, config.seed, name)
        settings.base_model_name_or_path = config.model
    for parameter in trained(model).values():
        parameter.data = parameter.data.float()
    use(model, names[0])


def add_adapter(model: Any, settings: Any, seed: int, name: str) -> None:
    """Add an adapter of peft's settings, with initial weights that follow from the seed."""
    with torch.random.fork_rng(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Already found a `peft_config`")  # several are meant
        torch.manual_seed(seed)
        model.add_adapter(settings, name)


def has_adapter(model: Any) -> bool:
    """Return whether a model has an adapter."""
    return bool(getattr(model, "peft_config", None))


def use(model: Any, name: str) -> None:
    """Make one of several adapters the active one, in forward passes and for gradients."""
    if model.active_adapters() != [name]:
        model.set_adapter(name)


def trained(model: Any) -> dict[str, torch.nn.Parameter]:
    """Return the parameters of a model that are trained, by name; inactive adapters included."""
    # peft switches gradients off for those that are not active
    named = model.named_parameters()
    return {name: one for name, one in named if one.requires_grad or ".lora_" in name}


@contextmanager
def without_adapter(model: Any) -> Iterator[None]:
    """Disable the adapter inside the block."""
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
    """Yield what `merge` would make of the weights, by their names without an adapter."""
    layers = dict(model.named_modules())
    for name, value in model.state_dict().items():
        owner, wrapped, rest = name.partition(".base_layer.")
        if wrapped and rest == "weight":
            (adapter,) = layers[owner].active_adapters
            value = (value + layers[owner].get_delta_weight(adapter).detach()).to(value.dtype)
        if wrapped or ".lora_" not in name:
            yield (f"{owner}.{rest}" if wrapped else name), value


def detached_weights(weights: Any | Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Return the weights of a module or a state dict by name; an adapter is added to them."""
    if has_adapter(weights):
        return merged_weights(weights)
    given = weights if isinstance(weights, Mapping) else weights.state_dict()
    return ((name, value.detach()) for name, value in given.items())


def adapter_folders(model: Any, directory: Path) -> list[tuple[str, Path]]:
    """Return each adapter of a model with its folder when the model is saved in a directory.

    The only adapter is in the directory itself, each of several in a folder of its name.
    """
    names = list(model.peft_config)
    return [(name, directory if names == [SOLE] else directory / name) for name in names]


def save_adapters(model: Any, directory: Path) -> None:
    """Write the adapters alone, as peft does; `load_model` and peft read them."""
    for name, folder in adapter_folders(model, directory):
        weights = _peft().get_peft_model_state_dict(
            model, adapter_name=name, save_embedding_layers=False
        )
        folder.mkdir(parents=True)
        model.peft_config[name].save_pretrained(folder)
        named = {f"{_PREFIX}{key}": value.contiguous() for key, value in weights.items()}
        save_file(named, folder / ADAPTER_WEIGHTS)


def fill_adapter(model: Any, directory: Path, name: str) -> None:
    """Load the weights of a directory into an adapter of a model.

    Raises:
        ValueError: If the two have not the same layers, or the file is damaged.
    """
    weights = read_tensors(directory / ADAPTER_WEIGHTS)
    report = _peft().set_peft_model_state_dict(model, weights, name)
    missing = [key for key in report.missing_keys if name in key.split(".")]
    if missing or report.unexpected_keys:
        raise ValueError(f"it has not the same layers: {[*missing, *report.unexpected_keys][0]}")


def _peft() -> Any:
    return require("peft", "llm", "a LoRA adapter")
