"""The benchmark of language models measures what it says: whole steps, whole replies."""

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from zerogym.benchmarks.speed.llm import grpo


def test_the_tables_are_printed_without_the_peer(monkeypatch, capsys):
    monkeypatch.setattr(grpo, "find_spec", lambda name: None)
    monkeypatch.setattr(grpo, "SIZES", {"tiny": (1, 2)})
    grpo.main(["--steps", "1", "--rows", "8", "--rounds", "1"])
    shown = capsys.readouterr().out
    for expected in ("Steps of 1 x 2", "not installed", "train", "8 replies", "packed", "padded"):
        assert expected in shown
