"""Reasoning: problems drawn by seeded generators, checked by exact verifiers.

Read `core.py`, then a task: `arithmetic/chain_sum.py` is the smallest. `answers.py`
compares answers; its parts are in `checking`.
"""
