"""Programs that ask the kernel for what it may not give, and results that are traps, as data.

See `attacks.py`.
"""

from helpers.sandbox.attacks import Attack

KERNEL = (
    Attack(
        "make forbidden calls",
        """
for name in T["forbidden"]:
    if errno_of(name, -1, -1, -1, -1, -1) != 1: won(name)
""",
    ),
    Attack(
        "make calls that are not known",
        """
for number in (*range(463, 520), 600, 1000, 2 ** 30 + 39, 2 ** 30 + 41, 2 ** 31 - 1):
    if libc.syscall(number, 0, 0, 0, 0) != -1 or ctypes.get_errno() != 38: won(number)
""",
    ),
    Attack(
        "make namespaces",
        """
for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000, 0x80):
    if libc.unshare(flag) == 0: won("unshare", hex(flag))
    pid = call("clone", flag | 17, 0, 0, 0, 0) if flag != 0x80 else -1
    if pid == 0: os._exit(0)
    if pid > 0: won("clone", hex(flag))
""",
    ),
    Attack(
        "make a namespace by clone3",
        """
arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
if errno_of("clone3", ctypes.addressof(arguments), 88) != 38: won()
""",
    ),
    Attack(
        "make a namespace by command",
        "if subprocess.run(['unshare', '-Ur', 'true']).returncode == 0: won()",
    ),
    Attack(
        "enter a namespace",
        """
for name in ("user", "mnt", "pid", "net"):
    with open(f"/proc/1/ns/{name}") as file:
        if libc.setns(file.fileno(), 0) == 0: won(name)
""",
    ),
    Attack(
        "mount",
        """
for source, target, kind, flags in ((b"none", b"/task", b"tmpfs", 0), (b"/", b"/task", None, 4096),
                                    (b"none", b"/usr", None, 32 | 4096),
                                    (b"proc", b"/task", b"proc", 0)):
    if libc.mount(source, target, kind, flags, None) == 0: won(target)
for name in (b"/proc", b"/dev", b"/task"):
    if libc.umount2(name, 2) == 0: won(name)
""",
    ),
    Attack("change the root", "if libc.chroot(b'/task') == 0: won()"),
    Attack(
        "make calls of another architecture",
        """
import mmap, platform
if platform.machine() == "x86_64":
    code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE, prot=7)
    code.write(bytes.fromhex("b814000000cd80c3"))  # getpid by the 32-bit door
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    won()
""",
        ("error", "ok"),
    ),
    Attack(
        "type into a terminal",
        """
import fcntl, pty
if opens("/dev/tty", os.O_RDWR): won()
for number in (0, 1, 2, *pty.openpty()):
    try:
        fcntl.ioctl(number, 0x5412, b"x")
        won(number)
    except OSError:
        pass
""",
    ),
    Attack(
        "type with high bits set",
        """
import pty
for number in pty.openpty():
    if libc.syscall(T["calls"]["ioctl"], number, ctypes.c_ulong(0x5412 | 1 << 32), b"x") == 0: won()
""",
    ),
    Attack(
        "change the personality", "if errno_of('personality', 0x0040000) != 1: won()"
    ),  # ADDR_NO_RANDOMIZE
    Attack("name the host", "if libc.sethostname(b'x', 1) == 0: won()"),
    Attack("set the clock", "time.clock_settime(time.CLOCK_REALTIME, 0)\nwon()"),
    Attack(
        "log of the kernel", "if libc.klogctl(3, ctypes.create_string_buffer(99), 99) >= 0: won()"
    ),
)

# name, source, and the file to collect: nothing of the host may come back, and nothing may hang.
RESULTS = (
    Attack("result is a link", "os.symlink(T['secret'], 'result')"),
    Attack(
        "result is a link to the launcher's root",
        "os.symlink(f\"/proc/{T['launcher']}/root{T['secret']}\", 'result')",
    ),
    Attack("result lies in a linked folder", "os.symlink(os.path.dirname(T['secret']), 'folder')"),
    Attack("result is a FIFO", "os.mkfifo('result')"),
    Attack("result is a folder", "os.mkdir('result')"),
    Attack("result is a socket", "socket.socket(1, 1).bind('result')"),
    Attack("result is sparse", "open('result', 'w').truncate(2 ** 26)"),
    Attack(
        "result is not readable",
        "open('result', 'w').write('x')\nos.chmod('result', 0)\nos.chmod('.', 0)",
    ),
    Attack("result is a hard link", "os.link(os.__file__, 'result')"),
    Attack(
        "result lies deep",
        """
for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")
""",
        ("ok", "memory"),
    ),
    Attack(
        "result changes while it is read",
        """
if os.fork() == 0:
    while True:
        open("result", "w").close()
        os.unlink("result")
        os.symlink(T["secret"], "result")
        os.unlink("result")
time.sleep(0.1)
""",
    ),
    Attack(
        "folder is replaced",
        """
task = os.environ["HOME"]
os.rename(task, os.environ["TMPDIR"] + "/task")
os.symlink(os.path.dirname(T["secret"]), task)
won()
""",
    ),
)
