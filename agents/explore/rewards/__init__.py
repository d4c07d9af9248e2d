"""Intrinsic rewards, a paper a file.

Read `base.py`, then `rnd.py`, the shortest.
"""
