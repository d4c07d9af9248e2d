"""Bridges: the tasks of other suites as environments, with their scorers kept at arm's length.

Read `core.py`.
"""
