"""Decoding at few shapes, compiled or recorded: the replies of the step as written."""

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from helpers.llm.small_runs import digits_registered  # noqa: E402
from zerogym.agents.llm.generation.decoding.static_shapes import CapturedGraph, StaticStep, round_up  # noqa: E402
from zerogym.agents.llm.generation.protocol import Completion, Sampling  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.training.engine import make_engine  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402

PROMPTS = [[n % 60 + 1 for n in range(7 * i, 7 * i + 1 + 11 * i % 67)] for i in range(13)]
SAMPLINGS = (
    Sampling(40, seed=4),
    Sampling(70, temperature=0.7, top_k=20, seeds=tuple(range(13))),  # beyond the first 64 columns
    Sampling(12, temperature=0.0),
)


@pytest.fixture(scope="module")
def tiny() -> tuple[Any, Any]:
    return load_model("tiny", "cpu")


def assert_alike(own: list[Completion], true: list[Completion]) -> None:
    assert len({len(one.ids) for one in true}) > 1, "rows that end together show little"
    for one, other in zip(own, true, strict=True):
        assert replace(one, logprobs=()) == replace(other, logprobs=())
        assert one.logprobs == pytest.approx(other.logprobs, abs=1e-4)


@pytest.mark.proof
@pytest.mark.parametrize("batch_size", [1, 3, 8, 64])
def test_rounded_rows_and_columns_change_no_reply(tiny: tuple[Any, Any], batch_size: int) -> None:
    fixed = StaticStep(tiny[0], "none", capture=False)
    own = TransformersGenerator(*tiny, batch_size=batch_size, static=fixed)
    plain = TransformersGenerator(*tiny, batch_size=batch_size)
    for sampling in SAMPLINGS:  # the second call writes over what the first has left
        assert_alike(own.generate(PROMPTS, sampling), plain.generate(PROMPTS, sampling))


def test_there_are_few_shapes(tiny: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    shapes: set[tuple[int, ...]] = set()
    fixed = StaticStep(tiny[0], "none", capture=False)
    call = fixed.step

    def deferred_interrupts(tokens: Any, positions: Any, mask: Any, layers: Any) -> Any:
        shapes.add((len(tokens), *mask.shape))
        return call(tokens, positions, mask, layers)

    monkeypatch.setattr(fixed, "step", deferred_interrupts)
    own = TransformersGenerator(*tiny, batch_size=7, static=fixed)
    for sampling in SAMPLINGS:
        own.generate(PROMPTS, sampling)
    assert shapes <= {(r, r, 1, 1, w) for r in (1, 2, 4, 8) for w in (64, 128, 256)}
    assert len(shapes) > 4


@pytest.mark.proof
def test_a_compiled_step_says_the_same_with_new_weights_too() -> None:
    torch.compiler.reset()
    model, tokenizer = load_model("tiny", "cpu")
    fixed = StaticStep(model, "aot_eager", capture=False)
    own = TransformersGenerator(model, tokenizer, batch_size=5, static=fixed)
    plain = TransformersGenerator(model, tokenizer, batch_size=5)
    before = plain.generate(PROMPTS, SAMPLINGS[0])
    assert_alike(own.generate(PROMPTS, SAMPLINGS[0]), before)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.1)
    after = plain.generate(PROMPTS, SAMPLINGS[0])
    assert [one.ids for one in after] != [one.ids for one in before]
    assert_alike(own.generate(PROMPTS, SAMPLINGS[0]), after)


def test_positions_are_turned_once_for_all(tiny: tuple[Any, Any]) -> None:
    """A recorded step would go on reading a table that a longer one has replaced."""
    fixed = StaticStep(tiny[0], "none", capture=False)
    table = vars(fixed.step)["_rotations"]
    own = TransformersGenerator(*tiny, batch_size=1, static=fixed)
    for length in (1, 400, 1100, 2040):  # the model's context is 2048
        assert own.generate([[1] * length], Sampling(8, seed=1))[0].ids
    assert vars(fixed.step)["_rotations"] is table


class _Graph:
    """A graph for machines without a GPU; the tests' step says what a replay computes."""

    def __init__(self) -> None:
        self.body: Any = None

    def replay(self) -> None:
        self.body()


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[_Graph]:
    """Those that were recorded, the one at work last."""
    made: list[_Graph] = []

    def graph() -> _Graph:
        made.append(_Graph())
        return made[-1]

    @contextlib.contextmanager
    def record(graph: _Graph) -> Iterator[None]:
        graph.body = "recording"
        yield

    stream = SimpleNamespace(wait_stream=lambda other: None)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", graph)
    monkeypatch.setattr(torch.cuda, "graph", record)
    monkeypatch.setattr(torch.cuda, "Stream", lambda: stream)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: stream)
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: contextlib.nullcontext())
    return made


@pytest.mark.proof
def test_recorded_steps_read_new_numbers_from_old_places(
    tiny: tuple[Any, Any], graphs: list[_Graph], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order of calls and the copies; no machine here has a GPU to record on."""
    fixed = StaticStep(tiny[0], "none", capture=False)
    step = fixed.step

    def recordable(tokens: Any, positions: Any, mask: Any, layers: Any) -> Any:
        """Recorded, it runs on what these very tensors hold at each replay, and on nothing else."""
        logits = step(tokens, positions, mask, layers)
        if graphs and graphs[-1].body == "recording":
            ends = layers[0].ends

            def body() -> None:
                for layer in layers:
                    layer.ends = ends
                logits.copy_(step(tokens, positions, mask, layers))

            graphs[-1].body = body
            logits.fill_(float("nan"))  # recording computes nothing
        return logits

    monkeypatch.setattr(fixed, "step", CapturedGraph(recordable))
    own = TransformersGenerator(*tiny, batch_size=5, static=fixed)
    plain = TransformersGenerator(*tiny, batch_size=5)
    for sampling in SAMPLINGS:
        assert_alike(own.generate(PROMPTS, sampling), plain.generate(PROMPTS, sampling))
    count = len(graphs)
    assert count > 4
    for sampling in SAMPLINGS:  # in the same places: nothing is recorded again
        assert_alike(own.generate(PROMPTS, sampling), plain.generate(PROMPTS, sampling))
    assert len(graphs) == count
    fixed.layers = []
    own.generate(PROMPTS, SAMPLINGS[0])
    assert len(graphs) > count, "in other places they are recorded again"


def test_what_cannot_be_made_fast_is_an_error(
    tiny: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = {"n_embd": 32, "n_layer": 1, "n_head": 2, "n_positions": 64, "vocab_size": 64}
    other = transformers.AutoModelForCausalLM.from_config(transformers.GPT2Config(**size))
    compiling = GRPOConfig(compile="aot_eager")
    with pytest.raises(ValueError, match="for Llamas without adapters and hooks, not for GPT2"):
        make_engine(compiling, other, tiny[1], None)
    with pytest.raises(ValueError, match="cuda_graph needs device='cuda': a CPU has no such"):
        make_engine(GRPOConfig(cuda_graph=True), *tiny, None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ValueError, match=r"GRPOConfig.compile='inductor' needs a C\+\+ compiler"):
        make_engine(GRPOConfig(compile="inductor"), *tiny, None)


@pytest.mark.proof
def test_a_run_that_decodes_compiled_takes_the_same_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.compiler.reset()
    shapes: list[tuple[int, int]] = []
    shape = StaticStep.shape

    def deferred_interrupts(self: StaticStep, rows: int, columns: int) -> tuple[int, int]:
        shapes.append(shape(self, rows, columns))
        return shapes[-1]

    monkeypatch.setattr(StaticStep, "shape", deferred_interrupts)
    reported: dict[str, list[Any]] = {"plain": [], "compiled": []}
    with digits_registered() as env_id:
        config = GRPOConfig(
            env=env_id, out=str(tmp_path / "plain"), steps=2, prompts_per_step=2, group_size=4,
            max_new_tokens=12, eval_episodes=0, device="cpu",
        )  # fmt: skip
        train(config, reported["plain"].append)
        assert not shapes
        compiled = replace(config, out=str(tmp_path / "compiled"), compile="aot_eager")
        train(replace(compiled, steps=1), reported["compiled"].append)
        train(compiled, reported["compiled"].append, resume=True)
    assert shapes
    assert [len(one) for one in reported.values()] == [2, 2]
    for one, other in zip(*reported.values(), strict=True):
        assert "actor/loss" in one
        for name in one:
            if not name.startswith("time/"):
                assert other[name] == pytest.approx(one[name], abs=1e-4), name


def test_counts_are_rounded_up() -> None:
    assert [round_up(count) for count in (1, 2, 3, 64, 65)] == [1, 2, 4, 64, 128]
