"""Provenance of numbers: versions, commit, hardware, date."""

import datetime
import importlib.metadata
import os
import platform
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import zerogym
from zerogym.envs.processors import processors

PACKAGES = (
    "numpy",
    "gymnasium",
    "pettingzoo",
    "torch",
    "transformers",
    "minigrid",
    "mujoco",
    "stable-baselines3",
    "sb3-contrib",
    "open-spiel",
    "reasoning-gym",
    "reasoning-core",
    "textarena",
)


def provenance() -> dict[str, Any]:
    """Return everything that is needed to run the same thing again."""
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "zerogym": zerogym.__version__,
        "commit": commit(),
        "python": platform.python_version(),
        "packages": versions(),
        "platform": platform.platform(terse=True),
        "processor": processor(),
        "cores": processors(),
        "memory_gib": memory_gib(),
        "gpu": gpu(),
    }


def versions() -> dict[str, str]:
    """Return the versions of the packages that are installed."""
    found = {}
    for package in PACKAGES:
        with suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def commit() -> str | None:
    """Return the git commit of the checkout, marked `+` if files differ; None without git."""
    root = Path(zerogym.__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    try:
        revision = _git(root, "rev-parse", "--short=12", "HEAD")
        changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return revision + ("+" if changed else "")


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ("git", "-C", str(root), *arguments), capture_output=True, text=True, timeout=10, check=True
    )
    return done.stdout.strip()


def processor() -> str:
    """Return the model name of the processor."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def memory_gib() -> float | None:
    """Return the physical memory in GiB; None where the system does not report it."""
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return None


def gpu() -> str | None:
    """Return the name of the CUDA device; torch is not imported for it."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return None
    return str(torch.cuda.get_device_name(0))
