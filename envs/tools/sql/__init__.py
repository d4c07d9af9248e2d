"""SQL: questions about a generated database, and a guard around SQLite.

Read `env.py`, `generation.py`, `guard.py`.
"""
