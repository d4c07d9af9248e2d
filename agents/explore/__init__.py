"""Exploration: agents that act without a reward, and the data that they collect.

Read `policies.py`, `collect.py` and `players.py`; papers are files of `rewards`.
"""
