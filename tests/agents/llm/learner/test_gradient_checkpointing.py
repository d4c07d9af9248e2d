"""Layers that are computed again: the same gradients from less memory, and nothing afterwards."""

from dataclasses import replace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from typer.testing import CliRunner  # noqa: E402

from helpers.llm.tiny_llamas import SIZES, episodes, gradients, llama  # noqa: E402
from zerogym.agents.llm.generation.protocol import Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.learner.learner import Learner  # noqa: E402
from zerogym.agents.llm.learner.ppo import make_learner  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.models.lora import attach  # noqa: E402
from zerogym.agents.trajectory import Trajectory  # noqa: E402
from zerogym.cli import app  # noqa: E402

PLAIN = GRPOConfig(max_new_tokens=8, max_grad_norm=1e9, packing=False)


def dropping() -> Any:
    """Random, with dropout inside its layers and in what they call."""
    torch.manual_seed(0)
    config = transformers.OPTConfig(
        vocab_size=50, hidden_size=32, ffn_dim=48, num_hidden_layers=2, num_attention_heads=4,
        word_embed_proj_dim=32, max_position_embeddings=64, dropout=0.5, init_std=0.3,
    )  # fmt: skip
    return transformers.OPTForCausalLM(config)


def adapted(config: GRPOConfig) -> Any:
    """A model with an adapter all of which has a gradient."""
    model = llama()
    attach(model, config)
    torch.manual_seed(2)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=0.1)
    return model


def updated(config: GRPOConfig) -> Learner:
    """A learner after one update."""
    model = adapted(config) if config.lora_rank else llama()
    learner = make_learner(model, config)
    learner.update(groups())
    return learner


def groups() -> list[list[Trajectory]]:
    """With the rewards in the last turns, too, where values look for them."""
    return [
        [
            replace(item, turns=(*item.turns[:-1], replace(item.turns[-1], reward=item.reward)))
            for item in group
        ]
        for group in episodes()
    ]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"packing": True},
        {"lora_rank": 2, "kl": 0.1},
        {"lora_rank": 2, "packing": True, "correction": "token_truncate"},
        {"preset": "ppo", "packing": True},
        {"entropy": 0.1, "passes": 2, "micro_batch": 3},
    ],
    ids=str,
)
def test_the_gradient_stays(settings: dict[str, Any]) -> None:
    if "lora_rank" in settings:
        pytest.importorskip("peft", reason="the extra llm brings peft")
    config = replace(PLAIN, **settings)
    kept, again = (
        updated(replace(config, gradient_checkpointing=on)) for on in (False, True)
    )  # fmt: skip
    assert float(gradients(kept).abs().max()) > 1e-3
    assert torch.equal(gradients(kept), gradients(again))
    for one, other in zip(kept.parameters, again.parameters, strict=True):
        assert torch.equal(one, other)


def test_dropout_stays_off() -> None:
    found = []
    for on in (False, True):
        learner = Learner(dropping(), replace(PLAIN, gradient_checkpointing=on))
        learner.update(episodes())
        found.append(gradients(learner))
    assert torch.equal(*found)


def kept_bytes(config: GRPOConfig) -> int:
    """Bytes that the forward passes of an update leave for its backward passes."""
    torch.manual_seed(0)
    deep = transformers.LlamaConfig(**SIZES | {"num_hidden_layers": 8})
    model = transformers.LlamaForCausalLM(deep)
    weights = {parameter.data_ptr() for parameter in model.parameters()}
    learner, kept = Learner(model, config), 0

    def count(tensor: Any) -> Any:
        nonlocal kept
        if tensor.untyped_storage().data_ptr() not in weights:
            kept += tensor.numel() * tensor.element_size()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(count, lambda tensor: tensor):
        learner.update(episodes())
    return kept


@pytest.mark.parametrize("packing", [False, True])
def test_less_than_half_is_kept(packing: bool) -> None:
    config = replace(PLAIN, packing=packing)
    assert kept_bytes(replace(config, gradient_checkpointing=True)) < kept_bytes(config) / 2


def test_generation_does_not_know_of_it() -> None:
    """Neither afterwards nor after an update that failed; its weights are the only difference."""
    model, tokenizer = load_model("tiny", "cpu")
    config = replace(PLAIN, gradient_checkpointing=True)
    generator, prompts = TransformersGenerator(model, tokenizer), [[5, 6, 7], [8, 9]]
    before = generator.generate(prompts, Sampling(8, seed=1))
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    learner = Learner(model, config)
    learner.update(episodes())
    with pytest.raises(AttributeError):
        learner.update([[None]])  # type: ignore[list-item]
    assert not any("forward" in vars(layer) for layer in model.modules())
    model.load_state_dict(weights)
    assert generator.generate(prompts, Sampling(8, seed=1)) == before


def test_models_without_marked_layers_are_refused() -> None:
    model = torch.nn.Linear(2, 2)
    with pytest.raises(ValueError, match="gradient_checkpointing=True: Linear"):
        Learner(model, replace(PLAIN, gradient_checkpointing=True))


def test_the_command_line_has_it() -> None:
    reported = CliRunner().invoke(app, ["train", "llm", "--gradient-checkpointing", "perhaps"])
    assert (
        reported.exit_code == 2
        and "gradient" in reported.output
        and "No such option" not in reported.output
    )
