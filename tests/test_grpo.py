"""Training: gradients of whole episodes, exact resumption, interruption, and that it learns."""

import json
import signal
import threading
from collections.abc import Container, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_runs import lines_of, random_model, registered

import zerogym  # noqa: F401  (registers the ids)

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.evaluation import evaluate, held_out, summarise, wilson  # noqa: E402
from zerogym.agents.llm.generation import Sampling  # noqa: E402
from zerogym.agents.llm.grpo import GRPOConfig, train  # noqa: E402
from zerogym.agents.llm.interrupts import finish_first  # noqa: E402
from zerogym.agents.llm.learner import Learner, TrainingDiverged  # noqa: E402
from zerogym.agents.llm.memory import OutOfMemory  # noqa: E402
from zerogym.agents.llm.models import load_model  # noqa: E402
from zerogym.agents.llm.rollout import Player, rollout_groups  # noqa: E402
from zerogym.agents.llm.rows import Rows, token_logprobs  # noqa: E402
from zerogym.agents.llm.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.worlds import Worlds  # noqa: E402
from zerogym.agents.trajectory import Trajectory, read_jsonl  # noqa: E402
from zerogym.envs.core import TextEnv  # noqa: E402
from zerogym.errors import EngineFailed, SandboxUnavailable  # noqa: E402


class Digits(TextEnv):
    """Pays the share of digits in a reply; asks a second time; some seeds pay nothing or NaN."""

    pay: dict[int, float] = {}  # noqa: RUF012 (a test sets it)
    breaks: Container[str] = ()  # replies at which a tool fails

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self._episode = [0, self.pay.get(seed or 0, 1.0)]
        return f"digits {seed}", {}

    def step(self, action: str) -> Any:
        self._episode[0] += 1
        share = sum(letter in "0123456789" for letter in action) / max(1, len(action))
        done = self._episode[0] == 2
        reward = share * self._episode[1]
        info: dict[str, Any] = {"success": share > 0.5}
        if action in self.breaks:
            return "", 0.0, False, True, {"unavailable": True}
        return "again", reward, done, False, info


@pytest.fixture
def digits() -> Iterator[str]:
    with registered("tests/Digits-v0", Digits) as env_id:
        yield env_id
    Digits.pay, Digits.breaks = {}, ()


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_model(
        tmp_path_factory.mktemp("models") / "start", ["digits 0123456789 again"], 64
    )


@pytest.fixture
def config(digits: str, start: Path, tmp_path: Path) -> GRPOConfig:
    return GRPOConfig(
        env=digits, model=str(start), out=str(tmp_path / "run"), steps=4, prompts_per_step=2,
        group_size=4, max_new_tokens=6, lr=1e-3, eval_episodes=3, device="cpu", seed=5,
    )  # fmt: skip


@pytest.fixture
def learner(config: GRPOConfig) -> Learner:
    return Learner(load_model(config.model, "cpu")[0], config)


@pytest.fixture
def groups(config: GRPOConfig, learner: Learner) -> list[list[Trajectory]]:
    generator = TransformersGenerator(learner.model, load_model(config.model, "cpu")[1])
    with Worlds(config.env) as worlds:
        return rollout_groups(worlds, [1, 22, 333], 4, Player(generator, Sampling(6, seed=4)))


def weights_of(directory: Path) -> dict[str, Any]:
    return {name: value.clone() for name, value in load_model(directory)[0].state_dict().items()}


def equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


# --- one update


def test_recorded_logprobs_are_those_of_the_training_pass(learner, groups):
    flats = [trajectory.flatten() for group in groups for trajectory in group]
    assert len({len(flat.ids) for flat in flats}) > 1  # so that there is padding
    rows = Rows.make(flats, [[0.0] * sum(flat.mask) for flat in flats])
    logprobs = token_logprobs(learner.model, rows, 1.0).detach()
    assert rows.mask.sum() == sum(sum(flat.mask) for flat in flats)
    assert ((logprobs - rows.old) * rows.mask).abs().max() < 1e-4


@pytest.mark.parametrize("preset", ["grpo", "dr_grpo"])
@pytest.mark.parametrize("micro_batch", [2, 100])
def test_gradient_of_whole_episodes(config, groups, preset, micro_batch):
    """Against loops over single unpadded episodes and single tokens, written from the papers."""
    config = replace(config, preset=preset, micro_batch=micro_batch, max_grad_norm=1e9)
    learner = Learner(load_model(config.model, "cpu")[0], config)
    model = learner.model
    total = torch.zeros(())
    for group in groups:
        rewards = np.array([trajectory.reward for trajectory in group])
        for trajectory in group:
            advantage = float(trajectory.reward - rewards.mean())
            if preset == "grpo":
                advantage /= float(rewards.std())
            ids, gains = [], []
            for turn in trajectory.turns:
                ids += turn.prompt_ids
                for token, old in zip(turn.action_ids, turn.logprobs, strict=True):
                    logits = model(input_ids=torch.tensor([ids])).logits[0, -1]
                    gains.append((logits.log_softmax(-1)[token] - old).exp() * advantage)
                    ids.append(token)
            divisor = len(gains) if preset == "grpo" else config.max_new_tokens
            total = total - torch.stack(gains).sum() / divisor / 12
    total.backward()
    truth = [parameter.grad.clone() for parameter in model.parameters()]
    assert max(float(gradient.abs().max()) for gradient in truth) > 1e-3

    metrics = learner.update(groups)
    for parameter, gradient in zip(model.parameters(), truth, strict=True):
        assert torch.allclose(parameter.grad, gradient, atol=2e-6, rtol=1e-3)
    assert metrics["actor/loss"] == pytest.approx(float(total.detach()), abs=1e-5)
    assert metrics["actor/ratio"] == pytest.approx(1, abs=1e-4)
    assert metrics["actor/rows"] == 12


def test_equal_groups_change_nothing(learner, groups):
    before = {name: value.clone() for name, value in learner.model.state_dict().items()}
    same = [[replace(t, reward=0.2) for t in group] for group in groups]
    assert learner.update(same) == {"actor/rows": 0.0}
    assert equal(before, learner.model.state_dict()) and learner.state() == {}
    # one unequal group: its episodes alone are in the pass, all episodes are in the divisor
    mixed = learner.update([*same[:2], groups[2]])
    assert mixed["actor/rows"] == 4
    assert not equal(before, learner.model.state_dict())
    learner.model.load_state_dict(before)
    alone = learner.update([groups[2]])
    assert mixed["actor/grad_norm"] == pytest.approx(alone["actor/grad_norm"] / 3, rel=1e-4)


def test_kl_pulls_back_to_the_reference(config, groups):
    config = replace(config, kl=1.0, passes=3)
    with pytest.raises(ValueError, match="reference"):
        Learner(load_model(config.model, "cpu")[0], config)
    model, reference = (load_model(config.model, "cpu")[0] for _ in range(2))
    learner = Learner(model, config, reference)
    same = [[replace(t, reward=0.2) for t in group] for group in groups]
    with torch.no_grad():
        for parameter in learner.parameters:
            parameter.mul_(1.2)
    first = learner.update(same)
    assert first["actor/rows"] == 12 and first["actor/kl"] > 0
    for _ in range(5):
        last = learner.update(same)
    assert last["actor/kl"] < first["actor/kl"]


def test_empty_episodes_count_but_have_no_tokens(learner, groups):
    group = [replace(groups[0][0], turns=(), reward=-1.0), *groups[0][1:]]
    assert learner.update([group])["actor/rows"] == 3


# --- a run


def test_two_steps_and_two_more_are_four(config, tmp_path):
    straight = train(config)
    assert (straight.status, straight.step) == ("done", 4)
    assert straight.before.episodes == straight.after.episodes == 3
    halves = replace(config, out=str(tmp_path / "halves"))
    train(replace(halves, steps=2))
    resumed = train(halves, resume=True)
    truth = weights_of(straight.model)
    assert equal(weights_of(resumed.model), truth)
    assert not equal(weights_of(Path(config.model)), truth)
    assert resumed.before == straight.before and resumed.after == straight.after
    steps = [line["step"] for line in lines_of(halves)]
    assert steps == [0, 1, 2, 2, 3, 4, 4]  # with evaluations at 0, 2 and 4
    again = train(halves, resume=True)
    assert again == resumed and equal(weights_of(again.model), truth)
    kinds = {path.suffix for path in Path(halves.out).rglob("*") if path.is_file()}
    assert kinds <= {".json", ".jsonl", ".safetensors", ".jinja"}  # nothing to unpickle


def test_ctrl_c_saves_and_resumes_exactly(config, tmp_path):
    truth = weights_of(train(config).model)

    def stop(metrics):
        if metrics["step"] == 3:
            raise KeyboardInterrupt

    stopped = replace(config, out=str(tmp_path / "stopped"))
    result = train(stopped, stop)
    assert (result.status, result.step, result.after) == ("interrupted", 3, None)
    assert load_model(result.model)
    assert not (Path(stopped.out) / "model").exists()  # nobody takes it for a finished one
    result = train(stopped, resume=True)
    assert (result.status, result.step) == ("done", 4)
    assert equal(weights_of(result.model), truth)


def test_ctrl_c_in_an_update_lets_it_finish(config, monkeypatch):
    update = Learner.update

    def interrupted(self, groups):
        signal.raise_signal(signal.SIGINT)
        return update(self, groups)

    monkeypatch.setattr(Learner, "update", interrupted)
    result = train(config)
    assert (result.status, result.step) == ("interrupted", 1)
    told = (Path(config.out) / "metrics.jsonl").read_text("utf-8").splitlines()
    assert any("actor/loss" in line and json.loads(line)["step"] == 1 for line in told)
    monkeypatch.undo()
    halves = weights_of(train(config, resume=True).model)
    assert equal(halves, weights_of(train(replace(config, out=config.out + "2")).model))


def test_interrupts_wait_for_the_end_of_a_block():
    done = []
    with pytest.raises(KeyboardInterrupt), finish_first():
        signal.raise_signal(signal.SIGINT)
        done.append(1)
    assert done == [1]
    with pytest.raises(KeyboardInterrupt):  # as it was before
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(ZeroDivisionError), finish_first():  # an error of the block is not hidden
        signal.raise_signal(signal.SIGINT)
        1 / 0  # noqa: B018

    def elsewhere() -> None:
        with finish_first():
            done.append(2)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert done == [1, 2]


def test_a_loss_that_is_no_number_stops_and_saves(config):
    seeds = np.random.default_rng((config.seed, 2)).integers(2**31, size=2).tolist()
    Digits.pay = {seeds[0]: float("nan")}
    with pytest.raises(TrainingDiverged, match=r"step 3: the loss is nan.*checkpoint-000002"):
        train(config)
    Digits.pay = {}
    truth = weights_of(train(replace(config, out=config.out + "2")).model)
    assert equal(weights_of(train(config, resume=True).model), truth)


@pytest.mark.parametrize(
    "error",
    [torch.OutOfMemoryError("CUDA"), RuntimeError("DefaultCPUAllocator: can't allocate memory")],
)
def test_out_of_memory_says_what_to_lower_and_saves(config, monkeypatch, error):
    loss = Learner.loss

    def full(self, *arguments):
        if self.optimizer.state and self.config.micro_batch > 2:
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


def test_engines_that_give_no_logprobs_are_refused(learner, groups):
    silent = groups[1][2]
    turn = silent.turns[0]
    unknown = replace(turn, logprobs=(float("nan"),) * len(turn.logprobs))
    groups[1][2] = replace(silent, turns=(unknown, *silent.turns[1:]), episode=7)
    with pytest.raises(
        EngineFailed, match=r"episode 7 of tests/Digits-v0 \(seed 22\).*no log-prob"
    ):
        learner.update(groups)
    assert learner.state() == {}


class Every:
    """Holds any text."""

    def __contains__(self, item: object) -> bool:
        return True


def test_episodes_in_which_a_tool_failed_do_not_count(config, monkeypatch):
    seen = []
    update = Learner.update
    monkeypatch.setattr(Learner, "update", lambda self, g: seen.append(g) or update(self, g))
    plain = replace(config, steps=1, eval_episodes=0, keep_rollouts=True)
    train(plain)
    said = [t.turns[0].action for group in seen.pop() for t in group]
    Digits.breaks = {said[0], *said[5:]}  # one episode of the first group, three of the second
    broken = replace(plain, out=config.out + "2")
    train(broken)
    (groups,) = seen
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
    truth = weights_of(train(replace(config, out=config.out + "2")).model)
    assert equal(weights_of(train(config, resume=True).model), truth)


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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"group_size": 1}, "group_size"), ({"temperature": 0.0}, "temperature"),
        ({"lr": float("nan")}, "lr"), ({"steps": -1}, "steps"), ({"preset": "grop"}, "grpo"),
        ({"env_kwargs": {"split": "test"}}, "split"), ({"env": "zerogym/kuhn_poker-v0"}, "seats"),
    ],
)  # fmt: skip
def test_wrong_settings_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        GRPOConfig(**change)


def test_settings_must_be_json():
    with pytest.raises(TypeError, match="JSON"):
        GRPOConfig(env_kwargs={"rng": np.random.default_rng(0)})


# --- evaluation


def test_evaluation_is_on_the_test_side(config, start):
    calculation = "zerogym/RandomCalculation-v0"
    assert held_out(calculation, {"difficulty": 1}) == {"difficulty": 1, "split": "test"}
    assert held_out("zerogym/TicTacToe-v0", {"seat": 0}) == {"seat": 0}
    model, tokenizer = load_model(start, "cpu")
    player = Player(TransformersGenerator(model, tokenizer), Sampling(3))
    with Worlds(calculation, held_out(calculation, {})) as worlds:
        outcome = evaluate(worlds, player, range(5))
        assert worlds.take().info("player_0")["split"] == "test"
    assert (outcome.episodes, outcome.accuracy) == (5, 0.0) and outcome.high < 0.6


def test_summary_by_hand():
    won, lost = (
        Trajectory("e", 0, 0, (), reward=reward, info={"success": reward > 0})
        for reward in (2.0, 0.0)
    )
    outcome = summarise([won, won, lost, replace(lost, info={})])
    assert (outcome.reward, outcome.accuracy) == (1.0, 0.5)
    assert summarise([replace(won, info={})]).accuracy is None
    failed = replace(lost, info={"unavailable": True})
    assert summarise([won, failed, lost]) == summarise([won, lost])
    with pytest.raises(ValueError, match="no episode counts"):
        summarise([failed])
    # Wilson's interval solves (share - p)^2 = z^2 p (1 - p) / n at both ends
    for end in wilson(7, 20):
        assert (0.35 - end) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / 20)
    assert wilson(0, 5)[0] == 0 and wilson(5, 5)[1] == pytest.approx(1)


# --- it learns


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
    assert result.after.reward > 1.5  # of 2: two replies, each paid its share of digits


def test_settings_load_no_torch(run_python):
    code = "import sys, zerogym.agents.llm.grpo_config as _; print('torch' in sys.modules)"
    assert run_python(code).strip() == "False"
