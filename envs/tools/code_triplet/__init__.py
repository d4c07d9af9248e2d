"""Triplets of program, input and output: find the one that is missing.

Read `env.py`, `problems.py`, `triplets.py`; the small language of drawn programs is in `language`.
"""
