"""Numbers of the system calls that the sandbox's filter names, per machine.

In the tables a call is written as its name, its number on x86_64 (`unistd_64.h` of the kernel) and
on aarch64 (`asm-generic/unistd.h`); `-` where the machine does not have it.
"""

SystemCalls = dict[str, tuple[int | None, int | None]]


def _table(text: str) -> SystemCalls:
    """Read a table; lines that begin with # are comments."""
    lines = "".join(line for line in text.splitlines(True) if not line.startswith("#"))
    entries = (entry.split() for entry in lines.replace("\n", ",").split(",") if entry.strip())
    return {
        name: (None if x86_64 == "-" else int(x86_64), None if aarch64 == "-" else int(aarch64))
        for name, x86_64, aarch64 in entries
    }


FORBIDDEN = _table("""
# other processes' memory and files
ptrace 101 117, process_vm_readv 310 270, process_vm_writev 311 271, process_madvise 440 440,
kcmp 312 272, pidfd_getfd 438 438
# keys, programs in the kernel, tracing, page faults in user space
keyctl 250 219, add_key 248 217, request_key 249 218, bpf 321 280, perf_event_open 298 241,
userfaultfd 323 282
# input and output past the filter
io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427
# mounts and roots
mount 165 40, umount2 166 39, pivot_root 155 41, chroot 161 51, mount_setattr 442 442,
fsopen 430 430, fsconfig 431 431, fsmount 432 432, fspick 433 433, open_tree 428 428,
move_mount 429 429, statmount 457 457, listmount 458 458, quotactl 179 60, quotactl_fd 443 443,
swapon 167 224, swapoff 168 225
# files by handle or watched from afar
name_to_handle_at 303 264, open_by_handle_at 304 265, fanotify_init 300 262, fanotify_mark 301 263,
inotify_init 253 -, inotify_init1 294 26
# namespaces
setns 308 268, unshare 272 97, sethostname 170 161, setdomainname 171 162
# the machine: modules, restart, clock, ports, log, accounting
init_module 175 105, finit_module 313 273, delete_module 176 106, create_module 174 -,
query_module 178 -, get_kernel_syms 177 -, kexec_load 246 104, kexec_file_load 320 294,
reboot 169 142, acct 163 89, syslog 103 116, settimeofday 164 170, clock_settime 227 112,
adjtimex 159 171, clock_adjtime 305 266, iopl 172 -, ioperm 173 -, modify_ldt 154 -,
vhangup 153 58, lookup_dcookie 212 18, nfsservctl 180 42, uselib 134 -, ustat 136 -, sysfs 139 -,
_sysctl 156 -
# memory that no process shows as its own
memfd_create 319 279, memfd_secret 447 447, shmget 29 194, shmat 30 196, shmctl 31 195,
shmdt 67 197, msgget 68 186, msgsnd 69 189, msgrcv 70 188, msgctl 71 187, semget 64 190,
semop 65 193, semtimedop 220 192, semctl 66 191, mq_open 240 180, mq_unlink 241 181,
vmsplice 278 75, tee 276 77
# of which the whole host has one number
io_setup 206 0
# where memory lies, and the security modules
migrate_pages 256 238, move_pages 279 239, lsm_get_self_attr 459 459, lsm_set_self_attr 460 460,
lsm_list_modules 461 461
""")

# What would reach other processes of the host, where there is no namespace of processes: allowed on
# the caller itself (0 as first argument).
ON_PROCESSES = _table("""
prlimit64 302 261, sched_setparam 142 118, sched_setscheduler 144 119, sched_setaffinity 203 122,
sched_setattr 314 274, setpriority 141 140
""")
# The same, never allowed; and a way to sockets that lie in a folder.
ON_OTHERS = _table("""
ioprio_set 251 30, process_mrelease 448 448, connect 42 203
""")
# What changes a file that can be named, though it cannot be opened: for its owner,
ON_OWN_FILES = _table("""
chmod 90 -, fchmod 91 52, fchmodat 268 53, fchmodat2 452 452, chown 92 -, fchown 93 55,
lchown 94 -, fchownat 260 54
""")
# and for everyone who may write it.
ON_FILES = _table("""
utime 132 -, utimes 235 -, futimesat 261 -, utimensat 280 88, removexattr 197 14,
lremovexattr 198 15, fremovexattr 199 16
""")

# Lists of rights and other attributes, which take memory of the kernel.
ATTRIBUTES = _table("""
setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7
""")
# What lends pages of a file to a pipe or a socket, where they stay when the file has gone. Programs
# do it for speed only.
LENDING = _table("""
sendfile 40 71, splice 275 76
""")

# These are judged by their arguments, or answered in their own way.
JUDGED = _table("""
socket 41 198, socketpair 53 199, clone 56 220, clone3 435 435, ioctl 16 29, setsockopt 54 208,
personality 135 92, fcntl 72 25, mmap 9 222
""")
