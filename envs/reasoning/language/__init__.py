"""Letters, words and texts: counting and sorting letters, ciphers, writing by rules.

Read `letter_tasks.py` first; the words are in `data`.
"""
