"""Where episodes begin: after a guide, after a demonstration, from a snapshot.

Read `jump_start.py` first.
"""
