"""The sdist and the wheel hold every file of the four folders, and the wheel works elsewhere.

A checkout without symbolic links would build an empty wheel without complaint; that is what this
test is for. Nothing is fetched: the build uses the setuptools that is installed, and the clean
environment sees the installed dependencies but not this repository.
"""

import importlib
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

FOLDERS = ("envs", "wrappers", "agents", "benchmarks")
# In the wheel beside the package itself.
METADATA = ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "top_level.txt", "LICENSE")


def shipped(root: Path) -> set[str]:
    """The files of the package, as paths below `zerogym/`: all but the folders' README.md.

    Those are pages for readers of the repository; the docstrings that they are made from are
    shipped. Data is shipped whole: a README.md there is a model card; so are the templates of
    `zerogym new`.
    """
    listed = run("git", "ls-files", "-z", *FOLDERS, "src/zerogym", cwd=root)
    tracked = [Path(name) for name in listed.split("\0") if name]
    pages = {
        path
        for path in tracked
        if path.name == "README.md" and {"data", "templates"}.isdisjoint(path.parts)
    }
    files = [path for path in tracked if path not in pages and (root / path).is_file()]
    return {path.as_posix().removeprefix("src/zerogym/") for path in files}


def run(*command: object, cwd: Path, **environment: str) -> str:
    """Run a command that must succeed."""
    result = subprocess.run(
        [str(word) for word in command],
        capture_output=True, text=True, cwd=cwd, env=os.environ | environment, timeout=300,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an sdist made of the tracked files, and a wheel made of that sdist."""
    root = Path(__file__).resolve().parent.parent
    work = tmp_path_factory.mktemp("packaging")
    copy = work / "checkout"
    for name in filter(None, run("git", "ls-files", "-z", cwd=root).split("\0")):
        source, target = root / name, copy / name
        if not source.is_symlink() and not source.exists():
            continue  # deleted, not yet committed
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.symlink_to(os.readlink(source))
        else:
            target.write_bytes(source.read_bytes())
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", work / "dist", cwd=copy)
    return work / "dist"


def in_wheel(dist: Path) -> tuple[set[str], set[str]]:
    """Files of the wheel below `zerogym/`, and the names of the others."""
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
    ours = {name for name in names if name.startswith("zerogym/")}
    return {name.removeprefix("zerogym/") for name in ours}, names - ours


def test_the_wheel_holds_every_file_and_nothing_else(root: Path, dist: Path) -> None:
    files, others = in_wheel(dist)
    assert files == shipped(root)
    assert {Path(name).name for name in others} == set(METADATA)


def test_the_wheel_declares_what_it_adds_to_others(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    declared = ConfigParser()
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("entry_points.txt"))
        declared.read_string(archive.read(name).decode())
    assert set(declared["console_scripts"]) == {"zerogym"}
    assert set(declared["zerogym.opponents"]) == {"llm", "person", "ppo"}
    for value in declared["zerogym.opponents"].values():
        module, _, function = value.partition(":")
        assert callable(getattr(importlib.import_module(module), function))


def test_the_sdist_holds_every_file(root: Path, dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        assert not [member.name for member in archive.getmembers() if member.issym()]
    assert {f"src/zerogym/{name}" for name in shipped(root)} <= names
    assert {"LICENSE", "README.md", "pyproject.toml"} <= names


@pytest.fixture(scope="module")
def clean_python(dist: Path) -> Path:
    """A Python with the wheel and, behind it, the dependencies that are installed here."""
    venv = dist.parent / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", venv, cwd=dist)
    python = venv / "bin/python"
    (wheel,) = dist.glob("*.whl")
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=dist)
    run(sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target",
        site.strip(), wheel, cwd=dist)  # fmt: skip
    # A plain path entry: the .pth file of an editable zerogym in that folder is not read.
    (Path(site.strip()) / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


SMOKE = """
import importlib, pathlib, pkgutil, gymnasium as gym, zerogym
from importlib import resources
print(pathlib.Path(zerogym.__file__).parent)
print(gym.make("zerogym/Countdown-v0").reset(seed=0)[0])
for module in pkgutil.walk_packages(zerogym.__path__, "zerogym."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""


@pytest.mark.proof
def test_the_wheel_works_in_a_clean_environment(clean_python: Path, tmp_path: Path) -> None:
    out = run(clean_python, "-W", "error", "-c", SMOKE, cwd=tmp_path, PYTHONPATH="").splitlines()
    assert Path(out[0]).is_relative_to(clean_python.parent.parent), "not this repository"
    assert out[1].startswith("Use each of the numbers")


@pytest.mark.proof
def test_the_wheel_finds_its_data(root: Path, clean_python: Path, tmp_path: Path) -> None:
    data = sorted(name for name in shipped(root) if "/data/" in name)
    code = (
        "import sys; from importlib.resources import files\n"
        "for name in sys.argv[1:]: print(len(files('zerogym').joinpath(name).read_bytes()))"
    )
    out = run(clean_python, "-c", code, *data, cwd=tmp_path, PYTHONPATH="").split()
    assert [int(size) for size in out] == [
        len((root / "src/zerogym" / n).read_bytes()) for n in data
    ]


@pytest.mark.proof
def test_the_command_is_installed(clean_python: Path, tmp_path: Path) -> None:
    out = run(clean_python, "-m", "zerogym", "--help", cwd=tmp_path, PYTHONPATH="")
    assert "bench" in out
