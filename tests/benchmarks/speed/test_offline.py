"""The benchmark of offline agents times whole updates, and stands alone without its peer."""

import pytest

pytest.importorskip("torch")

from zerogym.benchmarks.speed import offline


def test_the_table_is_printed_without_the_peer(monkeypatch, capsys):
    updates: list[int] = []
    learn = offline.OfflineAgent.learn
    monkeypatch.setattr(
        offline.OfflineAgent,
        "learn",
        lambda self, data, count: updates.append(count) or learn(self, data, count),
    )
    monkeypatch.setattr(offline, "find_spec", lambda name: None)
    monkeypatch.setattr(offline, "ROWS", 400)
    offline.main(["--updates", "2", "--rounds", "1"])
    shown = capsys.readouterr().out
    assert updates == [2] * 2 * len(offline.CASES), "each once to warm up, and once"
    for expected in (
        "bc, discrete",
        "bc, vectors",
        "cql, discrete",
        "cql, vectors",
        "iql, vectors",
    ):
        assert expected in shown
