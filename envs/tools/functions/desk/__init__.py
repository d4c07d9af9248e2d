"""A service desk: a customer's request, rules that it may break, and records to leave right.

Read `rules.py`, `customer.py`, `functions.py`, `case.py`.
"""
