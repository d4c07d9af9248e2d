"""The classic worlds of control, from their equations: any constant, any task, an exact oracle.

Read `base.py`, then any world; `value_iteration.py`, `lqr.py` and the like find the oracles.
"""
