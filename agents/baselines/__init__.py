"""Baselines: random, oracle, and models of other libraries.

Read `random_and_oracle.py` and `sb3.py`.
"""
