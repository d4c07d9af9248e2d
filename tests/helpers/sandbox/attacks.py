"""Programs that try to get out of the sandbox, or over its budget, as data.

Each is the body of a Python program. `T` is what the range tells it (paths, ports, process ids of
targets outside); `won(...)` says that something forbidden was done, for acts that nobody outside
can see. The other acts are judged by the range in `sandbox/test_attacks.py`: the secret in what
came back, a changed file, a connection, a dead victim, a process that is left. A program that is
stopped by an `OSError` was stopped; any other end without "tried" is a fault of the attack itself.
"""

from dataclasses import dataclass

PRELUDE = """
import ctypes, glob, json, os, signal, socket, subprocess, sys, threading, time
T = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
def won(*what):
    print(T["won"], *what, flush=True)
def call(name, *arguments):
    return libc.syscall(T["calls"][name], *(ctypes.c_long(a) for a in arguments))
def errno_of(name, *arguments):
    return ctypes.get_errno() if call(name, *arguments) == -1 else 0
def show(path):
    try:
        with open(path, "rb") as file:
            print(file.read(100_000).decode("utf-8", "replace"), flush=True)
    except OSError as error:
        print(path, error)
def opens(path, flags=os.O_RDONLY):
    try:
        os.close(os.open(path, flags))
        return True
    except OSError:
        return False
"""


@dataclass(frozen=True)
class Attack:
    """One program, and the verdicts with which its call may end."""

    name: str
    source: str
    verdicts: tuple[str, ...] = ("ok",)
    bare: bool = False  # harmless, and succeeds without a sandbox: the range can see it

    @property
    def program(self) -> str:
        """The whole program."""
        body = "\n".join("    " + line for line in self.source.strip().splitlines())
        stopped = "except OSError as error:\n    print('stopped', error)\nprint('tried')\n"
        return f"{PRELUDE}\ntry:\n{body}\n{stopped}"


READING = (
    Attack("read a file", "show(T['secret'])", bare=True),
    Attack(
        "read through the launcher's root",
        "show(f\"/proc/{T['launcher']}/root{T['secret']}\")",
        bare=True,
    ),
    Attack("read through the first process's root", "show('/proc/1/root' + T['secret'])"),
    Attack(
        "read through the first process's folder",
        "show('/proc/1/cwd/../../../../../..' + T['secret'])",
    ),
    Attack("climb out", "show('../' * 40 + T['secret'])", bare=True),
    Attack("read through a link", "os.symlink(T['secret'], 'link')\nshow('link')"),
    Attack(
        "read inherited descriptors",
        """
for number in range(3, 1024):
    try:
        print(os.pread(number, 1000, 0))
    except OSError:
        pass
""",
    ),
    Attack(
        "read the first process's descriptors",
        "for path in glob.glob('/proc/1/fd/*'):\n    print(os.readlink(path))\n"
        "    if 'pipe' not in os.readlink(path): show(path)",
    ),
    Attack("read shared memory of the host", "show(T['shared'])", bare=True),
    Attack(
        "search the whole disk",
        """
for folder, folders, names in os.walk("/"):
    if folder == "/": folders[:] = [name for name in folders if name != "proc"]
    if os.path.basename(T["secret"]) in names:
        show(os.path.join(folder, os.path.basename(T["secret"])))
""",
        verdicts=("ok", "time"),
    ),
    Attack("see the repository", "if os.path.exists(T['repository']): won()", bare=True),
    Attack(
        "read kernel and disk devices",
        """
for path in ("/dev/mem", "/dev/kmem", "/proc/kcore", "/dev/vda", "/dev/sda", "/proc/kpagemap"):
    if opens(path): won(path)
""",
    ),
    Attack(
        "open devices",
        """
for path in ("/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/vsock", "/dev/userfaultfd",
             "/dev/kmsg", "/dev/loop-control", "/dev/mapper/control", "/dev/tty1"):
    if opens(path): won(path)
""",
    ),
    Attack(
        "read accounts and settings",
        """
for path in ("/etc/shadow", "/etc/passwd", "/etc/hostname", "/root/.ssh", "/run", "/var", "/home"):
    if os.path.exists(path): won(path)
""",
    ),
    Attack("open by handle", "if errno_of('open_by_handle_at', -100, 0, 0) != 1: won()"),
)

ENVIRONMENT = (
    Attack("read the environment", "print(os.environ)", bare=True),
    Attack(
        "read all environments",
        "for path in glob.glob('/proc/[0-9]*/environ'): show(path)",
        bare=True,
    ),
    Attack(
        "read the environment of threads",
        "for path in glob.glob('/proc/*/task/*/environ'): show(path)",
    ),
    Attack(
        "see other processes",
        """
seen = [path for path in glob.glob("/proc/[0-9]*") if os.path.exists(path)]
if len(seen) > 4: won(seen)
""",
        bare=True,
    ),
    Attack(
        "see the launcher",
        "show(f\"/proc/{T['launcher']}/cmdline\")\n"
        "if os.path.exists(f\"/proc/{T['launcher']}\"): won()",
        bare=True,
    ),
)

WRITING = (
    Attack(
        "write a file of the host",
        "os.chmod(T['canary'], 0o666)\nopen(T['canary'], 'w').write('changed')",
        bare=True,
    ),
    Attack("make a file on the host", "open(T['folder'] + '/made', 'w').close()", bare=True),
    Attack("make shared memory on the host", "open(T['shared'] + '.made', 'w').close()", bare=True),
    Attack(
        "write system folders",
        """
library = os.path.dirname(os.__file__)
for folder in ("/", "/usr", "/usr/bin", "/etc", "/dev", "/proc", "/lib", library):
    try:
        open(folder + "/made", "w").close()
        won(folder)
    except OSError:
        pass
""",
    ),
    Attack(
        "change rights and times",
        """
for path in ("/usr", "/usr/bin/env", os.__file__, "/etc"):
    for change in (lambda: os.chmod(path, 0o777), lambda: os.utime(path),
                   lambda: os.chown(path, 0, 0)):
        try:
            change()
            won(path)
        except OSError:
            pass
""",
    ),
    Attack(
        "write kernel settings",
        """
for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/kernel/hostname",
             "/proc/sys/vm/drop_caches", "/proc/sys/kernel/modprobe",
             "/proc/sys/kernel/ns_last_pid"):
    try:
        with open(path, "wb", buffering=0) as file:
            file.write(b"1")
        won(path)
    except OSError:
        pass
""",
    ),
    Attack(
        "lease and watch files of the host",
        """
import fcntl
folder = os.open(os.path.dirname(os.__file__), os.O_RDONLY)
with open(os.__file__) as file:
    for one, command, value in ((file, fcntl.F_SETLEASE, fcntl.F_RDLCK),
                                (folder, fcntl.F_NOTIFY, fcntl.DN_MODIFY)):
        try:
            fcntl.fcntl(one, command, value)
            won(command)
        except OSError:
            pass
""",
    ),
    Attack("write the interpreter", "if opens('/proc/self/exe', os.O_RDWR): won()"),
    Attack(
        "make devices",
        """
import stat
for kind in (stat.S_IFBLK, stat.S_IFCHR):
    try:
        os.mknod(f"device{kind}", kind | 0o666, os.makedev(254, 0))
        won()
    except OSError:
        pass
""",
    ),
    Attack(
        "become root",
        """
for change in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]),
               lambda: os.setresuid(0, 0, 0)):
    try:
        change()
        won()
    except OSError:
        pass
""",
    ),
    Attack(
        "become root by setuid programs",
        """
for path in ("/usr/bin/su", "/usr/bin/passwd", "/usr/bin/mount", "/usr/bin/newgrp"):
    if os.path.exists(path):
        subprocess.run([path, "-c", "true"], stdin=subprocess.DEVNULL, timeout=5)
for path in ("/usr/bin/su", "/bin/sh"):
    subprocess.run(["cp", path, "mine"])
    os.chmod("mine", 0o6755)
    said = subprocess.run(["./mine", "-c", "id -u"], capture_output=True, text=True).stdout
    if said.strip() == "0": won()
""",
    ),
    Attack(
        "hold a capability",
        """
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
    if int(status[name], 16): won(name, status[name])
if status["NoNewPrivs"].strip() != "1" or status["Seccomp"].strip() != "2": won(status)
""",
    ),
)
