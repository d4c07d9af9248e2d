"""A folder for `python -m zerogym.benchmarks.gpu` on a machine without network.

    python tools/gpu_bundle.py build/gpu-bundle

The machine has Python, torch, transformers and NumPy; the folder has zerogym with the tiny model,
and those of its dependencies that are pure Python, as they are installed here. What is installed
there goes before it. Start it there by `python run.py`, with the options of the command.
"""

import re
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
MOST = 60e6  # bytes
START = '''"""Check the GPU of this machine: `python run.py`, `python run.py -h`."""

import os
import runpy
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "site"))
runpy.run_module("zerogym.benchmarks.gpu", run_name="__main__")
'''


def dependencies(*names: str) -> set[str]:
    """Return the installed packages that packages need, and these themselves, without extras."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            needed = map(Requirement, distribution(name).requires or [])
        except PackageNotFoundError:
            continue  # for another system
        found.add(name)
        waiting += [r.name for r in needed if not r.marker or r.marker.evaluate({"extra": ""})]
    return found


def copy_package(name: str, site: Path) -> None:
    """Copy an installed package, unless a part of it is compiled."""
    package = distribution(name)
    files = [file for file in package.files or [] if ".." not in file.parts]
    if any(file.suffix == ".so" for file in files):
        return
    for file in files:
        if file.suffix != ".pyc":
            target = site / file
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(str(package.locate_file(file)), target)


def main(folder: Path) -> None:
    """Build the folder.

    Raises:
        SystemExit: If it is larger than a bundle may be.
    """
    shutil.rmtree(folder, ignore_errors=True)
    site = folder / "site"
    ignored = shutil.ignore_patterns("__pycache__", "templates")
    shutil.copytree(ROOT / "src" / "zerogym", site / "zerogym", ignore=ignored)
    for name in sorted(dependencies("zerogym") - {"zerogym", "numpy"}):
        copy_package(name, site)
    (folder / "run.py").write_text(START, "utf-8")
    size = sum(path.stat().st_size for path in folder.rglob("*"))
    print(f"{folder}: {size / 1e6:.0f} MB")
    if size > MOST:
        sys.exit(f"a bundle has at most {MOST / 1e6:.0f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
