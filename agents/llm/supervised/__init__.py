"""Supervised learning: fine-tuning, rejection sampling, and the warm start of the tiny model.

Read `sft.py`, then `rejection_sampling.py`.
"""
