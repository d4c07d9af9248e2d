"""How good a model is on tasks that it never saw, and why one may fail.

Read `returns.py`.
"""
