"""Notebook-v0: what cells do, and what they cannot do to the episode."""

import copy
import os
import pickle
from dataclasses import replace

import pytest

from helpers.notebook_cases import ANSWER, NUMBERS, cell, started
from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.tools.interpreters.execution import MAX_CHARACTERS
from zerogym.envs.tools.notebook import env as module
from zerogym.envs.tools.notebook.env import LIMITS, NotebookEnv
from zerogym.envs.tools.sandbox.execution import process_tree


@needs_sandbox
def test_variables_and_files_stay_from_cell_to_cell() -> None:
    env = started()
    assert "3\n-1\n4" in cell(env, "text = open('list.txt').read()\nprint(text)")
    assert cell(env, "numbers = [int(n) for n in text.split()]\nlen(numbers)") == "8"
    assert "no output" in cell(env, "n = open('other.txt', 'w').write('kept')")
    assert cell(env, "import os\nsorted(os.listdir())") == "['list.txt', 'other.txt']"
    traceback = cell(env, "def f():\n    return numbers[99]\nf()")
    assert traceback.startswith("Traceback") and "IndexError" in traceback and "line 2" in traceback
    assert env.step(ANSWER)[1] == 1.0


@needs_sandbox
def test_the_middle_of_a_long_output_is_left_out() -> None:
    shown = cell(started(), "for n in range(5000): print('line', n)")
    assert shown.startswith("line 0\n") and shown.endswith("line 4999")
    assert "not shown" in shown and len(shown) < MAX_CHARACTERS + 300


@needs_sandbox
def test_control_characters_are_written_out() -> None:
    assert cell(started(), "print('a', chr(27) + '[2J', chr(0))") == "a \\x1b[2J \\x00"


@needs_sandbox
def test_an_endless_loop_is_interrupted_and_the_notebook_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LIMITS", replace(LIMITS, cpu_s=0.5, memory_mib=128))
    env = started()
    cell(env, "kept = 6 * 7")
    shown = cell(env, "while True: pass")
    assert "KeyboardInterrupt" in shown and "too long" in shown
    assert cell(env, "kept") == "42"
    assert cell(env, "full = bytearray(10**9)").endswith("MemoryError")
    assert "too much" in cell(env, "while True: print('x' * 1000)")
    assert cell(env, "open('list.txt').read(1)") == "'3'"
    assert env.step(ANSWER)[1] == 1.0


@needs_sandbox
@pytest.mark.parametrize(
    "source",
    [
        "\x00", "\ud800 = 1", "print('\ud800')", "print('\\ud800')", "print(chr(0), chr(27))",
        "(" * 5000, "import sys; sys.exit(3)", "import os; os._exit(0)", "raise KeyboardInterrupt",
        "def f(): f()\nf()", "1 / 0", "  x = 1\ny", "print = open = None", "del __builtins__",
        "import os; os.remove('list.txt')", "import os; os.kill(os.getppid(), 9)", "#",
        "x = 1 #" + "9" * 30_000, "class A:\n  def __repr__(self): raise SystemExit\nA()",
    ],
)  # fmt: skip
def test_a_hostile_cell_is_one_turn(source: str) -> None:
    env = started()
    shown = cell(env, source)
    assert shown and shown.encode()
    assert cell(env, "40 + 2") == "42"
    assert env.step(ANSWER)[1] == 1.0


@needs_sandbox
def test_a_snapshot_goes_back_to_the_middle_of_an_episode() -> None:
    env = started()
    cell(env, "import random\nnumbers = [3]\nfirst = random.random()")
    cell(env, "numbers.append(4); open('made.txt', 'w').write('x')")
    snapshot = env.get_state()
    look = "(numbers, first, random.random(), open('made.txt').read())"
    shown = cell(env, look)
    cell(env, "numbers.clear()")
    other = NotebookEnv()
    twin = pickle.loads(pickle.dumps(env))
    assert cell(twin, "numbers") == "[]"
    for target in (env, other, env, copy.deepcopy(env)):
        target.set_state(snapshot)
        assert cell(target, look) == shown
        assert cell(target, "numbers").startswith("[3, 4]")
    env.close()
    assert cell(env, "numbers") == "[3, 4]", "an episode goes on after close"
    env.step(ANSWER)
    env.set_state(snapshot)
    assert cell(env, look) == shown
    for one in (env, other, twin):
        one.close()


@needs_sandbox
def test_nothing_is_left_when_an_episode_is_over() -> None:
    env = started()
    before = set(process_tree.descendants(os.getpid()))
    for end in (lambda: env.step(ANSWER), lambda: env.reset(seed=1), env.close):
        env.reset(seed=0, options={"problem": NUMBERS})
        cell(env, "import subprocess; p = subprocess.Popen(['sleep', '1000'])")
        assert set(process_tree.descendants(os.getpid())) > before
        end()
        assert set(process_tree.descendants(os.getpid())) <= before
