"""Levels for machines without namespaces: landlock, and no walls at all.

Read `landlock.py` and `supervised.py`.
"""
