"""Zero-shot agents and their simple rivals on the same worlds and data: `zerogym bench zero_shot`.

Read `suite.py` (what is compared), `cells.py` (one training run), `runner.py`, `table.py`, and for
the committed page `reduced.py`, `page.py`, `words.py`, `ways.py`, `ablation.py`, `__main__.py`.
"""
