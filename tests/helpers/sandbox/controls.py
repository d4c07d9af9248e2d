"""Honest programs that must run in a sandbox, with their output, as data."""

from zerogym.envs.tools.sandbox import Result

# What an honest program needs. A sandbox in which nothing runs would hold every attack.
CONTROLS = {
    "arithmetic": ("print(6 * 7)", "42\n"),
    "input": ("import sys; print(sys.stdin.read().upper())", "A LINE\n\n"),
    "unicode": ("print('é漢🙂')", "é漢🙂\n"),
    "a file given": ("print(open('given/data.txt').read())", "data\n"),
    "a module given": ("import helper; print(helper.VALUE)", "7\n"),
    "work folder": ("open('x', 'w').write('1'); print(open('/task/x').read())", "1\n"),
    "temporary files": (
        "import tempfile\nwith tempfile.NamedTemporaryFile('w+') as f:\n"
        "    f.write('t'); f.seek(0); print(f.read())", "t\n"),
    "threads": (
        "import threading\nseen = []\n"
        "t = [threading.Thread(target=seen.append, args=(i,)) for i in range(30)]\n"
        "[i.start() for i in t]; [i.join() for i in t]; print(sum(seen))", "435\n"),
    "memory": ("kept = bytearray(300 * 2 ** 20); print(len(kept) >> 20)", "300\n"),
    "processes": (
        "import multiprocessing as m\n"
        "if __name__ == '__main__':\n"
        "    with m.get_context('fork').Pool(2) as p: print(p.map(abs, [-1, -2]))", "[1, 2]\n"),
    "asyncio": ("import asyncio; print(asyncio.run(asyncio.sleep(0, 'done')))", "done\n"),
    "sqlite": (
        "import sqlite3\nc = sqlite3.connect('x.db'); c.execute('create table t (a)')\n"
        "c.execute('insert into t values (5)'); c.commit()\n"
        "print(c.execute('select a from t').fetchall())", "[(5,)]\n"),
    "pair of sockets": (
        "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))", "b'x'\n"),
    "random numbers": ("import os; print(len(os.urandom(16)))", "16\n"),
    "a shell below": (
        "import subprocess as s\n"
        "print(s.run(\"seq 9 | sort -rn | head -1 | sed s/9/nine/ | awk '{print $1}'\",\n"
        "            shell=True, capture_output=True, text=True).stdout)", "nine\n\n"),
    "signals": (
        "import os, signal\nsignal.signal(10, lambda *_: print('heard'))\n"
        "os.kill(os.getpid(), 10)", "heard\n"),
    "order of sets": ("print(list({'a', 'b', 'c'}) == list({'a', 'b', 'c'}))", "True\n"),
}  # fmt: skip
INPUT = "a line\n"
FILES = {"given/data.txt": "data", "helper.py": b"VALUE = 7"}  # that the programs find


def check_control(result: Result, expected: str) -> None:
    """Check that an honest program ran to its end, with the expected output."""
    assert (result.verdict, result.stdout) == ("ok", expected), result
    assert (result.exit_code, result.signal, result.reason) == (0, None, "")
