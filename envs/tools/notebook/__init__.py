"""Notebook: generated files, a question about them, and a notebook in the sandbox.

Read `env.py` and `puzzle.py`; the other files are kinds of puzzles.
"""
