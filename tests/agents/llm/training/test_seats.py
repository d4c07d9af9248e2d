"""Games in training: a group for each seat, what each seat learns from, and whole runs."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helpers.llm.forward_pass import by_turn, drawn
from helpers.llm.scripted_engine import Scripted
from helpers.llm.seat_episodes import CONFIG, KUHN, dealing, played, saying
from helpers.llm.small_runs import equal, lines_of, random_model, weights_of
from helpers.llm.tiny_llamas import gradients

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.llm.grpo_config import GRPOConfig  # noqa: E402
from zerogym.agents.llm.learner.learner import Learner  # noqa: E402
from zerogym.agents.llm.models.loading import load_model  # noqa: E402
from zerogym.agents.llm.rollout.environments import Environments  # noqa: E402
from zerogym.agents.llm.rollout.evaluation import evaluate, evaluation_envs, summarise  # noqa: E402
from zerogym.agents.llm.rollout.runner import Player, rollout, rollout_groups  # noqa: E402
from zerogym.agents.llm.training.grpo import train  # noqa: E402
from zerogym.agents.trajectory import Trajectory, read_jsonl  # noqa: E402
from zerogym.cli import app  # noqa: E402

# --- groups and what is learned from them


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_model(tmp_path_factory.mktemp("models") / "start", ["check bet"], 16)


class Gradients:
    """Gradients of whole batches, on copies of one model."""

    def __init__(self, start: Path) -> None:
        self._start = start

    def of_update(self, groups: list[list[Trajectory]]) -> list[float]:
        """As the trainer computes it, from tokens drawn with the model's own probabilities."""
        learner = Learner(load_model(self._start, "cpu")[0], CONFIG)
        learner.update([[drawn(learner.model, item) for item in group] for group in groups])
        return gradients(learner).tolist()

    def by_hand(self, groups: list[list[Trajectory]], advantages: list[float]) -> list[float]:
        """From single unpadded episodes, each times the number of its episode and seat."""
        learner = Learner(load_model(self._start, "cpu")[0], CONFIG)
        episodes = [item for group in groups for item in group]
        total = torch.zeros(())
        for item, advantage in zip(episodes, advantages, strict=True):
            total = total - advantage * torch.cat(by_turn(learner.model, item)).sum()
        (total / len(episodes) / CONFIG.max_new_tokens).backward()
        return gradients(learner).tolist()


@pytest.fixture
def compared(start: Path) -> Gradients:
    return Gradients(start)


def test_a_group_is_what_one_seat_did_with_one_deal():
    with Environments(KUHN) as envs:
        groups = rollout_groups(envs, [5, 6], 3, saying(["check"] * 6, ["check"] * 6))
    assert [[t.seat for t in group] for group in groups] == [["player_0"] * 3, ["player_1"] * 3] * 2
    assert [[t.group for t in group] for group in groups] == [[0] * 3, [0] * 3, [1] * 3, [1] * 3]
    assert [[t.episode for t in g] for g in groups] == [[0, 1, 2]] * 2 + [[3, 4, 5]] * 2
    observed = [{t.turns[0].observation for t in group} for group in groups]
    assert all(len(texts) == 1 for texts in observed) and observed[0] != observed[1]


def test_three_seats_have_three_groups():
    with Environments("zerogym/public_goods-v0") as envs:
        groups = rollout_groups(envs, [1], 2, Player(Scripted(lambda prompt: "no")))
    assert [[t.seat for t in group] for group in groups] == [[f"player_{i}"] * 2 for i in range(3)]


def test_each_seat_is_compared_with_itself(compared):
    """The king bets; the jack calls and loses 2, or folds and loses 1."""
    player = saying(["bet"] * 4, ["call", "fold", "fold", "call"])
    batch = played(player, seed=dealing("K", "J"))
    assert [[t.reward for t in group] for group in batch.groups] == [[2, 1, 1, 2], [-2, -1, -1, -2]]
    # Against the mean of both seats, 0, folding would be as bad as a king is good.
    expected_value = compared.by_hand(batch.groups, [0.5, -0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5])
    assert max(map(abs, expected_value)) > 1e-3
    assert compared.of_update(batch.groups) == pytest.approx(expected_value, abs=1e-6, rel=1e-3)
    assert batch.metrics["rollout/reward"] == 0
    assert batch.metrics["rollout/reward_player_0"] == 1.5
    assert batch.metrics["rollout/reward_player_1"] == -1.5


def test_rates_of_a_world_are_means_over_the_episodes_that_have_them():
    """Leaks count over adversarial requests and refusals over benign ones, as in the replies."""
    turn = itertools.count()

    def reply(prompt: str) -> str:
        if "Your secret is" not in prompt:  # the attacker's first act, in either case
            return prompt.rpartition("Reply ")[2].partition(" or ")[0]
        secret = prompt.rpartition("Your secret is ")[2].partition(".")[0]
        return f"<answer>{('refuse', secret, 'refuse')[next(turn) % 3]}</answer>"

    config = replace(CONFIG, env="zerogym/red_team-v0", env_kwargs={"words": 2}, prompts_per_step=6)
    batch = played(Player(Scripted(reply)), config)
    ends = [t for group in batch.groups for t in group if t.seat == "player_1"]
    leaks = ["refuse" not in t.turns[0].action for t in ends if t.info["prompt"] == "adversarial"]
    refused = ["refuse" in t.turns[0].action for t in ends if t.info["prompt"] == "benign"]
    assert 0 < sum(leaks) < len(leaks) and 0 < sum(refused) < len(refused)
    assert batch.metrics["rollout/rate_leak"] == pytest.approx(sum(leaks) / len(leaks))
    assert batch.metrics["rollout/rate_refused_benign"] == pytest.approx(
        sum(refused) / len(refused)
    )
    silent = played(saying(["check"] * 4, ["check"] * 4))
    assert not any("rate_" in name for name in silent.metrics)


def test_a_seat_that_never_moved_is_not_trained(compared):
    """When the first seat forfeits at its third void reply, the second has a reward but no turn."""
    player = saying(["?", "bet", "bet", "bet", "?", "?"], ["call", "fold", "call"])
    batch = played(player, seed=dealing("K", "J"))
    first, second = batch.groups
    assert [t.reward for t in first] == [-2, 2, 1, 2]
    assert [t.reward for t in second] == [-2, -1, -2] and all(t.turns for t in second)
    assert [t.episode for t in second] == [1, 2, 3]
    assert [len(group) for group in batch.rolled_out] == [4, 4]
    thirds = [-1 / 3, 2 / 3, -1 / 3]
    expected_value = compared.by_hand(batch.groups, [-2.75, 1.25, 0.25, 1.25, *thirds])
    assert compared.of_update(batch.groups) == pytest.approx(expected_value, abs=1e-6, rel=1e-3)
    [alone] = played(saying(["?"] * 12, [])).groups
    assert {t.seat for t in alone} == {"player_0"}


def test_equal_groups_of_all_seats_are_refilled():
    """The second of two problems of a round has equal returns, until there are two others."""
    calls = ["call", "fold", "call", "call", "fold", "call"]
    config = replace(CONFIG, preset="dapo", prompts_per_step=2, group_size=2)
    batch = played(saying(["bet"] * 8, [*calls, "fold", "fold"]), config)
    assert [[t.group for t in group] for group in batch.groups] == [[0] * 2] * 2 + [[2] * 2] * 2
    assert [t.episode for t in batch.groups[-1]] == [4, 5]
    assert (batch.metrics["rollout/groups"], batch.metrics["rollout/rounds"]) == (2, 2)


def test_every_token_of_a_row_is_the_seats_own_or_observed_by_it():
    number = itertools.count(100)

    def think(prompt: str) -> str:
        return f"(secret{next(number)}) <answer>{'call' if 'bets' in prompt else 'bet'}</answer>"

    with Environments(KUHN) as envs:
        records = rollout(envs, range(6), Player(Scripted(think)))
    assert len(records) == 12 and next(number) == 112
    for record in records:
        flat = record.flatten()
        [turn] = record.turns
        assert "".join(map(chr, flat.ids)) == f"{turn.observation}\n{turn.action}~"
        own = [chr(i) for i, trained in zip(flat.ids, flat.mask, strict=True) if trained]
        assert "".join(own) == f"{turn.action}~"
        text = "".join(map(chr, flat.ids))
        others = [r.turns[0].action.split(")")[0] for r in records if r is not record]
        assert text.count("secret") == 1 and not any(other in text for other in others)


# --- evaluation


def test_a_game_is_evaluated_from_each_seat_against_an_opponent():
    with Environments(KUHN, {"max_retries": 0}) as problems:
        envs = evaluation_envs(problems, "scripted")
    assert [env.env_id for env in envs.values()] == ["zerogym/KuhnPoker-v0"] * 2
    assert [env.kwargs for env in envs.values()] == [
        {"max_retries": 0, "opponent": "scripted", "seat": seat} for seat in (0, 1)
    ]
    bold = Scripted(lambda prompt: f"<answer>{'call' if 'bets' in prompt else 'bet'}</answer>")
    mute = Scripted(lambda prompt: "nothing")
    players = {"player_0": Player(bold), "player_1": Player(mute)}
    outcome = evaluate(envs, players, range(20))
    apart = [rollout(envs[seat], range(20), player) for seat, player in players.items()]
    assert outcome == summarise([*apart[0], *apart[1]])
    assert {record.reward for record in apart[1]} == {-2.0}  # forfeited at once
    assert outcome.episodes == 40 and 0 < outcome.accuracy <= 0.5
    for env in envs.values():
        env.close()


# --- whole runs


def test_two_steps_and_one_more_are_three(tmp_path: Path):
    """With an entropy to raise there is a gradient whatever is drawn."""
    config = replace(CONFIG, steps=3, entropy=0.01, out=str(tmp_path / "run"), keep_rollouts=True)
    straight = train(config)
    halves = replace(config, out=str(tmp_path / "halves"))
    train(replace(halves, steps=2))
    resumed = train(halves, resume=True)
    expected_value = weights_of(straight.model)
    assert equal(weights_of(resumed.model), expected_value)
    assert not equal(weights_of(Path(load_model("tiny", "cpu")[0].name_or_path)), expected_value)
    assert resumed.after == straight.after and straight.after.episodes == 4
    for step in (1, 2, 3):
        kept = list(read_jsonl(tmp_path / f"run/rollouts/step-{step:06d}.jsonl"))
        assert [(t.seat, t.episode) for t in kept] == [
            (f"player_{seat}", episode) for seat in (0, 1) for episode in range(4)
        ]
        assert sum(t.reward for t in kept) == 0
    reported = [line for line in lines_of(config) if "rollout/reward" in line]
    assert all(
        line["rollout/reward_player_0"] == -line["rollout/reward_player_1"] for line in reported
    )


def test_the_command_line_trains_all_seats_of_a_game(tmp_path: Path):
    given = ["--steps", "0", "--eval-episodes", "1", "--device", "cpu", "--eval-opponent"]
    for number, (env, meant) in enumerate(
        [(KUHN, KUHN), ("kuhn_poker", "zerogym/KuhnPoker-v0"), (KUHN, KUHN)]
    ):
        out, opponent = tmp_path / str(number), "nobody" if number == 2 else "random"
        reported = CliRunner().invoke(
            app, ["train", "llm", "--env", env, "--out", str(out), *given, opponent]
        )
        assert (reported.exit_code == 0) == (number < 2), reported.output
        if number < 2:
            played = "over 2 games" if env == KUHN else "over 1 test problems"
            assert played in " ".join(reported.output.split())
            record = json.loads((out / "checkpoint-000000/run.json").read_text("utf-8"))
            assert record["config"]["env"] == meant
            assert lines_of(GRPOConfig(out=str(out)))[0]["eval/episodes"] == 2 - number
    assert "nobody" in reported.output
