"""Token ids in, token ids out: one protocol, and an engine behind each backend.

Read `protocol.py`, then `transformers_backend.py` or `vllm_backend.py`; `engines.py` makes one by
name.
"""
