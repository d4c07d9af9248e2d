"""An adapter for each seat: what each learns from, what each says, and what is kept of them.

The expected values are those of peft's own model with one adapter, read from what was saved.
"""

import json
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from helpers.llm.forward_pass import by_turn, drawn
from helpers.llm.seat_episodes import dealing, played, saying
from helpers.llm.small_runs import equal, random_model, untimed_lines
from helpers.llm.two_processes import ended
from helpers.llm.two_processes import start as started

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
peft = pytest.importorskip("peft", reason="the extra llm brings peft")

from safetensors.torch import load_file  # noqa: E402

from helpers.llm.adapters import logits, moved  # noqa: E402
from zerogym.agents.llm.algorithms.advantage_tables import Advantage  # noqa: E402
from zerogym.agents.llm.algorithms.batch import Batch  # noqa: E402
from zerogym.agents.llm.generation.transformers_backend import TransformersGenerator  # noqa: E402
from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.models.loading import load_model, save_model  # noqa: E402
from zerogym.agents.llm.models.lora import attach, trained, use, without_adapter  # noqa: E402
from zerogym.agents.llm.opponent import LanguageModel  # noqa: E402
from zerogym.agents.llm.rollout.environments import Environments  # noqa: E402
from zerogym.agents.llm.training.batch import collect  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.llm.training.seat_adapters import SeatLearner, learner_of_run, players_of  # noqa: E402
from zerogym.agents.trajectory import Trajectory  # noqa: E402
from zerogym.cli import app  # noqa: E402
from zerogym.envs.games.cards.kuhn_poker import KuhnPokerEnv  # noqa: E402
from zerogym.envs.games.opponents.past_selves import NoPastSelves  # noqa: E402
from zerogym.errors import ModelNotFound, TrainingDiverged  # noqa: E402

SEATS = ("player_0", "player_1")
CONFIG = GRPOConfig(
    env="zerogym/kuhn_poker-v0", preset="dr_grpo", steps=3, prompts_per_step=1, group_size=4,
    max_new_tokens=12, lr=1e-3, max_grad_norm=1e9, eval_episodes=0, save_every=0, device="cpu",
    seed=3, lora_rank=2, lora_per_seat=True, entropy=0.01,
)  # fmt: skip


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_model(tmp_path_factory.mktemp("models") / "start", ["check bet"], 16)


def by_peft(base: str, folder: Path) -> Any:
    """A model of its own with the one adapter of a folder, as peft reads it."""
    model = load_model(base, "cpu")[0]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing`")  # peft still reads it
        return peft.PeftModel.from_pretrained(model, folder, is_trainable=True).eval()


def drawn_by_seat(model: Any, item: Trajectory) -> Trajectory:
    """As if its seat's adapter had drawn what it says."""
    use(model, item.seat)
    return drawn(model, item)


def bets_met(config: GRPOConfig) -> Sequence[Sequence[Trajectory]]:
    """The king bets; the jack calls and loses 2, or folds and loses 1."""
    calls = ["call", "fold", "fold", "call"]
    return played(saying(["bet"] * 4, calls), config, seed=dealing("K", "J")).groups


# --- what each learns from


@pytest.mark.proof
@pytest.mark.parametrize("packing", [False, True])
def test_a_seat_learns_from_its_own_rows_as_if_it_were_alone(
    start: Path, tmp_path: Path, packing: bool
) -> None:
    """It is pulled back to the model without any adapter."""
    config = replace(CONFIG, model=str(start), entropy=None, kl=1.0, packing=packing)
    groups = bets_met(config)
    # larger ones make attention so sharp that float32 is 3 % off the gradients of float64
    model, tokenizer = moved(config, 0.05, SEATS)
    saved = save_model(model, tokenizer, tmp_path / "model")
    learner = learner_of_run(model, config)
    metrics = learner.update([[drawn_by_seat(model, item) for item in group] for group in groups])
    found = {name: one.grad for name, one in trained(model).items()}
    base = load_model(start, "cpu")[0]
    for seat, group in zip(SEATS, groups, strict=True):
        alone = by_peft(str(start), saved / seat)
        mean = sum(item.reward for item in group) / len(group)
        total = torch.zeros(())
        for item in group:
            own = torch.cat(by_turn(alone, item))
            with torch.no_grad():
                gap = torch.cat(by_turn(base, item)) - own.detach()
            # the gradients of a ratio of 1, and of exp(gap) - gap - 1
            total = total - ((item.reward - mean) * own + (gap.exp() - 1) * own).sum()
        (total / len(group) / config.max_new_tokens).backward()
        expected_value = {
            name: one.grad for name, one in alone.named_parameters() if one.requires_grad
        }
        assert len(expected_value) == 2 * 2 * 7
        for name, gradient in expected_value.items():
            mine = name.removeprefix("base_model.model.").replace(".default.", f".{seat}.")
            assert float((found[mine] - gradient).abs().max()) < 1e-5, mine
        assert max(float(gradient.abs().max()) for gradient in expected_value.values()) > 1e-3
        assert metrics[f"actor/kl_{seat}"] > 1e-3
        assert metrics[f"actor/ratio_{seat}"] == pytest.approx(1, abs=1e-4)


def test_a_seat_without_rows_stays_what_it_was(start: Path) -> None:
    config = replace(CONFIG, model=str(start), lr=1e-2)
    model, base = load_model(start, "cpu")[0], load_model(start, "cpu")[0]
    attach(model, config, SEATS)
    learner = learner_of_run(model, config)
    metrics = learner.update([[drawn_by_seat(model, item) for item in bets_met(config)[0]]])
    assert metrics["actor/rows_player_0"] == 4 and metrics["actor/rows_player_1"] == 0
    named = trained(model).items()
    assert all((one.grad is None) == (".player_1." in name) for name, one in named)
    use(model, "player_1")
    assert torch.equal(logits(model), logits(base))
    use(model, "player_0")
    assert not torch.allclose(logits(model), logits(base), atol=1e-3)
    with without_adapter(model):
        assert torch.equal(logits(model), logits(base))


@dataclass(frozen=True)
class Comparison(Advantage):
    """The difference to the return of the other seat in the same episode, which it keeps."""

    def __call__(self, batch: Batch) -> list[list[float]]:
        pairs = [[(one.total, batch.others(one)[0].total) for one in own] for own in batch.groups]
        batch.state["pairs"] = pairs
        return [[own - other for own, other in group] for group in pairs]


def test_an_advantage_of_a_seat_reads_the_other_seat_of_its_episodes(start: Path) -> None:
    config = replace(CONFIG, model=str(start), advantage=Comparison())
    model, _ = moved(config, 0.3, SEATS)
    learner = learner_of_run(model, config)
    groups = [[drawn_by_seat(model, item) for item in group] for group in bets_met(config)]
    metrics = learner.update([groups[0], list(reversed(groups[1]))])
    kept = learner.part_state()
    assert kept["player_0"]["advantage"]["pairs"] == [[[2, -2], [1, -1], [1, -1], [2, -2]]]
    assert kept["player_1"]["advantage"]["pairs"] == [[[-2, 2], [-1, 1], [-1, 1], [-2, 2]]]
    assert metrics["actor/rows_player_0"] == metrics["actor/rows_player_1"] == 4


def test_where_one_seat_fails_all_are_what_they_were(start: Path) -> None:
    config = replace(CONFIG, model=str(start))
    model, _ = moved(config, 0.3, SEATS)
    learner = learner_of_run(model, config)
    groups = [[drawn_by_seat(model, item) for item in group] for group in bets_met(config)]
    learner.update(groups)
    before = {name: one.detach().clone() for name, one in trained(model).items()}
    memory = {name: value.clone() for name, value in learner.state().items()}
    broken = [replace(item, reward=math.nan) for item in groups[1]]
    with pytest.raises(TrainingDiverged):
        learner.update([groups[0], broken])
    assert equal(dict(trained(model)), before) and equal(learner.state(), memory)
    learner.update(groups)
    changed = [not torch.equal(one, before[name]) for name, one in trained(model).items()]
    assert all(changed)


def test_all_seats_are_trained_and_none_twice(start: Path) -> None:
    config = replace(CONFIG, model=str(start))
    model, _ = moved(config, 0.3, SEATS)
    learner = learner_of_run(model, config)
    held = [id(one) for one in learner.parameters]
    assert sorted(held) == sorted(id(one) for one in trained(model).values())
    assert len(held) == len(set(held)) == 2 * 2 * 2 * 7
    assert all(one.dtype == torch.float32 for one in learner.parameters)
    attach(fresh := load_model(start, "cpu")[0], config, SEATS)
    named = trained(fresh)
    for name, one in named.items():
        assert torch.equal(one, named[name.replace("player_0", "player_1")])


# --- what each says


def test_each_seat_draws_with_its_own_adapter(tmp_path: Path) -> None:
    """In turns, so that the adapters are switched within an episode."""
    config = replace(CONFIG, group_size=6)
    model, tokenizer = moved(config, 0.05, SEATS)
    saved = save_model(model, tokenizer, tmp_path / "model")
    engine = TransformersGenerator(model, tokenizer)

    def batch(seed: int) -> Any:
        with Environments(config.env) as envs:
            rng = np.random.default_rng(seed)
            return collect(envs, config, rng, lambda s: players_of(config, engine, s)).rolled_out

    groups = batch(7)
    use(model, "player_1")
    assert batch(7) == groups != batch(8)
    alone = {seat: by_peft("tiny", saved / seat) for seat in SEATS}
    gaps: dict[bool, list[float]] = {True: [], False: []}
    with torch.no_grad():
        for item in (item for group in groups for item in group if item.turns):
            said = torch.tensor([p for turn in item.turns for p in turn.logprobs])
            for seat in SEATS:
                gap = (torch.cat(by_turn(alone[seat], item)) - said).abs().max()
                gaps[seat == item.seat].append(float(gap))
    assert {item.seat for group in groups for item in group if item.turns} == set(SEATS)
    assert max(gaps[True]) < 1e-4
    assert sorted(gaps[False])[len(gaps[False]) // 2] > 0.1


def test_seats_draw_from_streams_of_their_own() -> None:
    engine = TransformersGenerator(*moved(CONFIG, 0.0, SEATS))
    players = players_of(CONFIG, engine, 5)
    assert isinstance(players, dict) and tuple(players) == SEATS
    seeds = [player.sampling.seed for player in players.values()]
    assert len({5, *seeds}) == 3
    again = players_of(CONFIG, engine, 5)
    assert isinstance(again, dict) and [p.sampling.seed for p in again.values()] == seeds


# --- runs


@pytest.mark.proof
@pytest.mark.parametrize(
    "settings",
    [
        {"kl": 0.1, "passes": 2},
        {"preset": "ppo", "dtype": "bfloat16"},
        {"staleness": 1, "correction": "token_mask"},
    ],
    ids=["kl", "values in bfloat16", "older weights"],
)
def test_a_run_is_the_same_when_it_is_halved(tmp_path: Path, settings: dict[str, Any]) -> None:
    config = replace(CONFIG, out=str(tmp_path / "run"), **settings)
    straight = train(config)
    halves = replace(config, out=str(tmp_path / "halves"))
    half = train(replace(halves, steps=2, save_every=1))
    assert not (half.model / "adapter_model.safetensors").exists()
    earlier = {seat: load_file(half.model / seat / "adapter_model.safetensors") for seat in SEATS}
    resumed = train(halves, resume=True)
    found = []
    for seat in SEATS:
        one, other = (
            load_file(run.model / seat / "adapter_model.safetensors") for run in (straight, resumed)
        )
        assert equal(one, other) and not equal(one, earlier[seat])
        found.append(one)
    assert not equal(*found)
    memories = [
        load_file(Path(run.out) / "checkpoint-000003/optimizer.safetensors")
        for run in (config, halves)
    ]
    assert equal(*memories)
    reported = [untimed_lines(each) for each in (config, halves)]
    assert reported[0] == reported[1]
    assert all(line[f"actor/rows_{seat}"] > 0 for line in reported[0] for seat in SEATS)


@pytest.mark.proof
def test_two_processes_train_the_adapters_of_one(tmp_path: Path) -> None:
    """Replies may differ where rounding decides a token; here none does."""
    config = replace(CONFIG, out=str(tmp_path / "one"), steps=2, kl=0.1, asynchronous=True)
    given = ["--env", config.env, "--preset", "dr_grpo", "--entropy", "0.01", "--kl", "0.1"]
    for name in (
        "model", "steps", "prompts_per_step", "group_size", "max_new_tokens", "lr",
        "max_grad_norm", "eval_episodes", "seed", "lora_rank", "lora_per_seat", "asynchronous",
    ):  # fmt: skip
        given += [f"--{name.replace('_', '-')}", str(getattr(config, name))]
    command = ("-m", "zerogym", "train", "llm", *given, "--out", tmp_path / "two")
    code, said = ended(started(*command, "--device", "cpu"))
    assert code == 0, said
    one = train(config).model
    for seat in SEATS:
        mine, theirs, fresh = (
            torch.cat([value.flatten() for _, value in sorted(load_file(file).items())])
            for folder in (one, tmp_path / "two/model", _fresh(config, tmp_path / seat))
            for file in [folder / seat / "adapter_model.safetensors"]
        )
        assert float((mine - theirs).norm()) < 1e-3 * float((mine - fresh).norm())


def _fresh(config: GRPOConfig, out: Path) -> Path:
    return train(replace(config, out=str(out), steps=0)).model


def test_three_seats_have_three_adapters(start: Path, tmp_path: Path) -> None:
    config = replace(
        CONFIG, env="zerogym/public_goods-v0", model=str(start), out=str(tmp_path / "run"), steps=1
    )
    saved = train(config).model
    names = [f"player_{number}" for number in range(3)]
    assert sorted(path.name for path in saved.iterdir() if path.is_dir()) == names


def test_saved_adapters_play(tmp_path: Path) -> None:
    config = replace(
        CONFIG, out=str(tmp_path / "run"), steps=1, stop=("</answer>",), temperature=0.9,
        eval_episodes=3, system="Play well.",
    )  # fmt: skip
    result = train(config)
    assert result.after is not None and result.after.episodes == 6
    for folder in (result.model, tmp_path / "run/checkpoint-000001/model"):
        for seat in SEATS:
            loaded = load_model(folder / seat, "cpu")[0]
            expected_value = logits(by_peft("tiny", folder / seat))
            assert torch.allclose(logits(loaded), expected_value, atol=1e-4)
            assert not torch.equal(expected_value, logits(load_model("tiny", "cpu")[0]))
            env = KuhnPokerEnv(seat=1, opponent=f"llm:{folder / seat}")
            player = env.opponent
            assert isinstance(player, LanguageModel) and player.system == "Play well."
            assert (player.sampling.max_new_tokens, player.sampling.temperature) == (12, 0.9)
            assert player.sampling.stop == ("</answer>",)
            assert env.reset(seed=2) == env.reset(seed=2)
    for name in ("run", "run/model", "run/checkpoint-000001"):
        with pytest.raises(ModelNotFound, match="name the folder of one, player_0 or player_1"):
            KuhnPokerEnv(opponent=f"llm:{tmp_path / name}")
    with pytest.raises(NoPastSelves):
        KuhnPokerEnv(opponent=f"past:{tmp_path / 'run'}")


def test_runs_with_one_adapter_are_past_selves(start: Path, tmp_path: Path) -> None:
    config = replace(
        CONFIG, lora_per_seat=False, model=str(start), out=str(tmp_path / "run"), steps=2,
        save_every=1, keep_checkpoints=2,
    )  # fmt: skip
    train(config)
    found = KuhnPokerEnv(opponent=f"past:{tmp_path / 'run'}").opponent.members
    names = [one.directory.parent.name for one in found]
    assert names == ["checkpoint-000001", "checkpoint-000002"]


# --- settings


def test_a_run_goes_on_with_the_adapters_that_it_has(start: Path, tmp_path: Path) -> None:
    config = replace(CONFIG, model=str(start), out=str(tmp_path / "run"), steps=0)
    train(config)
    with pytest.raises(ValueError, match="had other settings: lora_per_seat"):
        train(replace(config, lora_per_seat=False), resume=True)


def test_the_command_line_trains_adapters_of_seats(start: Path, tmp_path: Path) -> None:
    given = ["train", "llm", "--env", CONFIG.env, "--model", str(start), "--steps", "1"]
    given += ["--out", str(tmp_path / "a"), "--eval-episodes", "0", "--device", "cpu"]
    given += ["--lora-per-seat", "true"]
    reported = CliRunner().invoke(app, given)
    assert reported.exit_code != 0 and "set lora_rank" in reported.output
    assert not (tmp_path / "a").exists()
    reported = CliRunner().invoke(app, [*given, "--lora-rank", "2"])
    assert reported.exit_code == 0, reported.output
    record = json.loads((tmp_path / "a/checkpoint-000001/run.json").read_text("utf-8"))
    assert record["config"]["lora_per_seat"] is True


def test_without_adapters_of_seats_the_learner_is_as_ever(start: Path) -> None:
    config = replace(CONFIG, lora_per_seat=False, model=str(start))
    attach(model := load_model(start, "cpu")[0], config)
    assert not isinstance(learner_of_run(model, config), SeatLearner)
    player = players_of(config, TransformersGenerator(model, load_model(start)[1]), 5)
    assert player.sampling.seed == 5
