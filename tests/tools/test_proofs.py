"""A whole pass over the proofs can be made in parts, and every proof has its turn."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def proofs(load_tool: Callable[[str], ModuleType], monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The command, with three proofs: two pass, one fails until a file `repaired` exists."""
    module = load_tool("proofs")
    check = "import os, sys; sys.exit(not os.path.exists({!r}))"
    monkeypatch.setattr(
        module,
        "proofs_in_tests",
        lambda: [
            module.Proof(name, ("-c", check.format(path)), frozenset())
            for name, path in (("a", "/"), ("b", "repaired"), ("c", "/"))
        ],
    )
    monkeypatch.setattr(module, "audits", list)
    return module


def test_what_passed_is_not_run_again(
    proofs: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(proofs, "ROOT", tmp_path)
    monkeypatch.setattr(proofs, "TIMES", tmp_path / "seconds.json")
    (tmp_path / "seconds.json").write_text('{"a": 7, "old": 3}')
    passed = tmp_path / "passed.jsonl"
    words = ["proofs", "--passed", str(passed), "--workers", "1"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit, match="True"):
        proofs.main()
    assert sorted(proofs.read_passed(passed)) == ["a", "c"]
    assert "2 passed, 1 failed, 0 skipped, 0 passed before" in capsys.readouterr().out

    (tmp_path / "repaired").touch()
    monkeypatch.setattr(sys, "argv", [*words, "--record"])
    with pytest.raises(SystemExit, match="False"):
        proofs.main()
    assert "1 passed, 0 failed, 0 skipped, 2 passed before" in capsys.readouterr().out
    assert set(json.loads((tmp_path / "seconds.json").read_text())) == {"a", "b", "c", "old"}


def test_without_time_nothing_starts(
    proofs: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["proofs", "--minutes", "0"])
    with pytest.raises(SystemExit, match="False"):
        proofs.main()
    assert "no time for 3: a, b, c" in capsys.readouterr().out


def test_the_longest_come_first_and_those_not_timed_have_a_place(proofs: ModuleType) -> None:
    order = proofs.in_order(None, limited=False, known={"a": 1, "c": 500})
    assert [proof.name for proof in order] == ["c", "b", "a"]


def test_a_changed_module_touches_the_proofs_that_import_it(proofs: ModuleType, root: Path) -> None:
    module = proofs.Proof("x", (), frozenset({"zerogym.benchmarks.auditing"}))
    other = proofs.Proof("y", (), frozenset({"zerogym.envs.games.core"}))
    changed = {"benchmarks/auditing/checks.py", "tests/proof_seconds.json"}
    assert proofs.touched([module, other], changed) == [module]


def test_any_change_touches_the_site(proofs: ModuleType, root: Path) -> None:
    site, other = (proofs.Proof(name, (), frozenset()) for name in (proofs.SITE, "y"))
    assert "mark.proof" in (root / proofs.SITE).read_text("utf-8")
    assert proofs.touched([site, other], {"docs/index.md"}) == [site]
    assert not proofs.touched([site, other], set())


def test_times_are_of_proofs_that_exist(load_tool: Callable[[str], ModuleType]) -> None:
    module = load_tool("proofs")
    names = {proof.name for proof in [*module.proofs_in_tests(), *module.audits()]}
    assert set(json.loads(module.TIMES.read_text("utf-8"))) <= names
