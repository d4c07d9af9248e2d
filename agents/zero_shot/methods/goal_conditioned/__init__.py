"""Goal-conditioned agents that learn offline, one paper a file: their prompt is a goal.

Read `goals.py` (relabelling), `base.py` (networks, actor, batches), then `gcbc.py` and `gcivl.py`;
the others differ in their value only.
"""
