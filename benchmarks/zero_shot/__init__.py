"""Zero-shot agents and their simple rivals on the same worlds and data: `zerogym bench zero_shot`.

Read `suite.py` (what is compared), `cells.py` (one training run), `runner.py`, `table.py`.
"""
