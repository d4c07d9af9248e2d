"""What the Linux kernel gives a sandbox: namespaces by bubblewrap, control groups, system call
filters.

Read `bubblewrap.py`, `cgroup.py`, `seccomp.py`.
"""
