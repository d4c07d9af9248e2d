"""A toy market with regimes that nobody sees, and the exact dynamic program over beliefs.

Read `market.py`, `planner.py`, `trading.py`.
"""
