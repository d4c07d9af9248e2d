"""What a run writes: records, JSON lines, where numbers come from, and how sure they are.

Read `schema.py`, `results_file.py`, `estimates.py`.
"""
