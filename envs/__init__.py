"""Environments: one task, two views, one truth. What all of them share is here; a family is a
folder.

Read `core.py`, `problems.py`, `spaces.py` and `splits.py`; `registry.py` is the table of all ids.
"""
