"""Programs that try what only a level without namespaces must fear, as data.

See `attacks.py`. There the host's processes, files and sockets have their own names.
"""

from helpers.sandbox.attacks import Attack

PROCESSES = (
    Attack(
        "signal in other ways",
        """
for pid in (T["victim"], T["launcher"], os.getppid()):
    for number in (9, 15, 19):
        for name, arguments in (("tkill", (pid, number)), ("tgkill", (pid, pid, number))):
            numbers = {"tkill": (200, 130), "tgkill": (234, 131)}[name]
            if libc.syscall(numbers[os.uname().machine != "x86_64"], *arguments) == 0: won(name)
        if libc.sigqueue(pid, number, None) == 0: won("sigqueue")
        try:
            descriptor = os.pidfd_open(pid)
            signal.pidfd_send_signal(descriptor, number)
            won("pidfd")
        except OSError:
            pass
""",
    ),
    Attack(
        "signal groups",
        """
for group in (os.getpgid(T["victim"]), os.getpgid(T["launcher"]), os.getpgid(os.getppid())):
    try:
        os.killpg(group, 9)
        won(group)
    except OSError:
        pass
""",
    ),
    Attack(
        "be signalled for",
        """
import fcntl
mine, other = socket.socketpair()
for pid in (T["victim"], os.getppid()):
    try:
        fcntl.fcntl(mine, fcntl.F_SETOWN, pid)
        fcntl.fcntl(mine, 10, 9)  # F_SETSIG: SIGKILL instead of SIGIO
        fcntl.fcntl(mine, fcntl.F_SETFL, os.O_ASYNC)
        other.send(b"x")
    except OSError:
        pass
time.sleep(0.1)
""",
    ),
    Attack(
        "end the supervisor",
        """
for number in (9, 15, 19, 2, 1):
    try:
        os.kill(os.getppid(), number)
        won(number)
    except OSError:
        pass
time.sleep(0.1)
""",
    ),
    Attack(
        "limit another process",
        """
import resource
for pid in (T["victim"], T["launcher"], os.getppid()):
    for kind in (resource.RLIMIT_CPU, resource.RLIMIT_NOFILE, resource.RLIMIT_DATA):
        try:
            resource.prlimit(pid, kind, (0, 0))
            won(pid, kind)
        except OSError:
            pass
""",
    ),
    Attack(
        "take memory in orphans",
        """
for _ in range(6):
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            kept = bytearray(os.urandom(2 ** 20) * 60)
            time.sleep(1000)
        os._exit(0)
time.sleep(1000)
""",
        ("memory",),
    ),
    Attack(
        "slow another process down",
        """
idle = os.sched_param(0)
for pid in (T["victim"], T["launcher"], os.getppid()):
    for change in (lambda: os.sched_setaffinity(pid, {0}), lambda: os.setpriority(0, pid, 19),
                   lambda: os.setpriority(os.PRIO_USER, 0, 19),
                   lambda: os.setpriority(os.PRIO_PGRP, os.getpgid(pid), 19),
                   lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, idle)):
        try:
            change()
            won(pid)
        except OSError:
            pass
    if libc.syscall({"x86_64": 251}.get(os.uname().machine, 30), 1, pid, 3 << 13) == 0: won("io")
""",
    ),
    Attack(
        "read another process",
        """
for pid in (T["victim"], T["launcher"], os.getppid()):
    for name in ("environ", "mem", "maps", "cmdline", "root", "cwd/x", "fd", "exe"):
        try:
            os.close(os.open(f"/proc/{pid}/{name}", os.O_RDONLY))
            won(pid, name)
        except OSError:
            pass
    if errno_of("ptrace", 16, pid, 0, 0) != 1: won(pid)
""",
    ),
)

FILES = (
    Attack(
        "change rights, owner, times and attributes of a file by name",
        """
def ignore(change):
    try:
        change()
    except OSError:
        pass
ignore(lambda: os.chmod(T["canary"], 0o777))
ignore(lambda: os.chown(T["canary"], -1, os.getgid()))
ignore(lambda: os.lchown(T["canary"], -1, os.getgid()))
ignore(lambda: os.utime(T["canary"], (1, 1)))
ignore(lambda: os.setxattr(T["canary"], "user.made", b"1"))
place = os.open(T["canary"], os.O_PATH)
ignore(lambda: os.chmod(f"/proc/self/fd/{place}", 0o777))
ignore(lambda: os.chmod(place, 0o777))
ignore(lambda: os.utime(place, (1, 1)))
""",
        bare=True,
    ),
    Attack(
        "change a file by name",
        """
def ignore(change):
    try:
        change()
    except OSError:
        pass
canary, folder = T["canary"], T["folder"]
open("mine", "w").write("changed")
os.symlink(canary, "link")
ignore(lambda: os.truncate(canary, 0))
ignore(lambda: os.unlink(canary))
ignore(lambda: os.rename(canary, "taken"))
ignore(lambda: os.rename("mine", canary))
ignore(lambda: os.link("mine", folder + "/made"))
ignore(lambda: os.rename("mine", folder + "/made"))
ignore(lambda: os.symlink("x", folder + "/made"))
ignore(lambda: os.mkdir(folder + "/made"))
ignore(lambda: os.mkfifo(folder + "/made"))
ignore(lambda: open("link", "w").write("changed"))
ignore(lambda: open("link", "r+").truncate(0))
""",
    ),
    Attack(
        "take a file in",
        """
for take in (lambda: os.link(T["secret"], "result"), lambda: os.rename(T["secret"], "result"),
             lambda: os.link(T["secret"], os.environ["TMPDIR"] + "/x")):
    try:
        take()
        won()
    except OSError:
        pass
place = os.open(T["secret"], os.O_PATH)
show(f"/proc/self/fd/{place}")
show(f"/dev/fd/{place}")
print(os.read(place, 100))
""",
        bare=True,
    ),
    Attack("write beside the folder", "open('../made', 'w').close()\nwon()"),
    Attack("list beside the folder", "won(os.listdir('../..'))"),
    Attack("run a program from elsewhere", "os.execv(T['secret'], ['x'])"),
    Attack(
        "leave what cannot be removed",
        """
os.makedirs("a/b/c")
os.mkdir("closed", 0)
os.mkdir("blind", 0o300)
os.mkdir("blind/in", 0o100)
os.mkdir("fixed", 0o700)
open("fixed/x", "w").close()
for path in ("a/b/c", "a/b", "a", "fixed"): os.chmod(path, 0o500)
os.mkfifo("pipe")
os.symlink("/", "root")
os.symlink(T["folder"], "fixed2")
""",
    ),
    Attack(
        "hide files in folders that cannot be read",
        """
os.mkdir("blind", 0o300)
for number in range(10 ** 6): open(f"blind/{number}", "w").close()
""",
        ("memory",),
    ),
    Attack(
        "fill the disk with files that have no name",
        """
kept = []
for number in range(20):
    kept.append(open(str(number), "wb"))
    os.unlink(str(number))
    kept[-1].write(bytes(4 * 2 ** 20))
time.sleep(1000)
""",
        ("memory",),
    ),
)

SOCKETS = (
    Attack(
        "reach a socket in a folder from a pair",
        """
for kind in (1, 2, 5):
    try:
        one, other = socket.socketpair(socket.AF_UNIX, kind)
    except OSError:
        continue
    for reach in (lambda: one.connect(T["socket"]), lambda: one.sendto(b"x", T["socket"]),
                  lambda: one.sendmsg([b"x"], [], 0, T["datagrams"])):
        try:
            reach()
            won(kind)
        except OSError:
            pass
""",
    ),
    Attack(
        "send to a socket in a folder",
        """
for make in (lambda: socket.socketpair(socket.AF_UNIX, 2)[0], lambda: socket.socket(1, 2)):
    try:
        make().sendto(b"x", T["datagrams"])
        won()
    except OSError:
        pass
""",
        bare=True,
    ),
)

SHARED = (*PROCESSES, *FILES, *SOCKETS)
