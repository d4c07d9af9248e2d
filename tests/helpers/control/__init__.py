"""Control environments by their short names, and how tests play them.

Read `worlds.py`.
"""
