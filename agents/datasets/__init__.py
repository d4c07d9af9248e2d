"""Transitions without rewards: in memory, on disk, in Minari's format, and parts of them.

Read `dataset.py`, `stored.py`, `shards.py`; `environments.py` makes the environments
they are collected in, `card.py` measures them.
"""
