"""Zero-shot agents behind one interface, one paper a file.

Read `psm.py` first; all have the same methods in the same order (`protocol.py`).
"""
