"""Training by reinforcement: the loop, where batches come from, runs on disk.

Read `grpo.py` and `batch.py`; the rest is read when it is needed.
"""
