"""Losses of whole groups of episodes: a paper a file; every file here registers its parts.

Read `regression.py`.
"""
