"""How far GRPO lifts the tiny model above its warm start.

Read `run.py`.
"""
