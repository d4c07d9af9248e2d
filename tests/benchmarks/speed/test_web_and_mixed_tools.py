"""Peers of the web benchmark, and the memory that the benchmark of all tools measures."""

import subprocess
import sys
from pathlib import Path

import pytest

from zerogym.benchmarks.speed import web

HOLDER = "held = bytearray(b'1') * (64 << 20); print(1, flush=True); input()"
OF_A_CHILD = f"""
import subprocess, sys
from zerogym.benchmarks.speed.mixed_tools import memory
below = memory()[1]
child = subprocess.Popen(
    [sys.executable, "-c", {HOLDER!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)
child.stdout.readline()
print(below, memory()[1])
child.communicate("")
"""


def test_miniwob_is_run_by_its_python_and_compared_on_each_clock(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho "$2" >> {tmp_path}/steps\necho noise\necho 0.25 0.5\n')
    python.chmod(0o755)
    rows = web.beside_miniwob(str(python), 100)
    assert (tmp_path / "steps").read_text().split() == [str(web.FEW)] * web.ROUNDS
    assert [row[1] for row in rows] == [
        "by number, CPU", "miniwob, CPU", "by number, clock", "miniwob, clock",
    ]  # fmt: skip
    for ours, miniwob, given in ((rows[0], rows[1], 0.25), (rows[2], rows[3], 0.5)):
        assert float(miniwob[2]) == pytest.approx(given, abs=0.06)  # shown with one decimal
        figure, times = (float(text.replace(",", "")) for text in (ours[2], miniwob[3]))
        assert times == pytest.approx(figure / given, abs=0.5 / given + 0.5)  # whole numbers


def test_a_miniwob_that_does_not_run_is_an_error(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 3\n")
    python.chmod(0o755)
    with pytest.raises(subprocess.CalledProcessError):
        web.miniwob_rates(str(python), 1)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="memory is read from /proc")
def test_the_memory_of_children_counts() -> None:
    done = subprocess.run(
        [sys.executable, "-c", OF_A_CHILD], stdout=subprocess.PIPE, text=True, check=True
    )
    before, held = map(float, done.stdout.split())
    assert before == 0
    assert 64 <= held < 128
