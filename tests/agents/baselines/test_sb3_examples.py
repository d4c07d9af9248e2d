"""The example of Stable-Baselines3 in control worlds runs as printed, and beats random play."""

import re
from collections.abc import Callable

import pytest

from zerogym.agents.baselines import sb3

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^zerogym/(\w+)-v0 (\S+) (\S+)$", re.MULTILINE)


def example() -> str:
    (block,) = BLOCK.findall(sb3.__doc__ or "")
    return str(block)


@pytest.mark.proof
def test_their_learners_beat_random_play_in_three_worlds(run_python: Callable[..., str]) -> None:
    """A MuJoCo body, contexts that are drawn and visible, MiniGrid."""
    printed = run_python(example(), OMP_NUM_THREADS="1")
    found = {name: (float(before), float(after)) for name, before, after in LINE.findall(printed)}
    assert set(found) == {"Cheetah", "Pendulum", "MiniGrid"}, printed
    for name, factor in {"Cheetah": 4, "Pendulum": 3, "MiniGrid": 1.5}.items():
        before, after = found[name]
        assert after > factor * before, (name, printed)
