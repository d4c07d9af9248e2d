"""Environments: one task, two views, one oracle. The files here are shared; a family is a folder.

Read `core.py`, `problems.py`, `spaces.py` and `splits.py`; `registry.py` is the table of all ids.
"""
