"""The benchmark of conversations compares like with like, and says so if it does not."""

from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.agents.trajectory import Trajectory, Turn
from zerogym.benchmarks.speed import conversation


def test_the_table_has_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    conversation.main(["--games", "2", "--rounds", "1", "--tasks", "1"])
    shown = capsys.readouterr().out
    for expected in ("tic_tac_toe-v0, T=2", "kept, CPU s", "anew", "times as fast"):
        assert expected in shown


def test_tokens_of_prompts_by_hand() -> None:
    turns = (
        Turn("", "", (1, 2, 3), (4,), (0.0,)),
        Turn("", "", (5, 6), (7, 8), (0.0, 0.0)),  # reads 1 to 6
        Turn("", "", (1, 2), (9,), (0.0,), fresh=True),  # the context was cut
        Turn("", "", (10,), (11,), (0.0,)),
    )
    assert conversation.prompt_tokens([Trajectory("made up", 0, 0, turns)]) == (3 + 6 + 2 + 4, 8)


def test_other_replies_are_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    play: Any = conversation.rollout
    seeds = iter(range(9))
    monkeypatch.setattr(
        conversation, "rollout", lambda envs, games, player: play(envs, [next(seeds)], player)
    )
    with pytest.raises(RuntimeError, match="differ where conversations are kept"):
        conversation.measured("zerogym/TicTacToe-v0", 2.0, 1, 1)
