"""Language models: names, files, adapters, heads, and faster linear layers.

Read `directories.py`, `loading.py`, `lora.py`; `endpoints.py` names servers; `tiny.py` builds the
model that the package ships in `data`.
"""
