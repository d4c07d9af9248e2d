"""Programs that try to get out of the sandbox, or over its budget, as data.

Each is the body of a Python program. `T` is what the range tells it (paths, ports, process ids of
targets outside); `won(...)` says that something forbidden was done, for acts that nobody outside
can see. The other acts are judged by the range in `test_sandbox_attacks.py`: the secret in what
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

NETWORK = (
    Attack("connect over IPv4", "socket.create_connection(('127.0.0.1', T['tcp']), 2)", bare=True),
    Attack(
        "send a datagram", "socket.socket(2, 2).sendto(b'x', ('127.0.0.1', T['udp']))", bare=True
    ),
    Attack(
        "connect to an abstract socket",
        "socket.socket(1, 1).connect('\\0' + T['abstract'])",
        bare=True,
    ),
    Attack("connect to a socket's path", "socket.socket(1, 1).connect(T['socket'])", bare=True),
    Attack(
        "make a socket of any other family",
        """
for family in range(2, 64):
    for kind in (1, 2, 3, 5):
        for protocol in (0, 1, 6, 17):
            try:
                socket.socket(family, kind, protocol).close()
                won(family, kind, protocol)
            except OSError:
                pass
""",
    ),
    Attack(
        "make a pair of sockets of another family",
        """
pair = (ctypes.c_int * 2)()
for family in range(2, 64):
    for kind in (1, 2, 5):
        if libc.socketpair(family, kind, 0, pair) == 0: won(family)
""",
    ),
    Attack(
        "make a socket with high bits set",
        """
for family in (2 | 1 << 32, 40 | 1 << 32, 16 | 1 << 63):
    if libc.syscall(T["calls"]["socket"], ctypes.c_ulong(family), 1, 0) >= 0: won(family)
""",
    ),
    Attack(
        "look for an interface",
        """
names = [name for name in os.listdir("/sys/class/net")] if os.path.exists("/sys/class/net") else []
lines = open("/proc/net/dev").read().splitlines()[2:]
if names or [line for line in lines if not line.strip().startswith("lo:")]: won(names, lines)
""",
    ),
    Attack("resolve a name", "socket.getaddrinfo('localhost.example', 80)"),
)

PROCESSES = (
    Attack("kill a victim", "os.kill(T['victim'], 9)", bare=True),
    Attack("kill the launcher", "os.kill(T['launcher'], 9)"),
    Attack("kill everyone", "os.kill(-1, 9)"),
    Attack("kill the first process", "os.kill(1, 9)\ntime.sleep(0.1)"),
    Attack("stop the first process", "os.kill(1, signal.SIGSTOP)\ntime.sleep(0.1)"),
    Attack(
        "overwrite the first process",
        """
with open("/proc/1/maps") as maps:
    spans = [line.split()[0].split("-") for line in maps if " rw" in line]
with open("/proc/1/mem", "r+b", buffering=0) as memory:
    for first, last in spans:
        memory.seek(int(first, 16))
        memory.write(b"\\xff" * (int(last, 16) - int(first, 16)))
""",
        verdicts=("ok", "error", "killed", "time"),
    ),
    Attack(
        "trace",
        """
for request, pid in ((16, 1), (0x4206, 1), (0, 0)):
    if errno_of("ptrace", request, pid, 0, 0) != 1: won(request)
""",
    ),
    Attack(
        "read another process's memory",
        "if errno_of('process_vm_readv', 1, 0, 0, 0, 0, 0) != 1: won()",
    ),
    Attack("take another process's descriptor", "if errno_of('pidfd_getfd', 0, 0, 0) != 1: won()"),
    Attack(
        "rise in priority",
        """
fifo = os.sched_param(9)
for change in (lambda: os.nice(-5), lambda: os.sched_setscheduler(0, os.SCHED_FIFO, fifo),
               lambda: os.setpriority(os.PRIO_PROCESS, 0, -20)):
    try:
        change()
        won()
    except OSError:
        pass
""",
    ),
    Attack(
        "raise a limit",
        """
import resource
for name in ("NPROC", "DATA", "FSIZE", "NOFILE", "CPU", "CORE", "MEMLOCK", "STACK", "MSGQUEUE"):
    kind = getattr(resource, "RLIMIT_" + name, None)
    if kind is not None:
        soft, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY: won(name)
        try:
            resource.setrlimit(kind, (hard + 1, hard + 1))
            won(name)
        except (OSError, ValueError):
            pass
""",
    ),
    Attack("leave a child", "if os.fork() == 0: time.sleep(1000)", bare=True),
    Attack(
        "leave a daemon",
        """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(3): os.close(number)
        for number in (1, 2, 3, 13, 14, 15, 17, 24): signal.signal(number, signal.SIG_IGN)
        time.sleep(1000)
    os._exit(0)
""",
    ),
    Attack(
        "leave a child that holds the pipes",
        "subprocess.Popen(['sleep', '1000'])\nprint('still here')",
    ),
    Attack(
        "leave a time bomb",
        "if os.fork() == 0:\n    os.setsid()\n    time.sleep(1)\n"
        "    open(T['folder'] + '/made', 'w')\n    time.sleep(1000)",
    ),
    Attack(
        "adopt orphans",
        """
libc.prctl(36, 1, 0, 0, 0)
libc.prctl(1, 0, 0, 0, 0)
if os.fork() == 0:
    os.setsid()
    time.sleep(1000)
""",
    ),
)
