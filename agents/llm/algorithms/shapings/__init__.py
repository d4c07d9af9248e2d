"""Rewards of training beside the task's; every file here registers its parts.

Read `length.py`; `novelty.py` has a store that the checkpoint keeps.
"""
