"""Results of a run: records, JSON lines, provenance of numbers, and their intervals.

Read `schema.py`, `results_file.py`, `estimates.py`; of several samples a problem `samples.py`,
`outcome_log.py`, `outcome_measures.py`.
"""
