"""Environments and engines in, trajectories out.

Read `environments.py`, `conversation.py`, `episode.py`, `runner.py`; `branching.py` starts in the
middle.
"""
