"""Baselines: random, oracle, and models of other libraries."""
