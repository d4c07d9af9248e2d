"""Programs that try to use more than their budget, as data; see `sandbox_attacks.py`."""

from sandbox_attacks import Attack

ENDED = ("ok", "error", "time", "memory", "killed")  # of a bomb: any end within the limits

TIME = (
    Attack("compute for ever", "while True: pass", ("time",)),
    Attack("sleep for ever", "time.sleep(1000)", ("time",)),
    Attack(
        "ignore all signals",
        """
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True: pass
""",
        ("time",),
    ),
    Attack("stop itself", "os.kill(os.getpid(), signal.SIGSTOP)", ("time",)),
    Attack(
        "compute in many processes", "for _ in range(4): os.fork()\nwhile True: pass", ("time",)
    ),
    Attack(
        "compute in many threads",
        """
for _ in range(8): threading.Thread(target=lambda: all(True for _ in iter(int, 1))).start()
""",
        ("time", "memory"),
    ),
    Attack("match a hard pattern", "import re\nre.match('(a+)+$', 'a' * 64 + 'b')", ("time",)),
    Attack("take a big power", "print(len(str(7 ** (10 ** 9))))", ("time", "error")),
    Attack(
        "compute in children that nobody counts",
        """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        until = time.time() + 0.01
        while time.time() < until: pass
        os._exit(0)
    time.sleep(0.005)
""",
        ("time", "error", "ok"),
    ),
    Attack(
        "never read, never write",
        "sys.stdin.close()\nos.closerange(0, 3)\ntime.sleep(1000)",
        ("time",),
    ),
    Attack("hang the exit", "import atexit\natexit.register(time.sleep, 1000)", ("time",)),
)

BUDGETS = (
    Attack(
        "fork without end",
        """
while True:
    try:
        os.fork()
    except OSError:
        pass
""",
        ENDED,
    ),
    Attack(
        "fork by the shell", "subprocess.run(['sh', '-c', 'f() { f | f & }; f; sleep 100'])", ENDED
    ),
    Attack(
        "start threads without end",
        """
try:
    while True: threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
except RuntimeError:
    time.sleep(1000)
""",
        ENDED,
    ),
    Attack(
        "leave zombies",
        """
while True:
    if os.fork() == 0: os._exit(0)
""",
        ENDED,
    ),
    Attack(
        "take memory",
        "try:\n    kept = [bytearray(2 ** 20) for _ in range(4096)]\n    won()\n"
        "except MemoryError:\n    pass",
        ("ok", "memory"),
    ),
    Attack(
        "take memory in many processes",
        """
for _ in range(5): os.fork()
kept = bytearray(os.urandom(2 ** 20) * 40)
time.sleep(1000)
""",
        ("memory",),
    ),
    Attack(
        "take memory under a false name",
        """
libc.prctl(15, b") R 0 0 0 (", 0, 0, 0)
libc.prctl(4, 0, 0, 0, 0)
for _ in range(3): os.fork()
kept = bytearray(os.urandom(2 ** 20) * 60)
time.sleep(1000)
""",
        ("memory",),
    ),
    Attack(
        "take memory in children of threads",
        """
def start():
    if os.fork() == 0:
        os.setsid()
        kept = bytearray(os.urandom(2 ** 20) * 60)
        time.sleep(1000)
    time.sleep(1000)
for _ in range(6): threading.Thread(target=start).start()
""",
        ("memory",),
    ),
    Attack(
        "take shared memory",
        """
import mmap
kept = []
for _ in range(64):
    kept.append(mmap.mmap(-1, 2 ** 24))
    kept[-1].write(b"x" * 2 ** 24)
time.sleep(1000)
""",
        ("memory",),
    ),
    Attack(
        "take memory slowly in one big block",
        """
import mmap
kept = mmap.mmap(-1, 2 ** 32)
for start in range(0, 2 ** 32, 4096): kept[start] = 1
""",
        ("memory", "error", "killed", "ok"),
    ),
    Attack(
        "take memory that no process shows",
        """
name = ctypes.addressof(ctypes.create_string_buffer(b"x"))
for name, arguments in (("memfd_create", (name, 0)), ("memfd_secret", (0,)),
                        ("shmget", (0, 2 ** 30, 0o1600)), ("msgget", (0, 0o1600)),
                        ("semget", (0, 100, 0o1600))):
    if call(name, *arguments) != -1: won(name)
""",
    ),
    Attack("lock memory", "if libc.mlockall(3) == 0: kept = bytearray(2 ** 27); won()"),
    Attack(
        "fill the stack",
        """
threading.stack_size(2 ** 26)
def deep(n): return 0 if n == 0 else 1 + deep(n - 1)
sys.setrecursionlimit(10 ** 9)
threading.Thread(target=deep, args=(10 ** 8,)).start()
""",
        (*ENDED,),
    ),
    Attack(
        "fill the disk",
        "with open('big', 'wb') as file:\n"
        "    for _ in range(4096): file.write(bytes(2 ** 20))\nwon()",
    ),
    Attack(
        "fill all disks",
        """
import itertools
folders = os.environ["HOME"], os.environ["TMPDIR"], "/dev/shm"
for folder, number in itertools.product(folders, range(8)):
    try:
        with open(f"{folder}/{number}", "wb") as file:
            for _ in range(64): file.write(bytes(2 ** 20))
    except OSError:
        pass
time.sleep(1000)
""",
        ("memory",),
    ),
    Attack(
        "fill the disk with a file that has no name",
        """
with open("big", "wb") as file:
    os.unlink("big")
    for _ in range(4096): file.write(bytes(2 ** 20))
won()
""",
    ),
    Attack(
        "make many files",
        "for number in range(10 ** 7): open(str(number), 'w').close()",
        ("memory",),
    ),
    Attack(
        "make many folders",
        "for number in range(10 ** 7): os.mkdir(os.environ['TMPDIR'] + f'/{number}')",
        ("memory",),
    ),
    Attack("flood the output", "while True: print('x' * 10000)", ("output",)),
    Attack("flood the errors", "while True: print('x' * 10000, file=sys.stderr)", ("output",)),
    Attack(
        "flood from a child",
        "subprocess.Popen(['yes'])\nos.close(1)\ntime.sleep(1000)",
        ("output",),
    ),
    Attack(
        "open many files",
        """
kept = []
try:
    while True: kept.append(os.open("/dev/null", os.O_RDONLY))
except OSError:
    if len(kept) > T["open_files"]: won(len(kept))
""",
    ),
    Attack(
        "fill pipes",
        """
import fcntl
kept = []
while True:
    read, write = os.pipe()
    os.set_blocking(write, False)
    try:
        fcntl.fcntl(write, 1031, 2 ** 20)
    except OSError:
        pass
    try:
        while os.write(write, bytes(65536)): pass
    except BlockingIOError:
        pass
""",
    ),
    Attack(
        "fill sockets",
        """
kept = []
for _ in range(16):
    if os.fork() == 0: break
while True:
    try:
        pair = socket.socketpair()
    except OSError:
        time.sleep(1000)
    kept.append(pair)
    for one in pair:
        one.setblocking(False)
        try:
            while one.send(bytes(65536)): pass
        except BlockingIOError:
            pass
""",
        ("memory",),
    ),
    Attack(
        "enlarge the buffers of sockets",
        """
for option in (7, 32):
    for one in socket.socketpair():
        try:
            one.setsockopt(socket.SOL_SOCKET, option, 2 ** 22)
            won(option)
        except OSError:
            pass
""",
    ),
    Attack("dump core", "libc.abort()", ("error",)),
)
