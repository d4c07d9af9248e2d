"""Many games at once, stepped together in NumPy.

Read `base.py`, `tables.py`, `games.py`.
"""
