"""What every control world shares: one physics, any task, rewards as functions of named features.

Read `env.py`, `tasks.py` and `features.py`; then `contexts.py` and `expressions.py`.
"""
