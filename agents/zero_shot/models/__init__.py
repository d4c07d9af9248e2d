"""Networks, inference of z, and files: a trained model without its training.

Read `model.py`, `networks.py`, `inference.py`; `architecture.py` makes networks from saved sizes.
"""
