"""Scores of a model on held-out tasks, and reasons for a low one.

Read `returns.py`.
"""
