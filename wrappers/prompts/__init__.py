"""Changed prompts of text policies: history, hints, feedback, second attempts, chunks.

Read `history.py` first.
"""
