"""Opponents as parts with settings: in environments, in leagues, and in training.

Read `table.py`, then `players.py` and `earlier_selves.py`.
"""
