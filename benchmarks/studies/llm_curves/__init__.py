"""Gain of GRPO over the warm start of the tiny model.

Read `run.py`.
"""
