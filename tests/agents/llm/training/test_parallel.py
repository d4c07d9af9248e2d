"""Two processes are one: the same gradients and runs, one that writes, and an end for both."""

import json
import shutil
import signal
import time
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import pytest

from helpers.llm.small_runs import digits_model, digits_registered, equal, weights_of
from helpers.llm.two_processes import PATIENCE, ended, start

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from helpers.llm.parallel_worker import (  # noqa: E402
    IN_PARTS,
    LOSSES,
    RUNS,
    SIZES,
    config_of,
    update,
    updates,
)
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.learner.ppo import make_learner  # noqa: E402
from zerogym.agents.llm.learner.rows import Rows, token_logprobs  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.models.lora import merge  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.llm.training.starting_model import model_of_run  # noqa: E402
from zerogym.agents.trajectory import Trajectory, read_jsonl  # noqa: E402

WORKER = Path(__file__).parents[3] / "helpers/llm/parallel_worker.py"


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    digits_model(tmp_path_factory.getbasetemp() / "model")
    out = tmp_path_factory.mktemp("two")
    code, said = ended(start(WORKER, "learn", out))
    assert code == 0, said
    return out


@pytest.mark.proof
def test_gradients_are_those_of_one_process(two: Path) -> None:
    """All losses, aggregations and sizes of micro-batches, padded and packed."""
    gradients = [torch.load(two / name / "gradients.pt") for name in "01"]
    metrics = [json.loads((two / name / "found.json").read_text())["metrics"] for name in "01"]
    observed = 0
    for name, expected_value, reported in updates():
        scale = float(expected_value.abs().max())
        assert scale > 1e-4, name
        assert float((gradients[0][name] - expected_value).abs().max()) < max(1e-7, 1e-5 * scale), (
            name
        )
        assert torch.equal(gradients[0][name], gradients[1][name]), name
        assert metrics[0][name] == metrics[1][name]
        assert metrics[0][name] == pytest.approx(reported, rel=1e-5, abs=1e-6), name
        observed += 1
    assert observed == len(LOSSES) * len(SIZES)


@pytest.mark.proof
def test_gradients_and_steps_of_a_model_in_parts_are_those_of_a_whole_one(tmp_path: Path) -> None:
    """Also where one process has more passes than the other, and where gradients are cut."""
    code, said = ended(start(WORKER, "divide", tmp_path))
    assert code == 0, said
    found = [torch.load(tmp_path / f"{name}.pt") for name in "01"]
    for name, settings in IN_PARTS.items():
        gradient, step, reported = update(settings)
        assert float(gradient.norm()) > 1e-4 and float(step.norm()) > 0, name
        for its_gradient, its_step, its in (one[name] for one in found):
            scale = float(gradient.abs().max())
            assert float((its_gradient - gradient).abs().max()) < 1e-5 * scale, name
            assert float((its_step - step).norm()) < 1e-3 * float(step.norm()), name
            assert its == pytest.approx(reported, rel=1e-5, abs=1e-6), name


@pytest.mark.proof
@pytest.mark.parametrize("name", RUNS)
def test_a_run_of_two_processes_is_that_of_one(two: Path, tmp_path: Path, name: str) -> None:
    """One that learns from their episodes, and nearly all of whose own are theirs.

    The two were stopped and resumed. Replies may differ where rounding decides a token.
    """
    model = two.parent / "model"
    config, other = (config_of(out / name, model, RUNS[name]) for out in (tmp_path, two))
    alone = replace(config, shard=False, asynchronous=True)
    with digits_registered():
        train(alone)
    own, theirs = (groups_of(Path(each.out), 1) for each in (config, other))
    pairs = list(zip(chain(*own), chain(*theirs), strict=True))
    assert all(one.seed == its.seed and one.group == its.group for one, its in pairs)
    same = sum(
        [turn.action_ids for turn in one.turns] == [turn.action_ids for turn in its.turns]
        for one, its in pairs
    )
    assert same >= 0.9 * len(pairs)
    after = learned(alone, Path(other.out))
    before, its = (flat(load_model(where, "cpu")[0]) for where in (model, f"{other.out}/model"))
    # AdamW makes a step of any gradient, so that rounding shows where there is hardly one
    assert float((its - after).norm()) < 1e-3 * float((after - before).norm())


def learned(config: GRPOConfig, run: Path) -> Any:
    """The weights of one process after the two's episodes, which were drawn from its weights."""
    model, _ = model_of_run(config, None)
    copied = config.algorithm.kl and not config.lora_rank
    learner = make_learner(model, config, load_model(config.model, "cpu")[0] if copied else None)
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    steps = [line for line in lines if "actor/rows" in line]
    for step in (1, 2):
        groups = groups_of(run, step)
        flats = [item.flatten() for item in chain(*groups)]
        rows = Rows.make(flats, [[0.0] * sum(flat.mask) for flat in flats])
        with torch.no_grad():
            gap = (token_logprobs(model, rows, 1.0) - rows.old) * rows.mask
        assert float(gap.abs().max()) < 1e-3
        metrics = learner.update(groups)
        assert metrics["actor/rows"] > 0
        assert metrics == pytest.approx(
            {name: steps[step - 1][name] for name in metrics}, rel=1e-4, abs=1e-6
        )
    return flat(merge(model))


def groups_of(run: Path, step: int) -> list[list[Trajectory]]:
    """The episodes of a step."""
    records = read_jsonl(run / "rollouts" / f"step-{step:06d}.jsonl")
    return [list(group) for _, group in groupby(records, key=lambda item: item.group)]


def flat(model: Any) -> Any:
    return torch.cat([part.flatten() for part in model.state_dict().values()])


@pytest.mark.proof
def test_a_run_in_parts_goes_on_exactly_and_in_one_process(two: Path, tmp_path: Path) -> None:
    """Stopped or not, to the bit; its checkpoint is a whole one."""
    stopped, whole = (weights_of(two / name / "model") for name in ("in parts", "unstopped"))
    assert equal(stopped, whole)
    run = tmp_path / "run"
    shutil.copytree(two / "in parts", run)
    config = config_of(run, two.parent / "model", RUNS["in parts"] | {"shard": False, "steps": 3})
    with digits_registered():
        assert train(config, resume=True).step == 3
    held = [json.loads((two / name / "found.json").read_text())["held"] for name in "01"]
    model, _ = load_model(two.parent / "model", "cpu")
    assert sum(held) == sum(parameter.numel() for parameter in model.parameters())
    assert max(held) < 0.6 * sum(held)


def test_parts_need_other_processes(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="several processes: start the run with torchrun"):
        train(config_of(tmp_path, Path("tiny"), {"shard": True, "env": "zerogym/SQL-v0"}))


@pytest.mark.proof
def test_other_weights_are_noticed_and_vllm_is_refused(two: Path) -> None:
    for name in "01":
        reported = json.loads((two / name / "found.json").read_text())
        assert reported["differ"] == "processes [1] have other weights than process 0"
        assert "'advantage' keeps other values in process 1 than" in reported["parts differ"]
        assert reported["refused"].startswith("backend='vllm' is for one process")


@pytest.mark.proof
@pytest.mark.parametrize("job", ["fail", "fail in parts"])
def test_the_end_of_one_process_ends_the_run(tmp_path: Path, job: str) -> None:
    """The step before it is saved; of parts it was."""
    code, said = ended(start(WORKER, job, tmp_path / "run"))
    assert code != 0
    assert "the world of process 1 broke" in said
    assert [path.name for path in (tmp_path / "run").glob("checkpoint-*")] == ["checkpoint-000001"]


@pytest.mark.proof
def test_shards_are_saved_though_one_process_waited_when_both_were_interrupted(
    tmp_path: Path,
) -> None:
    digits_model(tmp_path / "model")
    code, said = ended(start(WORKER, "interrupt", tmp_path / "run"))
    assert code == 0, said
    for name in "01":
        assert (tmp_path / "run" / f"process-{name}").read_text() == "interrupted after 1"
    load_model(tmp_path / "run/checkpoint-000001/model", "cpu")


@pytest.mark.proof
@pytest.mark.parametrize("more", [[], ["--shard", "true"]])
def test_ctrl_c_saves_and_ends_all(tmp_path: Path, more: list[str]) -> None:
    """Through the command; the first process alone tells."""
    run = tmp_path / "run"
    process = start(
        "-m", "zerogym", "train", "llm", "--out", run, "--steps", "100000", "--device", "cpu",
        "--env", "RandomCalculation", "--eval-episodes", "0", "--save-every", "0", *more,
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
