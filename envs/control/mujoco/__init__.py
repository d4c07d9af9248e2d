"""MuJoCo bodies: one simulator, any task, any constants, one or many at a time, with snapshots.

Read `base.py`; the bodies are in `locomotion` and `reaching`, their models in `data`.
"""
