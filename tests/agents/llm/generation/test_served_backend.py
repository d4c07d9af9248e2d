"""Training on servers that follow: what they draw comes from the weights of the step.

The server here answers as vLLM does, with a model of its own that transformers runs; vLLM itself is
in `test_served_vllm.py`.
"""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helpers.llm.forward_pass import by_turn
from helpers.llm.model_server import Answer, Request, serving
from helpers.llm.small_runs import digits_registered, equal, weights_of
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.trajectory import Trajectory, read_jsonl
from zerogym.errors import EngineFailed, ServerDown

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("httpx2")
from safetensors.torch import load_file  # noqa: E402

from zerogym.agents.llm.generation.engines import load_generator  # noqa: E402
from zerogym.agents.llm.generation.protocol import Sampling  # noqa: E402
from zerogym.agents.llm.generation.served_backend import ServedGenerator  # noqa: E402
from zerogym.agents.llm.models.loading import load_model, save_model  # noqa: E402
from zerogym.agents.llm.training.checkpoint import checkpoints  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402

CLOSE = 1e-4  # nats, of one row by itself against rows together


class Host:
    """A stand-in for vLLM: requests are answered by a model of transformers."""

    def __init__(self, model: str | Path, takes_weights: bool = True) -> None:
        self.generator = load_generator(model, "cpu")
        self.takes_weights = takes_weights
        self.folders: list[str] = []
        self._lock = threading.Lock()

    def __call__(self, request: Request) -> Answer:
        with self._lock:
            return {
                "/v1/models": self.models,
                "/v1/completions": self.complete,
                "/collective_rpc": self.reload,
                "/reset_prefix_cache": lambda body: Answer({"success": True}),
            }[request.path](request.body)

    def models(self, body: Any) -> Answer:
        length = self.generator.context_length
        return Answer({"data": [{"id": "m", "max_model_len": length}]})

    def complete(self, body: dict[str, Any]) -> Answer:
        assert (body["top_p"], body["top_k"], body["repetition_penalty"]) == (1.0, 0, 1.0)
        sampling = Sampling(
            body["max_tokens"], body["temperature"], stop=tuple(body["stop"]), seed=body["seed"]
        )
        [said] = self.generator.generate([body["prompt"]], sampling)
        choice = {
            "text": said.text,
            "token_ids": list(said.ids),
            "finish_reason": "stop" if said.finish == "stop" else "length",
            "logprobs": {"token_logprobs": list(said.logprobs)},
        }
        return Answer({"choices": [choice], "usage": {}})

    def reload(self, body: dict[str, Any]) -> Answer:
        if not self.takes_weights:
            return Answer({"detail": "Not Found"}, 404)
        assert body["method"] == "reload_weights"
        folder = body["kwargs"]["weights_path"]
        self.folders.append(folder)
        weights = load_file(Path(folder) / "model.safetensors")
        self.generator.model.load_state_dict(weights)  # all of them, tied ones by both names
        return Answer({"results": [None]})


def config(start: Path, out: Path, **changes: Any) -> GRPOConfig:
    settings: dict[str, Any] = {
        "env": "tests/Digits-v0", "model": str(start), "out": str(out), "steps": 3, "lr": 1e-2,
        "prompts_per_step": 2, "group_size": 4, "max_new_tokens": 4, "eval_episodes": 0,
        "save_every": 1, "keep_checkpoints": 9, "keep_rollouts": True, "device": "cpu",
    }  # fmt: skip
    return GRPOConfig(**(settings | changes))


def name_of(server: Any, more: str = "") -> str:
    return f"{server.address}#m?backoff=0.001&retries=1&timeout=20{more}"


def drawn(out: Path, step: int) -> list[Trajectory]:
    return list(read_jsonl(out / "rollouts" / f"step-{step:06d}.jsonl"))


@pytest.mark.proof
@pytest.mark.parametrize("lora_rank", [0, 4])
def test_each_step_is_drawn_with_the_weights_that_it_starts_from(start, tmp_path, lora_rank):
    other, tokenizer = load_model(start, "cpu")
    for weight in other.parameters():
        weight.data *= 1.5  # what a server starts with does not matter
    other = save_model(other, tokenizer, tmp_path / "other")
    with digits_registered(), serving(Host(start)) as one, serving(Host(other)) as two:
        run = config(start, tmp_path / "run", servers=(name_of(one), name_of(two)))
        run = replace(run, lora_rank=lora_rank)
        train(run)
        for server in (one, two):  # an absolute path, wherever a server was started
            assert server.script.folders == [str(tmp_path / "run" / "served")] * 3
            assert (
                len([request for request in server.requests if request.path == "/v1/completions"])
                == 24
            )
    before = [start, *(path / "model" for path in checkpoints(tmp_path / "run"))]
    first, moved = load_model(start, "cpu")[0], []
    for step in (1, 2, 3):
        model, _ = load_model(before[step - 1], "cpu")
        for episode in drawn(tmp_path / "run", step):
            with torch.no_grad():
                found, unmoved = by_turn(model, episode), by_turn(first, episode)
            for turn, own, old in zip(episode.turns, found, unmoved, strict=True):
                assert turn.logprobs == pytest.approx(own.tolist(), abs=CLOSE)
                assert turn.weight_version == step - 1
                moved.append(float((old - own).abs().max()))
    assert max(moved) > 100 * CLOSE  # else weights that stay behind would pass, too


def test_replies_do_not_depend_on_the_number_of_servers(start, tmp_path):
    prompts, sampling = [[5, 6, 7], [8], [9, 10], [11, 4], [6]], Sampling(6, seed=3)
    with serving(Host(start)) as one, serving(Host(start)) as two, serving(Host(start)) as three:
        tokenizer = one.script.generator.tokenizer
        names = [name_of(server) for server in (one, two, three)]
        alone = ServedGenerator(names[:1], tokenizer, tmp_path).generate(prompts, sampling)
        shared = ServedGenerator(names, tokenizer, tmp_path).generate(prompts, sampling)
        assert [reply.ids for reply in alone] == [reply.ids for reply in shared]
        assert len({reply.ids for reply in alone}) > 1
        assert [len(s.requests) for s in (two, three)] == [1 + 2, 1 + 1]


@pytest.mark.proof
def test_a_run_goes_on_with_servers_that_were_started_anew(start, tmp_path):
    with digits_registered():
        with serving(Host(start)) as server:
            run = config(start, tmp_path / "run", servers=(name_of(server),))

            def stop(metrics):
                if metrics["step"] == 2:
                    server.script = lambda request: Answer("", 503)

            with pytest.raises(ServerDown, match="status 503"):
                train(run, stop)
        assert [path.name for path in checkpoints(tmp_path / "run")][-1] == "checkpoint-000002"
        with serving(Host(start)) as server:
            train(replace(run, servers=(name_of(server),)), resume=True)
        with serving(Host(start)) as server:
            train(replace(run, out=str(tmp_path / "whole"), servers=(name_of(server),)))
    assert equal(*(weights_of(tmp_path / name / "model") for name in ("run", "whole")))


def test_a_server_that_takes_no_weights_is_an_error_before_any_reply(start, tmp_path):
    with digits_registered(), serving(Host(start, takes_weights=False)) as server:
        with pytest.raises(EngineFailed, match=r"status 404 Not Found.*VLLM_SERVER_DEV_MODE=1"):
            train(config(start, tmp_path, servers=(name_of(server),)))
        assert "/v1/completions" not in {request.path for request in server.requests}


def test_a_cache_that_stays_is_an_error(start, tmp_path):
    class Busy(Host):
        def __call__(self, request: Request) -> Answer:
            busy = request.path == "/reset_prefix_cache"
            return Answer({"success": False}) if busy else super().__call__(request)

    old = pytest.raises(EngineFailed, match="computed with older weights")
    with digits_registered(), serving(Busy(start)) as server, old:
        train(config(start, tmp_path, servers=(name_of(server),)))
