"""The folder for a GPU's machine: zerogym runs there with torch, transformers and NumPy alone."""

import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
sys.path.append(str(Path(__file__).parents[2] / "tools"))

import gpu_bundle

GIVEN = ("torch", "transformers", "numpy")


def linked(names: set[str], folder: Path) -> None:
    """Make a folder of packages with links to some that are installed here."""
    folder.mkdir()
    for name in names:
        package = distribution(name)
        for top in {file.parts[0] for file in package.files or [] if ".." not in file.parts}:
            if not (folder / top).exists():
                (folder / top).symlink_to(str(package.locate_file(top)))


@pytest.mark.proof
def test_a_bundle_is_small_and_needs_no_more_than_three_packages(tmp_path: Path) -> None:
    gpu_bundle.main(tmp_path / "bundle")  # ends if it is too large
    assert not list((tmp_path / "bundle").rglob("*.so"))
    linked(gpu_bundle.dependencies(*GIVEN), tmp_path / "given")
    start = (
        f"import sys, runpy; sys.path.append({str(tmp_path / 'given')!r}); "
        f"sys.argv = ['run.py', *{['--device', 'cpu', '--smoke', '--minutes', '60']!r}]; "
        f"runpy.run_path({str(tmp_path / 'bundle' / 'run.py')!r}, run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", start], cwd=tmp_path, text=True, capture_output=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed: 0" in done.stdout and (tmp_path / "runs" / "gpu.jsonl").is_file()
