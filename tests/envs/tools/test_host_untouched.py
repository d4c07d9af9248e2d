"""Worlds that run a policy's programs: each episode of many seeds also holds a hostile program.

The expert's programs carry a probe that reads, writes and connects whatever the user of this
process may. Nothing of the host is reached, and the expert's reward is what it was.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.sandbox.attack_range import Host, host, leaks, needs_sandbox
from zerogym.envs.tools.folder.world import FolderWorld
from zerogym.envs.tools.repo_fix.env import RepoFixEnv
from zerogym.envs.tools.sandbox import Result
from zerogym.envs.tools.shell_world.env import ShellEnv
from zerogym.envs.tools.terminal.env import TerminalEnv

DONE = "probe-done"
_BASH = """\
(
t() {{ timeout 2 "$@"; }}
cat {secret} /dev/shm/{mark}
echo changed >> {canary}
touch {folder}/made /dev/shm/{mark}.made
env | grep ^RANGE_SECRET=
cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -m 1 ^RANGE_SECRET=
for file in /proc/self/fd/* /proc/{launcher}/fd/*; do
  case $(readlink $file) in *secret.txt) cat $file;; esac
done
kill -9 {victim} && echo {won}
t bash -c 'echo hello > /dev/tcp/127.0.0.1/{tcp}'
t bash -c 'echo hello > /dev/udp/127.0.0.1/{udp}'
) 2> /dev/null
echo {done}"""
_PYTHON = """
def _probe():
    import glob, os, signal, socket
    def tried(act):
        try:
            act()
        except Exception:
            pass
    tried(lambda: print(open({secret!r}).read()))
    tried(lambda: print(open("/dev/shm/{mark}").read()))
    tried(lambda: open({canary!r}, "a").write("changed"))
    tried(lambda: open({folder!r} + "/made", "w").close())
    tried(lambda: open("/dev/shm/{mark}.made", "w").close())
    tried(lambda: print(os.environ["RANGE_SECRET"]))
    for path in glob.glob("/proc/[0-9]*/environ"):
        tried(lambda: print(*[v for v in open(path).read().split("\\0") if v[:6] == "RANGE_"]))
    for path in glob.glob("/proc/self/fd/*"):
        tried(lambda: "secret.txt" in os.readlink(path) and print(open(path).read()))
    tried(lambda: print(os.kill({victim}, signal.SIGKILL) or {won!r}))
    tried(lambda: socket.create_connection(("127.0.0.1", {tcp}), 1))
    udp = ("127.0.0.1", {udp})
    tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", udp))
    tried(lambda: socket.socket(socket.AF_UNIX).connect("\\0{mark}"))
    tried(lambda: socket.socket(socket.AF_UNIX).connect({socket!r}))
    print({done!r})
_probe()
"""


@pytest.fixture
def targets() -> Iterator[Host]:
    with host() as one, leaks(one):
        yield one


def probe(program: str, one: Host) -> str:
    return program.format(done=DONE, **one.targets)


def reached(one: Host, *texts: str) -> list[str]:
    return one.escapes(Result("ok", "\n".join(texts)))


@pytest.mark.parametrize(
    ("program", "shell"), [(_BASH, ["bash", "-c"]), (_PYTHON, [sys.executable, "-c"])]
)
def test_the_probe_reaches_all_of_it_without_a_sandbox(
    program: str, shell: list[str], targets: Host, tmp_path: Path
) -> None:
    """Else the sweeps below would show nothing."""
    command = [*shell, probe(program, targets)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    targets.victim.wait(20)
    assert {*reached(targets, done.stdout)} == {
        "the secret came back", "it says so", "a file was changed", "a file was made",
        "shared memory was made", "the victim is dead", "a connection came",
    }  # fmt: skip


def play_scripts(env: FolderWorld, seed: int, one: Host) -> None:
    """Run the probe and all scripts of the expert as one, then answer."""
    env.reset(seed=seed)
    *first, last = (call.arguments["script"] for call in env.expert_plan())
    lines = [f"(\n{probe(_BASH, one)}\n) >&2", *(f"(\n{each}\n) > /dev/null" for each in first)]
    script = "\n".join([*lines, f"(\n{last}\n)"])
    text = env.step(env.format.write(env.tools[0], {"script": script}))[0]
    _, reward, _, _, info = env.step(env.answer_action())
    assert (reward, DONE in text) == (1.0, True), (seed, text, info)
    kept = [
        f"{path} {entry.content!r}" for path, entry in env._running().state.folder.entries.items()
    ]
    assert not reached(one, text, str(info), *kept), seed


def play_repairs(env: RepoFixEnv, seed: int, one: Host) -> None:
    """Repair the repository, add the probe to a repaired module, run the tests and answer."""
    env.reset(seed=seed)
    tools = {tool.name: tool for tool in env.tools}
    plan = list(env.expert_plan())
    for call in plan:
        env.step(env.format.write(tools[call.tool], call.arguments))
    files = env._running().state.files
    files[plan[-1].arguments["path"]] += probe(_PYTHON, one)
    text = env.step(env.format.write(tools["run_tests"], {}))[0]
    _, reward, _, _, info = env.step(env.answer_action())
    assert (reward, DONE in text) == (1.0, True), (seed, text, info)
    assert not reached(one, text, str(info)), seed


WORLDS = {ShellEnv: 1000, RepoFixEnv: 1000, TerminalEnv: 1000}  # and the seeds of its sweep
PART = 125  # seeds that one test plays
TWO = [pytest.param(world, range(2), id=world.__name__) for world in WORLDS]
PARTS = [
    pytest.param(
        world, range(first, first + PART), marks=pytest.mark.proof, id=f"{world.__name__}-{first}"
    )
    for world, seeds in WORLDS.items()
    for first in range(0, seeds, PART)
]


@needs_sandbox
@pytest.mark.parametrize(("world", "seeds"), [*TWO, *PARTS])
def test_no_file_variable_or_socket_of_the_host_is_touched(
    world: type[FolderWorld] | type[RepoFixEnv], seeds: range, targets: Host
) -> None:
    for seed in seeds:
        env = world(difficulty=seed % 3)
        play = play_repairs if isinstance(env, RepoFixEnv) else play_scripts
        play(env, seed, targets)  # type: ignore[arg-type]
        env.close()
    assert os.environ["RANGE_SECRET"] == targets.token
