"""Starts of episodes: after a guide, after a demonstration, from a snapshot.

Read `jump_start.py` first.
"""
