"""Walls of the Linux kernel: namespaces by bubblewrap, control groups, system call filters.

Read `bubblewrap.py`, `cgroup.py`, `seccomp.py`.
"""
