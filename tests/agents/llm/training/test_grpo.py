"""A run: exact resumption, interruption, failures, what it keeps, and that it learns."""

import json
import signal
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.full_disk import files_up_to
from helpers.llm.small_runs import (
    Digits,
    assert_goes_on_exactly,
    equal,
    lines_of,
    weights_of,
)

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.atomic_files import NotAModel  # noqa: E402
from zerogym.agents.llm.learner.learner import Learner  # noqa: E402
from zerogym.agents.llm.learner.out_of_memory import OutOfMemory  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.training.grpo import GRPOConfig, train  # noqa: E402
from zerogym.agents.llm.training.interrupts import uninterrupted  # noqa: E402
from zerogym.agents.trajectory import read_jsonl  # noqa: E402
from zerogym.errors import CannotWrite, SandboxUnavailable, TrainingDiverged  # noqa: E402


@pytest.fixture
def config(digits: str, start: Path, tmp_path: Path) -> GRPOConfig:
    return GRPOConfig(
        env=digits, model=str(start), out=str(tmp_path / "run"), steps=4, prompts_per_step=2,
        group_size=4, max_new_tokens=6, lr=1e-3, eval_episodes=3, device="cpu", seed=5,
    )  # fmt: skip


def test_two_steps_and_two_more_are_four(config, tmp_path):
    straight = train(config)
    assert (straight.status, straight.step) == ("done", 4)
    assert straight.before.episodes == straight.after.episodes == 3
    halves = replace(config, out=str(tmp_path / "halves"))
    train(replace(halves, steps=2))
    resumed = train(halves, resume=True)
    expected_value = weights_of(straight.model)
    assert equal(weights_of(resumed.model), expected_value)
    assert not equal(weights_of(Path(config.model)), expected_value)
    assert resumed.before == straight.before and resumed.after == straight.after
    steps = [line["step"] for line in lines_of(halves)]
    assert steps == [0, 1, 2, 2, 3, 4, 4]  # with evaluations at 0, 2 and 4
    again = train(halves, resume=True)
    assert again == resumed and equal(weights_of(again.model), expected_value)
    kinds = {path.suffix for path in Path(halves.out).rglob("*") if path.is_file()}
    assert kinds <= {".json", ".jsonl", ".safetensors", ".jinja"}  # nothing to unpickle


def test_ctrl_c_saves_and_resumes_exactly(config):
    def stop(metrics):
        if metrics["step"] == 3:
            raise KeyboardInterrupt

    result = train(config, stop)
    assert (result.status, result.step, result.after) == ("interrupted", 3, None)
    assert load_model(result.model)
    assert not (Path(config.out) / "model").exists()  # nobody takes it for a finished one
    assert_goes_on_exactly(config)


def test_ctrl_c_in_an_update_lets_it_finish(config, monkeypatch):
    update = Learner.update

    def interrupted(self, groups):
        signal.raise_signal(signal.SIGINT)
        return update(self, groups)

    monkeypatch.setattr(Learner, "update", interrupted)
    result = train(config)
    assert (result.status, result.step) == ("interrupted", 1)
    assert any("actor/loss" in line and line["step"] == 1 for line in lines_of(config))
    monkeypatch.undo()
    assert_goes_on_exactly(config)


def test_interrupts_wait_for_the_end_of_a_block():
    done = []
    with pytest.raises(KeyboardInterrupt), uninterrupted():
        signal.raise_signal(signal.SIGINT)
        done.append(1)
    assert done == [1]
    with pytest.raises(KeyboardInterrupt):  # as it was before
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), uninterrupted():  # an error of the block is not hidden
        signal.raise_signal(signal.SIGINT)
        1 / 0  # noqa: B018

    def elsewhere() -> None:
        with uninterrupted():
            done.append(2)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert done == [1, 2]


def test_a_loss_that_is_no_number_stops_and_saves(config):
    seeds = np.random.default_rng((config.seed, 2)).integers(2**31, size=2).tolist()
    Digits.scales = {seeds[0]: float("nan")}
    with pytest.raises(TrainingDiverged, match=r"step 3: the loss is nan.*checkpoint-000002"):
        train(config)
    Digits.scales = {}
    assert_goes_on_exactly(config)


@pytest.mark.parametrize(
    "error",
    [torch.OutOfMemoryError("CUDA"), RuntimeError("DefaultCPUAllocator: can't allocate memory")],
)
def test_out_of_memory_says_what_to_lower_and_saves(config, monkeypatch, error):
    loss = Learner.loss

    def full(self, *arguments):
        if self.state() and self.config.micro_batch > 2:
            raise error
        return loss(self, *arguments)

    monkeypatch.setattr(Learner, "loss", full)
    message = r"step 2: out of memory: lower micro_batch .* now 32 and 0; saved in .*-000001"
    with pytest.raises(OutOfMemory, match=message):
        train(config)
    assert train(replace(config, micro_batch=2), resume=True).step == 4

    def wrong(self, *arguments):
        raise RuntimeError("shapes differ")

    monkeypatch.setattr(Learner, "loss", wrong)
    with pytest.raises(RuntimeError, match="shapes differ"):
        train(replace(config, out=config.out + "2"))


class Every:
    """Holds any text."""

    def __contains__(self, item: object) -> bool:
        return True


def test_episodes_in_which_a_tool_failed_do_not_count(config, monkeypatch):
    observed = []
    update = Learner.update
    monkeypatch.setattr(Learner, "update", lambda self, g: observed.append(g) or update(self, g))
    plain = replace(config, steps=1, eval_episodes=0, keep_rollouts=True)
    train(plain)
    said = [t.turns[0].action for group in observed.pop() for t in group]
    Digits.breaks = {said[0], *said[5:]}  # one episode of the first group, three of the second
    broken = replace(plain, out=config.out + "2")
    train(broken)
    (groups,) = observed
    assert [len(group) for group in groups] == [4 - sum(s in Digits.breaks for s in said[:4])]
    assert all(t.counts and len(t.turns) == 2 for t in groups[0])


def test_a_run_whose_tools_all_fail_stops_and_saves(config):
    def fail(metrics):
        if metrics["step"] == 2:
            Digits.breaks = Every()

    with pytest.raises(SandboxUnavailable, match="all episodes"):
        train(config, fail)
    assert [path.name for path in Path(config.out).glob("checkpoint-*")] == ["checkpoint-000002"]
    Digits.breaks = ()
    assert_goes_on_exactly(config)


def test_episodes_at_their_own_pace(config):
    result = train(replace(config, asynchronous=True))
    assert result.status == "done" and result.before.episodes == 3
    other = train(replace(config, out=config.out + "2"))
    assert result.before == other.before  # greedy, before any training
    assert not equal(weights_of(result.model), weights_of(other.model))  # other random numbers


def test_runs_are_not_mixed(config):
    train(replace(config, steps=1, eval_episodes=0))
    with pytest.raises(FileExistsError, match="resume"):
        train(config)
    with pytest.raises(ValueError, match="other settings: lr, seed"):
        train(replace(config, lr=0.5, seed=6), resume=True)


def test_a_run_from_before_a_setting_goes_on_with_its_default(config):
    train(replace(config, steps=1, eval_episodes=0))
    path = next(Path(config.out).glob("checkpoint-*")) / "run.json"
    record = json.loads(path.read_text("utf-8"))
    del record["config"]["context"]
    path.write_text(json.dumps(record), "utf-8")
    with pytest.raises(ValueError, match="other settings: context"):
        train(replace(config, steps=2, eval_episodes=0, context="truncate"), resume=True)
    assert train(replace(config, steps=2, eval_episodes=0), resume=True).status == "done"


def test_changed_bytes_of_a_checkpoint_are_found(config):
    train(replace(config, steps=1, eval_episodes=0))
    saved = next(Path(config.out).glob("checkpoint-*"))
    for name in ("optimizer.safetensors", "model/model.safetensors"):
        data = (saved / name).read_bytes()
        for changed in (data[:-3] + bytes([data[-3] ^ 4]) + data[-2:], data[:-20]):
            (saved / name).write_bytes(changed)
            with pytest.raises(NotAModel, match=f"{name} has changed since it was written"):
                train(replace(config, steps=2, eval_episodes=0), resume=True)
        (saved / name).write_bytes(data)
    record = json.loads((saved / "run.json").read_text("utf-8"))
    del record["sha256"]  # written before there were checksums
    (saved / "run.json").write_text(json.dumps(record), "utf-8")
    (saved / "optimizer.safetensors").write_bytes(data[:-20])
    with pytest.raises(NotAModel, match="cannot be read as safetensors"):
        train(replace(config, steps=2, eval_episodes=0), resume=True)


def test_without_space_the_error_names_the_checkpoint(config):
    short = replace(config, steps=1, eval_episodes=0)
    with files_up_to(10_000), pytest.raises(CannotWrite, match="checkpoint-000001 cannot be wr"):
        train(short)
    assert list(Path(config.out).iterdir()) == [Path(config.out) / "metrics.jsonl"]
    assert train(short, resume=True).status == "done"


def test_rollouts_and_evaluations_are_kept(config):
    result = train(replace(config, keep_rollouts=True, eval_every=2, save_every=3))
    for step in range(4):
        records = list(read_jsonl(Path(config.out) / f"rollouts/step-{step + 1:06d}.jsonl"))
        assert len(records) == 8 and len({record.seed for record in records}) == 2
        assert {turn.weight_version for r in records for turn in r.turns} == {step}
    lines = lines_of(config)
    assert [line["step"] for line in lines if "eval/reward" in line] == [0, 2, 4]
    assert [path.name for path in Path(config.out).glob("checkpoint-*")] == ["checkpoint-000004"]
    assert result.after.reward == lines[-1]["eval/reward"]


@pytest.mark.proof
@pytest.mark.parametrize("preset", ["grpo", "dr_grpo"])
def test_reward_rises(config, preset):
    """From a random start, where 4 % of the tokens are digits."""
    rewards: list[float] = []
    settings = replace(
        config, preset=preset, steps=40, lr=3e-3, prompts_per_step=4, group_size=8, eval_episodes=20
    )
    result = train(settings, lambda m: rewards.append(m.get("rollout/reward", 0.0)))
    assert np.mean(rewards[1:4]) < 0.3
    assert result.before.reward < 0.5
    assert result.after.reward > 1.5  # of 2: two replies, the reward of each is its share of digits


def test_settings_load_no_torch(run_python):
    code = "import sys, zerogym.agents.llm.grpo_config as _; print('torch' in sys.modules)"
    assert run_python(code).strip() == "False"
