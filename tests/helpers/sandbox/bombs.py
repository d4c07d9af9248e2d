"""Programs that try to use more than their budget, as data; see `attacks.py`."""

from helpers.sandbox.attacks import Attack

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
for _ in range(4): os.fork()
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
for _ in range(20): threading.Thread(target=start).start()
""",
        ("memory",),
    ),
    Attack(
        "take shared memory",
        """
import mmap
zeros = [os.open("/dev/zero", os.O_RDWR)] if os.path.exists("/dev/zero") else []
for file in (-1, *zeros):  # what was written stays when all but one page is unmapped
    try:
        mmap.mmap(file, 2 ** 24).write(b"x" * 2 ** 24)
        won(file)
    except OSError:
        pass
""",
    ),
    Attack(
        "take shared memory in a file",
        """
import mmap
kept = []
for number in range(32):
    path = f"{os.environ['TMPDIR']}/{number}"
    with open(path, "w+b") as file:
        os.unlink(path)
        file.truncate(2 ** 23)
        kept.append(mmap.mmap(file.fileno(), 2 ** 23))
    for start in range(0, 2 ** 23, 4096): kept[-1][start] = 1
time.sleep(1000)
""",
        ("memory", "error"),
    ),
    Attack(
        "fill page tables",
        """
import mmap
kept = [mmap.mmap(-1, 2 ** 38, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ) for _ in range(2)]
for one in kept:
    for start in range(0, 2 ** 38, 2 ** 21): one[start]
time.sleep(1000)
""",
        ("memory",),
    ),
    Attack(
        "fill lists of rights",
        """
import struct
rights = [(1, 7, 2 ** 32 - 1), *[(2, 7, os.getuid())] * 8000, (4, 7, 2 ** 32 - 1),
          (16, 7, 2 ** 32 - 1), (32, 7, 2 ** 32 - 1)]
content = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *right) for right in rights)
for name, value in (("posix_acl_access", content), ("posix_acl_default", content)):
    os.setxattr(".", "system." + name, value)
    won(name)
""",
    ),
    Attack(
        "lend pages to pipes and sockets",
        """
import mmap
read, write = os.pipe()
mine, other = socket.socketpair()
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE)
page[0] = 1
vector = (ctypes.c_ulong * 2)(ctypes.addressof(ctypes.c_char.from_buffer(page)), 1)
with open("big", "w+b") as file:
    file.write(bytes(4096))
    file.flush()
    number = file.fileno()
    if errno_of("vmsplice", write, ctypes.addressof(vector), 1, 0) == 0: won("vmsplice")
    if errno_of("splice", number, 0, write, 0, 1, 0) == 0: won("splice")
    os.write(write, b"x")
    if errno_of("tee", read, os.pipe()[1], 1, 0) == 0: won("tee")
    for target in (write, mine.fileno()):
        if errno_of("sendfile", target, number, 0, 1) == 0: won("sendfile", target)
""",
    ),
    Attack(
        "take memory slowly in one big block",
        """
import mmap
kept = mmap.mmap(-1, 2 ** 32, flags=mmap.MAP_PRIVATE)
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
