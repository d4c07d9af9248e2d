"""Install zerogym into the Python that runs this script, with the right build of torch.

    python tools/install.py [EXTRA ...]        (default: all)

On Linux the plain `torch` requirement brings several GB of CUDA packages, and no marker in
`pyproject.toml` can depend on a GPU. So: an installed torch is kept, a
machine with a GPU gets the plain requirement, and a machine without one gets a build whose
dry run names no CUDA package. Standard library only; quick when nothing has changed.
"""

import hashlib
import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STAMP = Path(sys.prefix) / "zerogym-installed.json"
CONSTRAINTS = Path(sys.prefix) / "zerogym-constraints.txt"
TORCH = "torch>=2.8,<3"
# The plain range is already a CPU build on ARM and macOS, and wherever pip has an index of
# CPU builds; an exact version also finds a CPU wheel in a local folder of wheels.
CPU_CANDIDATES = (TORCH, "torch==2.13.0")
# Tried after an installation where they are there; the last one lists the fonts of the machine.
LARGE = ("transformers", "stable_baselines3", "mujoco", "pyspiel", "matplotlib.font_manager")
CUDA_PACKAGE = re.compile(r"(nvidia|cuda)-.*|triton")
NO_CPU_BUILD = """\
This machine has no GPU, and pip finds only CUDA builds of torch (several GB). Choose one:
  - a CPU build: open "Get started" on pytorch.org, choose CPU, and run this again with the index
    address shown there:  PIP_EXTRA_INDEX_URL=<address> make bench
  - your own torch, which is then kept:  {python} -m pip install torch
"""

Report = dict[str, Any]


def main(extras: Sequence[str]) -> None:
    """Install, unless the stamp shows that everything required is there already."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    required = expand(extras or ["all"], project["optional-dependencies"])
    fingerprint = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    if up_to_date(read_stamp(), fingerprint, required) and importlib.util.find_spec("zerogym"):
        return
    gpu = has_gpu()
    requirement = torch_requirement(torch_version(), gpu, dry_run)
    if torch_version() is None:
        pip(requirement)
    CONSTRAINTS.write_text(f"torch=={torch_version()}\n", "utf-8")
    package = ["-c", str(CONSTRAINTS), "-e", f"{ROOT}[{','.join(sorted(required))}]"]
    if not gpu:
        refuse_cuda(dry_run(package))
    pip(*package)
    compile_packages()
    check_imports()
    STAMP.write_text(json.dumps({"pyproject": fingerprint, "extras": sorted(required)}), "utf-8")


def expand(extras: Sequence[str], table: Mapping[str, Sequence[str]]) -> set[str]:
    """The given extras and those that they include as `zerogym[...]`."""
    found: set[str] = set()
    queue = list(extras)
    while queue:
        extra = queue.pop()
        if extra not in table:
            raise SystemExit(f"There is no extra {extra!r}. Known: {', '.join(table)}.")
        if extra not in found:
            found.add(extra)
            inner = re.findall(r"zerogym\[([^]]*)\]", " ".join(table[extra]))
            queue += [name.strip() for names in inner for name in names.split(",")]
    return found


def up_to_date(stamp: Mapping[str, Any], fingerprint: str, required: set[str]) -> bool:
    """Return True if an earlier run installed all required extras from the same pyproject.toml."""
    return stamp.get("pyproject") == fingerprint and required <= set(stamp.get("extras", ()))


def torch_requirement(
    installed: str | None, gpu: bool, resolve: Callable[[Sequence[str]], Report | None]
) -> str:
    """The torch to install.

    Args:
        installed: Version of an installed torch, if any: it is kept.
        gpu: Whether the machine has an NVIDIA GPU.
        resolve: The packages that pip would install, or None if it finds no solution.

    Raises:
        SystemExit: Without a GPU, if every candidate would bring CUDA packages.
    """
    if installed is not None:
        return f"torch=={installed}"
    if gpu:
        return TORCH
    for candidate in CPU_CANDIDATES:
        report = resolve([candidate])
        if report is not None and not cuda_packages(report):
            return candidate
    raise SystemExit(NO_CPU_BUILD.format(python=sys.executable))


def refuse_cuda(report: Report | None) -> None:
    """Stop if pip has no solution, or one that brings CUDA packages."""
    if report is None:
        raise SystemExit("pip finds no set of packages that fits; its message stands above.")
    if named := cuda_packages(report):
        raise SystemExit(
            f"Refused: without a GPU, pip would install {', '.join(named)}. An extra seems to pin "
            "another torch; install it in a virtual environment of its own."
        )


def cuda_packages(report: Report) -> list[str]:
    """Names of the CUDA packages in a `pip install --report`."""
    names = (item["metadata"]["name"] for item in report["install"])
    normal = (re.sub(r"[-_.]+", "-", name).lower() for name in names)
    return sorted(name for name in normal if CUDA_PACKAGE.fullmatch(name))


def dry_run(arguments: Sequence[str]) -> Report | None:
    """Report of a dry run of `pip install`, from metadata only; None if pip found no solution."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--report", "-"]
    result = subprocess.run([*command, *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        print(result.stderr, file=sys.stderr)
        return None
    report: Report = json.loads(result.stdout)
    return report


def pip(*arguments: str) -> None:
    """Run `pip install` with its output shown; stop if it fails."""
    print("pip install", *arguments, flush=True)
    # pip would compile in one process; `compile_packages` does it in one for each core.
    command = [sys.executable, "-m", "pip", "install", "--no-compile", *arguments]
    if subprocess.run(command).returncode != 0:
        raise SystemExit("pip install failed; its message stands above.")


def compile_packages() -> None:
    """Compile what is installed, so that the first workers of the tests do not all do it again.

    Files that are no Python of this version, such as templates, stay as they are.
    """
    folder = sysconfig.get_path("purelib")
    options = ["-W", "ignore", "-m", "compileall", "-qq"]  # warnings are those of others' code
    subprocess.run([sys.executable, *options, "-j", "0", folder])


def has_gpu() -> bool:
    """Return True if the machine has an NVIDIA GPU with a driver."""
    if Path("/proc/driver/nvidia").exists():
        return True
    try:
        return subprocess.run(["nvidia-smi"], capture_output=True).returncode == 0
    except OSError:
        return False


def torch_version() -> str | None:
    """Version of the installed torch, or None."""
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return None


def read_stamp() -> dict[str, Any]:
    """The stamp of an earlier run; empty if there is none, or it is damaged."""
    try:
        stamp = json.loads(STAMP.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def check_imports() -> None:
    """Import the installed packages in a new process, and print their versions."""
    code = (
        "import importlib, importlib.util, gymnasium, torch, zerogym\n"
        f"for name in {LARGE}:\n"
        "    if importlib.util.find_spec(name.partition('.')[0]):\n"
        "        importlib.import_module(name)\n"
        "print('zerogym', zerogym.__version__, '| gymnasium', gymnasium.__version__,"
        " '| torch', torch.__version__, '| CUDA', torch.cuda.is_available())"
    )
    if subprocess.run([sys.executable, "-c", code]).returncode != 0:
        raise SystemExit("The installed packages do not import; the error stands above.")


if __name__ == "__main__":
    main(sys.argv[1:])
