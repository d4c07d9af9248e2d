"""The decode loop of our own: sampling, caches of keys and values, shapes that compilers like.

Read `running_sequences.py`, `kv_cache.py`, `slot_cache.py`.
"""
