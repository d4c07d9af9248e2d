"""Quantities of the world: units and the laws between them, dates and weekdays.

Read `units.py` and `dates.py`.
"""
