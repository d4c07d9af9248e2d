"""Fine-tuning by the public function: what examples may be, and that they are learned."""

from pathlib import Path
from typing import Any

import pytest

from helpers.llm.byte_llama import build_model, byte_tokenizer
from zerogym.agents.llm import SFTConfig, load_model, sft
from zerogym.agents.llm.supervised.oracle_traces import Source, record_all
from zerogym.agents.llm.supervised.sft import encode_all
from zerogym.errors import UnknownName

ONE = SFTConfig(steps=1, batch_tokens=256)


@pytest.fixture
def small() -> tuple[Any, Any]:
    tokenizer = byte_tokenizer()
    return build_model(tokenizer, seed=1), tokenizer


def losses(model: Any, examples: Any, out: Path, config: SFTConfig, **more: Any) -> list[float]:
    found: list[float] = []
    sft(model, examples, out, config=config, on_step=lambda n, m: found.append(m["sft/loss"]),
        **more)  # fmt: skip
    return found


def test_a_pair_is_learned_and_the_folder_is_a_model(small: Any, tmp_path: Path) -> None:
    config = SFTConfig(steps=12, batch_tokens=256, learning_rate=1e-2, warmup=2)
    found = losses(small, [("Calculate 1 + 1", "2")], tmp_path / "model", config)
    assert len(found) == 12 and found[-1] < found[0] / 2
    model, tokenizer = load_model(tmp_path / "model", "cpu")
    assert tokenizer("2")["input_ids"] == small[1]("2")["input_ids"]
    for ours, saved in zip(small[0].parameters(), model.parameters(), strict=True):
        assert (ours == saved).all()


def test_pairs_and_messages_are_the_same_conversations(small: Any, tmp_path: Path) -> None:
    start = {name: value.clone() for name, value in small[0].state_dict().items()}
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    (first,) = losses(small, [("q", "a")], tmp_path / "a", ONE)
    small[0].load_state_dict(start)
    (second,) = losses(small, [messages], tmp_path / "b", ONE)
    assert first == second


def test_an_environment_is_its_oracle_on_the_train_side(
    small: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    captured: list[Any] = []
    monkeypatch.setattr(
        "zerogym.agents.llm.supervised.fine_tuning.fine_tune",
        lambda model, data, config, on_step: captured.extend(data),
    )
    sft(small, "random_calculation", tmp_path / "model", config=ONE, episodes=3, difficulty=0)
    source = Source("zerogym/RandomCalculation-v0", 3, {"difficulty": 0})
    assert captured == encode_all(record_all([source], ONE.seed), small[1])
    with pytest.raises(ValueError, match="train side only"):
        sft(small, "RandomCalculation", tmp_path / "other", split="test")


def test_what_is_no_example_is_named(small: Any, tmp_path: Path) -> None:
    good = ("q", "a")
    for wrong in (
        ("q",), ("q", 1), "text", [], [{"role": "user", "content": "q"}],
        [{"role": "assistant", "content": "a"}, {"role": "user", "content": "q"}],
        [{"role": "user", "content": "q"}, {"role": "assistant"}],
    ):  # fmt: skip
        with pytest.raises(ValueError, match="example 1 is no conversation"):
            sft(small, [good, wrong], tmp_path / "model")  # type: ignore[list-item]
    with pytest.raises(ValueError, match="no examples"):
        sft(small, [], tmp_path / "model")
    with pytest.raises(UnknownName):
        sft(small, "RandomCalculatio", tmp_path / "model")
    with pytest.raises(TypeError, match="without one: difficulty"):
        sft(small, [good], tmp_path / "model", difficulty=2)
    with pytest.raises(FileExistsError, match="choose another out"):
        sft(small, [good], tmp_path)
    assert not (tmp_path / "model").exists()
