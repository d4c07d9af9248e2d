"""Suites are data: which worlds, which contenders; and the runner that fills the table.

Read `suites.py`, `cells.py`, `runner.py`, `scores.py`.
"""
