"""Episodes played by workers on Ray: the same whoever plays them, and whoever dies meanwhile."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.forward_pass import by_turn
from helpers.llm.small_runs import lines_of
from zerogym.agents.llm.grpo_config import GRPOConfig
from zerogym.agents.trajectory import Trajectory, read_jsonl
from zerogym.envs.references import import_named, named_modules
from zerogym.errors import EngineFailed, MissingExtra, UnknownName

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
ray = pytest.importorskip("ray")
# Ray opens files and sockets that it leaves to the end of the process.
pytestmark = [pytest.mark.proof, pytest.mark.filterwarnings("default")]

from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.training import ray_workers  # noqa: E402
from zerogym.agents.llm.training.checkpoint import checkpoints  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.llm.training.ray_workers import RayWorkers, _blocks  # noqa: E402

OWN = """
class First:
    def __init__(self, game): self.game = game
    def choose(self, state, rng, deterministic=False): return self.game.legal(state)[0]
"""
CLOSE = 1e-5  # relative and in nats: rows are computed in other batches


@pytest.fixture
def config(tmp_path: Path) -> GRPOConfig:
    return GRPOConfig(
        env_kwargs={"difficulty": [0.5, 1.0]}, model="tiny",
        out=str(tmp_path / "run"), steps=3, lr=1e-3, prompts_per_step=3, group_size=4,
        max_new_tokens=24, eval_episodes=0, keep_rollouts=True, device="cpu", save_every=1,
        keep_checkpoints=9, ray=1,
    )  # fmt: skip


def drawn(config: GRPOConfig) -> list[Trajectory]:
    files = sorted(Path(config.out).glob("rollouts/*.jsonl"))
    return [episode for path in files for episode in read_jsonl(path)]


def said(config: GRPOConfig) -> list[Any]:
    """The problem, reward, ids and weight version of each turn."""
    return [
        (one.episode, one.group, one.seed, one.reward, turn.prompt_ids, turn.action_ids,
         turn.weight_version)
        for one in drawn(config)
        for turn in one.turns
    ]  # fmt: skip


def first_metric(config: GRPOConfig, name: str) -> float:
    """A metric of the first step."""
    rows = map(json.loads, (Path(config.out) / "metrics.jsonl").read_text().splitlines())
    return next(float(row[name]) for row in rows if name in row)


def test_a_step_does_not_depend_on_the_number_of_workers(config: GRPOConfig) -> None:
    more = replace(config, out=config.out + "-4", ray=4)
    for run in (config, more):
        assert train(run).status == "done"
    assert said(config) == said(more)
    assert len({tuple(turn.action_ids for turn in one.turns) for one in drawn(config)}) > 3
    assert {turn.weight_version for one in drawn(config) for turn in one.turns} == {0, 1, 2}
    # Not the weights: Adam makes whole steps of gradients that are rounding alone.
    for name in ("actor/loss", "actor/grad_norm"):
        found = [first_metric(run, name) for run in (config, more)]
        assert found[0] == pytest.approx(found[1], rel=1e-4, abs=CLOSE) and found[0] != 0


def test_a_cluster_of_two_nodes_plays_what_one_machine_plays(
    config: GRPOConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ray.cluster_utils import Cluster

    assert train(config).status == "done"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    try:
        cluster.add_node(num_cpus=1)  # two workers of a core each have to be on both
        monkeypatch.setenv("RAY_ADDRESS", cluster.address)
        more = replace(config, out=config.out + "-2", ray=2)
        assert train(more).status == "done"
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert said(config) == said(more)


@pytest.mark.parametrize("lora_rank", [0, 4])
def test_workers_draw_with_the_weights_of_the_step(config: GRPOConfig, lora_rank: int) -> None:
    train(replace(config, ray=2, lora_rank=lora_rank))
    starts = [config.model, *(path / "model" for path in checkpoints(Path(config.out)))]
    moved = []
    for episode in drawn(config):
        turn = episode.turns[0]
        for version in {0, turn.weight_version}:
            model, _ = load_model(starts[version], "cpu")
            with torch.no_grad():
                own = by_turn(model, episode)[0]
            gap = float((own - torch.tensor(turn.logprobs)).abs().max())
            if version == turn.weight_version:
                assert gap < CLOSE * 10
            else:
                moved.append(gap)
    assert max(moved) > 1e-3


def test_what_a_dead_worker_played_is_played_again(
    config: GRPOConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = replace(config, out=config.out + "-whole", ray=2)
    train(whole)
    submit, kills = RayWorkers._submit, []

    def submit_and_kill(self: RayWorkers, place: int, block: Any, seed: int) -> Any:
        pending = submit(self, place, block, seed)
        if place == 1 and self._version == 1 and len(kills) < 2:
            kills.append(place)
            ray.kill(self._workers[place])
        return pending

    monkeypatch.setattr(RayWorkers, "_submit", submit_and_kill)
    assert train(replace(config, ray=2)).status == "done"
    assert kills == [1, 1] and said(config) == said(whole)


def test_workers_that_always_die_end_the_run_saved(
    config: GRPOConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit = RayWorkers._submit

    def submit_and_kill(self: RayWorkers, place: int, block: Any, seed: int) -> Any:
        pending = submit(self, place, block, seed)
        if self._version == 1:
            ray.kill(self._workers[place])
        return pending

    monkeypatch.setattr(RayWorkers, "_submit", submit_and_kill)
    monkeypatch.setattr(ray_workers, "RESTARTS", 1)
    with pytest.raises(EngineFailed, match="die again and again"):
        train(config)
    assert [path.name for path in checkpoints(Path(config.out))][-1] == "checkpoint-000001"
    assert not ray.is_initialized()
    monkeypatch.undo()
    assert train(replace(config, ray=2), resume=True).status == "done"
    assert [line["step"] for line in lines_of(config)] == [1, 2, 3]


def test_a_program_keeps_the_ray_that_it_has_started(config: GRPOConfig) -> None:
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    try:
        with pytest.raises(ValueError, match="ray=2 is more than the 1 cores that Ray has"):
            train(replace(config, ray=2))
        for out in ("one", "two"):  # the core is free again when a run has ended
            run = replace(config, steps=1, out=config.out + out)
            assert train(run).status == "done" and ray.is_initialized()
    finally:
        ray.shutdown()


def test_an_error_of_an_environment_is_raised_as_it_is(config: GRPOConfig) -> None:
    wrong = replace(config, env="zerogym/KuhnPoker-v0", env_kwargs={"opponent": "randm"})
    with pytest.raises(UnknownName, match="Did you mean 'random'"):
        train(wrong)


def test_workers_know_the_modules_that_were_named(
    config: GRPOConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_players.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    import_named("own_players")
    given = {"opponent": "own_players:First", "seat": 1}
    own = replace(config, env="zerogym/KuhnPoker-v0", env_kwargs=given, steps=1, max_new_tokens=8)
    try:
        assert train(own).status == "done"
    finally:
        named_modules.discard("own_players")
        del sys.modules["own_players"]
    assert drawn(own)


def test_blocks_are_as_equal_as_can_be() -> None:
    episodes = [(number, 0, 0) for number in range(7)]
    for count in (1, 2, 3, 7, 9):
        blocks = _blocks(episodes, count)
        assert [one for block in blocks for one in block] == episodes
        sizes = {len(block) for block in blocks}
        assert min(sizes) >= 1 and max(sizes) - min(sizes) <= 1 and len(blocks) == min(7, count)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"zerogym\[ray\]"):
        RayWorkers(GRPOConfig(ray=1), None)
