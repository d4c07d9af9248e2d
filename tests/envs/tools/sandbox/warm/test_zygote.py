"""A zygote's calls do what calls of a sandbox of their own do, only files stay."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from helpers.sandbox.attack_range import alive, needs_sandbox
from helpers.sandbox.controls import CONTROLS, FILES, INPUT, check_control
from zerogym.envs.tools.sandbox import Limits, Result, Sandbox, Zygote

pytestmark = needs_sandbox


@pytest.fixture(scope="module")
def zygote(sandbox: Sandbox) -> Iterator[Zygote]:
    with sandbox.zygote(total_cpu_s=200) as one:
        yield one


@pytest.mark.parametrize("name", CONTROLS)
def test_what_should_run_runs(zygote: Zygote, name: str) -> None:
    source, expected = CONTROLS[name]
    zygote.run(shell="rm -rf /task/*")
    check_control(zygote.run(python=source, stdin=INPUT, files=FILES), expected)


# Programs whose every word must be as in a sandbox of their own.
SAME = {
    "exception": "x = 1\ndef f():\n    return x / 0\nf()\n",
    "chained exception": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    int('x')",
    "syntax error": "print('never')\nif True\n    pass\n",
    "indentation": "  x = 1",
    "exit with a status": "import sys; sys.exit(7)",
    "exit with nothing": "import sys; print('x'); sys.exit()",
    "exit with a text": "import sys; sys.exit('why')",
    "exit with a large status": "raise SystemExit(2 ** 70 + 3)",
    "interrupt": "raise KeyboardInterrupt",
    "at exit": "import atexit; atexit.register(print, 'last')\nprint('first')",
    "at exit fails": "import atexit; atexit.register(lambda: 1 / 0)\nprint('first')",
    "thread outlives": (
        "import threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(0.05), print('late'))).start()\nprint('end')"
    ),
    "daemon thread does not": (
        "import threading, time\n"
        "threading.Thread(target=lambda: (time.sleep(9), print('late')), daemon=True).start()"
    ),
    "file left open": "f = open('out', 'w'); f.write('kept')",
    "destructor": "class A:\n    def __del__(self): print('gone')\na = A()",
    "destructor in a cycle": "class A:\n    def __del__(self): print('gone')\na = A(); a.a = a",
    "its own hook": "import sys\nsys.excepthook = lambda *a: print('hook', a[0])\n1 / 0",
    "output closed": "import os; os.close(1)\nprint('x')",
    "output object closed": "import sys; sys.stdout.close()",
    "no output": "import sys; sys.stdout = None; print('x')",
    "everything closed": "import os; os.closerange(0, 99)",
    "forked child ends too": "import os\nif os.fork(): os.wait()\nprint('once')",
    "exit at once": "import os; os._exit(5)",
    "abort": "import os; os.abort()",
    "segmentation fault": "import ctypes; ctypes.string_at(0)",
    "killed": "import os; os.kill(os.getpid(), 9)",
    "terminated": "import os; os.kill(os.getpid(), 15)",
    "arguments and name": "import sys; print(sys.argv, __name__, __file__, sys.path[0])",
    "main module": "import __main__, sys\nx = 4\nprint(__main__.x, sorted(vars(__main__))[-1])",
    "flags": "import sys; print(sys.flags, sys.dont_write_bytecode)",
    "encodings": "import sys; print([s.encoding + s.errors for s in (sys.stdin, sys.stdout)])",
    "signals": "import signal; print([signal.getsignal(n) for n in (2, 10, 13, 15, 17)])",
    "limits": (
        "import resource as r\n"
        "for n in 'CPU DATA FSIZE NOFILE NPROC STACK CORE'.split():\n"
        "    print(n, r.getrlimit(getattr(r, 'RLIMIT_' + n)))"
    ),
    "environment": "import os; print(sorted(os.environ.items()))",
    "open files": "import os; print(sorted(os.listdir('/proc/self/fd'))[:-1])",
    "order of a set": "print({'one', 'two', 'three', 'four'})",
    "recursion": "def f(n): return f(n + 1)\nf(0)",
    "pickle": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))))",
    "class of its own module": "class A: pass\nprint(A, A.__module__)",
    "spawned process": (
        "import multiprocessing as m\ndef f(x): print('in', x, flush=True)\n"
        "if __name__ == '__main__':\n    p = m.get_context('spawn').Process(target=f, args=(1,))\n"
        "    p.start(); p.join(); print(p.exitcode)"
    ),
    "lone surrogate": "print('\ud800')",
    "no UTF-8": "# -*- coding: ascii -*-\nprint('é')",
    "other encoding": "# -*- coding: latin-1 -*-\nprint(ascii('é'))",
    "control characters": "\x1b]0;title\x07",
    "empty": "",
}


def compared(result: Result) -> tuple[object, ...]:
    """The parts of a result that must be the same."""
    last = result.stderr.strip().splitlines()[-1:]  # lines above may name the loader's own frames
    kind = [line.partition(":")[0] for line in last]  # the words for bad encodings differ
    return result.verdict, result.stdout, result.exit_code, result.signal, kind


@pytest.mark.parametrize("name", SAME)
def test_the_same_as_in_a_sandbox_of_its_own(sandbox: Sandbox, zygote: Zygote, name: str) -> None:
    assert compared(zygote.run(python=SAME[name])) == compared(sandbox.run(python=SAME[name]))


@pytest.mark.parametrize("name", ["exception", "chained exception", "syntax error", "at exit"])
def test_errors_are_shown_to_the_letter(sandbox: Sandbox, zygote: Zygote, name: str) -> None:
    assert zygote.run(python=SAME[name]).stderr == sandbox.run(python=SAME[name]).stderr


@pytest.mark.parametrize(
    "source", ["exit 3", "kill -SEGV $$", "nosuch", "echo $0 $# $-; ulimit -a", "kill -9 $$", "\0"]
)
def test_shell_sources_are_the_same(sandbox: Sandbox, zygote: Zygote, source: str) -> None:
    assert compared(zygote.run(shell=source)) == compared(sandbox.run(shell=source))


@pytest.mark.parametrize("argv", [["echo", "a b", "$HOME"], ["pwd"], ["/task"], ["sh", "-c", "ls"]])
def test_commands_are_the_same(sandbox: Sandbox, zygote: Zygote, argv: list[str]) -> None:
    zygote.run(shell="rm -rf /task/*; rm main.sh")
    assert compared(zygote.run(argv))[:4] == compared(sandbox.run(argv))[:4]
    assert zygote.run(["no-such-program"]).exit_code == 127


def test_files_stay_and_variables_do_not(zygote: Zygote) -> None:
    zygote.run(python="x = 1\nopen('/task/a', 'w').write('1'); open('/tmp/b', 'w').write('2')")
    result = zygote.run(python="print(open('a').read() + open('/tmp/b').read()); x")
    assert (result.stdout, result.verdict) == ("12\n", "error")
    assert "NameError" in result.stderr
    result = zygote.run(["cat", "new"], files={"new": "2"}, collect=["a", "new"])
    assert (result.stdout, dict(result.files)) == ("2", {"a": b"1", "new": b"2"})


def test_modules_of_a_call_are_read_again(zygote: Zygote) -> None:
    for value in ("1", "22"):
        result = zygote.run(python="import own; print(own.X)", files={"own.py": f"X = {value}"})
        assert result.stdout == f"{value}\n"


def test_a_module_in_the_folder_does_not_reach_the_server(zygote: Zygote) -> None:
    names = ("json", "random", "encodings/idna", "ctypes", "traceback", "linecache")
    files = {f"{name}.py": "raise SystemExit('taken')" for name in names}
    assert zygote.run(python="print(1)", files=files).stdout == "1\n"
    assert zygote.run(shell="rm *.py; echo ok").stdout == "ok\n"


def test_what_is_in_the_way_of_the_source(zygote: Zygote) -> None:
    """A call may leave anything under the name of the next source."""
    for mess in ("mkfifo main.py", "mkdir main.py", "ln -s /dev/full main.py", "ln -s /x main.py"):
        assert zygote.run(shell=f"rm -rf main.py; {mess}").verdict == "ok"
        assert zygote.run(python="print('runs')").stdout == "runs\n"
    zygote.run(shell="rm -rf main.py")


def test_what_is_in_the_way_of_a_file(zygote: Zygote) -> None:
    assert zygote.run(shell="rm -rf given; mkdir given; ln -sf / up").verdict == "ok"
    result = zygote.run(["true"], files={"given": "x"})
    assert (result.verdict, result.exit_code) == ("error", None)
    assert "cannot be put" in result.reason
    assert zygote.run(["true"], files={"up/tmp/x": "x"}).verdict == "error"
    zygote.run(shell="rmdir given; ln -s /etc/passwd given; rm up")
    assert zygote.run(["cat", "given"], files={"given": "mine"}).stdout == "mine"


def test_a_full_disk_is_not_the_end(sandbox: Sandbox) -> None:
    with sandbox.zygote(Limits(disk_mib=4)) as zygote:
        assert zygote.run(shell="cat /dev/zero > big").verdict == "error"
        result = zygote.run(["true"], files={"given": "x" * 9999})
        assert (result.verdict, result.reason.partition(":")[0]) == (
            "error", "files cannot be put into /task",
        )  # fmt: skip
        assert zygote.run(shell="#" * 9999).exit_code == 126  # what was not written is not run
        assert zygote.run(python="import os; os.unlink('big'); print(1)").stdout == "1\n"
        assert zygote.run(["cat", "given"], files={"given": "x"}).stdout == "x"


def test_nothing_outlives_a_call(zygote: Zygote) -> None:
    source = (
        "import os, time, signal, sys\n"
        "for number in range(1, 65):\n"
        "    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        os.setsid()\n"
        "        if os.fork() == 0: os.execvp('sleep', ['sleep', '1234567'])\n"
        "        time.sleep(100)\n"
        "print('left')"
    )
    result = zygote.run(python=source)
    assert (result.stdout, result.verdict) == ("left\n", "ok")
    assert alive("1234567") == []
    shown = zygote.run(shell="echo /proc/[0-9]*").stdout.split()
    assert len(shown) == 2, shown  # the server and the shell


def test_orphans_are_not_counted_for_ever(zygote: Zygote) -> None:
    """The first process waits for what loses its parent, while a call runs."""
    source = "for i in $(seq 300); do (true &) ; done; echo done"
    result = zygote.run(shell=source, limits=Limits(processes=20))
    assert (result.stdout, result.verdict) == ("done\n", "ok"), result


def test_a_source_with_a_nul(zygote: Zygote) -> None:
    """Versions of Python differ in what a file with one is; here it is an error."""
    assert zygote.run(python="print(1)\0").verdict == "error"


def test_a_large_source_and_input(zygote: Zygote) -> None:
    source = "x = 1\n" * 1_500_000 + "print('end')"
    result = zygote.run(python=source, limits=Limits(memory_mib=512, cpu_s=5))
    assert result.verdict in ("ok", "error", "memory", "time"), result.reason
    source = "#" * 10_000_000 + "\nimport sys; print(len(sys.stdin.read()))"
    assert zygote.run(python=source, stdin=bytes(3_000_000)).stdout == "3000000\n"


def test_limits_of_a_call(zygote: Zygote) -> None:
    tight = Limits(cpu_s=0.2, wall_s=0.4, output_kib=1, memory_mib=100, processes=3, open_files=10)
    assert zygote.run(python="while True: pass", limits=tight).verdict == "time"
    assert "clock" in zygote.run(["sleep", "9"], limits=tight).reason
    in_time = replace(tight, cpu_s=2, wall_s=20)  # on a busy machine
    assert zygote.run(["yes"], limits=in_time).verdict == "output"
    assert len(zygote.run(["yes"], limits=in_time).stdout) == 1024
    hungry = "k = b'x' * 2**29\nimport time; time.sleep(99)"
    assert zygote.run(python=hungry, limits=in_time).verdict == "error"  # MemoryError
    hungry = "import os, time; os.fork(); k = b'x' * 2**26; time.sleep(99)"
    assert zygote.run(python=hungry, limits=in_time).verdict == "memory"
    assert zygote.run(shell="sleep 1 & sleep 1 & sleep 1 & wait", limits=tight).verdict != "ok"
    assert zygote.run(python="print(1)").stdout == "1\n"
    with pytest.raises(ValueError, match="cpu_s of a call is at most"):
        zygote.run(["true"], limits=Limits(cpu_s=1000))
