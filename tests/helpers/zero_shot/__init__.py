"""Small datasets, interrupted runs and the U-map for the tests of zero-shot agents.

Read `small_runs.py`.
"""
