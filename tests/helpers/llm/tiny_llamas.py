"""Small Llamas with random weights, and episodes for them: for the tests of the learner."""

from typing import Any

import pytest

from zerogym.agents.llm.learner.learner import Learner
from zerogym.agents.trajectory import Trajectory, Turn

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


SIZES = {
    "vocab_size": 50, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "max_position_embeddings": 64,
}  # fmt: skip


def llama(seed: int = 0) -> Any:
    """Random, wide enough apart to attend unevenly; two query heads share keys and values."""
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(**SIZES, initializer_range=0.3)
    return transformers.LlamaForCausalLM(config).eval()


def episodes(seed: int = 0) -> list[list[Trajectory]]:
    """Two groups of five episodes of one to three turns, of many lengths.

    All of a group begin with one prompt but the last, whose prompt ends with another token.
    """
    numbers = torch.Generator().manual_seed(seed)

    def ids(least: int, most: int) -> tuple[int, ...]:
        length = int(torch.randint(least, most, (1,), generator=numbers))
        return tuple(torch.randint(0, 50, (length,), generator=numbers).tolist())

    def turn(prompt: tuple[int, ...]) -> Turn:
        said = ids(1, 9)
        chances = (-torch.rand(len(said), generator=numbers) * 4).tolist()
        return Turn("", "", prompt, said, tuple(chances))

    def episode(group: int, number: int, prompt: tuple[int, ...]) -> Trajectory:
        turns = (turn(prompt), *(turn(ids(1, 9)) for _ in range(number % 3)))
        reward = float(torch.rand(1, generator=numbers))
        return Trajectory("e", 0, number, turns, group=group, reward=reward)

    def group(number: int) -> list[Trajectory]:
        prompt = ids(4, 12)
        other = (*prompt[:-1], (prompt[-1] + 1) % 50)
        return [episode(number, i, other if i == 4 else prompt) for i in range(5)]

    return [group(0), group(1)]


def gradients(learner: Learner) -> Any:
    return torch.cat([parameter.grad.flatten() for parameter in learner.parameters])
