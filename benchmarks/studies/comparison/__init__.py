"""`zerogym study`: presets and parts compared over tasks and training runs.

Read `study.py`, then `cell.py` (one training run) and `runner.py` (all of them).
"""
