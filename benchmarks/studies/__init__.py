"""Studies: questions about methods, answered with seeds and intervals, results committed in docs.

Read `exploration.py`, the shortest.
"""
