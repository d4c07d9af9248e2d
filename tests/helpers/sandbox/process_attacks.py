"""Attacks on the network and on processes: those of others, and own ones that outlive a call."""

from helpers.sandbox.attacks import Attack

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
