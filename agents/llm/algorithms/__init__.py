"""LLM papers: small parts of one training step, and presets that name their combinations.

Read `presets.py`, then `advantages` and `losses`.
"""
