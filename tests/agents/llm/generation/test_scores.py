"""Scores of given replies and entropies, against plain forward passes."""

import math

import pytest

torch = pytest.importorskip("torch")

from helpers.llm.forward_pass import recomputed  # noqa: E402
from zerogym.agents.llm.generation.http_backend import connect  # noqa: E402
from zerogym.agents.llm.generation.protocol import Generator, Sampling, Scorer  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import (  # noqa: E402
    TransformersGenerator,
)

PROMPTS = [[5, 6, 7], [9], [5, 6, 7, 8, 9, 10], [9]]


def test_scores_equal_those_of_single_passes(generator: TransformersGenerator) -> None:
    given = [[3, 4], [11, 12, 13, 14], [], [9]]
    generator.batch_size = 3  # two batches, in another order
    found = generator.score(PROMPTS, given)
    for prompt, ids, scores in zip(PROMPTS, given, found, strict=True):
        with torch.no_grad():
            expected = recomputed(generator.model, prompt, ids).tolist() if ids else []
        assert scores == pytest.approx(expected, abs=1e-5)
    generator.batch_size, rows = 8, []
    generator.model.register_forward_pre_hook(
        lambda model, args, kwargs: rows.append(kwargs["input_ids"].shape), with_kwargs=True
    )
    # The shares of all continuations of one token add up to 1.
    size = generator.model.config.vocab_size
    every = generator.score([[5, 6]] * size, [[token] for token in range(size)])
    assert math.fsum(math.exp(one) for (one,) in every) == pytest.approx(1, abs=1e-5)
    assert rows == [(1, 2)], "one prompt is read once"


def test_scores_of_samples_are_their_log_probabilities(generator: TransformersGenerator) -> None:
    drawn = generator.generate(PROMPTS, Sampling(6, seed=2))
    for one, scores in zip(
        drawn, generator.score(PROMPTS, [each.ids for each in drawn]), strict=True
    ):
        assert scores == pytest.approx(one.logprobs, abs=1e-5)


@pytest.mark.parametrize(
    ("prompts", "given", "words"),
    [
        ([[]], [[1]], "prompt 0 has no token"),
        ([[1]], [], "0 continuations for 1 prompts"),
        ([[1]], [[2] * 600], "601 tokens, the context 512"),
    ],
)
def test_what_cannot_be_scored_is_refused(
    generator: TransformersGenerator, prompts: list[list[int]], given: list[list[int]], words: str
) -> None:
    generator.context_length = 512
    with pytest.raises(ValueError, match=words):
        generator.score(prompts, given)


@pytest.mark.parametrize("temperature", [1.0, 0.5, 0.0])
def test_entropies_are_those_of_the_distributions(
    generator: TransformersGenerator, temperature: float
) -> None:
    sampling = Sampling(5, temperature, top_k=3, seed=1, entropies=True)
    for prompt, one in zip(PROMPTS, generator.generate(PROMPTS, sampling), strict=True):
        row = torch.tensor([[*prompt, *one.ids]])
        with torch.no_grad():
            logits = generator.model(input_ids=row).logits[0, len(prompt) - 1 : -1]
        true = torch.distributions.Categorical(logits=logits / (temperature or 1)).entropy()
        assert one.entropies == pytest.approx(true.tolist(), abs=1e-4)
    [plain] = generator.generate(PROMPTS[:1], Sampling(5, seed=1))
    assert plain.entropies == ()


def test_engines_without_entropies_say_so() -> None:
    server = connect("http://localhost:9/v1#m")
    assert isinstance(server, Generator) and not isinstance(server, Scorer)
    with pytest.raises(ValueError, match=r"a server returns no entropies; .*transformers"):
        server.generate([[1]], Sampling(entropies=True))
