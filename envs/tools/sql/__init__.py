"""SQL: a generated database that nobody has seen, questions about it, and a guard around SQLite.

Read `env.py`, `generation.py`, `guard.py`.
"""
