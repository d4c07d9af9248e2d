"""Quadrotors of any constants: one that flies, and a swarm that flies past columns.

Read `physics.py`, `tasks.py`, `quadrotor.py`; then `swarm.py`.
"""
