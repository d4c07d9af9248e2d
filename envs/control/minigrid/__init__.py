"""The worlds of the package `minigrid` with any task, text, events and an oracle that plans.

Read `state.py`, `base.py`, `minigrid_env.py`; `maze.py` has levels that are vectors.
"""
