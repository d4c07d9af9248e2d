"""Vehicles: equations of motion over arrays, of which a single world is a batch of one.

Read `dynamics.py` and `base.py`; then `quadrotors` or `racing`.
"""
