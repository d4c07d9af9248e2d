"""What a text policy is shown: history, hints, feedback, second attempts, thinking in chunks.

Read `history.py` first.
"""
