"""Branches of recorded episodes, and trajectories that are written as episodes end."""

import json
import re
from collections import Counter
from dataclasses import replace
from functools import partial

import gymnasium as gym
import numpy as np
import pytest

import zerogym  # noqa: F401  (registers the ids)
from helpers.llm.scripted_engine import CountDown, Echo, Scripted, Typist, repeat
from zerogym.agents.llm.algorithms.batch import Sample
from zerogym.agents.llm.generation.protocol import Completion, Sampling
from zerogym.agents.llm.rollout.branching import branch
from zerogym.agents.llm.rollout.context_window import Markovian, Truncate
from zerogym.agents.llm.rollout.environments import Environments
from zerogym.agents.llm.rollout.runner import Player, rollout
from zerogym.agents.trajectory import Trajectory, append_jsonl, read_jsonl


class Drawing(Scripted):
    """Says one of several texts by the seed of its call and the place of its row."""

    def __init__(self, *texts: str) -> None:
        super().__init__(None)
        self.texts = texts

    def generate(self, prompts, sampling):
        seeds = sampling.seeds or [sampling.seed + place for place in range(len(prompts))]
        texts = [self.texts[seed % len(self.texts)] for seed in seeds]
        return [
            Completion(text, tuple(map(ord, text + "~")), (-0.5,) * (len(text) + 1), "stop")
            for text in texts
        ]


def kept(record: Trajectory) -> list[tuple]:
    """The shared turns."""
    return [
        (turn.observation, turn.action, turn.prompt_ids, turn.action_ids, turn.weight_version)
        for turn in record.turns[: record.shared]
    ]


def cell(prompt: str) -> str:
    """The last free cell of the board at the end."""
    return f"<answer>{re.findall('[1-9]', ''.join(prompt.splitlines()[-4:-1]))[-1]}</answer>"


def queries(*texts: str) -> Player:
    return Player(Drawing(*texts), Sampling(seed=3))


TALK = (
    "<sql>SELECT name FROM sqlite_master</sql>", "<sql>SELECT 1</sql>", "<sql>SELECT 2 + 2</sql>",
    "<sql>nonsense</sql>", "<answer>7</answer>",
)  # fmt: skip


@pytest.mark.parametrize("asynchronous", [False, True])
def test_branches_of_a_tool_world_go_on_from_the_same_turn(asynchronous):
    with Environments("zerogym/SQL-v0") as envs:
        trunk = rollout(envs, [4], queries(*TALK[:4]))
        assert len(trunk[0].turns) >= 3
        player = queries(*TALK)
        branches = branch(envs, trunk, 2, player, 12, asynchronous=asynchronous)
        again = branch(envs, trunk, 2, player, 12, concurrent=5, asynchronous=asynchronous)
    assert [item.episode for item in branches] == list(range(12))
    if asynchronous:
        assert again == branches
    for item in branches:
        assert item.shared == 2 and item.seed == 4 and len(item.turns) > 2
        assert kept(item) == [
            (turn.observation, turn.action, turn.prompt_ids, turn.action_ids, turn.weight_version)
            for turn in trunk[0].turns[:2]
        ]
        assert item.turns[2].prompt_ids == trunk[0].turns[2].prompt_ids
    assert len({tuple(turn.action for turn in item.turns) for item in branches}) > 4
    flat = branches[0].flatten()
    first = flat.turn.index(2)
    assert not any(flat.mask[:first]) and any(flat.mask[first:])
    viewed = Sample(branches[0], np.zeros(sum(flat.mask)))
    assert len(viewed.token_rewards) == len(viewed.ids) == sum(flat.mask)


def test_a_branch_that_says_the_same_is_the_same_episode():
    """The copy of the environment is exact: chance, tools and rewards are the same."""
    for env, kwargs, texts in (
        ("zerogym/SQL-v0", {}, TALK[:1]),
        ("zerogym/tic_tac_toe-v0", {}, ()),
        ("zerogym/leduc_poker-v0", {}, ("<answer>call</answer>",)),
    ):
        engine = Drawing(*texts) if texts else Scripted(cell)
        with Environments(env, kwargs) as envs:
            for seed in range(3):
                trunk = rollout(envs, [seed], Player(engine))
                total = sum(len(item.turns) for item in trunk)
                for replies in range(total):
                    branches = branch(envs, trunk, replies, Player(engine), 2)
                    for number in range(2):
                        own = [item for item in branches if item.episode == number]
                        assert sum(item.shared for item in own) == replies
                        assert [replace(x, episode=0, shared=0, parent=None) for x in own] == trunk


def test_branches_of_a_game_keep_who_is_to_move():
    players = {
        f"player_{i}": queries(*(f"<answer>{n}</answer>" for n in "123456789")) for i in "01"
    }
    with Environments("zerogym/tic_tac_toe-v0") as envs:
        trunk = rollout(envs, [1], Player(Scripted(cell)))
        branches = branch(envs, trunk, 3, players, 8)
    shares = Counter((item.seat, item.shared) for item in branches)
    assert shares == {("player_0", 2): 8, ("player_1", 1): 8}
    assert all(sum(x.reward for x in branches[i : i + 2]) == 0 for i in range(0, 16, 2))
    assert len({tuple(turn.action for turn in item.turns) for item in branches[::2]}) > 2


@pytest.fixture
def envs():
    gym.register("tests/Branched-v0", Echo)
    gym.register("tests/CountDown-v0", CountDown)
    with Environments("tests/Branched-v0") as envs:
        yield envs
    del gym.registry["tests/Branched-v0"], gym.registry["tests/CountDown-v0"]


@pytest.mark.parametrize("context", [Truncate(), Markovian(carry=3, chunks=3)])
def test_contexts_branch_too(envs, context):
    text = "abcd~" if isinstance(context, Truncate) else "abcdefg~"
    trunk = rollout(envs, [2], Player(Typist(text * 99, 26), Sampling(5), context=context))
    player = Player(Typist(text * 99, 26), Sampling(5), context=context)
    (whole,) = branch(envs, trunk, 4, player, 1)
    assert whole.shared == sum(turn.kind != "x" for turn in trunk[0].turns[: whole.shared]) >= 4
    assert (whole.parent, replace(whole, shared=0, parent=None)) == (0, trunk[0])
    parts = whole.flatten().contexts()
    assert sum(sum(part.mask) for part in parts) == sum(
        len(turn.action_ids) for turn in whole.turns[whole.shared :]
    )


def test_what_cannot_branch_says_why(envs):
    player = Player(Scripted(repeat))
    with Environments("tests/CountDown-v0") as countdown:
        trunk = rollout(countdown, [0], player)
        count = len(trunk[0].turns)
        for replies, words in ((count, "is over after"), (count + 1, f"has {count} replies")):
            with pytest.raises(ValueError, match=words):
                branch(countdown, trunk, replies, player, 2)
        other = [replace(trunk[0], seed=1)]
        with pytest.raises(ValueError, match="reply 0 was made to other words"):
            branch(countdown, other, 1, player, 2)
    with pytest.raises(ValueError, match="the episode is one of tests/CountDown-v0"):
        branch(envs, trunk, 1, player, 2)


def test_trajectories_are_written_as_episodes_end(envs, tmp_path):
    path, at_end = tmp_path / "played.jsonl", []

    class Breaking(Scripted):
        def generate(self, prompts, sampling):
            if len(self.calls) == 9:
                at_end.append([item.episode for item in read_jsonl(path)])
                raise ConnectionError("the engine is gone")
            return super().generate(prompts, sampling)

    with Environments("tests/CountDown-v0") as countdown:
        expected_value = rollout(countdown, range(8), Player(Scripted(repeat)), concurrent=2)
        with pytest.raises(ConnectionError):
            rollout(
                countdown, range(8), Player(Breaking(repeat)), concurrent=2,
                on_end=partial(append_jsonl, path),
            )  # fmt: skip
    written = list(read_jsonl(path))
    assert written and [item.episode for item in written] == at_end[0]
    assert all(item == expected_value[item.episode] for item in written) and len(written) < len(
        expected_value
    )
    assert all(json.loads(line) for line in path.read_text().splitlines())
