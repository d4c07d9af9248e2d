"""The rollout record: flattening, messages, files that survive a kill."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from zerogym.agents.trajectory import (
    Trajectory,
    Turn,
    append_jsonl,
    read_jsonl,
    to_dataset,
    write_jsonl,
)

FIRST = Turn(
    "What?", "four\ud800", (1, 2, 3), (4, 5), (-0.25, -1e-300), reward=0.5,
    info={"void_turn": True}, role="asker",
)  # fmt: skip
SECOND = Turn("No.", "five", (6,), (7, 8), (-2.0, -0.1), reward=1.0, finish="length")
EPISODE = Trajectory(
    "zerogym/SQL-v0",
    7,
    3,
    (FIRST, SECOND),
    group=1,
    kwargs={"difficulty": [1.0, 2.0]},
    system="Be brief.",
    truncated=True,
    terminated=False,
    reward=1.5,
    info={"correct": False},
    parent=2,
    source="expert",
    key="SQL 7",
)


def test_flatten_masks_what_the_world_wrote() -> None:
    flat = EPISODE.flatten()
    assert flat.ids == (1, 2, 3, 4, 5, 6, 7, 8)
    assert flat.mask == (0, 0, 0, 1, 1, 0, 1, 1)
    assert flat.logprobs == (0, 0, 0, -0.25, -1e-300, 0, -2.0, -0.1)
    assert flat.turn == (0, 0, 0, 0, 0, 1, 1, 1)
    assert replace(EPISODE, turns=()).flatten().ids == ()


def test_messages_are_a_conversation() -> None:
    roles = [message["role"] for message in EPISODE.messages]
    assert roles == ["system", "user", "assistant", "user", "assistant"]
    assert EPISODE.messages[3]["content"] == "No."


def test_a_logprob_for_each_action_id() -> None:
    with pytest.raises(ValueError, match="2 action ids but 1"):
        Turn("a", "b", (1,), (2, 3), (-0.1,))


def test_files_give_back_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "rollouts.jsonl"
    write_jsonl(path, [EPISODE])
    append_jsonl(path, [replace(EPISODE, episode=4)])
    assert list(read_jsonl(path)) == [EPISODE, replace(EPISODE, episode=4)]
    line = json.loads(path.read_text().splitlines()[0])
    assert line["messages"] == EPISODE.messages
    assert [file.name for file in path.parent.iterdir()] == ["rollouts.jsonl"]


def test_files_from_before_turns_had_infos_are_read(tmp_path: Path) -> None:
    record = EPISODE.to_record()
    for name in ("parent", "source", "key"):
        del record[name]
    for turn in record["turns"]:
        del turn["info"], turn["role"]
    path = tmp_path / "old.jsonl"
    path.write_text(json.dumps(record | {"role": "judge"}) + "\n")
    [old] = read_jsonl(path)
    assert [(turn.info, turn.role) for turn in old.turns] == [({}, "judge")] * 2
    assert (old.parent, old.source) == (None, "policy")
    assert old.key == '["zerogym/SQL-v0", {"difficulty": [1.0, 2.0]}, 7]'


def test_what_is_not_known_is_null_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    write_jsonl(path, [replace(EPISODE, turns=(replace(FIRST, logprobs=(math.nan, -0.5)),))])
    line = json.loads(path.read_text(), parse_constant=pytest.fail)  # called with NaN, Infinity
    assert line["turns"][0]["logprobs"] == [None, -0.5]
    (back,) = read_jsonl(path)
    assert math.isnan(back.turns[0].logprobs[0]) and back.turns[0].logprobs[1] == -0.5


def test_a_killed_writer_costs_one_line(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    write_jsonl(path, [EPISODE, EPISODE])
    path.write_bytes(path.read_bytes()[:-40])
    assert list(read_jsonl(path)) == [EPISODE]
    append_jsonl(path, [replace(EPISODE, seed=8)])
    assert [item.seed for item in read_jsonl(path)] == [7, 8]
    path.write_bytes(b"x" * 200_000)  # nothing but half a line
    append_jsonl(path, [EPISODE])
    assert list(read_jsonl(path)) == [EPISODE]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    write_jsonl(path, [EPISODE])
    with pytest.raises(TypeError):
        write_jsonl(path, [EPISODE, replace(EPISODE, info={"bad": object()})])
    assert list(read_jsonl(path)) == [EPISODE]
    assert len(list(tmp_path.iterdir())) == 1


def test_a_wrong_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rollouts.jsonl"
    append_jsonl(path, [EPISODE])
    with path.open("a") as file:
        file.write('{"env": "x"}\n')
    with pytest.raises(ValueError, match="line 2 is not a trajectory"):
        list(read_jsonl(path))


def test_export_to_a_dataset() -> None:
    pytest.importorskip("datasets")
    row = to_dataset([EPISODE])[0]
    assert row["ids"] == list(EPISODE.flatten().ids)
    assert row["mask"] == list(EPISODE.flatten().mask)
    assert row["messages"][2] == {"role": "assistant", "content": "four?"}
    assert row["turn_rewards"] == [0.5, 1.0] and row["reward"] == 1.5
    assert row["turn_roles"] == ["asker", "player"] and row["key"] == "SQL 7"
    assert [json.loads(info) for info in row["turn_infos"]] == [{"void_turn": True}, {}]
    assert json.loads(row["kwargs"]) == {"difficulty": [1.0, 2.0]}
