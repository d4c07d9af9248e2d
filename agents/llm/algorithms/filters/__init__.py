"""Filters: which episodes of a step are trained on; a file has one paper.

The base `Filter` and the table are in `episode_tables.py`.
"""
