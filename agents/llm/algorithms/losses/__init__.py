"""What is maximised: surrogate times ratio, aggregated over tokens, corrected for stale engines.

Read `policy_loss.py`, `surrogates.py`, `aggregations.py`.
"""
