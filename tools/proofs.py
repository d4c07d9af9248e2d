"""Run the proofs (learning curves, sweeps) that a change touches, then others while time lasts.

    python tools/proofs.py                              all of them: make proofs
    python tools/proofs.py --since REV --minutes 25     what .ci/run calls
    python tools/proofs.py --minutes 30 --passed FILE   the next part of all, until none is left

A proof is touched if its file, or a module that the file imports directly or through others, has
changed since REV. The registry names environments by strings; a test that holds an id depends on
the module behind it. The rest is taken in an order that moves on every day, so that a few days of
small changes run everything. Each file of tests, and each family of the audit, is a process of its
own, two at a time. With a limit, nothing starts that its recorded time does not let finish.
"""

import argparse
import ast
import datetime
import json
import math
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import grimp

from zerogym.envs.registry import FAMILIES, GAMES, TASKS

ROOT = Path(__file__).resolve().parent.parent
TIMES = ROOT / "tests/proof_seconds.json"  # of each proof on two cores; --record writes it
KNOWN = "docs/audits/known.json"  # findings that are open
FOLDERS = ("envs", "wrappers", "agents", "benchmarks")
UNKNOWN_SECONDS = 120.0  # of a proof that was not timed yet
SITE = "tests/tools/test_site.py"  # has every docstring on a page: any change may break it


@dataclass(frozen=True)
class Proof:
    """A process to run: the proofs of one file of tests, or the audit of one family."""

    name: str
    command: tuple[str, ...]
    modules: frozenset[str]  # what it imports directly


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--since", help="a revision: what changed since then comes first")
    parser.add_argument("--minutes", type=float, help="start nothing that would end later")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument("--passed", type=Path, help="skip what this file lists, add what passes")
    parser.add_argument("--record", action="store_true", help=f"write {TIMES.relative_to(ROOT)}")
    options = parser.parse_args()
    known = json.loads(TIMES.read_text("utf-8"))
    earlier = read_passed(options.passed) if options.passed else {}
    order = in_order(options.since, options.minutes is not None, known)
    order = [proof for proof in order if proof.name not in earlier]
    end = time.monotonic() + 60 * options.minutes if options.minutes is not None else math.inf

    def run_in_time(proof: Proof) -> float | None:
        if time.monotonic() + known.get(proof.name, UNKNOWN_SECONDS) > end:
            return None
        seconds = run(proof, None if end == math.inf else end - time.monotonic() + 120)
        if options.passed and seconds is not None and seconds > 0:
            with options.passed.open("a", encoding="utf-8") as file:
                file.write(json.dumps([proof.name, round(seconds)]) + "\n")
        return seconds

    with ThreadPoolExecutor(options.workers) as pool:
        names = [proof.name for proof in order]
        seconds = dict(zip(names, pool.map(run_in_time, order), strict=True))
    if options.record:
        timed = {name: round(took) for name, took in seconds.items() if took and took > 0}
        text = json.dumps(known | earlier | timed, indent=0, sort_keys=True)
        TIMES.write_text(text + "\n", "utf-8")
    failed = [name for name, took in seconds.items() if took is not None and took < 0]
    left = [name for name, took in seconds.items() if took is None]
    if left:
        print(f"no time for {len(left)}: {', '.join(left)}")
    passed = len(order) - len(failed) - len(left)
    print(
        f"{passed} passed, {len(failed)} failed, {len(left)} skipped, {len(earlier)} passed before"
    )
    sys.exit(bool(failed))


def read_passed(path: Path) -> dict[str, int]:
    """Return the names and seconds of the proofs that a file of `--passed` lists."""
    return dict(map(json.loads, path.read_text("utf-8").splitlines())) if path.is_file() else {}


def in_order(since: str | None, limited: bool, known: dict[str, int]) -> list[Proof]:
    """Return all proofs: those that the change touches first, else the longest first.

    Long ones first end sooner, but with a limit the touched ones have to come first; the start of
    the others moves on every day.
    """
    proofs = [*proofs_in_tests(), *audits()]
    first = touched(proofs, changed_files(since)) if since else []
    others = [proof for proof in proofs if proof not in first]
    print(f"{len(first)} proofs are touched by the change, {len(others)} are not", flush=True)
    if not limited:
        return sorted(proofs, key=lambda proof: -known.get(proof.name, UNKNOWN_SECONDS))
    turn = datetime.date.today().toordinal() * 7 % max(1, len(others)) if since else 0
    return [*first, *others[turn:], *others[:turn]]


def run(proof: Proof, limit: float | None) -> float | None:
    """Run a proof and return its seconds, negative if it failed; None if it ran into the limit."""
    start = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, *proof.command], cwd=ROOT, text=True, timeout=limit,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    seconds = time.monotonic() - start
    passed = done.returncode in (0, 5)  # 5: all are skipped, a peer is not installed
    print(f"{'passed' if passed else 'FAILED'} {seconds:6.0f} s  {proof.name}", flush=True)
    if not passed:
        print(done.stdout, flush=True)
    return seconds if passed else -seconds


def proofs_in_tests() -> list[Proof]:
    """Return a proof for each file that has a test marked as one."""
    proofs = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if "mark.proof" in path.read_text("utf-8"):
            name = path.relative_to(ROOT).as_posix()
            proofs.append(
                Proof(name, ("-m", "pytest", "-q", "-m", "proof", name), needed_modules(path))
            )
    return proofs


def audits() -> list[Proof]:
    """Return the audit of each family: rewards for right answers only, same seed same episode."""
    needed = frozenset({"zerogym.benchmarks.auditing", "zerogym.envs.registry"})
    return [
        Proof(
            f"audit {family}",
            ("-m", "zerogym", "audit", "--quick", "--known", KNOWN, "--family", family),
            needed | {f"zerogym.envs.{family}"},
        )
        for family in FAMILIES
    ]


def needed_modules(path: Path) -> frozenset[str]:
    """Return the modules that a test file imports, itself or through helpers, or names by an id."""
    text = path.read_text("utf-8")
    found = set()
    for node in ast.walk(ast.parse(text)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        found |= {name for name in names if name.startswith("zerogym")}
        for name in names:
            helper = ROOT / "tests" / f"{name.replace('.', '/')}.py"
            if name.startswith("helpers") and helper.is_file():
                found |= needed_modules(helper) | {f"tests/{name.replace('.', '/')}.py"}
    for task in TASKS:
        if f"zerogym/{task.name}-v" in text:
            found.add(f"zerogym.envs.{task.target.partition(':')[0]}")
    for game in GAMES:
        if game.name in text:
            found.add(f"zerogym.envs.games.{game.target.partition(':')[0]}")
    return frozenset(found)


def changed_files(revision: str) -> set[str]:
    """Return the paths that differ between a revision and the working tree."""
    listed = subprocess.run(
        ["git", "diff", "--name-only", revision], cwd=ROOT, text=True, capture_output=True,
    )  # fmt: skip
    if listed.returncode:
        raise SystemExit(f"--since {revision}: {listed.stderr.strip()}")
    return set(listed.stdout.splitlines())


def touched(proofs: list[Proof], changed: set[str]) -> list[Proof]:
    """Return the proofs of changed test files, or with a changed module at any depth of imports.

    Any change touches the site.
    """
    graph = grimp.build_graph("zerogym")
    affected = {path for path in changed if path.startswith("tests/")}
    for path in changed:
        module = module_of(path)
        if module in graph.modules:
            affected |= {module, *graph.find_downstream_modules(module)}
    if changed:
        affected.add(SITE)
    return [p for p in proofs if p.name in affected or any(reaches(m, affected) for m in p.modules)]


def reaches(module: str, affected: set[str]) -> bool:
    """Return True if a module, or anything inside a package of the second level, is affected."""
    return module in affected or (
        module.count(".") == 2 and any(name.startswith(f"{module}.") for name in affected)
    )


def module_of(path: str) -> str:
    """Return `zerogym.envs.core` for `envs/core.py`; for other files the path itself."""
    stem = path.removeprefix("src/zerogym/").removesuffix(".py").removesuffix("/__init__")
    return f"zerogym.{stem.replace('/', '.')}" if path.endswith(".py") else path


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
