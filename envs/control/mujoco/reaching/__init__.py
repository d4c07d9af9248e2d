"""A tip is to be brought to places on a table: an arm, and a ball in a maze with inertia.

Read `base.py`, then `reacher.py`.
"""
