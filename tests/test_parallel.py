"""Two processes are one: the same gradients and runs, one that writes, and an end for both."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from small_runs import lines_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from parallel_worker import LOSSES, RUNS, SIZES, config_of, updates  # noqa: E402

from zerogym.agents.llm.grpo import train  # noqa: E402
from zerogym.agents.llm.models import load_model  # noqa: E402
from zerogym.agents.trajectory import read_jsonl  # noqa: E402

WORKER = Path(__file__).parent / "parallel_worker.py"
PATIENCE = 300  # seconds after which two processes are taken to hang


def start(*what: str | Path) -> subprocess.Popen[str]:
    """Two processes; the system chooses their port."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    return subprocess.Popen(
        [*command, *map(str, what)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """How it ended, and what it said."""
    try:
        said, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    return process.returncode, said


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("two")
    code, said = ended(start(WORKER, "learn", out))
    assert code == 0, said
    return out


def test_gradients_are_those_of_one_process(two: Path) -> None:
    """All losses, aggregations and sizes of micro-batches, padded and packed."""
    gradients = [torch.load(two / name / "gradients.pt") for name in "01"]
    metrics = [json.loads((two / name / "found.json").read_text())["metrics"] for name in "01"]
    seen = 0
    for name, truth, told in updates():
        scale = float(truth.abs().max())
        assert scale > 1e-4, name
        assert float((gradients[0][name] - truth).abs().max()) < max(1e-7, 1e-5 * scale), name
        assert torch.equal(gradients[0][name], gradients[1][name]), name
        assert metrics[0][name] == metrics[1][name]
        assert metrics[0][name] == pytest.approx(told, rel=1e-5, abs=1e-6), name
        seen += 1
    assert seen == len(LOSSES) * len(SIZES)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_of_two_processes_is_that_of_one(two: Path, tmp_path: Path, name: str) -> None:
    """Losses, rollouts, evaluations and weights; and the two were stopped and resumed."""
    config, other = (config_of(out / name, RUNS[name]) for out in (tmp_path, two))
    train(config)
    for step in (1, 2):
        file = f"rollouts/step-{step:06d}.jsonl"
        one, both = ([t.turns for t in read_jsonl(Path(c.out) / file)] for c in (config, other))
        assert [[turn.action_ids for turn in turns] for turns in one] == [
            [turn.action_ids for turn in turns] for turns in both
        ]
    mine, theirs = (
        [untimed(line) for line in lines_of(c) if "actor/rows" in line] for c in (config, other)
    )
    assert [line["actor/rows"] > 0 for line in mine] == [True, True]
    for line, its in zip(mine, theirs, strict=True):
        assert line == pytest.approx(its, rel=1e-4, abs=1e-6)
    before, after, its = (
        weights(where) for where in ("tiny", f"{config.out}/model", f"{other.out}/model")
    )
    # AdamW makes a step of any gradient, so that rounding shows where there is hardly one
    assert float((its - after).norm()) < 1e-3 * float((after - before).norm())


def untimed(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if not name.startswith("time/")}


def weights(model: str) -> Any:
    return torch.cat([part.flatten() for part in load_model(model, "cpu")[0].state_dict().values()])


def test_other_weights_are_noticed_and_vllm_is_refused(two: Path) -> None:
    for name in "01":
        told = json.loads((two / name / "found.json").read_text())
        assert told["differ"] == "processes [1] have other weights than process 0"
        assert told["refused"].startswith("backend='vllm' is for one process")


def test_the_end_of_one_process_ends_the_run(tmp_path: Path) -> None:
    """The step before it is saved."""
    code, said = ended(start(WORKER, "fail", tmp_path / "run"))
    assert code != 0
    assert "the world of process 1 broke" in said
    assert [path.name for path in (tmp_path / "run").glob("checkpoint-*")] == ["checkpoint-000001"]


def test_ctrl_c_saves_and_ends_all(tmp_path: Path) -> None:
    """Through the command; the first process alone tells."""
    run = tmp_path / "run"
    process = start(
        "-m", "zerogym", "train", "llm", "--out", run, "--steps", "100000", "--device", "cpu",
        "--eval-episodes", "0", "--save-every", "0",
    )  # fmt: skip
    deadline = time.monotonic() + PATIENCE
    while not (run / "metrics.jsonl").is_file() or not (run / "metrics.jsonl").read_text():
        assert process.poll() is None and time.monotonic() < deadline, ended(process)
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    code, said = ended(process)
    assert code != 0
    assert "saved after" in said, said
    (saved,) = run.glob("checkpoint-*")
    assert json.loads((saved / "run.json").read_text())["step"] >= 1
