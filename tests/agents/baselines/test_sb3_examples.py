"""The example of Stable-Baselines3 in control worlds runs as printed, and beats random play."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from zerogym.agents.baselines import sb3

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^zerogym/(\w+)-v0 (\S+) (\S+)$", re.MULTILINE)


def example() -> str:
    (block,) = BLOCK.findall(sb3.__doc__ or "")
    return str(block)


def test_the_front_page_shows_the_example_that_is_run(root: Path) -> None:
    blocks = BLOCK.findall((root / "README.md").read_text(encoding="utf-8"))
    shown = [block for block in blocks if "zerogym/Cheetah-v0" in block]
    assert all(block == example() for block in shown)


@pytest.mark.proof
def test_their_learners_beat_random_play_in_three_worlds(run_python: Callable[..., str]) -> None:
    """A MuJoCo body, contexts that are drawn and visible, MiniGrid."""
    printed = run_python(example(), OMP_NUM_THREADS="1")
    found = {name: (float(before), float(after)) for name, before, after in LINE.findall(printed)}
    assert set(found) == {"Cheetah", "Pendulum", "MiniGrid"}, printed
    for name, factor in {"Cheetah": 4, "Pendulum": 3, "MiniGrid": 1.5}.items():
        before, after = found[name]
        assert after > factor * before, (name, printed)
