"""Results of a run: records, JSON lines, provenance of numbers, and their intervals.

Read `schema.py`, `results_file.py`, `estimates.py`.
"""
