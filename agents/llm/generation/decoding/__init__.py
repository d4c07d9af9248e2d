"""The decode loop's parts: sampling, KV caches, static shapes for compilers and CUDA graphs.

Read `running_sequences.py`, `kv_cache.py`, `slot_layer.py`, `slot_cache.py`, `kept_prefixes.py`.
"""
