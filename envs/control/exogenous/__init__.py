"""Exogenous processes: the agent lives in their weather and makes none of it.

Read `base.py`; then `radio` (whose senders are hidden) or `trading` (whose trend is).
"""
