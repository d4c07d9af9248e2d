"""Bridges: the tasks of other suites as environments, with their scorers in a child process.

Read `core.py`.
"""
