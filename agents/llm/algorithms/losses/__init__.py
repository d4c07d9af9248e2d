"""The policy loss: surrogate times ratio, aggregated over tokens, with importance weights.

Read `policy_loss.py`, `ratios.py`, `surrogates.py`, `aggregations.py`.
"""
