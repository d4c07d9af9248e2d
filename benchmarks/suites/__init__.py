"""Suites are data: which worlds, which agents; and the runner that fills the table.

Read `suites.py`, `cells.py`, `runner.py`, `scores.py`.
"""
