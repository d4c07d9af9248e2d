"""A session keeps its variables, shows what a notebook shows, and rests between its cells."""

import time
from collections.abc import Iterator

import pytest

from helpers.sandbox.attack_range import alive, needs_sandbox, wait_for
from helpers.sandbox.controls import CONTROLS, FILES, INPUT
from zerogym.envs.tools.sandbox import Limits, Sandbox, Session
from zerogym.envs.tools.sandbox.execution import process_tree

pytestmark = needs_sandbox
SHORT = Limits(cpu_s=0.2, wall_s=0.4)


@pytest.fixture(scope="module")
def shared(sandbox: Sandbox) -> Iterator[Session]:
    with sandbox.session(total_cpu_s=200) as one:
        yield one


@pytest.fixture
def session(shared: Session) -> Session:
    shared.run("import os; os._exit(0)")
    return shared


@pytest.mark.parametrize("name", CONTROLS)
def test_what_should_run_runs(session: Session, name: str) -> None:
    source, expected = CONTROLS[name]
    session.run("import os; os.system('rm -rf /task/*')")
    session.put(FILES)
    result = session.run(source, stdin=INPUT)
    assert (result.verdict, result.reason) == ("ok", ""), result
    assert result.stdout.startswith(expected), result  # the value of a last expression follows


# Cells and what they print, in one session, one after the other.
CELLS = [
    ("x = 2", ""),
    ("x + 1", "3\n"),
    ("_", "3\n"),
    ("None", ""),
    ("print('a')\nx, 'é漢🙂'", "a\n(2, 'é漢🙂')\n"),
    ("def f():\n    return x\nx = 5\nf()", "5\n"),
    ("for i in range(2):\n    i\n", ""),
    ("from __future__ import annotations\nclass A:\n    y: nowhere\nA.__annotations__",
     "{'y': 'nowhere'}\n"),
    ("class B:\n    z: later\nB.__annotations__", "{'z': 'later'}\n"),
    ("import sys; sys.exit(0)", ""),
    ("sys.argv, __name__", "([''], '__main__')\n"),
    ("import inspect; inspect.getsource(f)", repr("def f():\n    return x\n") + "\n"),
    ("import pickle; pickle.loads(pickle.dumps(A())).__class__ is A", "True\n"),
    ("import __main__; __main__.x", "5\n"),
    ("1;", "1\n"),
    ("", ""),
    ("# nothing", ""),
    ("print('no newline', end='')", "no newline"),
    ("sys.stdout = None; print('nowhere')", ""),
    ("sys.stdout = sys.__stdout__; 'here'", "'here'\n"),
    ("sys.displayhook = lambda value: print('shown', value)\n7", "shown 7\n"),
]  # fmt: skip


def test_a_notebook(session: Session) -> None:
    for source, expected in CELLS:
        result = session.run(source)
        assert (result.verdict, result.stdout, result.stderr) == ("ok", expected, ""), source


@pytest.mark.parametrize(
    ("source", "last", "code"),
    [
        ("x = 1\nx / 0", "ZeroDivisionError: division by zero", 1),
        ("if True\n  pass", "SyntaxError: expected ':'", 1),
        ("\0", "", 1),  # a ValueError or a SyntaxError
        ("print('\ud800')", "SyntaxError: (unicode error)", 1),
        ("input()", "EOFError: EOF when reading a line", 1),
        ("import sys; sys.exit(300)", "", 44),
        ("import sys; sys.exit('why')", "why", 1),
        ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
        ("raise BaseException('x')", "BaseException: x", 1),
        ("def f(n): return f(n)\nf(0)", "RecursionError: maximum recursion depth exceeded", 1),
        ("class A:\n  def __repr__(self): return 1 / 0\nA()", "ZeroDivisionError", 1),
        ("(" * 1000, "SyntaxError", 1),
        ("import sys\nclass O:\n  def flush(s): 1 / 0\nsys.stdout = O()", "ZeroDivisionError", 1),
        ("import sys; sys.excepthook = lambda *a: 1 / 0; x", "ZeroDivisionError", 1),
        ("import sys; sys.stdout.close(); print(1)", "ValueError: I/O operation on closed", 1),
        ("return 1", "SyntaxError: 'return' outside function", 1),
    ],
)
def test_a_failing_cell_keeps_the_variables(
    session: Session, source: str, last: str, code: int
) -> None:
    session.run("kept = 1")
    result = session.run(source)
    assert (result.verdict, result.exit_code) == ("error", code), result
    assert (result.stderr.strip().splitlines() or [""])[-1].startswith(last), result.stderr
    assert "<forked>" not in result.stderr or "hook" in source or "flush" in source
    session.run("import sys; sys.stdout = sys.__stdout__")
    assert session.run("kept").verdict == "ok"


def test_a_traceback_shows_lines_of_older_cells(session: Session) -> None:
    session.run("def f():\n    return 1 / 0  # here")
    shown = session.run("f()").stderr
    assert "return 1 / 0  # here" in shown and "<cell" in shown
    assert shown.count("File") == 2


def test_standard_input_is_each_cells_own(session: Session) -> None:
    assert session.run("a = input(); a", stdin="one\nleft over\n").stdout == "'one'\n"
    assert session.run("input()").verdict == "error"
    assert session.run("b = input(); a + b", stdin="two\n").stdout == "'onetwo'\n"


@pytest.mark.parametrize(
    "source",
    ["while True: pass", "import time; time.sleep(99)", "input()\nimport time; time.sleep(99)",
     "import subprocess; subprocess.run(['sleep', '99'])", "import os; os.system('sleep 99')",
     "import threading; t = threading.Event(); t.wait()",
     "try:\n    while True: pass\nfinally: late = 1"],
)  # fmt: skip
def test_an_interrupted_cell_keeps_the_variables(session: Session, source: str) -> None:
    session.run("kept = 1")
    result = session.run("kept = 2\n" + source, limits=SHORT, stdin="line\n")
    assert (result.verdict, result.exit_code) == ("time", None), result
    assert "variables are kept" in result.reason
    assert "KeyboardInterrupt" in result.stderr or "os.system" in source  # the shell gets it
    assert session.run("kept").stdout == "2\n"


@pytest.mark.parametrize(
    "source",
    [
        "import signal; signal.signal(2, signal.SIG_IGN)\nwhile True: pass",
        "import time\nwhile True:\n    try: time.sleep(9)\n    except BaseException: pass",
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    ],
)
def test_a_cell_that_goes_on_loses_them(session: Session, source: str) -> None:
    session.run("kept = 1\nopen('file', 'w').write('stays')")
    result = session.run(source, limits=SHORT)
    assert (result.verdict, result.exit_code) == ("time", None), result
    assert "variables are lost" in result.reason
    assert result.wall_s < 60
    result = session.run("print(open('file').read())\nkept")
    assert result.stdout == "stays\n"
    assert "NameError" in result.stderr


@pytest.mark.parametrize(
    ("source", "verdict", "code", "number"),
    [
        ("import os; os._exit(0)", "error", 0, None),
        ("import os; os._exit(3)", "error", 3, None),
        ("import os; os.abort()", "error", 134, 6),
        ("import ctypes; ctypes.string_at(0)", "error", 139, 11),
        ("import os; os.kill(os.getpid(), 9)", "killed", 137, 9),
        ("import os; os.execvp('sh', ['sh', '-c', 'echo other; exit 4'])", "error", 4, None),
        ("import os; os.closerange(0, 99)", "error", 1, None),
        ("import builtins; builtins.__dict__.clear()", "error", 1, None),
    ],
)
def test_an_interpreter_that_ends_loses_them(
    session: Session, source: str, verdict: str, code: int, number: int | None
) -> None:
    session.run("kept = 1")
    result = session.run(source)
    assert (result.verdict, result.exit_code, result.signal) == (verdict, code, number), result
    assert result.reason.endswith("variables are lost")
    assert "NameError" in session.run("kept").stderr


def test_too_much_memory_loses_them(session: Session) -> None:
    tight = Limits(memory_mib=128)
    result = session.run("k = b'x' * 2**28", limits=tight)
    assert (result.verdict, "MemoryError" in result.stderr) == ("error", True)
    source = "import os, time\nfor _ in range(2): os.fork()\nk = b'x' * 2**26\ntime.sleep(9)"
    result = session.run(source, limits=tight)
    assert result.verdict == "memory"
    assert "variables are lost" in result.reason


def test_memory_that_grows_over_short_cells_is_caught(session: Session) -> None:
    """Each cell is over before anyone looks, and the kernel's limit is one of each process."""
    tight = Limits(memory_mib=128)
    grow = "if os.fork() == 0: kept = b'x' * 2**22; time.sleep(99)"
    session.run("import os, time")
    results = [session.run(grow, limits=tight) for _ in range(40)]
    verdicts = [result.verdict for result in results]
    assert verdicts[:10] == ["ok"] * 10 and "memory" in verdicts
    assert max(result.peak_mib for result in results) < 160


def test_too_much_output_is_interrupted(session: Session) -> None:
    session.run("kept = 1")
    result = session.run("while True: print('x' * 100)", limits=Limits(output_kib=2))
    assert (result.verdict, len(result.stdout), result.stdout_truncated) == ("output", 2048, True)
    assert "kept" in result.reason
    assert session.run("kept").stdout == "1\n"
    result = session.run("print('x' * 99999)", limits=Limits(output_kib=2))
    assert (result.verdict, len(result.stdout)) == ("output", 2048)


def test_threads_and_processes_rest_between_cells(session: Session) -> None:
    session.run(
        "import threading, time, subprocess\ncount = 0\n"
        "def work():\n    global count\n    while True: count += 1; time.sleep(0.001)\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "child = subprocess.Popen(['sh', '-c', 'while :; do echo x >> ticks; sleep 0.01; done'])\n"
        "import os\n"
        "def go_on(first, second):\n"
        "    while count < first or os.path.getsize('ticks') < second: time.sleep(0.01)\n"
        "open('ticks', 'a').close()\ngo_on(5, 6)\nbegun = count, os.path.getsize('ticks')"
    )
    assert session._live is not None
    pid = session._live.started.pid

    def states() -> list[str]:
        return [process.state for process in process_tree.use(pid, 2**40).processes.values()]

    def all_rest() -> bool:
        found = states()
        return found[:2] == ["S", "S"] and {*found[2:]} == {"T"}

    # The answer is here before the server, which sent it, has gone to sleep, and a signal stops
    # those that read or write a disk (D) only after that.
    assert wait_for(all_rest)
    resting = process_tree.use(pid, 2**40).processes
    assert len(resting) >= 4, "the interpreter and the shell, which may have a child"
    time.sleep(0.3)
    assert process_tree.use(pid, 2**40).processes == resting, "not even CPU seconds have changed"
    goes_on = "go_on(begun[0] + 9, begun[1] + 6)"
    assert session.run(goes_on).verdict == "ok", "they go on with the next cell"


def test_what_a_cell_forks_is_no_second_session(session: Session) -> None:
    result = session.run("import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint('end')")
    assert (result.stdout, result.verdict) == ("end\nend\n", "ok")
    assert session.run("pid > 0").stdout == "True\n"
    daemon = "if os.fork() == 0:\n    os.setsid()\n    os.execvp('sleep', ['sleep', '765432'])"
    # The other program closes its end of the pipe when it begins.
    session.run(f"reader, writer = os.pipe()\n{daemon}\nos.close(writer); os.read(reader, 1)")
    assert len(alive("765432")) == 1
    session.run("import os; os._exit(0)")
    assert wait_for(lambda: alive("765432") == [])


def test_an_output_held_by_an_older_cell(session: Session) -> None:
    """Later output of a process of one cell is not that of another."""
    session.run("import subprocess\np = subprocess.Popen(['sh', '-c', 'sleep 0.2; echo late'])")
    assert session.run("import time; time.sleep(0.5); 1").stdout == "1\n"


def test_files_come_and_go(session: Session) -> None:
    session.put({"in/a": "1", "b": b"\xff"})
    result = session.run("open('c', 'w').write(open('in/a').read())", collect=["b", "c", "none"])
    assert dict(result.files) == {"b": b"\xff", "c": b"1"}
    session.put({"b": "new"})
    assert session.run("print(open('b').read())").stdout == "new\n"
    with pytest.raises(ValueError):
        session.put({"../x": ""})
    session.run("import os; os.unlink('b'); os.mkdir('b')")
    session.put({"b": "in the way"})
    assert session.run("1").verdict == "error"
    assert session.run("1").verdict == "ok"


def test_a_large_cell(session: Session) -> None:
    assert session.run("#" * 10_000_000 + "\n1").stdout == "1\n"
    assert session.run("x = '" + "y" * 10_000_000 + "'; len(x)").stdout == "10000000\n"
    assert session.run("len(input())", stdin="z" * 3_000_000).stdout == "3000000\n"
