"""The calculator: exact arithmetic with bounds on everything, never `eval`.

Read `calculator.py`.
"""
