"""Every check of a GPU, in under nine minutes.

    python -m zerogym.benchmarks.gpu [--out runs/gpu.jsonl] [--device cpu --smoke]

Each check that ends is a line of the file; the same command goes on with the others, and tries
again what failed. It needs torch, transformers and NumPy; `make gpu-bundle` makes a folder with
all else, which a machine without network can run.
"""

import sys
from pathlib import Path
from typing import Any

import torch

from zerogym.benchmarks.gpu.checks import CHECKS
from zerogym.benchmarks.gpu.runner import run
from zerogym.benchmarks.gpu.setup import Setup
from zerogym.benchmarks.speed.loops import options

INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Run the checks, print a line for each, and return the exit code: 1 if one failed.

    Raises:
        SystemExit: If there is no such device, or no check of a name.
    """
    given = options(
        __doc__,
        arguments,
        out={"type": Path, "default": Path("runs/gpu.jsonl"), "help": "the file, JSON lines"},
        device={"choices": ("cuda", "cpu"), "default": "cuda"},
        smoke={"action": "store_true", "help": "tiny sizes, to try the code"},
        minutes=(8.5, "after which no check begins, and none goes on"),
        smollm2={"type": Path, "help": "folder of SmolLM2; without it random weights of its shape"},
        only=("", "checks with these words in their names"),
    )
    if given.device == "cuda" and not torch.cuda.is_available():
        sys.exit("torch finds no GPU here: --device cpu --smoke tries the code")
    checks = {name: check for name, check in CHECKS.items() if given.only in name}
    if not checks:
        sys.exit(f"no check has {given.only!r} in its name: {'; '.join(CHECKS)}")
    failed: list[str] = []

    def report(name: str, line: dict[str, Any]) -> None:
        failed.extend([name] if "error" in line else [])
        shown = line.get("error") or line.get("not here") or ""
        numbers = ", ".join(f"{k} {v}" for k, v in line.get("numbers", {}).items())
        sys.stdout.write(f"{line['seconds']:6.1f} s  {name}: {shown or numbers}\n")
        sys.stdout.flush()

    setup = Setup(given.device, given.smoke, given.smollm2)
    try:
        left = run(checks, setup, given.out, 60 * given.minutes, report)
    except KeyboardInterrupt:
        sys.stderr.write(f"stopped; what was checked is in {given.out}, the same command goes on\n")
        return INTERRUPTED
    for name in left:
        sys.stdout.write(f"no time was left for: {name}\n")
    sys.stdout.write(f"{given.out}; failed: {len(failed)}\n")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
