"""Functions: tool sets over a hidden database, compiled from a seed, and questions for them.

Read `database.py`, `kinds.py`, `compiler.py`, `questions.py`; then `desk/`, `reward.py`, `env.py`.
"""
