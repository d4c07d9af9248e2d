"""Policies that query a language model in several steps: prompting methods.

Read `queries.py`, then `react.py`.
"""
