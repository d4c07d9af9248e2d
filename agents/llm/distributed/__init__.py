"""Several processes, one model: sums over processes, and weights in shards.

Read `parallel.py`, then `fsdp.py`.
"""
