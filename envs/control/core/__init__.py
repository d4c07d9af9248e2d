"""The base of control environments: one physics, any task, rewards of named features.

Read `env.py`, `tasks.py` and `features.py`; then `contexts.py` and `expressions.py`.
"""
