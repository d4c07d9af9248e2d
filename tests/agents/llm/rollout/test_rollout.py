"""The episode runner: groups, several turns, several seats, and what happens at the edges."""

import json
from dataclasses import replace

import gymnasium as gym
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.scripted_engine import CountDown, Scripted, repeat
from zerogym.agents.llm.generation.protocol import Sampling
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.rollout_env import GymEnv
from zerogym.agents.llm.rollout.runner import Player, rollout, rollout_groups
from zerogym.agents.trajectory import Trajectory
from zerogym.envs.core import TextEnv


@pytest.fixture
def countdown():
    gym.register("tests/CountDown-v0", CountDown)
    with Environments("tests/CountDown-v0") as envs:
        yield envs
    del gym.registry["tests/CountDown-v0"]


def test_several_turns_keep_every_id(countdown):
    engine = Scripted(repeat)
    records = rollout(countdown, [0, 1, 2, 3], Player(engine))
    lengths = [len(record.turns) for record in records]
    assert len(set(lengths)) > 1 and [r.seed for r in records] == [0, 1, 2, 3]
    for record in records:
        count = len(record.turns)
        assert record.reward == count == sum(turn.reward for turn in record.turns)
        assert record.terminated and not record.truncated
        assert record.info == {"correct": True}  # what is no JSON value is left out
        assert [turn.info for turn in record.turns] == [{"correct": True}] * count
        assert [turn.weight_version for turn in record.turns] == [3] * count
        said = "".join(f"say {n}\n{n}~\n" for n in range(count, 0, -1)).removesuffix("\n")
        flat = record.flatten()
        assert "".join(map(chr, flat.ids)) == said
        own = "".join(chr(i) for i, m in zip(flat.ids, flat.mask, strict=True) if m)
        assert own == "".join(f"{n}~" for n in range(count, 0, -1))
    # all waiting episodes share a call, and each call has a seed of its own
    assert [rows for rows, _ in engine.calls] == [
        sum(length > turn for length in lengths) for turn in range(max(lengths))
    ]
    assert len({seed for _, seed in engine.calls}) == len(engine.calls)


def test_few_worlds_play_many_episodes(countdown):
    engine = Scripted(repeat)
    everything = rollout(countdown, range(10), Player(engine))
    with Environments("tests/CountDown-v0") as few:
        in_turn = rollout(few, range(10), Player(Scripted(repeat)), concurrent=3)
        assert len(few._all) == 3
    assert in_turn == everything


def test_a_group_has_one_problem():
    with Environments("zerogym/RandomCalculation-v0", {"difficulty": 1}) as envs:
        player = Player(Scripted(lambda prompt: "7"))
        groups = rollout_groups(envs, [5, 6, 7], 4, player)
    posed = [{record.turns[0].observation for record in group} for group in groups]
    assert [len(group) for group in groups] == [4, 4, 4]
    assert all(len(texts) == 1 for texts in posed) and len(set.union(*posed)) == 3
    assert [[record.group for record in group] for group in groups] == [[0] * 4, [1] * 4, [2] * 4]
    assert all(record.info["split"] == "train" for group in groups for record in group)


def test_a_full_context_cuts_the_episode(countdown):
    room = len("say 3\n3~\nsay 2\n")
    records = rollout(countdown, range(4), Player(Scripted(repeat, context_length=room)))
    for record in records:
        assert len(record.turns) == 1
        assert record.truncated and not record.terminated and record.reward == 1
    nothing = rollout(countdown, [0], Player(Scripted(repeat, context_length=1)))[0]
    assert nothing.turns == () and nothing.truncated and nothing.flatten().ids == ()


def test_two_seats_play_each_other_and_share_nothing_private():
    cells = iter(["1", "4", "2", "5", "3"])

    def cell(prompt: str) -> str:
        return f"secret{len(prompt)} <answer>{next(cells)}</answer>"

    engines = {"player_0": Scripted(cell), "player_1": Scripted(cell)}
    players = {seat: Player(engine, role=seat[-1]) for seat, engine in engines.items()}
    with Environments("zerogym/tic_tac_toe-v0") as envs:
        winner, loser = rollout(envs, [0], players)
    assert (winner.seat, winner.role, winner.reward) == ("player_0", "0", 1.0)
    assert (loser.seat, loser.role, loser.reward) == ("player_1", "1", -1.0)
    assert (len(winner.turns), len(loser.turns)) == (3, 2)
    assert loser.turns[-1].reward == -1.0  # after the other's move, for its own last turn
    assert winner.terminated and loser.terminated
    for record in (winner, loser):
        assert not any("secret" in turn.observation for turn in record.turns)


class Errands(TextEnv):
    """Four turns; every other one is void, and the role changes after the second."""

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._episode = 0
        return "go", {"role": "asker"}

    def step(self, action):
        self._episode += 1
        info = {"void_turn": self._episode % 2 == 0, "turn": self._episode}
        if self._episode == 2:
            info["role"] = "solver"
        return "on", 0.0, self._episode == 4, False, info


def test_every_turn_has_the_info_of_its_step_and_its_role():
    gym.register("tests/Errands-v0", Errands)
    try:
        with Environments("tests/Errands-v0") as envs:
            [record] = rollout(envs, [0], Player(Scripted(lambda prompt: "x"), role="mine"))
    finally:
        del gym.registry["tests/Errands-v0"]
    assert [turn.info["turn"] for turn in record.turns] == [1, 2, 3, 4]
    assert [turn.info["void_turn"] for turn in record.turns] == [False, True, False, True]
    # a role that no info names is the player's
    assert [turn.role for turn in record.turns] == ["asker", "mine", "solver", "mine"]
    assert Trajectory.from_record(json.loads(json.dumps(record.to_record()))) == record


def test_a_seats_turn_has_its_own_info_though_the_other_moved_since():
    with Environments("zerogym/tic_tac_toe-v0") as envs:
        cells = iter(["nonsense", "1", "4", "2", "5", "3"])
        records = rollout(envs, [0], Player(Scripted(lambda p: f"<answer>{next(cells)}</answer>")))
    void = [[turn.info["void_turn"] for turn in record.turns] for record in records]
    assert void == [[True, False, False, False], [False, False]]


def test_one_player_in_both_seats_shares_engine_calls():
    engine = Scripted(lambda prompt: "nonsense")
    with Environments("zerogym/kuhn_poker-v0") as envs:
        records = rollout(envs, [0, 1, 2], Player(engine))
    assert [record.seat for record in records] == ["player_0", "player_1"] * 3
    assert engine.calls[0][0] == 3
    assert all(sum(r.reward for r in records[i : i + 2]) == 0 for i in (0, 2, 4))
    with Environments("zerogym/kuhn_poker-v0") as envs, pytest.raises(KeyError, match="player_1"):
        rollout(envs, [0], {"player_0": Player(engine)})


def test_arrays_are_refused_with_the_way_out():
    player = Player(Scripted(lambda prompt: ""))
    with (
        Environments("zerogym/FourRooms-v0", {"view": "numeric"}) as envs,
        pytest.raises(TypeError, match="view='text'"),
    ):
        rollout(envs, [0], player)


def test_worlds_are_closed():
    closed = []

    class Closing(CountDown):
        def close(self) -> None:
            closed.append(self)

    world = GymEnv(Closing())
    envs = Environments("unused")
    envs._all.append(world)
    envs.give_back(world)
    assert envs.take() is world
    envs.close()
    assert len(closed) == 1


def test_the_players_seed_decides_the_seeds_of_its_calls(countdown):
    def seeds(player: Player) -> list[int]:
        player.generator.calls.clear()
        rollout(countdown, [0], player)
        return [seed for _, seed in player.generator.calls]

    player = Player(Scripted(repeat), Sampling(seed=1))
    assert seeds(player) == seeds(player)
    assert seeds(player) != seeds(replace(player, sampling=Sampling(seed=2)))
