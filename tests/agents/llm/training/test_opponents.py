"""Opponents in training: who has which seat, what is trained on, and whom a resumed run meets."""

import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from helpers.llm.scripted_engine import Scripted
from helpers.llm.seat_episodes import CONFIG, KUHN
from helpers.llm.small_runs import equal, untimed_lines, weights_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.models.directories import model_directory  # noqa: E402
from zerogym.agents.llm.rollout.environments import Environments  # noqa: E402
from zerogym.agents.llm.rollout.runner import Player  # noqa: E402
from zerogym.agents.llm.training.batch import Batch, collect  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.llm.training.seats.earlier_players import (  # noqa: E402
    EarlierWeights,
    WithEarlier,
)
from zerogym.agents.self_play.opponents.earlier_selves import PastSelves  # noqa: E402
from zerogym.agents.self_play.opponents.mixture import Mixture  # noqa: E402
from zerogym.errors import UnknownName  # noqa: E402


class Bold(EarlierWeights):
    """Weights that say bet, or call, and whose engines count their calls."""

    def __init__(self, config: GRPOConfig) -> None:
        super().__init__(config, [])
        self.met: dict[int, Scripted] = {}

    def engine(self, updates: int) -> Scripted:
        if updates not in self.met:
            self.met[updates] = Scripted(lambda prompt: said("call" if "bets" in prompt else "bet"))
        return self.met[updates]


def said(move: str) -> str:
    return f"<answer>{move}</answer>"


def shy(prompt: str) -> str:
    """The learner: it checks and folds, so that it loses 1 to whoever bets."""
    return said("fold" if "bets" in prompt else "check")


def batch_of(config: GRPOConfig, updates: int, weights: EarlierWeights | None = None) -> Batch:
    learner = Player(Scripted(shy))
    players = WithEarlier(learner, weights) if weights else learner
    with Environments(config.env, config.env_kwargs) as envs:
        rng = np.random.default_rng(5)
        return collect(envs, config, rng, lambda _: players, updates=updates)


def test_only_the_learners_seat_is_trained_on() -> None:
    config = replace(CONFIG, opponent=PastSelves(every=10, newest=2), prompts_per_step=12)
    weights = Bold(config)
    batch = batch_of(config, 25, weights)
    assert set(weights.met) == {10, 20}
    seats = Counter(group[0].seat for group in batch.groups)
    assert len(batch.groups) == 12 and set(seats) == {"player_0", "player_1"}
    for group in batch.groups:
        assert len(group) == 4 and len({each.seat for each in group}) == 1
        assert {each.reward for each in group} == {-1.0}
        assert all("check" in turn.action or "fold" in turn.action for turn in group[0].turns)
    assert batch.rolled_out == batch.groups
    assert batch.metrics["rollout/reward_against_past"] == batch.metrics["rollout/reward"] == -1
    # All episodes that wait for the same weights are in one call.
    rows = [rows for engine in weights.met.values() for rows, _ in engine.calls]
    assert sum(rows) >= 48 and max(rows) >= 8


def test_each_member_of_a_mixture_is_met_and_self_play_trains_both_seats() -> None:
    members = {"learner": 1, "start": 1, "scripted": 1}
    config = replace(CONFIG, opponent=Mixture(members), prompts_per_step=30)
    batch = batch_of(config, 0, Bold(config))
    by_problem = Counter(group[0].group for group in batch.groups)
    kinds = Counter(
        "scripted" if isinstance(other, dict) else other
        for number in by_problem
        for other in [next(iter(batch.prompts[number].others.values()), "learner")]
    )
    assert set(kinds) == {"learner", "after 0", "scripted"} and min(kinds.values()) >= 4
    for number, groups in by_problem.items():
        assert groups == (1 if batch.prompts[number].others else 2)
    assert {name for name in batch.metrics if "against" in name} == {
        "rollout/reward_against_scripted",
        "rollout/reward_against_start",
    }


def test_a_run_without_opponents_draws_what_it_did() -> None:
    alone = batch_of(CONFIG, 0)
    assert [group[0].seat for group in alone.groups] == ["player_0", "player_1"]
    met = batch_of(replace(CONFIG, opponent="random"), 0)
    assert [p.seed for p in met.prompts] == [p.seed for p in alone.prompts]


def test_a_stage_may_have_an_opponent_that_the_run_has_not() -> None:
    stages = {"alone": {"steps": 5}, "past": {"opponent": {"part": "past_selves", "every": 5}}}
    config = replace(CONFIG, stages={"part": "sequence", "list": stages})
    met = [own.others for own in config.staged.values() if own.others]
    assert met == [PastSelves(every=5)] and config.others is None
    learner = Player(Scripted(shy))
    players = EarlierWeights(config, met).players(lambda seed: learner, 0)
    assert isinstance(players, WithEarlier) and players["player_0"] is learner
    assert EarlierWeights(config, []).players(lambda seed: learner, 0) is learner


def test_only_games_of_a_mixture_of_tasks_have_opponents() -> None:
    tasks = {"game": {"env": KUHN}, "sums": {"env": "zerogym/RandomCalculation-v0"}}
    config = replace(
        CONFIG, opponent="scripted", prompts_per_step=8, prompts={"part": "mixture", "tasks": tasks}
    )
    for prompt in batch_of(config, 0).prompts:
        assert bool(prompt.others) == (prompt.task.env == KUHN)


def test_a_resumed_run_meets_the_same_past_selves(tmp_path: Path) -> None:
    """Killed after step 2, it goes on from step 1, and what it kept later is written again."""
    config = replace(
        CONFIG, steps=3, advantage="rae", opponent=PastSelves(every=1, newest=3),
        prompts_per_step=3, group_size=2, out=str(tmp_path / "whole"), keep_checkpoints=2,
        eval_episodes=0,
    )  # fmt: skip
    whole = train(config)
    halves = replace(config, out=str(tmp_path / "halves"))
    train(replace(halves, steps=2))
    shutil.rmtree(tmp_path / "halves/checkpoint-000002")
    kept = tmp_path / "halves/past/after-000002"
    shutil.rmtree(kept)
    start = model_directory(CONFIG.model)
    shutil.copytree(start, kept)  # as if other weights had been left there
    again = train(halves, resume=True)
    assert equal(weights_of(again.model), weights_of(whole.model))
    assert untimed_lines(halves) == untimed_lines(config)
    written = weights_of(tmp_path / "whole/past/after-000002")
    assert equal(weights_of(kept), written) and not equal(written, weights_of(start))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"opponent": "past_selves", "staleness": 1, "correction": "token_mask"}, "staleness"),
        ({"opponent": "start", "ray": 2}, "ray"),
        ({"opponent": "random", "lora_per_seat": True, "lora_rank": 2}, "lora_per_seat"),
        ({"opponent": "past_self"}, "past_selves"),
        ({"opponent": {"part": "past_selves", "every": 0}}, "at least 1"),
    ],
)
def test_what_does_not_go_together_is_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        replace(CONFIG, **settings)  # type: ignore[arg-type]


def test_a_task_of_one_seat_has_no_opponent(tmp_path: Path) -> None:
    config = GRPOConfig(opponent="random", out=str(tmp_path / "run"), eval_episodes=0)
    with pytest.raises(ValueError, match="RandomCalculation-v0 is none"):
        train(config)


def test_an_opponent_that_a_game_has_not_is_refused_before_the_run(tmp_path: Path) -> None:
    members = {"past_selves": 1, "minimax": 1}
    config = replace(CONFIG, opponent=Mixture(members), out=str(tmp_path / "run"))
    with pytest.raises(UnknownName, match="no opponent for kuhn_poker 'minimax'"):
        train(config)
    assert not list(tmp_path.glob("run/checkpoint-*"))
