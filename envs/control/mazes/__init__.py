"""Continuous mazes: a point among walls, with goals, text and missions in signal temporal logic.

Read `physics.py`, `base.py`, `point_maze.py`; then `point_maze_stl.py`.
"""
