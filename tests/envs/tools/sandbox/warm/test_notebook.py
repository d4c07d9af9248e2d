"""A notebook is a session that is copied by running its cells again."""

import copy
import os
import pickle
from collections.abc import Iterator

import pytest

from helpers.sandbox.attack_range import needs_sandbox
from zerogym.envs.tools.sandbox import Notebook, Sandbox
from zerogym.envs.tools.sandbox.execution import process_tree

pytestmark = needs_sandbox


@pytest.fixture
def notebook(sandbox: Sandbox) -> Iterator[Notebook]:
    one = Notebook(sandbox, seed=3, files={"data": "5"})
    yield one
    one.close()


def test_a_notebook_is_a_session(notebook: Notebook) -> None:
    assert notebook.run("x = int(open('data').read()); x").stdout == "5\n"
    assert notebook.run("x / 0").verdict == "error"
    assert notebook.run("x + 1").stdout == "6\n"
    assert notebook.cells == ["x = int(open('data').read()); x", "x / 0", "x + 1"]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_stands_where_the_original_stood(notebook: Notebook, copied: object) -> None:
    notebook.run("import random; x = [random.random()]; open('data', 'a').write('6')")
    before = set(process_tree.descendants(os.getpid()))
    other = copied(notebook)  # type: ignore[operator]
    assert set(process_tree.descendants(os.getpid())) <= before, "no process before its first cell"
    notebook.run("x.append(1)")
    assert other.run("x.append(2); len(x), x[0], open('data').read()").stdout == (
        notebook.run("len(x), x[0], open('data').read()").stdout
    )
    assert (notebook.run("x[1]").stdout, other.run("x[1]").stdout) == ("1\n", "2\n")
    assert len(other.cells) == 3
    other.close()
    assert other.run("x[1]").stdout == "2\n", "closed, it runs its cells again"
    other.close()


def test_an_unavailable_cell_is_not_remembered(sandbox: Sandbox) -> None:
    broken = copy.copy(sandbox)
    broken.python = "/no/such/python"
    notebook = Notebook(broken)
    assert notebook.run("x = 1").verdict == "unavailable"
    assert notebook.cells == []
    broken.python = sandbox.python
    assert notebook.run("x = 1").verdict == "ok"
    notebook.close()
    broken.python = "/no/such/python"
    assert notebook.run("x").verdict == "unavailable"
    broken.python = sandbox.python
    assert notebook.run("x").stdout == "1\n"
    notebook.close()
