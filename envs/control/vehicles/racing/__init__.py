"""A car on a ring road, alone or among others.

Read `physics.py`, `tasks.py`, `racing_ring.py`.
"""
