"""Exploration: agents that act without a reward, and the data that they collect.

Read `collect.py` and `players.py`; papers are files of `rewards`.
"""
