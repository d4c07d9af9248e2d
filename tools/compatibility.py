"""Run the examples of `examples/`, and write the page of what works with which version.

    python tools/compatibility.py                       all of them; a failure is exit code 1
    python tools/compatibility.py cleanrl_style skrl    some of them
    python tools/compatibility.py --page                the page again, from the record

An example is one file, at most 40 lines beside blank ones. A line `# requires: ...` names packages
as pip does. Where this Python has them, it runs the example; else a virtual environment does, in
`build/compatibility`, which gets them from pip and all others from this Python. A line
`# without: ...` names packages whose pins do not go together with ours: those are removed there
again, and ours are used. What needs our own packages runs in a process of `$BASE_PYTHON`.

An example prints one line of JSON: the returns of some episodes `before` and `after` learning,
or a sentence about what it has `checked`. One that learns does so if the interval of the gain is
above 0.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = {path.stem: path for path in sorted((ROOT / "examples").glob("*/*.py"))}
RECORD = ROOT / "docs/compatibility.json"
PAGE = ROOT / "docs/compatibility.md"
VENVS = ROOT / "build/compatibility"
SECONDS = 900  # of one example, on a busy machine
DRAWS = 10_000  # of the bootstrap
VERSIONS = "import importlib.metadata as m, sys; print(*(m.version(n) for n in sys.argv[1:]))"
GROUPS = {
    "control": "Reinforcement learning, one agent",
    "games": "Reinforcement learning, games with masks",
    "text": "Language models",
}


def main(given: Sequence[str] | None = None) -> int:
    """Run examples, and update the record and the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="of examples, without .py; default: all")
    parser.add_argument("--page", action="store_true", help="run nothing")
    options = parser.parse_args(given)
    if unknown := sorted(set(options.names) - set(EXAMPLES)):
        parser.error(f"there is no example {', '.join(unknown)}; known: {', '.join(EXAMPLES)}")
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    record = {name: row for name, row in record.items() if name in EXAMPLES}
    failed = []
    for name in [] if options.page else options.names or EXAMPLES:
        record[name] = run(EXAMPLES[name])
        print(f"{name}: {record[name]['verdict']}, {record[name]['says']}", flush=True)
        failed += [name] * (record[name]["verdict"] == "fails")
        RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    PAGE.write_text(page(record))
    return int(bool(failed))


def run(path: Path) -> dict[str, Any]:
    """Return the row of an example: versions, date, lines, seconds, verdict and what it says."""
    text = path.read_text()
    row: dict[str, Any] = {
        "group": path.parent.name,
        "what": text.partition('"""')[2].partition('"""')[0].strip(),
        "date": datetime.now(UTC).date().isoformat(),
        "lines": lines_of_code(text),
        "digest": digest(text),
        "versions": {},
    }
    try:
        python, row["versions"] = prepared(text)
    except subprocess.CalledProcessError as error:
        return row | {"verdict": "fails", "says": last_line(error.stderr), "seconds": 0}
    start = time.monotonic()
    try:
        ended = call([python, str(path)], timeout=SECONDS)
        printed = [line for line in ended.stdout.splitlines() if line.startswith("{")]
        row |= judged(json.loads(printed[-1]))
    except subprocess.CalledProcessError as error:
        row |= {"verdict": "fails", "says": last_line(error.stderr)}
    except subprocess.TimeoutExpired:
        row |= {"verdict": "fails", "says": f"no end after {SECONDS} s"}
    return row | {"seconds": round(time.monotonic() - start)}


def prepared(text: str) -> tuple[str, dict[str, str]]:
    """Return a Python that has the packages of an example, and their versions there."""
    requires = listed(text, "requires")
    packages = [re.split(r"[\[<>=!~ ]", one)[0] for one in requires]

    def versions(python: str) -> dict[str, str]:
        return dict(
            zip(packages, call([python, "-c", VERSIONS, *packages]).stdout.split(), strict=True)
        )

    try:
        return sys.executable, versions(sys.executable)
    except subprocess.CalledProcessError:
        folder = VENVS / packages[0]
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        site = folder / f"lib/python{sysconfig.get_python_version()}/site-packages"
        (site / "base.pth").write_text(sysconfig.get_path("purelib") + "\n")
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "-q"]
    try:
        found = versions(str(python))
    except subprocess.CalledProcessError:
        call([*pip, "install", *requires])
        if without := listed(text, "without"):
            call([*pip, "uninstall", "-y", *without])
        found = versions(str(python))
    return str(python), found


def call(command: list[str], timeout: float | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder of its own, with zerogym on its path, in one thread."""
    given = {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1", "BASE_PYTHON": sys.executable}
    with TemporaryDirectory() as folder:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=True,
            env=os.environ | given,
            cwd=folder,
        )


def listed(text: str, key: str) -> list[str]:
    """Return what a line `# key: one, two` of an example lists."""
    lines = re.findall(rf"^# {key}: (.*)$", text, re.MULTILINE)
    return [one.strip() for line in lines for one in line.split(",")]


def lines_of_code(text: str) -> int:
    """Return how many lines of an example are not blank."""
    return sum(bool(line.strip()) for line in text.splitlines())


def digest(text: str) -> str:
    """Return what tells a changed example from the one that was run."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def last_line(text: str) -> str:
    """Return the last line of what was written to standard error, cut to 200 characters."""
    return (text.strip().splitlines() or ["ended without a word"])[-1][:200]


def judged(printed: dict[str, Any]) -> dict[str, str]:
    """Return the verdict over what an example has printed."""
    if "checked" in printed:
        return {"verdict": "works", "says": printed["checked"]}
    before, after = (np.asarray(printed[name], np.float64) for name in ("before", "after"))
    rng = np.random.default_rng(0)
    means = [
        each[rng.integers(len(each), size=(DRAWS, len(each)))].mean(1) for each in (after, before)
    ]
    low, high = np.quantile(means[0] - means[1], (0.025, 0.975))
    says = f"{before.mean():.2f} to {after.mean():.2f} (gain {low:.2f} to {high:.2f})"
    return {"verdict": "learns" if low > 0 else "runs, no gain shown", "says": says}


def page(record: dict[str, Any]) -> str:
    """Return the page."""
    parts = [INTRODUCTION.format(rows=len(record))]
    for group, title in GROUPS.items():
        rows = [
            "| example | library | date | verdict | lines | seconds |",
            "|---|---|---|---|--:|--:|",
        ]
        for name, row in sorted(record.items()):
            if row["group"] == group:
                versions = ", ".join(f"{key} {value}" for key, value in row["versions"].items())
                rows.append(
                    f"| {row['what']} `examples/{group}/{name}.py` | {versions} | {row['date']} "
                    f"| {row['verdict']}: {row['says']} | {row['lines']} | {row['seconds']} |"
                )
        parts.append(f"## {title}\n\n" + "\n".join(rows))
    parts.append(NOT_INSTALLED)
    return "\n\n".join(parts) + "\n"


INTRODUCTION = """\
# Works with

<!-- Made by `python tools/compatibility.py`: change the examples, not this file. -->

{rows} examples, one file each and none longer than 40 lines (blank ones apart), run as they stand
by `python tools/compatibility.py`, which makes a virtual environment where a library is not
installed. *Learns*: the mean return of random play, or of the untrained learner, then that of the
trained one, and a 95 % bootstrap interval of the gain over episodes, which is above 0. It is of one
training run each, and not over training seeds. *Works*: what the example compares is equal. Seconds
are those of two busy CPU cores, and no benchmark."""


NOT_INSTALLED = """\
## Not run

| library | date | reason |
|---|---|---|
| oat (oat-llm 0.2.4) | 2026-11-28 | needs a Python below 3.11, zerogym one from 3.11 |
| PufferLib 3.0.0 | 2026-11-24 | has no wheel, and its build could not download raylib |"""


if __name__ == "__main__":
    sys.exit(main())
