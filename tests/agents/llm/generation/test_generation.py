"""Generation against a recomputed forward pass, `model.generate` and itself."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from helpers.llm.byte_llama import build_model  # noqa: E402
from helpers.llm.forward_pass import recomputed  # noqa: E402
from zerogym.agents.llm.generation.decoding.sampling import truncate  # noqa: E402
from zerogym.agents.llm.generation.protocol import Completion, Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import (  # noqa: E402
    TransformersGenerator,
)


def prompts_of(tokenizer, texts: Sequence[str]) -> list[list[int]]:
    return [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]


TEXTS = ["Calculate 8", "a much longer prompt, with 3 - 8 and more", "x", "Calculate 8"]


def assert_recomputed(
    model, prompt: list[int], completion: Completion, temperature: float = 1.0
) -> None:
    with torch.no_grad():
        expected = recomputed(model, prompt, completion.ids, temperature)
    assert completion.logprobs == pytest.approx(expected.tolist(), abs=1e-4)


@pytest.mark.parametrize("temperature", [1.0, 0.7])
@pytest.mark.parametrize("truncation", [{}, {"top_k": 5, "top_p": 0.8}])
def test_logprobs_equal_a_recomputed_forward_pass(generator, tokenizer, temperature, truncation):
    prompts = prompts_of(tokenizer, TEXTS)
    generator.context_length = max(map(len, prompts)) + 8  # so that this row leaves the batch first
    completions = generator.generate(
        prompts, Sampling(20, temperature=temperature, seed=3, **truncation)
    )
    assert sorted({len(completion.ids) for completion in completions}) == [8, 20]
    for prompt, completion in zip(prompts, completions, strict=True):
        assert_recomputed(generator.model, prompt, completion, temperature)


def test_greedy_equals_model_generate(generator, tokenizer):
    prompts = prompts_of(tokenizer, TEXTS)
    completions = generator.generate(prompts, Sampling(24, temperature=0))
    for prompt, completion in zip(prompts, completions, strict=True):
        row = torch.tensor([prompt])
        output = generator.model.generate(
            row, attention_mask=torch.ones_like(row), max_new_tokens=24, do_sample=False
        )
        assert list(completion.ids) == output[0, len(prompt) :].tolist()
        assert_recomputed(generator.model, prompt, completion)


SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
LLAMA_LIKE = SMALL | {"intermediate_size": 48, "num_key_value_heads": 1, "head_dim": 16}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("gpt2", {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 64}),  # learned positions
        ("bloom", {"hidden_size": 32, "n_layer": 2, "n_head": 2}),  # takes no position ids
        ("qwen3", LLAMA_LIKE),
        ("gemma3_text", LLAMA_LIKE | {"sliding_window": 8}),  # a cache that forgets
    ],
)
def test_other_architectures(tokenizer, name, size):
    ends = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}
    config = transformers.AutoConfig.for_model(name, vocab_size=320, **size, **ends)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = transformers.AutoModelForCausalLM.from_config(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(6 if parameter.dim() > 1 else 1)
    prompts = [list(range(10, 22)), [30, 31], [40, 41, 42], [30, 31]]
    engine = TransformersGenerator(model, tokenizer, context_length=20)
    completions = engine.generate(prompts, Sampling(16, seed=1))
    for prompt, completion in zip(prompts, completions, strict=True):
        assert_recomputed(model.eval(), prompt, completion)


def test_a_row_does_not_depend_on_its_batch(generator, tokenizer):
    prompts = prompts_of(tokenizer, TEXTS)
    sampling = Sampling(20, seed=11)
    together = generator.generate(prompts, sampling)
    assert generator.generate(prompts[:1], sampling)[0].ids == together[0].ids
    small = TransformersGenerator(generator.model, tokenizer, batch_size=3)
    assert [c.ids for c in small.generate(prompts, sampling)] == [c.ids for c in together]
    greedy = replace(sampling, temperature=0.0)
    alone = [generator.generate([prompt], greedy)[0].ids for prompt in prompts]
    assert alone == [c.ids for c in generator.generate(prompts, greedy)]


def test_the_seed_decides_and_the_global_generator_is_left_alone(generator, tokenizer):
    prompts = prompts_of(tokenizer, TEXTS)
    before = torch.random.get_rng_state()
    first = generator.generate(prompts, Sampling(20, seed=1))
    torch.rand(3)
    assert generator.generate(prompts, Sampling(20, seed=1)) == first
    assert generator.generate(prompts, Sampling(20, seed=2)) != first
    assert first[0].ids != first[3].ids  # equal prompts, different draws
    torch.random.set_rng_state(before)
    generator.generate(prompts, Sampling(20, seed=1))
    assert torch.equal(torch.random.get_rng_state(), before)


def test_a_seed_for_each_prompt_goes_where_the_prompt_goes(generator, tokenizer):
    prompts = prompts_of(tokenizer, TEXTS)
    together = generator.generate(prompts, Sampling(20, seeds=(5, 6, 7, 8)))
    turned = generator.generate(prompts[::-1], Sampling(20, seeds=(8, 7, 6, 5)))
    assert [c.ids for c in turned] == [c.ids for c in together[::-1]]
    for prompt, seed, completion in zip(prompts, (5, 6, 7, 8), together, strict=True):
        assert generator.generate([prompt], Sampling(20, seed=seed))[0].ids == completion.ids
    assert together[0].ids != together[3].ids  # equal prompts, different seeds
    with pytest.raises(ValueError, match="2 seeds for 4 prompts"):
        generator.generate(prompts, Sampling(20, seeds=(5, 6)))


def test_samples_follow_the_model(generator, tokenizer):
    """4,000 first tokens against the exact distribution: chi-square below its mean + 5 sigma."""
    prompt = prompts_of(tokenizer, ["Calculate 8"])[0]
    generator.batch_size = 4000
    drawn = [c.ids[0] for c in generator.generate([prompt] * 4000, Sampling(1, seed=5))]
    with torch.no_grad():
        logits = generator.model(input_ids=torch.tensor([prompt])).logits[0, -1]
    expected = 4000 * logits.double().softmax(-1).numpy()
    counts = np.bincount(drawn, minlength=len(expected))
    common = expected >= 5
    observed = np.append(counts[common], counts[~common].sum())
    target = np.append(expected[common], expected[~common].sum())
    assert len(target) > 5
    chi_square = ((observed - target) ** 2 / target).sum()
    freedom = len(target) - 1
    assert chi_square < freedom + 5 * np.sqrt(2 * freedom)


def test_truncation_by_hand():
    shares = torch.tensor([[0.1, 0.4, 0.3, 0.2]], dtype=torch.float64)
    assert truncate(shares, 1.0, 0) is shares
    assert truncate(shares, 1.0, 2).tolist() == [[0, 0.4, 0.3, 0]]
    assert truncate(shares, 0.4, 0).tolist() == [[0, 0.4, 0, 0]]
    assert truncate(shares, 0.65, 0).tolist() == [[0, 0.4, 0.3, 0]]
    assert truncate(shares, 0.95, 0).tolist() == [[0.1, 0.4, 0.3, 0.2]]
    # of the 0.7 that top-k leaves, the first token alone is 4/7 >= 0.5
    assert truncate(shares, 0.5, 2).tolist() == [[0, 0.4, 0, 0]]


class Scripted(torch.nn.Module):
    """A model that writes the given ids after any prompt."""

    def __init__(self, ids: Sequence[int], context: int = 64) -> None:
        super().__init__()
        self.ids, self.device = list(ids), torch.device("cpu")
        self.config = type("Config", (), {"max_position_embeddings": context})()

    def forward(self, input_ids, attention_mask=None, past_key_values=None, use_cache=True):
        step = 0 if past_key_values is None else past_key_values.step + 1
        cache = type("Cache", (), {"step": step, "batch_select_indices": lambda self, index: None})
        logits = torch.full((len(input_ids), 1, 320), -50.0)
        logits[:, :, self.ids[step]] = 50.0
        return type("Output", (), {"logits": logits, "past_key_values": cache()})()


def write(tokenizer, ids: Sequence[int], context: int = 64, **sampling):
    engine = TransformersGenerator(Scripted(ids, context), tokenizer)
    return engine.generate([[10, 11], [12]], Sampling(**sampling))


def test_stop_texts_end_ids_with_the_token_that_completes_them(tokenizer):
    ids = prompts_of(tokenizer, ["so <answer>5</answer>!!! and more"])[0]
    for completion in write(tokenizer, ids, stop=("</answer>", "never")):
        assert completion.text == "so <answer>5</answer>"
        assert completion.finish == "stop"
        kept = tokenizer.decode(completion.ids)
        assert list(completion.ids) == ids[: len(completion.ids)]
        assert "</answer>" in kept and "</answer>" not in tokenizer.decode(completion.ids[:-1])


def test_a_stop_text_may_end_within_a_letter_of_several_tokens(tokenizer):
    ids = prompts_of(tokenizer, ["x→y → end"])[0]
    letter = tokenizer("→", add_special_tokens=False)["input_ids"]
    assert len(letter) == 3  # bytes
    completion = write(tokenizer, ids, stop=("y →",))[0]
    assert completion.text == "x→y →" and completion.finish == "stop"
    assert list(completion.ids) == ids[: ids.index(letter[-1], 4) + 1]


def test_a_last_token_beyond_the_stop_text_is_kept_whole(tokenizer):
    token = tokenizer(" final", add_special_tokens=False)["input_ids"]
    assert len(token) == 1  # one token whose middle completes the stop text
    completion = write(tokenizer, [*token, 20], stop=("fi",))[0]
    assert completion.text == " fi"
    assert list(completion.ids) == token


def test_end_of_sequence_is_sampled_but_not_shown(tokenizer):
    ids = prompts_of(tokenizer, ["done"])[0]
    completion = write(tokenizer, [*ids, tokenizer.eos_token_id, 20])[0]
    assert completion.text == "done"
    assert completion.ids == (*ids, tokenizer.eos_token_id)
    assert completion.finish == "stop"


def test_length_and_context(tokenizer):
    ids = prompts_of(tokenizer, ["1234567890"])[0]
    assert [c.finish for c in write(tokenizer, ids, max_new_tokens=4)] == ["length"] * 2
    cut, longer = write(tokenizer, ids, context=5)  # prompts of 2 tokens and of 1
    assert (cut.text, cut.finish) == ("123", "context")
    assert (longer.text, longer.finish) == ("1234", "context")
    full, empty_but_one = write(tokenizer, ids, context=2)
    assert (full.text, full.ids, full.logprobs, full.finish) == ("", (), (), "context")
    assert (empty_but_one.text, empty_but_one.finish) == ("1", "context")


def test_odd_batches(generator):
    assert generator.generate([], Sampling()) == []
    with pytest.raises(ValueError, match="prompt 1 has no token"):
        generator.generate([[5], []], Sampling())


def test_wrong_sampling_is_refused():
    for wrong in (
        {"max_new_tokens": 0},
        {"temperature": -1.0},
        {"temperature": float("nan")},
        {"top_p": 0.0},
        {"top_k": -1},
        {"seed": -1},
        {"seeds": (1, -1)},
        {"stop": ("",)},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Sampling(**wrong)


def test_weights_are_taken_over(generator, tokenizer):
    other = build_model(tokenizer, seed=2)
    prompts = prompts_of(tokenizer, TEXTS)
    fresh = TransformersGenerator(other, tokenizer).generate(prompts, Sampling(8, seed=1))
    state = {name: value.clone() for name, value in other.state_dict().items()}
    del state["lm_head.weight"]  # tied to the embedding: files leave it out
    generator.update_weights(state, version=4)
    assert generator.weight_version == 4
    assert generator.generate(prompts, Sampling(8, seed=1)) == fresh
    with pytest.raises(ValueError, match="unknown"):
        generator.update_weights(state | {"unknown": torch.zeros(1)}, version=5)
    del state["model.norm.weight"]
    with pytest.raises(ValueError, match=r"model\.norm\.weight"):
        generator.update_weights(state, version=5)
    assert generator.weight_version == 4
