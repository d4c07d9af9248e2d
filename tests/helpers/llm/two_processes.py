"""Two processes of one run, and how they ended."""

import os
import subprocess
import sys
from pathlib import Path

PATIENCE = 300  # seconds after which two processes are taken to hang


def start(*what: str | Path) -> subprocess.Popen[str]:
    """Two processes; the system chooses their port."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    return subprocess.Popen(
        [*command, *map(str, what)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env=os.environ | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "",
                          "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Wait for the end; exit code and output."""
    try:
        said, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    return process.returncode, said
