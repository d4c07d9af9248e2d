"""Training from an environment id to model directories.

Read `train.py` and `run.py`.
"""
