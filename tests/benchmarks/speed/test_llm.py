"""The benchmark of language models measures what it says: whole steps, whole replies."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.benchmarks.speed.llm import grpo, proposals


def test_the_tables_are_printed_without_the_peer(monkeypatch, capsys):
    monkeypatch.setattr(grpo, "find_spec", lambda name: None)
    monkeypatch.setattr(grpo, "SIZES", {"tiny": (1, 2)})
    grpo.main(["--steps", "1", "--rows", "8", "--rounds", "1"])
    shown = capsys.readouterr().out
    for expected in ("Steps of 1 x 2", "not installed", "train", "8 replies", "packed", "padded"):
        assert expected in shown


def test_proposals_of_a_step_are_counted_and_validated(monkeypatch, capsys):
    monkeypatch.setattr(proposals, "VALIDATED", 1)
    assert proposals.validation() > 0, "no right proposal is rejected"
    seconds, count = proposals.steps(proposals.settings(2, 2), 1)
    assert count == 2 and all(own > 0 for own in seconds.values())
    monkeypatch.setattr(proposals, "steps", lambda config, number: (seconds, 3))
    monkeypatch.setattr(proposals, "validation", lambda: seconds["generate"] / 30)
    seconds["train"] = 0.0
    proposals.main(["--prompts", "2", "--group", "2"])
    assert "10.0%" in capsys.readouterr().out
