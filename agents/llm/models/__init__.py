"""Language models: by name, from files, with adapters and heads; and what makes them fast.

Read `loading.py`, `lora.py`; `endpoints.py` names servers; `tiny.py` is the model that the package
ships, in `data`.
"""
