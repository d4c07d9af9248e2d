"""Causes and chances: exact probabilities, beliefs, and knowing what cannot be known.

Read `bayes_net.py` first.
"""
